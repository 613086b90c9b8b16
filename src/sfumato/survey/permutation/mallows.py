"""Mallows' law on permutations: P_θ(σ : σ₀) = e^{−θ·δ(σ, σ₀)}/ψ, for Kendall's and Hamming's distance.

A permutation is the list of its items, 0-based: ``order[k]`` is the item in place k. Kendall's distance compares the
*places of items* (Meehan 2023, §D.1.1, with the index form printed there as D.2 corrected): it counts the pairs of
items that the two lists order differently.
"""

from __future__ import annotations

import math
from typing import Any, Literal, get_args, overload

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.noise.entropy import Rng, resolve_rng
from sfumato.survey.permutation.insertion import insertion_depths
from sfumato.survey.permutation.kept import kept_counts
from sfumato.validate import choice, integer

__all__ = [
    "PermutationMetric",
    "check_permutation",
    "hamming_distance",
    "kendall_distance",
    "log_partition",
    "log_probability",
    "sample_mallows",
]

PermutationMetric = Literal["kendall", "hamming"]
Order = NDArray[np.int64]


def check_permutation(name: str, value: ArrayLike) -> Order:
    """``value`` as an int64 array that holds 0, …, n − 1 once each along its last axis."""
    order = np.asarray(value)
    if order.dtype.kind not in "iu" or order.ndim not in (1, 2) or order.shape[-1] == 0:
        raise bad_input(name, value, "a permutation of 0, …, n − 1 as whole numbers")
    order = order.astype(np.int64, copy=False)
    if order.min() < 0 or order.max() >= order.shape[-1] or not _is_permutation(np.atleast_2d(order)):
        raise bad_input(name, value, f"each of 0, …, {order.shape[-1] - 1} exactly once")
    return order


def kendall_distance(first: ArrayLike, second: ArrayLike) -> Any:
    """Number of item pairs that the two lists order differently; ``first`` may hold one permutation a row.

    >>> kendall_distance([0, 1, 2, 5, 4, 3, 6, 7, 8, 9], range(10))
    3
    """
    return _over_rows(first, second, _kendall)


def hamming_distance(first: ArrayLike, second: ArrayLike) -> Any:
    """Number of places that hold different items; ``first`` may hold one permutation a row.

    >>> hamming_distance([0, 1, 2, 5, 4, 3, 6, 7, 8, 9], range(10))
    2
    """
    return _over_rows(first, second, lambda rows, one: np.count_nonzero(rows != one, axis=1))


def log_partition(n: int, theta: float, metric: PermutationMetric = "kendall") -> float:
    """ln ψ, the logarithm of Σ_σ e^{−θ·δ(σ, σ₀)} over all n! permutations.

    Kendall: ψ = ∏_{i≤n} (1 − e^{−iθ})/(1 − e^{−θ}). Hamming: ψ = Σ_h C(n, h)·!h·e^{−θh}, here as
    n!·e^{−nθ}·Σ_{b≤n} (e^θ − 1)^b/b!, which has no derangement numbers and no cancellation.

    >>> round(math.exp(log_partition(3, 0.0)), 12)
    6.0
    """
    integer("n", n)
    theta = _check_theta(theta)
    choice("metric", metric, get_args(PermutationMetric))
    if math.isinf(theta) or n == 1:
        return 0.0
    if theta == 0:
        return math.lgamma(n + 1)
    i = np.arange(1, n + 1)
    if metric == "kendall":
        return float(np.sum(np.log(-np.expm1(-theta * i))) - n * math.log(-math.expm1(-theta)))
    b = np.arange(n + 1)
    from scipy.special import gammaln, logsumexp

    log_rate = theta + math.log(-math.expm1(-theta))  # ln(e^θ − 1) without overflow
    return float(math.lgamma(n + 1) - n * theta + logsumexp(b * log_rate - gammaln(b + 1)))


def log_probability(order: ArrayLike, reference: ArrayLike, theta: float, metric: PermutationMetric = "kendall") -> Any:
    """ln P_θ(σ : σ₀) of one permutation, or of one a row."""
    distance = {"kendall": kendall_distance, "hamming": hamming_distance}[
        choice("metric", metric, get_args(PermutationMetric))
    ](order, reference)
    n = np.asarray(reference).shape[-1]
    if math.isinf(_check_theta(theta)):
        return np.where(np.asarray(distance) == 0, 0.0, -math.inf)[()]
    return -theta * distance - log_partition(n, theta, metric)


