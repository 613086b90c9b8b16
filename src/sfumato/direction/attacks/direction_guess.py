"""Attack on single records: infer the direction behind each release."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.attacks.likelihood import angles_between, log_likelihood
from sfumato.direction.core.coordinates import CIRCLES, Kind
from sfumato.direction.data.directions import Directions, unit_of
from sfumato.errors import bad_input
from sfumato.mechanism.base import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.validate import choice, integer, positive

__all__ = ["DirectionGuessAttack"]

_NEAR: dict[str, float] = {"hour": 0.5, "week": 0.5, "latlon": 0.1}  # half an hour, 100 m


@dataclass(frozen=True, kw_only=True)
class DirectionGuessAttack:
    """Infers each direction from its release: the guess that is most probably near it.

    The attacker knows how common each direction is (that of the raw data) and the law of the noise, takes the posterior
    Pr[x | z] ∝ Pr[x]·p(z | x) and guesses the direction with the most of it within the tolerance. Without a known law,
    the release itself is the guess.

    Parameters
    ----------
    kind : {"vector", "angle", "hour", "week", "latlon"}
    tolerance : float, optional
        A guess so near counts: in hours, in kilometres for places, in radians otherwise; by default 0.5 h, 0.1 km and
        0.1.
    records : int
        Bounds how many directions are attacked.
    """

    kind: Kind = "vector"
    tolerance: float | None = None
    records: int = 1000

    criterion: ClassVar[Criterion] = "inference"
    knows: ClassVar[str] = "how common each direction is, and the law of the noise"
    needs: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        choice("kind", self.kind, get_args(Kind))
        if self.tolerance is not None:
            positive("tolerance", self.tolerance)
        integer("records", self.records)

    @property
    def near(self) -> float:
        """The tolerance in its unit."""
        return _NEAR.get(self.kind, 0.1) if self.tolerance is None else self.tolerance

    @property
    def name(self) -> str:
        return f"direction found within {self.near:g} {unit_of(self.kind)[0]}"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The share of directions found; the reference is the best guess made for all of them."""
        for value in (data, release):
            if not isinstance(value, Directions) or value.kind != self.kind:
                raise bad_input("data", type(value).__name__, f"Directions of kind {self.kind}")
        raw, seen = (_one_a_row(value) for value in (data, release))
        if len(raw) != len(seen):
            raise bad_input("release", len(seen), f"{len(raw)} records, row by row those of the data")
        rng = resolve_rng(rng)
        count = min(len(raw), self.records)
        rows = np.sort(rng.choice(len(raw), count, replace=False))
        raw, seen = raw.select(rows), seen.select(rows)
        reach = self.near / unit_of(self.kind)[1]
        close = (angles_between(raw.vectors[:, 0], raw.vectors[:, 0]) <= reach).astype(np.float64)
        chance = float(close.mean(axis=0).max())
        if mechanism is None:
            far = np.linalg.norm(raw.vectors[:, 0] - seen.vectors[:, 0], axis=1)
            return Score.of_share(far <= 2 * math.sin(min(reach, math.pi) / 2), chance)
        score = log_likelihood(mechanism, seen, raw)
        posterior = np.exp(score - score.max(axis=1, keepdims=True))
        guess: NDArray[np.int64] = np.argmax(posterior @ close, axis=1)
        return Score.of_share(close[np.arange(count), guess], chance)


def _one_a_row(data: Directions) -> Directions:
    return Directions(values=data.values.reshape(-1, 1), kind=data.kind) if data.kind in CIRCLES else data
