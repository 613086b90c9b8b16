"""The right formula, the wrong arithmetic: what is published about the sampler does not hold for the program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.auditor import AuditCase
from sfumato.mechanism import Laplace, Mechanism
from sfumato.promise import PureDP


@dataclass(frozen=True, kw_only=True, eq=False)
class PlainFloatLaplace(Mechanism):
    """x + b·Lap(1) in doubles: which doubles can come out depends on x, bit by bit (Mironov 2012)."""

    epsilon: float

    @property
    def guarantee(self) -> PureDP:
        return PureDP(self.epsilon)

    def release(self, data: float, *, rng: np.random.Generator | None = None) -> Any:
        assert rng is not None
        return data + rng.laplace(0.0, 1 / self.epsilon)


@dataclass(frozen=True, kw_only=True, eq=False)
class WrongInverse(Mechanism):
    """−b·sgn(u)·ln(1 − |u|) for u in (−½, ½), the factor two forgotten: the noise ends at b·ln 2.

    The result is rounded to a coarse grid, so that the low bits have no part in it.
    """

    epsilon: float

    @property
    def guarantee(self) -> PureDP:
        return PureDP(self.epsilon)

    def release(self, data: float, *, rng: np.random.Generator | None = None) -> Any:
        assert rng is not None
        u = rng.uniform(-0.5, 0.5)
        noise = -np.sign(u) * np.log1p(-abs(u)) / self.epsilon
        return np.round((data + noise) * 2**10) / 2**10


@dataclass(frozen=True, kw_only=True, eq=False)
class StampsAsDoubles(Mechanism):
    """Exact Laplace noise on integers, after a cast to double: at 2⁶⁰ neighbours 1 apart become 256 apart."""

    epsilon: float

    @property
    def guarantee(self) -> PureDP:
        return PureDP(self.epsilon)

    def release(self, data: int, *, rng: np.random.Generator | None = None) -> Any:
        return Laplace(epsilon=self.epsilon, sensitivity=1, grid=1).release(float(data), rng=rng)


def _stamps(data: int, count: int, rng: np.random.Generator) -> Any:
    return Laplace(epsilon=1.0, sensitivity=1, grid=1).release(np.full(count, float(data)), rng=rng)


CASES = [
    AuditCase(
        name="integers beyond 2^53 as doubles",
        mechanism=StampsAsDoubles(epsilon=1.0),
        pairs=[(2**60 + 128, 2**60 + 129)],
        sampler=_stamps,
        expected="broken",
        source="integers are cast before the sensitivity is charged",
    ),
    AuditCase(
        name="plain-float Laplace (low bits)",
        mechanism=PlainFloatLaplace(epsilon=1.0),
        pairs=[(0.0, 1.0)],
        sampler=lambda data, count, rng: data + rng.laplace(0.0, 1.0, count),
        expected="broken",
        source="Mironov 2012; Weggenmann §2",
    ),
    AuditCase(
        name="wrong inverse of the Laplace law",
        mechanism=WrongInverse(epsilon=1.0),
        pairs=[(0.0, 1.0)],
        samples=8_000,
        expected="broken",
        source="Weggenmann §10 (c)",
    ),
]
