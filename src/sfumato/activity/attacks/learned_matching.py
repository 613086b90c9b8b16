"""A matcher that is learned: which differences between two rows of one person are usual, and which are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sfumato.activity.attacks.scoring import last_two, score_assignment, window_pairs
from sfumato.activity.core.activity import Activity, Matrix
from sfumato.activity.core.assignment import CANDIDATES, EXACT, Affinity, assign
from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.study.score import Score
from sfumato.validate import integer, probability

__all__ = ["LearnedLinkageAttack", "LearnedReidentificationAttack"]

Rows = NDArray[np.float64]


class PairModel(NamedTuple):
    """Two rows of one person as one Gaussian vector, against two strangers: the log-ratio is quadratic.

    log N(z₁, z₂; C) − log N(z₁; C₁₁) − log N(z₂; C₂₂), with the part that depends on z₁ alone left out.
    """

    first: Rows
    second: Rows
    across: Rows
    within: Rows

    @classmethod
    def fit(cls, one: Rows, two: Rows, ridge: float) -> PairModel:
        """From pairs of rows, row by row of the same person."""
        first, second = one.mean(axis=0), two.mean(axis=0)
        x, y = one - first, two - second
        width, count = x.shape[1], len(x)
        whole = np.cov(np.hstack([x, y]), rowvar=False, ddof=0) if count > 1 else np.eye(2 * width)
        mean = max(float(np.trace(whole)) / (2 * width), 1e-300)
        # With few pairs the correlations of different directions are noise: they are shrunk, the diagonals are not.
        keep = 1 - min(1.0, 2 * width / max(count, 1)) * 0.5
        pattern = np.tile(np.eye(width), (2, 2))
        whole = np.where(pattern > 0, whole, keep * whole) + ridge * mean * np.eye(2 * width)
        inverse = np.linalg.pinv(whole, hermitian=True)
        alone = np.linalg.pinv(whole[width:, width:], hermitian=True)
        return cls(first, second, -inverse[:width, width:], -0.5 * (inverse[width:, width:] - alone))

    def left(self, one: Rows) -> Rows:
        """Features of rows of the first side."""
        return (one - self.first) @ self.across

    def right(self, two: Rows) -> Rows:
        """Features of rows of the second side."""
        return two - self.second

    def term(self, two: Rows) -> Rows:
        """What a row of the second side adds by itself."""
        centred = two - self.second
        return np.einsum("ij,jk,ik->i", centred, self.within, centred)


def _coordinates(sides: list[Matrix], width: int) -> list[Rows]:
    """The rows of all sides along their main directions, items weighted so that the busiest do not rule."""
    stacked: Any = (
        sparse.vstack(sides) if all(map(sparse.issparse, sides)) else np.vstack([_dense(side) for side in sides])
    )
    mean = np.asarray(stacked.mean(axis=0)).reshape(-1)
    square = np.asarray((stacked.power(2) if sparse.issparse(stacked) else stacked**2).mean(axis=0)).reshape(-1)
    spread = np.sqrt(np.maximum(square - mean**2, 0.0))
    weight = 1 / np.sqrt(spread + 0.05 * float(spread.max()) + 1e-12)
    scaled = stacked @ sparse.diags_array(weight) if sparse.issparse(stacked) else stacked * weight
    from sklearn.utils.extmath import randomized_svd

    left, size, _ = randomized_svd(scaled, n_components=width, n_iter=4, random_state=0)
    return list(np.split(left * size, np.cumsum([side.shape[0] for side in sides])[:-1]))


def _dense(matrix: Matrix) -> Rows:
    return matrix.toarray() if sparse.issparse(matrix) else matrix


@dataclass(frozen=True, kw_only=True)
class _Learned:
    dimensions: int = 64
    ridge: float = 1e-2
    exact: int = EXACT
    candidates: int = CANDIDATES

    def __post_init__(self) -> None:
        integer("dimensions", self.dimensions)
        probability("ridge", self.ridge)
        integer("exact", self.exact)
        integer("candidates", self.candidates)

    def _width(self, activity: Activity) -> int:
        users, items = activity.shape
        if users < 8:
            raise bad_input("users", users, "at least 8 users to learn from")
        return max(1, min(self.dimensions, users // 4, items - 1))

    def _assign(self, affinity: Affinity, rng: Rng) -> NDArray[np.int64]:
        return assign(affinity, rng, exact=self.exact, candidates=self.candidates)


@dataclass(frozen=True, kw_only=True)
class LearnedReidentificationAttack(_Learned):
    """The attacker protects the original with the same method again, and learns from that how rows change.

    Pairs of an original row and its re-protected copies, along the main directions, are modelled as one Gaussian; the
    assignment with the greatest likelihood ratio is then made with the true release.

    Parameters
    ----------
    window : int
    copies : int
        How often the original is protected again.
    dimensions, ridge
        Of the model.
    """

    criterion: ClassVar[str] = "singling out"
    knows: ClassVar[str] = "what everybody did in that window, and the method, which they run themselves"

    window: int = 0
    copies: int = 2
    name: str = "re-identified by learning"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The share of users whose row is found."""
        generator = resolve_rng(rng)
        original, seen = window_pairs(data, release)
        if mechanism is None:
            raise bad_input("mechanism", mechanism, "the method that made the release", "the attacker runs it")
        known, target = original.windows[self.window], seen.windows[self.window]
        again = [mechanism.release(original, rng=generator).windows[self.window] for _ in range(self.copies)]
        rows, wanted, *own = _coordinates([known, target, *again], self._width(original))
        model = PairModel.fit(np.vstack([rows] * self.copies), np.vstack(own), self.ridge)
        affinity = Affinity(model.left(rows), model.right(wanted), model.term(wanted))
        return score_assignment(self._assign(affinity, generator), target, getattr(mechanism, "k", None))


