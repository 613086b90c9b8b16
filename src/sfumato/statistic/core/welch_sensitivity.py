"""How much one record can move Welch's t: the dissertation's local bound, corrected, and a smooth bound.

All bounds hold for D ∪ r: the two dummies are in both groups and are never removed in the search.

**The smooth bound** (Mimoto §7.1 corrected). After k changed records, for w = 2 dummies and N real records,

- group X keeps at least n_X − k of its records, so that its sum of squares is at least v_X(k), the least one after
  deleting k real records, and its size is at most τ = min(n_X + k, N + w): Q_k = Σ_X v_X(k)/(τ(τ−1)) ≤ Σ_X s²_X/n_X;
- with a = max(n_A − k, w) and b alike, one more change moves the gap of the means by at most step_k = m/a + m/b, so
  that the gap is at most g_k = min(m, g_0 + step_0 + … + step_{k−1});
- one more change moves s²_X/n_X by at most h(n): replacing moves it by m²/n², removing by m²/n² or by
  2·SS/(n(n−1)(n−2)) ≤ m²/(2n(n−2)), adding is removing read backwards. So h(n) = m²/n² for n ≥ 4 and m²/6 below.

From |t′ − t| ≤ |ΔG|/√Q′ + |G|·|ΔQ|/(2·min(Q, Q′)^{3/2}) and from |t′ − t| ≤ |t| + |t′|, any two neighbours within k
and k + 1 changes of D differ by at most

    U_k = min{ step_k/√Q_{k+1} + g_k(h(a) + h(b))/(2·Q_{k+1}^{3/2}),  (g_k + g_{k+1})/√Q_{k+1} }.

A statistic that is cut at ±T moves less. If |t| ≤ T, |G|·|1/√Q − 1/√Q′| = |t|·|ΔQ|/(√Q′·(√Q + √Q′)) ≤ T·|ΔQ|/(2·Q_min),
so that T may stand for g_k/√Q_{k+1} in the second term; if |t′| ≤ T, the same with the roles exchanged. If both exceed
T, the cut values are equal or 2T apart, and then |ΔG| = |G| + |G′|: the first term alone is at least |t| + |t′| ≥ 2T.
So the bound need not grow with the difference of the means.

Each ingredient at k for D is at most (for v and Q: at least) the one at k + 1 for a neighbour D″, hence
U_k(D) ≤ U_{k+1}(D″): **S = max_k e^{−βk}·U_k is β-smooth and at least the local sensitivity.**
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from sfumato.statistic.core.two_groups import Ints, TwoGroups

__all__ = ["local_bound", "smooth_bound", "step_bounds", "theorem_7_3"]

_DUMMIES = 2


class _Sums(NamedTuple):
    """Prefix sums of the sorted records of both groups and of their squares, and what the bounds need besides."""

    sums_a: Ints
    squares_a: Ints
    sums_b: Ints
    squares_b: Ints
    dummy_sum: int
    dummy_squares: int
    gap: float
    upper: float
    cap: float

    @classmethod
    def of(cls, groups: TwoGroups, cap: float) -> _Sums:
        first, second = groups.dummies
        sums_a, sums_b = (np.concatenate(([0], np.cumsum(values))) for values in (groups.a, groups.b))
        squares_a, squares_b = (np.concatenate(([0], np.cumsum(values * values))) for values in (groups.a, groups.b))
        dummies = (first + second, first * first + second * second)
        return cls(sums_a, squares_a, sums_b, squares_b, *dummies, groups.gap, float(groups.upper), float(cap))


def smooth_bound(groups: TwoGroups, beta: float, cap: float = math.inf) -> float:
    """S_β(D) = max_k e^{−βk}·U_k for t, or for t cut at ±cap; relative error below 1e-10.

    U_k never falls with k, so that a whole range of k is skipped when the discounted value at its far end cannot win;
    about K·log K windows are looked at instead of K²/2, for K up to the number of records.
    """
    return float(_smooth_bound(_Sums.of(groups, cap), beta))


def step_bounds(groups: TwoGroups, count: int, cap: float = math.inf) -> np.ndarray:
    """U_0 … U_{count−1}, for tests and figures."""
    return np.asarray(_step_bounds(_Sums.of(groups, cap), count))


def local_bound(groups: TwoGroups, *, printed: bool = False) -> float:
    """Theorem 7.3: a bound on the local sensitivity of t at D.

    max{ 2·C₁·(G + m/n)/s_m, C₂·(G + 2m/n)/s_m } with G = |μ_A − μ_B|, n = min(n_A, n_B), C₁ = √(n_A·n_B/(n_A + n_B)),
    C₂ = C₁ + √((n_A − 1)(n_B + 1)/(n_A + n_B)), and s_m² the least group variance that one change can leave.

    Parameters
    ----------
    printed : bool
        The form of the dissertation, which looks at one direction only and is not a bound: it takes the variance of A
        after a replacement and of B after an addition. By default both groups are treated alike: replacing the real
        record farthest from the mean by the mean of the others is always the minimiser, for either group, and C₂ is
        taken in both directions.
    """
    (n_a, _, spread_a), (n_b, _, spread_b) = groups.moments
    variance_a, variance_b = spread_a / (n_a * (n_a - 1)), spread_b / (n_b * (n_b - 1))
    far_a, far_b = _farthest(groups)
    least_a = variance_a - n_a * far_a**2 / (n_a - 1) ** 2 if len(groups.a) else variance_a
    if printed:
        least_b = variance_b * (n_b - 1) / n_b
    else:
        least_b = variance_b - n_b * far_b**2 / (n_b - 1) ** 2 if len(groups.b) else variance_b
    return theorem_7_3(n_a, n_b, groups.gap, min(least_a, least_b), float(groups.upper), printed)


def _farthest(groups: TwoGroups) -> tuple[float, float]:
    far = []
    for values, (n, total, _) in zip((groups.a, groups.b), groups.moments, strict=True):
        mean = total / n
        far.append(max(mean - float(values[0]), float(values[-1]) - mean) if len(values) else 0.0)
    return far[0], far[1]


@njit(cache=True)
def theorem_7_3(n_a: int, n_b: int, gap: float, least: float, upper: float, printed: bool) -> float:
    """The bound of :func:`local_bound` from its ingredients; ``least`` is s_m²."""
    if least <= 0:
        return math.inf
    small = min(n_a, n_b)
    c_1 = math.sqrt(n_a * n_b / (n_a + n_b))
    c_2 = c_1 + math.sqrt((n_a - 1) * (n_b + 1) / (n_a + n_b))
    if not printed:
        c_2 = max(c_2, c_1 + math.sqrt((n_b - 1) * (n_a + 1) / (n_a + n_b)))
    return max(2 * c_1 * (gap + upper / small), c_2 * (gap + 2 * upper / small)) / math.sqrt(least)


@njit(cache=True)
def _least_squares(sums: Ints, squares: Ints, dummy_sum: int, dummy_squares: int, deleted: int) -> float:
    """v_X(k): the least sum of squares of the dummies and all but ``deleted`` real records.

    Around any centre the records nearest to it cost least, so that the kept ones are neighbours in the sorted order.
    """
    real = len(sums) - 1
    kept = max(real - deleted, 0)
    n = kept + _DUMMIES
    best = np.inf
    for start in range(real - kept + 1):
        total = sums[start + kept] - sums[start] + dummy_sum
        quotient = total // n
        rest = total - quotient * n
        # Σx² − total²/n with total = quotient·n + rest: whole numbers but for the last term, so nothing cancels.
        whole = squares[start + kept] - squares[start] + dummy_squares - quotient * (quotient * n + 2 * rest)
        best = min(best, whole - rest * rest / n)
    return best


@njit(cache=True)
def _variation(n: int, upper: float) -> float:
    """h(n): how far one record can move s²/n of a group of n."""
    return upper * upper / (n * n) if n >= 4 else upper * upper / 6


@njit(cache=True)
def _sizes(data: _Sums) -> tuple[int, int]:
    """n_A and n_B, dummies included."""
    return len(data.sums_a) - 1 + _DUMMIES, len(data.sums_b) - 1 + _DUMMIES


@njit(cache=True)
def _gaps(data: _Sums, count: int) -> np.ndarray:
    """g_0 … g_{count}."""
    n_a, n_b = _sizes(data)
    result, gap = np.empty(count + 1), data.gap
    for k in range(count + 1):
        result[k] = min(gap, data.upper)
        gap += data.upper / max(n_a - k, _DUMMIES) + data.upper / max(n_b - k, _DUMMIES)
    return result


@njit(cache=True)
def _step_bound(data: _Sums, gaps: np.ndarray, k: int) -> float:
    """U_k."""
    n_a, n_b = _sizes(data)
    most = n_a + n_b - _DUMMIES
    size_a, size_b = min(n_a + k + 1, most), min(n_b + k + 1, most)
    least_a = _least_squares(data.sums_a, data.squares_a, data.dummy_sum, data.dummy_squares, k + 1)
    least_b = _least_squares(data.sums_b, data.squares_b, data.dummy_sum, data.dummy_squares, k + 1)
    q = least_a / (size_a * (size_a - 1.0)) + least_b / (size_b * (size_b - 1.0))
    a, b = max(n_a - k, _DUMMIES), max(n_b - k, _DUMMIES)
    step = data.upper / a + data.upper / b
    root = math.sqrt(q)
    varied = _variation(a, data.upper) + _variation(b, data.upper)
    moved = step / root + min(gaps[k] / root, data.cap) * varied / (2 * q)
    return min(moved, (gaps[k] + gaps[k + 1]) / root, 2 * data.cap)


@njit(cache=True)
def _step_bounds(data: _Sums, count: int) -> np.ndarray:
    gaps = _gaps(data, count)
    result = np.empty(count)
    for k in range(count):
        result[k] = _step_bound(data, gaps, k)
    return result


@njit(cache=True)
def _smooth_bound(data: _Sums, beta: float) -> float:
    """S_β by bisection.

    At every turn: best is e^{−βk}·U_k for some k, and no k outside the ranges on the stack has more. U never falls with
    k, so that a range (start, end] has at most e^{−β(start+1)}·U_end.
    """
    last = sum(_sizes(data))  # beyond N changes nothing moves any more but the gap, which is at m two steps later
    gaps = _gaps(data, last)
    best = _step_bound(data, gaps, 0)
    # Ranges (from, to] of k still to look at, each with U at its far end, the nearest range on top.
    stack_from, stack_to, stack_high = [0], [last - 1], [_step_bound(data, gaps, last - 1)]
    while len(stack_to) > 0:
        start, end, high = stack_from.pop(), stack_to.pop(), stack_high.pop()
        best = max(best, math.exp(-beta * end) * high)
        if end - start <= 1 or math.exp(-beta * (start + 1)) * high <= best:
            continue
        middle = (start + end) // 2
        value = _step_bound(data, gaps, middle)
        stack_from.append(middle)
        stack_to.append(end)
        stack_high.append(high)
        stack_from.append(start)
        stack_to.append(middle)
        stack_high.append(value)
    return best
