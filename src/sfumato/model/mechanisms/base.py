"""Generators that are trained against a discriminator."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.io.frames import is_frame, to_native_like
from sfumato.mechanism.base import Mechanism
from sfumato.model.core.cohort import trained_on
from sfumato.model.core.learning import require_torch, seeded_torch
from sfumato.model.core.vector_coding import VectorCoding
from sfumato.model.mechanisms.noisy_marginals import check_domains
from sfumato.noise.entropy import Rng, resolve_rng
from sfumato.validate import integer, positive

__all__ = ["AdversarialGenerator"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class AdversarialGenerator(Mechanism):
    """A generator G and a discriminator D, trained by min_G max_D E log D(x) + E log(1 − D(G(z))).

    Parameters
    ----------
    domains : mapping of str to list, optional
        As in :class:`~sfumato.model.NoisyMarginals`; without it, data are arrays of numbers in [−1, 1].
    count : int
        How many records are made.
    steps, batch : int
        Training steps, and generated records in each.
    hidden, latent : int
        Widths of the networks and of the noise that G starts from.
    learning_rate : float
    """

    domains: Mapping[str, Sequence[Any]] | None = None
    count: int = 1_000
    steps: int = 500
    batch: int = 64
    hidden: int = 64
    latent: int = 8
    learning_rate: float = 0.002

    def __post_init__(self) -> None:
        if self.domains is not None:
            check_domains(self.domains)
        for name in ("count", "steps", "batch", "hidden", "latent"):
            integer(name, getattr(self, name))
        positive("learning_rate", self.learning_rate)
        require_torch()

    @abstractmethod
    def _discriminator_gradient(self, torch: Any, judge: Any, real: Any, made: Any, rng: Rng) -> list[Any]:
        """The gradient of D's loss for each of its parameters."""

    def _judge(self, torch: Any, width: int) -> Any:
        nn = torch.nn
        return nn.Sequential(nn.Linear(width, self.hidden), nn.LeakyReLU(0.2), nn.Linear(self.hidden, 1))

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """Records drawn from the trained generator, of the kind that came in."""
        generator, data = resolve_rng(rng), trained_on(data)
        coding = VectorCoding(self.domains)
        made = coding.records(self._trained(coding.vectors(data), generator), data)
        return to_native_like(made, data) if is_frame(data) else made

    def _trained(self, rows: Floats, rng: Rng) -> Floats:
        with seeded_torch(rng) as torch:
            nn = torch.nn
            width = rows.shape[1]
            judge = self._judge(torch, width)
            maker = nn.Sequential(
                nn.Linear(self.latent, self.hidden), nn.ReLU(), nn.Linear(self.hidden, width), nn.Tanh()
            )
            real = torch.from_numpy(np.ascontiguousarray(rows, np.float32))
            first = torch.optim.Adam(judge.parameters(), lr=self.learning_rate, betas=(0.5, 0.9))
            second = torch.optim.Adam(maker.parameters(), lr=self.learning_rate, betas=(0.5, 0.9))
            for _ in range(self.steps):
                made = maker(torch.randn(self.batch, self.latent))
                gradient = self._discriminator_gradient(torch, judge, real, made.detach(), rng)
                for parameter, one in zip(judge.parameters(), gradient, strict=True):
                    parameter.grad = one
                first.step()
                # G minimises −log D(G(z)): it sees the data only through D.
                error = nn.functional.softplus(-judge(made)).mean()
                second.zero_grad()
                error.backward()
                second.step()
            with torch.no_grad():
                drawn: Floats = maker(torch.randn(self.count, self.latent)).double().numpy()
            return drawn