@dataclass(frozen=True, kw_only=True)
class LearnedLinkageAttack(_Learned):
    """The attacker has learned from people whose links they know how one person's rows differ between windows.

    With three windows or more, they have the earlier ones with names, protect them with the same method and learn from
    the last two of these. With two windows they know the links of half of the users, and link the other half; halves
    are exchanged, and all users stand in the way of all.
    """

    criterion: ClassVar[str] = "linkability"
    knows: ClassVar[str] = "two windows of the release, and earlier windows or the links of half of the users"

    name: str = "linked by learning"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The share of users who are linked to themselves."""
        generator = resolve_rng(rng)
        original, seen = window_pairs(data, release)
        first, second = last_two(seen)
        width = self._width(original)
        if original.count > 2 and mechanism is not None:
            history = mechanism.release(original, rng=generator).windows[-3:-1]
            one, two, *past = _coordinates([first, second, *history], width)
            model = PairModel.fit(past[0], past[1], self.ridge)
            affinity = Affinity(model.left(one), model.right(two), model.term(two))
        else:
            one, two = _coordinates([first, second], width)
            affinity = self._by_halves(one, two, generator)
        return score_assignment(self._assign(affinity, generator), seen.windows[-1], getattr(mechanism, "k", None))

    def _by_halves(self, one: Rows, two: Rows, rng: Rng) -> Affinity:
        """Rows of each half are scored by the model of the other half."""
        half = rng.permutation(len(one)) % 2
        models = [PairModel.fit(one[half == side], two[half == side], self.ridge) for side in (0, 1)]
        other = [models[1], models[0]]
        width = one.shape[1]
        left = np.zeros((len(one), 2 * width + 2))
        for side, model in enumerate(other):
            mine = half == side
            left[mine, side * width : (side + 1) * width] = model.left(one[mine])
            left[mine, 2 * width + side] = 1.0
        right = np.hstack([*(model.right(two) for model in other), *(model.term(two)[:, None] for model in other)])
        return Affinity(left, right, np.zeros(len(one)))
