"""Four mistakes of the published dpUGC code, each in one step with a law that is known exactly (Fischer §4.1).

A user is given by the gradient of their texts: three numbers, one for each of the three tensors that the code trains
(word vectors, context vectors, biases). A step releases the sum of clipped gradients with Gaussian noise; what is shown
here is its coordinate in one direction, so that the divergences can be integrated. The claim is the (ε, δ) that the
accountant would print for noise of σ times the clipping bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from sfumato.auditor import AuditCase
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.promise import ApproxDP
from sfumato.promise.accountant import Accountant

DELTA = 1e-5
GRID = 2.0**-30
Mistake = Literal["none", "squared bound", "batch clipping", "tensor by tensor", "size of the vocabulary"]


def _clip(gradient: Any, bound: float) -> Any:
    norm = float(np.linalg.norm(gradient))
    return gradient * min(1.0, bound / norm) if norm > 0 else gradient


@dataclass(frozen=True, kw_only=True, eq=False)
class PublishedStep(Mechanism):
    """One training step with one of the mistakes, or with none."""

    mistake: Mistake
    clip: float = 0.1
    sigma: float = 4.0
    rate: float = 1.0
    claimed_rate: float = 1.0
    direction: tuple[float, float, float] = (1.0, 0.0, 0.0)

    @cached_property
    def guarantee(self) -> ApproxDP:
        account = Accountant(method="pld", unit="user", neighbours="add-remove")
        return account.gaussian(self.sigma, sampling_rate=self.claimed_rate).guarantee(DELTA)

    @property
    def deviation(self) -> float:
        return self.sigma * (self.clip**2 if self.mistake == "squared bound" else self.clip)

    def total(self, data: Any) -> float:
        """The sum of gradients, clipped as the variant does it, along the direction."""
        users = [np.asarray(user, float) for user in data]
        if self.mistake == "batch clipping":
            clipped = _clip(sum(users, np.zeros(3)), self.clip)
        elif self.mistake == "tensor by tensor":
            clipped = sum((np.array([float(_clip(part, self.clip)) for part in user]) for user in users), np.zeros(3))
        else:
            clipped = sum((_clip(user, self.clip) for user in users), np.zeros(3))
        return float(clipped @ np.asarray(self.direction))

    def worlds(self, data: Any) -> list[tuple[float, float]]:
        """Probability and mean of each sample of users; only the last one is sampled at random if the rate is not 1."""
        if self.rate == 1 or len(data) == 0:
            return [(1.0, self.total(data))]
        return [(1 - self.rate, self.total(data[:-1])), (self.rate, self.total(data))]

    def log_density(self, output: Any, data: Any) -> Any:
        z = np.asarray(output, float).reshape(-1)
        terms = [math.log(weight) - 0.5 * ((z - mean) / self.deviation) ** 2 for weight, mean in self.worlds(data)]
        return np.logaddexp.reduce(terms, axis=0) - math.log(self.deviation * math.sqrt(2 * math.pi))

    def release(self, data: Any, *, rng: Rng | None = None) -> float:
        assert rng is not None
        weights, means = zip(*self.worlds(data), strict=True)
        noisy = rng.normal(means[int(rng.choice(len(means), p=weights))], self.deviation)
        return float(np.rint(noisy / GRID) * GRID)  # the low bits of a double are a mistake of their own


def case(mistake: Mistake, pairs: list[tuple[Any, Any]], **parameters: Any) -> AuditCase:
    step = PublishedStep(mistake=mistake, **parameters)
    return AuditCase(
        name=f"dpUGC, {mistake}",
        mechanism=step,
        pairs=pairs,
        outputs=step.deviation * np.linspace(-60, 60, 2_001),
        expected="holds" if mistake == "none" else "broken",
        source="Fischer §4.1 (dpUGC as published)",
    )


_ALONE: list[tuple[Any, Any]] = [([], [(9.0, 0.0, 0.0)])]
_AGAINST: list[tuple[Any, Any]] = [([(1.0, 0.0, 0.0)], [(1.0, 0.0, 0.0), (-9.0, 0.0, 0.0)])]
_ALL_THREE: list[tuple[Any, Any]] = [([], [(9.0, 9.0, 9.0)])]
_DIAGONAL = (3**-0.5, 3**-0.5, 3**-0.5)

CASES = [
    case("squared bound", _ALONE),
    case("batch clipping", _AGAINST),
    case("tensor by tensor", _ALL_THREE, direction=_DIAGONAL),
    case("size of the vocabulary", _ALONE, sigma=1.0, rate=0.2, claimed_rate=0.02),
]

SOUND = [
    case("none", _ALONE),
    case("none", _AGAINST),
    case("none", _ALL_THREE, direction=_DIAGONAL),
    case("none", _ALONE, sigma=1.0, rate=0.2, claimed_rate=0.2),
]
"""The same steps without the mistake: the auditor must let them pass."""
