"""Who is who: the assignment of rows to rows that is likeliest as a whole.

A score for every pair comes as :class:`Affinity`, a product of features, so that 50 000 × 50 000 scores need not stand
in memory. Up to :data:`EXACT` rows the assignment is optimal (scipy's Jonker–Volgenant); beyond, each row keeps its
best candidates and an auction (Bertsekas 1988) assigns them, nearly optimally among the candidates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import sparse

from sfumato.activity.core.activity import Matrix
from sfumato.errors import bad_input
from sfumato.noise import Rng

__all__ = ["CANDIDATES", "EXACT", "Affinity", "Scores", "WeightedAffinity", "assign", "auction", "squared_distance"]

EXACT = 5_000
"""Up to so many rows the assignment is optimal."""

CANDIDATES = 64
"""Beyond, so many candidates are kept for each row."""

_CELLS = 10_000_000  # scores in memory at a time
_PRECISION = 1e-3  # of the auction, relative to the spread of a typical row's scores


class Affinity(NamedTuple):
    """The score of a pair is left_i · right_j + term_j; larger is likelier."""

    left: Matrix
    right: Matrix
    term: NDArray[np.float64]

    def block(self, rows: slice) -> NDArray[np.float64]:
        """The scores of some rows with all columns."""
        product = self.left[rows] @ self.right.T
        scores = product.toarray() if sparse.issparse(product) else np.asarray(product)
        return scores + self.term

    @property
    def height(self) -> int:
        """How many rows there are."""
        return int(self.left.shape[0])

    @property
    def width(self) -> int:
        """How many columns there are."""
        return int(self.right.shape[0])

    def mixed(self, columns: NDArray[np.int64]) -> Affinity:
        """The same scores with the columns in another order."""
        return Affinity(self.left, self.right[columns], self.term[columns])

    def usual(self) -> NDArray[np.float64]:
        """What a column scores on average over the rows."""
        middle = np.asarray(self.left.mean(axis=0)).reshape(1, -1)
        return np.asarray(self.right @ middle.T).reshape(-1) + self.term


class WeightedAffinity(NamedTuple):
    """A sum of scores, each with a weight that may differ from row to row (shape rows × parts)."""

    parts: tuple[Affinity, ...]
    weights: NDArray[np.float64]

    def block(self, rows: slice) -> NDArray[np.float64]:
        """The scores of some rows with all columns."""
        weights = self.weights[rows]
        return sum(weights[:, k : k + 1] * part.block(rows) for k, part in enumerate(self.parts))  # type: ignore[return-value]

    @property
    def height(self) -> int:
        """How many rows there are."""
        return len(self.weights)

    @property
    def width(self) -> int:
        """How many columns there are."""
        return self.parts[0].width

    def mixed(self, columns: NDArray[np.int64]) -> WeightedAffinity:
        """The same scores with the columns in another order."""
        return WeightedAffinity(tuple(part.mixed(columns) for part in self.parts), self.weights)

    def usual(self) -> NDArray[np.float64]:
        """What a column scores on average, with the mean weights."""
        mean = self.weights.mean(axis=0)
        return sum(weight * part.usual() for weight, part in zip(mean, self.parts, strict=True))


Scores = Affinity | WeightedAffinity


def squared_distance(left: Matrix, right: Matrix) -> Affinity:
    """Near is likely: −‖left_i − right_j‖² up to a constant of the row."""
    squares = right.power(2) if sparse.issparse(right) else right * right
    return Affinity(left, 2.0 * right, -np.asarray(squares.sum(axis=1)).reshape(-1))


def assign(affinity: Scores, rng: Rng, *, exact: int = EXACT, candidates: int = CANDIDATES) -> NDArray[np.int64]:
    """The column of each row, all different. The columns are mixed first, so that equal scores help nobody.

    Parameters
    ----------
    exact : int
        Up to so many rows the optimum is computed.
    candidates : int
        Beyond, so many are kept for each row.

    Examples
    --------
    >>> people = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> assign(squared_distance(people, people[[2, 0, 1]]), np.random.default_rng(0)).tolist()
    [1, 2, 0]
    """
    count = affinity.height
    if affinity.width != count:
        raise bad_input("users", affinity.width, f"{count}, the same on both sides", "pass the same users")
    mixed = rng.permutation(count)
    shuffled = affinity.mixed(mixed)
    if count <= exact:
        from scipy.optimize import linear_sum_assignment

        return mixed[linear_sum_assignment(shuffled.block(slice(None)), maximize=True)[1]]
    return mixed[_sparse_assignment(shuffled, min(candidates, count), rng)]


def _sparse_assignment(affinity: Scores, candidates: int, rng: Rng) -> NDArray[np.int64]:
    """Half of the candidates of a row are those that score best, half those that score best for what they are.

    By squared distance rows of zeros are near to everybody and would crowd out the others; what a column scores on
    average does not matter to an assignment and is taken off for the second half.
    """
    count, usual = affinity.height, affinity.usual()
    near = max(1, candidates // 2)
    columns = np.empty((count, candidates), np.int32)
    scores = np.empty((count, candidates))
    step = max(1, _CELLS // count)
    for start in range(0, count, step):
        block = affinity.block(slice(start, start + step))
        best = _candidates(block, usual, near, candidates, start)
        columns[start : start + step] = best
        scores[start : start + step] = np.take_along_axis(block, best, axis=1)
    owner = auction(columns, scores)
    free = np.setdiff1d(np.arange(count), owner[owner >= 0])
    owner[owner < 0] = rng.permutation(free)  # nobody is left over: those without a candidate guess
    return owner


# One pass over a row: two heaps hold the best columns so far, the smallest on top, and an entry that does not beat the
# top is passed over. The second heap is as long as both lists together, so that enough is left of it without what the
# first has. Every row begins elsewhere: of equal columns those that come first are kept, and they must not be the same
# for all rows, or all rows would want the same few.
@njit(cache=True)
def _candidates(block, usual, near, many, shift):  # type: ignore[no-untyped-def]
    height, width = block.shape
    found = np.empty((height, many), np.int64)
    high, own = np.empty(near), np.empty(near, np.int64)
    over, other = np.empty(many), np.empty(many, np.int64)
    for i in range(height):
        high[:], over[:], own[:], other[:] = -np.inf, -np.inf, -1, -1
        begin = (shift + i) * 7919 % width
        for k in range(width):
            j = begin + k if begin + k < width else begin + k - width
            if block[i, j] > high[0]:
                _replace_top(high, own, block[i, j], j)
            if block[i, j] - usual[j] > over[0]:
                _replace_top(over, other, block[i, j] - usual[j], j)
        found[i, :near] = own
        order, at = np.argsort(-over), near
        for k in order:
            if at == many:
                break
            if not (own == other[k]).any():
                found[i, at] = other[k]
                at += 1
    return found


@njit(cache=True)
def _replace_top(heap, names, value, name):  # type: ignore[no-untyped-def]
    """Put a value in place of the smallest of a heap and let it sink to where its children are not smaller."""
    at, length = 0, len(heap)
    while 2 * at + 1 < length:
        child = 2 * at + 1
        if child + 1 < length and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= value:
            break
        heap[at], names[at] = heap[child], names[child]
        at = child
    heap[at], names[at] = value, name


def auction(columns: NDArray[np.int32], scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """A nearly optimal assignment among the candidates of each row; −1 where a row gave up.

    A row may stay without a column at a value well below that of its worst candidate, so that prices cannot rise for
    ever.

    Parameters
    ----------
    columns, scores : arrays of shape (rows, candidates)
    """
    spread = np.ptp(scores, axis=1)
    typical = float(np.median(spread)) or float(spread.max()) or 1.0
    outside = scores.min(axis=1) - 2 * np.maximum(spread, typical)
    width = int(columns.max()) + 1
    return _auction(np.ascontiguousarray(columns), np.ascontiguousarray(scores), outside, _PRECISION * typical, width)


# At every turn each row that holds a column is within `step` of the best it could get at the present prices, and the
# prices never fall. A row bids up to where it is indifferent to its second choice, or to staying without.
@njit(cache=True)
def _auction(columns, scores, outside, step, width):  # type: ignore[no-untyped-def]
    count, many = columns.shape
    price = np.zeros(width)
    holder = np.full(width, -1, np.int64)
    found = np.full(count, -1, np.int64)
    waiting = np.arange(count)
    left = count
    while left > 0:
        left -= 1
        i = waiting[left]
        best, second, at = -np.inf, -np.inf, -1
        for c in range(many):
            value = scores[i, c] - price[columns[i, c]]
            if value > best:
                second, best, at = best, value, c
            elif value > second:
                second = value
        if best <= outside[i]:
            continue
        j = columns[i, at]
        price[j] += best - max(second, outside[i]) + step
        if holder[j] >= 0:
            found[holder[j]] = -1
            waiting[left] = holder[j]
            left += 1
        holder[j] = i
        found[i] = j
    return found
