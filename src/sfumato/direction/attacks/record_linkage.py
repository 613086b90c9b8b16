"""Attack on single records: find out whose release it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.direction.attacks.likelihood import log_likelihood
from sfumato.direction.data.directions import directions_of
from sfumato.errors import bad_input
from sfumato.mechanism.base import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.validate import integer

__all__ = ["RecordLinkageAttack"]


@dataclass(frozen=True, kw_only=True)
class RecordLinkageAttack:
    """Links each released record to the raw record that most likely led to it.

    The attacker holds the raw records, without knowing which release is whose, and takes the one with the largest
    likelihood under the law of the noise; all directions of a record count together. Without a known law, the nearest.

    Parameters
    ----------
    records : int
        Bounds how many records are linked, and among how many.

    Examples
    --------
    >>> from sfumato.direction import Purkayastha
    >>> from sfumato.direction.data.directions import Directions
    >>> hours, noise = np.arange(0.0, 24.0, 0.5)[:, None], Purkayastha(epsilon=500.0, kind="hour")
    >>> raw, seen = (Directions(values=v, kind="hour") for v in (hours, noise.release(hours)))
    >>> RecordLinkageAttack().attack(raw, seen, mechanism=noise).value
    1.0
    """

    records: int = 1000

    name: ClassVar[str] = "records linked"
    criterion: ClassVar[Criterion] = "linkability"
    knows: ClassVar[str] = "the raw records, but not which release is whose, and the law of the noise"
    needs: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        integer("records", self.records, least=2)

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The share of records linked; the reference is one out of all."""
        rng = resolve_rng(rng)
        raw, seen = directions_of(data), directions_of(release)
        count = len(raw[0])
        if len(seen[0]) != count:
            raise bad_input("release", len(seen[0]), f"{count} records, row by row those of the data")
        if count < 2:
            raise bad_input("data", count, "at least two records to tell apart")
        rows = np.arange(count) if count <= self.records else np.sort(rng.choice(count, self.records, replace=False))
        score = np.zeros((rows.size, rows.size))
        for here, there in zip(raw, seen, strict=True):
            score += log_likelihood(mechanism, there.select(rows), here.select(rows))
        own = np.diag(score)
        # ties are broken at random: a record equal to many others links to none of them
        ahead = (score > own[:, None]).sum(axis=1)
        level = (score == own[:, None]).sum(axis=1) - 1
        return Score.of_share(ahead + rng.integers(level + 1) == 0, 1 / rows.size)
