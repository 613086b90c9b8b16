"""Optimal assignment by distance: re-identification and linkage [D2, D3]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import sparse

from sfumato.activity.attacks.scoring import last_two, score_assignment, window_pairs
from sfumato.activity.core.activity import Matrix
from sfumato.activity.core.assignment import CANDIDATES, EXACT, Affinity, assign, squared_distance
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.study.score import Score
from sfumato.validate import choice, integer

__all__ = ["Distance", "LinkageAttack", "ReidentificationAttack", "affinity_by"]

Distance = Literal["squared", "rarity"]


def affinity_by(distance: Distance, left: Matrix, right: Matrix) -> Affinity:
    """Scores of pairs: near rows, or rows that share what few others have (cosine of idf-weighted rows)."""
    if distance == "squared":
        return squared_distance(left, right)
    weighted = [_by_rarity(side) for side in (left, right)]
    return Affinity(weighted[0], weighted[1], np.zeros(right.shape[0]))


def _by_rarity(matrix: Matrix) -> Matrix:
    """Cells weighted by how rare their item is among the rows, rows of norm 1."""
    size = abs(matrix)
    most = float(size.max()) or 1.0
    used = np.asarray((size > 0.5 * most).sum(axis=0)).reshape(-1)
    weight = np.log((matrix.shape[0] + 1.0) / (used + 1.0)) + 1e-3
    scaled = matrix @ sparse.diags_array(weight) if sparse.issparse(matrix) else matrix * weight
    squares = scaled.power(2) if sparse.issparse(scaled) else scaled * scaled
    norm = np.sqrt(np.maximum(np.asarray(squares.sum(axis=1)).reshape(-1), 1e-300))
    norm[norm < 1e-100] = 1.0
    return (
        sparse.csr_array(sparse.diags_array(1 / norm) @ scaled) if sparse.issparse(scaled) else scaled / norm[:, None]
    )


@dataclass(frozen=True, kw_only=True)
class ReidentificationAttack:
    """Whose row is it? The attacker holds the original matrix and matches it with the release as a whole.

    Minimum-cost perfect matching on squared Euclidean distances (Def. 5.1), optimal up to ``exact`` users. Released
    rows are mixed first and equal ones count as what picking one of them achieves: ties never help.

    Parameters
    ----------
    window : int
        Which window.
    distance : {"squared", "rarity"}
    exact, candidates : int
        As in :func:`~sfumato.activity.core.assignment.assign`.

    Examples
    --------
    >>> matrix = np.eye(5)
    >>> ReidentificationAttack().attack(matrix, matrix, rng=np.random.default_rng(0)).value
    1.0
    """

    criterion: ClassVar[str] = "singling out"
    knows: ClassVar[str] = "what everybody did in that window, but not whose released row is whose"

    window: int = 0
    distance: Distance = "squared"
    exact: int = EXACT
    candidates: int = CANDIDATES
    name: str = "re-identified"

    def __post_init__(self) -> None:
        integer("window", self.window, least=-1000)
        choice("distance", self.distance, ("squared", "rarity"))
        integer("exact", self.exact)
        integer("candidates", self.candidates)

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The share of users whose row is found."""
        original, seen = window_pairs(data, release)
        known, target = original.windows[self.window], seen.estimates()[self.window]
        affinity = affinity_by(self.distance, known, target)
        found = assign(affinity, resolve_rng(rng), exact=self.exact, candidates=self.candidates)
        return score_assignment(found, seen.windows[self.window], getattr(mechanism, "k", None))


@dataclass(frozen=True, kw_only=True)
class LinkageAttack:
    """Who is who in the next window? The attacker holds two releases under different pseudonyms (Def. 5.2).

    The last two windows are matched as a whole; with groups the cluster is that of the second release.

    Parameters
    ----------
    distance : {"squared", "rarity"}
        Squared Euclidean as in the dissertation, or what few others did weighs more.
    exact, candidates : int
        As in :func:`~sfumato.activity.core.assignment.assign`.

    Examples
    --------
    >>> from sfumato.activity import Activity
    >>> log = Activity(windows=[np.eye(4), np.eye(4)])
    >>> LinkageAttack().attack(log, log, rng=np.random.default_rng(0)).value
    1.0
    """

    criterion: ClassVar[str] = "linkability"
    knows: ClassVar[str] = "two windows of the release, under different pseudonyms"

    distance: Distance = "squared"
    exact: int = EXACT
    candidates: int = CANDIDATES
    name: str = "linked"

    def __post_init__(self) -> None:
        choice("distance", self.distance, ("squared", "rarity"))
        integer("exact", self.exact)
        integer("candidates", self.candidates)

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The share of users who are linked to themselves."""
        _, seen = window_pairs(data, release)
        first, second = last_two(seen.with_windows(seen.estimates(), channel=None))
        affinity = affinity_by(self.distance, first, second)
        found = assign(affinity, resolve_rng(rng), exact=self.exact, candidates=self.candidates)
        return score_assignment(found, seen.windows[-1], getattr(mechanism, "k", None))