@overload
def sample_mallows(
    reference: ArrayLike, theta: float, *, metric: PermutationMetric = ..., size: None = ..., rng: Rng | None = ...
) -> Order: ...


@overload
def sample_mallows(
    reference: ArrayLike, theta: float, *, metric: PermutationMetric = ..., size: int, rng: Rng | None = ...
) -> Order: ...


def sample_mallows(
    reference: ArrayLike,
    theta: float,
    *,
    metric: PermutationMetric = "kendall",
    size: int | None = None,
    rng: Rng | None = None,
) -> Order:
    """Draw permutations around ``reference``.

    Kendall is drawn by repeated insertion (item i goes d places from the end of the list so far, Pr[d] ∝ e^{−θd}),
    in O(n log n): the depths are undone from the last item to the first, each taking the (i − d)-th place still free,
    found in a tree over 64-bit words. Hamming keeps B places, B Poisson of rate e^θ − 1 given B ≤ n, chosen uniformly,
    and permutes the others uniformly: summing over the sets that contain all moved items gives e^{−θh} exactly.

    Parameters
    ----------
    reference : array of shape (n,)
        The central permutation σ₀.
    theta : float
        Spread: 0 is uniform, ``inf`` always returns the reference.
    metric : {"kendall", "hamming"}
    size : int, optional
        How many permutations, one a row. Without it, one flat permutation.

    Examples
    --------
    >>> from sfumato.noise import seeded_rng
    >>> sample_mallows([2, 0, 1], math.inf)
    array([2, 0, 1])
    >>> sample_mallows(range(6), 2.0, size=2, rng=seeded_rng(1)).shape
    (2, 6)
    """
    centre = check_permutation("reference", np.asarray(reference))
    if centre.ndim != 1:
        raise bad_input("reference", centre.shape, "one permutation")
    theta = _check_theta(theta)
    choice("metric", metric, get_args(PermutationMetric))
    rows = 1 if size is None else integer("size", size, least=0)
    rng = resolve_rng(rng)
    n = centre.size
    if 0 < theta < math.inf and n > 1 and metric == "kendall":
        result = np.empty((rows, n), np.int64)
        step = max(1, (1 << 17) // n)  # blocks of depths that stay in the processor's cache
        for start in range(0, rows, step):
            block = result[start : start + step]
            _insert(insertion_depths(n, theta, len(block), rng), centre, block)
        return result[0] if size is None else result
    result = np.tile(centre, (rows, 1))
    if theta == 0:
        rng.permuted(result, axis=1, out=result)
    elif theta < math.inf:
        free = n - kept_counts(n, theta, rows, rng)
        step = max(1, (1 << 17) // n)
        for start in range(0, rows, step):
            block = result[start : start + step]
            mixed = rng.permuted(np.tile(np.arange(n), (len(block), 1)), axis=1)
            _rearrange(mixed, free[start : start + step], centre, block)
    return result[0] if size is None else result


def _check_theta(theta: float) -> float:
    if isinstance(theta, bool) or not isinstance(theta, (int, float, np.floating, np.integer)) or not theta >= 0:
        raise bad_input("theta", theta, "a number ≥ 0 (0 is uniform, inf is no shuffling)")
    return float(theta)


def _over_rows(first: ArrayLike, second: ArrayLike, measure: Any) -> Any:
    rows = check_permutation("first", np.asarray(first))
    one = check_permutation("second", np.asarray(second))
    if one.ndim != 1 or rows.shape[-1] != one.size:
        raise bad_input("second", one.shape, f"one permutation of {rows.shape[-1]} items")
    result = measure(np.atleast_2d(rows), one)
    return result if rows.ndim == 2 else int(result[0])


@njit(cache=True)
def _rearrange(
    mixed: Order, free: NDArray[np.int64], reference: Order, out: Order
) -> None:  # pragma: no cover - compiled
    """Permute uniformly as many places as are free: the first of a random order, both the choice and its order."""
    chosen = np.empty(reference.size, np.bool_)
    for row in range(mixed.shape[0]):
        chosen[:] = False
        for k in range(free[row]):
            chosen[mixed[row, k]] = True
        k = 0
        for place in range(reference.size):
            if chosen[place]:
                out[row, place] = reference[mixed[row, k]]
                k += 1


@njit(cache=True)
def _is_permutation(rows: Order) -> bool:  # pragma: no cover - compiled
    seen = np.full(rows.shape[1], -1, np.int64)
    for r in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            if seen[rows[r, k]] == r:
                return False
            seen[rows[r, k]] = r
    return True


@njit(cache=True)
def _kendall(rows: Order, one: Order) -> NDArray[np.int64]:  # pragma: no cover - compiled
    n = one.size
    place = np.empty(n, np.int64)
    for k in range(n):
        place[one[k]] = k
    result = np.zeros(rows.shape[0], np.int64)
    tree = np.zeros(n + 1, np.int64)
    for r in range(rows.shape[0]):
        tree[:] = 0
        for k in range(n):
            value = place[rows[r, k]]
            earlier = 0
            at = value + 1
            while at > 0:
                earlier += tree[at]
                at -= at & -at
            result[r] += k - earlier  # items already listed that the other list puts later
            at = value + 1
            while at <= n:
                tree[at] += 1
                at += at & -at
    return result


def _rank_table() -> NDArray[np.uint8]:
    """Entry (byte, k): the place of the k-th set bit of the byte."""
    table = np.zeros((256, 8), np.uint8)
    for byte in range(256):
        set_bits = [bit for bit in range(8) if byte >> bit & 1]
        table[byte, : len(set_bits)] = set_bits
    return table


_RANKS = _rank_table()


@njit(cache=True)
def _take(
    free: NDArray[np.uint64], left: NDArray[np.uint32], first_leaf: np.uint64, k: np.uint64
) -> np.uint64:  # pragma: no cover - compiled
    """Take the k-th of the places that are still free.

    The free places are bits of 64-bit words; a heap-ordered tree holds for each inner node how many are free on its
    left. Indices are unsigned, which spares the compiled code Python's rule for negative ones.
    """
    one, byte_bits, last = np.uint64(1), np.uint64(3), np.uint64(0xFF)
    ones, high = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
    odd, pairs, nibbles = (
        np.uint64(0x5555555555555555),
        np.uint64(0x3333333333333333),
        np.uint64(0x0F0F0F0F0F0F0F0F),
    )
    at = one
    while at < first_leaf:
        count = np.uint64(left[at])
        right = np.uint64(k >= count)  # arithmetic instead of a branch that no processor can predict
        left[at] = np.uint32(count - one + right)
        k -= count * right
        at = at + at + right
    word = at - first_leaf
    bits = free[word]
    # Select the k-th set bit: prefix sums of the bytes' bit counts, then a table for the byte that holds it.
    sums = bits - ((bits >> one) & odd)
    sums = (sums & pairs) + ((sums >> np.uint64(2)) & pairs)
    sums = ((sums + (sums >> np.uint64(4))) & nibbles) * ones
    beyond = (((sums | high) - (k + one) * ones) & high) >> np.uint64(7)
    shift = np.uint64(64) - (((beyond * ones) >> np.uint64(56)) << byte_bits)
    before = ((sums << np.uint64(8)) >> shift) & last
    place = shift + np.uint64(_RANKS[(bits >> shift) & last, k - before])
    free[word] = bits & ~(one << place)
    return (word << np.uint64(6)) + place


@njit(cache=True)
def _insert(depths: NDArray[np.int64], reference: Order, out: Order) -> None:  # pragma: no cover - compiled
    """Turn insertion depths into permutations: item i takes the (i − d)-th of the places that are still free.

    Every step waits for the one before it, so two permutations are made at a time: the processor works on one while
    the other waits.
    """
    n, rows = reference.size, depths.shape[0]
    words = (n + 63) // 64
    leaves = 1
    while leaves < words:
        leaves *= 2
    full = np.zeros(leaves, np.uint32)
    level, span = 1, leaves * 64  # the nodes of a level start at index `level` and cover `span` places each
    while level < leaves:
        for node in range(level, 2 * level):
            full[node] = max(0, min(n - (node - level) * span, span // 2))
        level, span = 2 * level, span // 2
    first_leaf = np.uint64(leaves)
    free, other_free = np.empty(words, np.uint64), np.empty(words, np.uint64)
    left, other_left = np.empty_like(full), np.empty_like(full)
    for row in range(0, rows, 2):
        free[:] = ~np.uint64(0)
        left[:] = full
        if row + 1 == rows:
            for i in range(n - 1, -1, -1):
                out[row, _take(free, left, first_leaf, np.uint64(i - depths[row, i]))] = reference[i]
            break
        other_free[:] = ~np.uint64(0)
        other_left[:] = full
        for i in range(n - 1, -1, -1):
            place = _take(free, left, first_leaf, np.uint64(i - depths[row, i]))
            other_place = _take(other_free, other_left, first_leaf, np.uint64(i - depths[row + 1, i]))
            out[row, place] = reference[i]
            out[row + 1, other_place] = reference[i]
