"""One step of the private discriminator, whose law is known exactly: for the auditor only."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.model.core.learning import require_torch
from sfumato.model.core.vector_coding import VectorCoding
from sfumato.model.mechanisms.private_gan import PrivateGan
from sfumato.noise import Rng, resolve_rng

__all__ = ["GanStep"]


@dataclass(frozen=True, kw_only=True, eq=False)
class GanStep(PrivateGan):
    """The private GAN reduced to the noisy sum of one step over all records, at fixed weights.

    It releases N(Σ clip(g), (σC)²·I); the rest of the training repeats this step, samples records for it, and
    post-processes.
    """

    steps: int = 1
    rate: float = 1.0
    hidden: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, needed in (("steps", 1), ("rate", 1.0)):
            if getattr(self, name) != needed:
                raise bad_input(name, getattr(self, name), str(needed))

    def mean(self, data: Any) -> NDArray[np.float64]:
        """What is released without noise."""
        torch = require_torch()
        rows = VectorCoding(self.domains).vectors(data)
        judge = self._judge(torch, rows.shape[1])
        with torch.no_grad():
            for one in judge.parameters():
                one.fill_(0.25)
        return self.clipped_sum(judge, *self.coded(rows))

    def release(self, data: Any, *, rng: Rng | None = None) -> NDArray[np.float64]:
        """The noisy sum."""
        return self.noisy_steps.noisy(self.mean(data), resolve_rng(rng))

    def log_density(self, output: ArrayLike, data: Any) -> NDArray[np.float64]:
        """The log-density at each output (first axis)."""
        deviation = self.noisy_steps.deviation
        away = (np.asarray(output, float) - self.mean(data)) / deviation
        size = away.shape[1]
        return -0.5 * (away**2).sum(axis=1) - size * (0.5 * math.log(2 * math.pi) + math.log(deviation))

    def draw(self, data: Any, count: int, rng: Rng) -> NDArray[np.float64]:
        """``count`` independent releases."""
        mean = self.mean(data)
        return mean + self.noisy_steps.deviation * rng.standard_normal((count, len(mean)))
