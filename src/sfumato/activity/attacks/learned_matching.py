"""A matcher that is learned: which differences between two rows of one person are usual, and which are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sfumato.activity.attacks.assignment_attack import Distance, affinity_by
from sfumato.activity.attacks.scoring import last_two, score_assignment, window_pairs
from sfumato.activity.core.activity import Activity, Matrix
from sfumato.activity.core.assignment import CANDIDATES, EXACT, Affinity, Scores, WeightedAffinity, assign
from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.study.score import Score
from sfumato.validate import integer, probability

__all__ = ["LearnedLinkageAttack", "LearnedReidentificationAttack"]

Rows = NDArray[np.float64]

_WAYS: tuple[Distance, ...] = ("squared", "rarity")
_MOST_KNOWN = 1_000  # rows that the weights are learned from


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

    def affinity(self, one: Rows, two: Rows) -> Affinity:
        """The log-ratio of every pair."""
        centred = two - self.second
        term = np.einsum("ij,jk,ik->i", centred, self.within, centred)
        return Affinity((one - self.first) @ self.across, centred, term)


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


def _weights(blocks: Sequence[Rows], rng: Rng) -> Rows:
    """How much each score should count: of several ways the one that links most of the people whose links are known.

    The ways are each score by itself, and the weights that make the known pairs likeliest (softmax over the columns of
    every row, so that what belongs to a row alone does not matter).

    Parameters
    ----------
    blocks : sequence of arrays
        Scores of the known rows with the known columns, pair by pair on the diagonal.
    """
    from scipy.optimize import linear_sum_assignment, minimize
    from scipy.special import log_softmax

    centred = [block - block.mean(axis=1, keepdims=True) for block in blocks]
    scales = np.array([max(float(block.std()), 1e-12) for block in centred])
    stack = np.stack([block / scale for block, scale in zip(centred, scales, strict=True)])
    right = np.arange(stack.shape[1])

    def lost(weight: Rows) -> tuple[float, Rows]:
        law = log_softmax(np.tensordot(weight, stack, 1), axis=1)
        gained = stack[:, right, right].sum(axis=1) - np.einsum("kij,ij->k", stack, np.exp(law))
        return -float(law[right, right].sum()) + 0.05 * float(weight @ weight), -gained + 0.1 * weight

    def linked(weight: Rows) -> int:
        order = rng.permutation(len(right))
        found = linear_sum_assignment(np.tensordot(weight, stack, 1)[:, order], maximize=True)[1]
        return int((order[found] == right).sum())

    fitted = minimize(lost, np.ones(len(stack)), jac=True, method="L-BFGS-B", bounds=[(0.0, None)] * len(stack))
    ways = [*np.eye(len(stack)), np.ones(len(stack)), fitted.x]
    return max(ways, key=linked) / scales


def _block(affinity: Affinity, rows: NDArray[Any], columns: NDArray[Any]) -> Rows:
    return Affinity(affinity.left[rows], affinity.right[columns], affinity.term[columns]).block(slice(None))


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

    def _model(self, one: Rows, two: Rows) -> PairModel:
        return PairModel.fit(one, two, self.ridge)

    def _assign(self, affinity: Scores, rng: Rng) -> NDArray[np.int64]:
        return assign(affinity, rng, exact=self.exact, candidates=self.candidates)


@dataclass(frozen=True, kw_only=True)
class LearnedReidentificationAttack(_Learned):
    """The attacker protects the original with the same method again, and learns from that how rows change.

    From one re-protected copy a Gaussian model of pairs along the main directions is learned, from a second one how
    much it should count beside squared distance and rare items. The assignment with the greatest score is then made
    with the true release.

    Parameters
    ----------
    window : int
    dimensions, ridge
        Of the model.
    """

    criterion: ClassVar[str] = "singling out"
    knows: ClassVar[str] = "what everybody did in that window, and the method, which they run themselves"

    window: int = 0
    name: str = "re-identified by learning"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The share of users whose row is found."""
        generator = resolve_rng(rng)
        original, seen = window_pairs(data, release)
        if mechanism is None:
            raise bad_input("mechanism", mechanism, "the method that made the release", "the attacker runs it")
        known, target = original.windows[self.window], seen.windows[self.window]
        again = [mechanism.release(original, rng=generator).windows[self.window] for _ in range(2)]
        rows, wanted, *own = _coordinates([known, target, *again], self._width(original))
        model = self._model(rows, own[0])

        def parts(seen_rows: Rows, matrix: Matrix) -> tuple[Affinity, ...]:
            return model.affinity(rows, seen_rows), *(affinity_by(way, known, matrix) for way in _WAYS)

        some = generator.permutation(original.shape[0])[:_MOST_KNOWN]
        learned = _weights([_block(part, some, some) for part in parts(own[1], again[1])], generator)
        scores = WeightedAffinity(parts(wanted, target), np.tile(learned, (original.shape[0], 1)))
        return score_assignment(self._assign(scores, generator), target, getattr(mechanism, "k", None))


