"""What is released before it is decoded, with its exact law: for the auditor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.noise import Rng, resolve_rng
from sfumato.text.core.corpus import check_texts
from sfumato.text.mechanisms.rewrite.code_vae import CodeVae
from sfumato.text.mechanisms.rewrite.dp_vae import DpVae

__all__ = ["ReleasedCode", "ReleasedLatent"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleasedLatent(DpVae):
    """The noisy latents of one text, shape (sentences, size): N(R·tanh*(μ), σ²·I) each."""

    def release(self, data: Any, *, rng: Rng | None = None, keep: Any = ()) -> Any:
        return self.draw(data, 1, resolve_rng(rng))[0]

    def centre(self, data: Any) -> NDArray[np.float64]:
        """The means, which are all that the text adds."""
        return self.bounded_means(self.sentence_ids(check_texts([data]))[0])

    def draw(self, data: Any, count: int, rng: Rng) -> NDArray[np.float64]:
        """``count`` independent releases."""
        ids, _ = self.sentence_ids(check_texts([data]))
        drawn = self.draw_latents(np.tile(ids, (count, 1)), rng)
        return drawn.reshape(count, len(ids), -1)

    def log_density(self, output: ArrayLike, data: Any) -> NDArray[np.float64]:
        """The log-density at each output (first axis)."""
        apart = (np.asarray(output, float) - self.centre(data)) / self.sigma
        size = apart[0].size
        return np.asarray(
            -0.5 * (apart**2).reshape(len(apart), -1).sum(axis=1)
            - size * (0.5 * math.log(2 * math.pi) + math.log(self.sigma))
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class ReleasedCode(CodeVae):
    """The code of one text after randomised response."""

    def release(self, data: Any, *, rng: Rng | None = None, keep: Any = ()) -> Any:
        return int(self.draw(data, 1, resolve_rng(rng))[0])

    def draw(self, data: Any, count: int, rng: Rng) -> NDArray[np.int64]:
        """``count`` independent releases."""
        code = self.model.codes(check_texts([data]))
        return np.asarray(self.response.release(np.repeat(code, count), rng=rng), np.int64)

    def log_prob(self, output: ArrayLike, data: Any) -> NDArray[np.float64]:
        """The log-probability of each code."""
        return self.response.log_prob(output, int(self.model.codes(check_texts([data]))[0]))
