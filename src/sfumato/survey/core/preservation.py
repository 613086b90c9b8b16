"""(η, δ)-preservation: how much of a crowd's reports stay within the crowd.

A shuffle preserves S if at least a share η of the reports of S lands in slots of S with probability 1 − δ: what an
analyst of that crowd can still see.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.survey.permutation.mallows import PermutationMetric, check_permutation, sample_mallows
from sfumato.validate import integer, probability

__all__ = ["empirical_preservation", "hamming_preservation", "preserved_share"]


def preserved_share(order: ArrayLike, crowd: ArrayLike) -> NDArray[np.float64] | float:
    """|{σ(i) : i ∈ S} ∩ S|/|S|, for one permutation or one a row.

    >>> preserved_share([4, 2, 1, 5, 6, 8, 7, 0, 3, 9], [0, 3, 4, 6, 7])
    0.8
    """
    orders = check_permutation("order", np.asarray(order))
    members = np.unique(np.asarray(crowd))
    if members.size == 0 or members.dtype.kind not in "iu" or members[0] < 0 or members[-1] >= orders.shape[-1]:
        raise bad_input("crowd", crowd, f"places from 0 to {orders.shape[-1] - 1}")
    inside = np.zeros(orders.shape[-1], bool)
    inside[members] = True
    share = inside[orders[..., members]].mean(axis=-1)
    return float(share) if orders.ndim == 1 else np.asarray(share)


def empirical_preservation(
    n: int,
    theta: float,
    crowd: ArrayLike,
    *,
    delta: float = 0.01,
    repeats: int = 50,
    metric: PermutationMetric = "kendall",
    rng: Rng | None = None,
) -> float:
    """The largest η that at least a share 1 − δ of the drawn permutations preserves (Meehan 2023, Fig. D.2).

    Parameters
    ----------
    n, theta, metric
        Mallows' law around the identity: place k stands for owner σ₀(k).
    crowd : array of int
        Places of the reference, e.g. its middle.
    """
    probability("delta", delta)
    integer("repeats", repeats)
    orders = sample_mallows(np.arange(integer("n", n)), theta, metric=metric, size=repeats, rng=rng)
    shares = np.sort(np.atleast_1d(preserved_share(orders, crowd)))
    return float(shares[math.floor(delta * repeats)])


def hamming_preservation(n: int, crowd: int, eta: float, theta: float) -> float:
    """δ for which Hamming–Mallows shuffling is (η, δ)-preserving on any crowd of that size: exact.

    Meehan 2023, Thm 18, corrected (errata E13): with k = ⌊(1 − η)·l⌋ reports allowed to be missing,
    δ = ψ⁻¹ Σ_{h ≥ 2k+2} e^{−θh}·c_h, where c_h counts the permutations with h moved places that take more than k
    reports out of the crowd. The counts are whole numbers and nothing cancels.

    >>> round(hamming_preservation(10, 4, 0.75, 1.0), 6)
    0.710069
    """
    n = integer("n", n)
    size = integer("crowd", crowd, most=n)
    eta = probability("eta", eta, zero=True, one=True)
    if isinstance(theta, bool) or not 0 <= theta < math.inf:
        raise bad_input("theta", theta, "a finite number ≥ 0")
    allowed = math.floor((1 - eta) * size + 1e-12)
    counts = _moved_counts(n, size)
    every = _log_sum(theta, [sum(column) for column in counts])
    lost = _log_sum(theta, [sum(column[allowed + 1 :]) for column in counts])
    return math.exp(lost - every) if lost > -math.inf else 0.0


def _moved_counts(n: int, size: int) -> list[list[int]]:
    """Entry [h][j]: permutations with h moved places of which exactly j reports leave the crowd (and j enter it)."""
    rest = n - size
    free = _partial_derangements(n)
    counts = []
    for moved in range(n + 1):
        column = []
        for leaving in range(min(size, rest, moved // 2) + 1):
            others = moved - 2 * leaving
            inner = 0
            for inside in range(max(0, others - (rest - leaving)), min(size - leaving, others) + 1):
                outside = others - inside
                inner += (
                    math.comb(size - leaving, inside)
                    * free[inside][leaving]
                    * math.comb(rest - leaving, outside)
                    * free[outside][leaving]
                )
            column.append(math.comb(size, leaving) * math.comb(rest, leaving) * inner)
        counts.append(column)
    return counts


def _partial_derangements(n: int) -> list[list[int]]:
    """f(p, m): arrangements of p + m objects of which p must not stay in their own place.

    f(p, m) = f(p−1, m+1) − f(p−1, m): lift the ban on one object, and take away the arrangements where it stays.
    """
    table = [[math.factorial(m) for m in range(n + 1)]]
    for p in range(1, n + 1):
        above = table[-1]
        table.append([above[m + 1] - above[m] for m in range(n + 1 - p)])
    return table


def _log_sum(theta: float, counts: list[int]) -> float:
    terms = [math.log(count) - theta * h for h, count in enumerate(counts) if count]
    if not terms:
        return -math.inf
    top = max(terms)
    return top + math.log(math.fsum(math.exp(term - top) for term in terms))