@dataclass(frozen=True, kw_only=True)
class LearnedLinkageAttack(_Learned):
    """The attacker has learned from people whose links they know how one person's rows differ between windows.

    With three windows or more, they have the earlier ones with names, protect them with the same method and learn from
    the last two of these. With two windows they know the links of half of the users, and link the other half; halves
    are exchanged, and all users stand in the way of all. What is known gives a Gaussian model of pairs,
    and how much it should count beside squared distance and rare items.
    """

    criterion: ClassVar[str] = "linkability"
    knows: ClassVar[str] = "two windows of the release, and earlier windows or the links of half of the users"

    name: str = "linked by learning"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The share of users who are linked to themselves."""
        generator = resolve_rng(rng)
        original, seen = window_pairs(data, release)
        first, second = last_two(seen)
        width, count = self._width(original), original.shape[0]
        plain = [affinity_by(way, first, second) for way in _WAYS]
        if original.count > 2 and mechanism is not None:
            past = mechanism.release(original, rng=generator).windows[-3:-1]
            one, two, *old = _coordinates([first, second, *past], width)
            earlier = [affinity_by(way, *past) for way in _WAYS]
            learned = self._learn(old[0], old[1], earlier, np.arange(count), generator)
            pairs = [self._model(old[0], old[1]).affinity(one, two)]
            weights = np.tile(learned, (count, 1))
        else:
            one, two = _coordinates([first, second], width)
            half = generator.permutation(count) % 2
            pairs, weights = [], np.zeros((count, 2 + len(plain)))
            for side in (0, 1):  # each half is linked with what the other half tells
                mine, known = half == side, np.flatnonzero(half != side)
                pairs.append(self._model(one[known], two[known]).affinity(one, two))
                learned = self._learn(one, two, plain, known, generator)
                weights[mine, side], weights[mine, 2:] = learned[0], learned[1:]
        scores = WeightedAffinity((*pairs, *plain), weights)
        return score_assignment(self._assign(scores, generator), seen.windows[-1], getattr(mechanism, "k", None))

    def _learn(self, one: Rows, two: Rows, plain: Sequence[Affinity], known: NDArray[Any], rng: Rng) -> Rows:
        """The weights of the model of pairs and of the other scores, from people whose links are known.

        The model is tried on people it was not learned from, a fifth of them at a time.
        """
        some = rng.permutation(known)[:_MOST_KNOWN]
        fold = np.arange(len(some)) % 5
        tried = np.zeros((len(some), len(some)))
        for part in range(5):
            rest, now = some[fold != part], some[fold == part]
            model = self._model(one[rest], two[rest])
            tried[fold == part] = _block(model.affinity(one, two), now, some)
        return _weights([tried, *(_block(score, some, some) for score in plain)], rng)
