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
from sfumato.survey.permutation.free_places import fill_places
from sfumato.survey.permutation.insertion import insertion_depths
from sfumato.survey.permutation.truncated_poisson import truncated_poisson
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
            fill_places(insertion_depths(n, theta, len(block), rng), centre, block)
        return result[0] if size is None else result
    result = np.tile(centre, (rows, 1))
    if theta == 0:
        rng.permuted(result, axis=1, out=result)
    elif theta < math.inf:
        free = n - truncated_poisson(n, theta, rows, rng)
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
