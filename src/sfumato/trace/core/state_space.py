"""Sums of Matérn kernels as Markov processes: products and solves with their covariance in O(n).

A Matérn kernel of half-integer ν is the covariance of the first part of a linear stochastic differential equation of
ν + ½ dimensions (Hartikainen and Särkkä 2010). In the scaled states (f, f′/a, f″/a²), a = √(2ν)/length, a step of time
Δ is Φ(aΔ) = e^{−x}·(I + Nx + N²x²/2) with a constant N, and the stationary covariance is constant too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.trace.core.kernel import Kernel, Matern, Matrix, SumKernel, Vector, White

__all__ = ["MarkovPath", "markov_parts"]


@dataclass(frozen=True, eq=False)
class MarkovPath:
    """A path f with a sum of Matérn kernels, seen at moments with a measurement error: x = f + white.

    Parameters
    ----------
    moments : ndarray of shape (n,)
        Not decreasing, multiples of 2⁻¹⁰ so that every difference is exact.
    sizes, rates, variances : ndarray
        One entry for each Matérn kernel: its dimension ν + ½, a = √(2ν)/length, and variance.
    white : float
        The variance of the measurement error.
    """

    moments: Vector
    sizes: NDArray[np.int64]
    rates: Vector
    variances: Vector
    white: float

    @classmethod
    def of(cls, kernel: Kernel, moments: Vector) -> MarkovPath:
        """A path with this kernel, which must be a sum of Matérn kernels and measurement errors."""
        parts, white = markov_parts(kernel)
        return cls(
            moments,
            np.array([round(part.nu + 0.5) for part in parts], np.int64),
            np.array([math.sqrt(2 * part.nu) / part.length for part in parts]),
            np.array([part.variance for part in parts], float),
            white,
        )

    @property
    def variance(self) -> float:
        """Of f at any moment."""
        return float(self.variances.sum())

    @property
    def steps(self) -> Vector:
        return np.diff(self.moments, prepend=self.moments[:1])

    def kernel(self, gaps: Matrix) -> Matrix:
        """k at these time differences, without the measurement error."""
        total = np.zeros_like(gaps)
        for size, rate, variance in zip(self.sizes, self.rates, self.variances, strict=True):
            x = rate * np.abs(gaps)
            total += variance * np.exp(-x) * (1.0, 1 + x, 1 + x + x * x / 3)[size - 1]
        return total

    def solve(self, extra: float, right: Matrix) -> Matrix:
        """(K + (white + extra)·I)⁻¹·right by Kalman filter and its adjoint, for many right sides at once.

        To double precision, with no bound on its error: what rests on it is checked by :meth:`product`.
        """
        right = np.ascontiguousarray(right, np.float64)
        return _solve(self.steps, self.sizes, self.rates, self.variances, self.white + extra, right)

    def product(self, vector: Vector) -> tuple[Vector, float]:
        """K·vector without the measurement error, and a bound on the Euclidean norm of its rounding error."""
        vector = np.ascontiguousarray(vector, np.float64)
        return _product(self.steps, self.sizes, self.rates, self.variances, vector)


def markov_parts(kernel: Kernel) -> tuple[list[Matern], float]:
    """The Matérn kernels of a sum, and the variance of its measurement errors; other kernels are refused."""
    parts = list(kernel.parts) if isinstance(kernel, SumKernel) else [kernel]
    while any(isinstance(part, SumKernel) for part in parts):
        parts = [inner for part in parts for inner in (part.parts if isinstance(part, SumKernel) else (part,))]
    strange = [type(part).__name__ for part in parts if not isinstance(part, Matern | White)]
    smooth = [part for part in parts if isinstance(part, Matern)]
    if strange or not smooth:
        raise bad_input(
            "prior", strange[0] if strange else "White", "a sum of Matern kernels and White", "design= takes any kernel"
        )
    return smooth, float(sum(part.variance for part in parts if isinstance(part, White)))


@njit(cache=True)
def _transition(size: int, x: float, step: NDArray[np.float64]) -> None:  # pragma: no cover
    """Φ(x) of one Matérn kernel into the leading block of ``step``."""
    e = math.exp(-x)
    if size == 1:
        step[0, 0] = e
    elif size == 2:
        step[0, 0] = e * (1 + x)
        step[0, 1] = e * x
        step[1, 0] = -e * x
        step[1, 1] = e * (1 - x)
    else:
        h = 0.5 * x * x
        step[0, 0] = e * (1 + x + h)
        step[0, 1] = e * (x + x * x)
        step[0, 2] = e * h
        step[1, 0] = -e * h
        step[1, 1] = e * (1 + x - x * x)
        step[1, 2] = e * (x - h)
        step[2, 0] = e * (h - x)
        step[2, 1] = e * (x * x - 3 * x)
        step[2, 2] = e * (1 - 2 * x + h)


@njit(cache=True)
def _stationary(size: int, variance: float, block: NDArray[np.float64]) -> None:  # pragma: no cover
    """The stationary covariance of the scaled states of one Matérn kernel."""
    for i in range(size):
        for j in range(size):
            block[i, j] = 0.0
        block[i, i] = variance
    if size == 3:
        block[1, 1] = variance / 3
        block[0, 2] = block[2, 0] = -variance / 3


# After turn i, P is the covariance of the state given the observations up to i, gains[i] how the state follows the
# innovation there, and spread[i] the variance of that innovation: K + noise·I = L·diag(spread)·Lᵀ with L from gains.
@njit(cache=True)
def _solve(steps, sizes, rates, variances, noise, right):  # type: ignore[no-untyped-def]  # pragma: no cover
    n, count = right.shape
    d = sizes.sum()
    starts = np.zeros(len(sizes), np.int64)
    for c in range(1, len(sizes)):
        starts[c] = starts[c - 1] + sizes[c - 1]
    seen = np.zeros(d)
    still = np.zeros((d, d))
    block = np.zeros((3, 3))
    for c in range(len(sizes)):
        seen[starts[c]] = 1.0
        _stationary(sizes[c], variances[c], block)
        for i in range(sizes[c]):
            for j in range(sizes[c]):
                still[starts[c] + i, starts[c] + j] = block[i, j]
    gains = np.empty((n, d))
    spread = np.empty(n)
    moves = np.zeros((n, d, d))
    P = still.copy()
    move = np.eye(d)
    grown = np.zeros((d, d))
    last = 0.0
    state = np.zeros((d, count))
    out = np.empty((n, count))
    for i in range(n):
        if steps[i] != last:
            last = steps[i]
            for c in range(len(sizes)):
                _transition(sizes[c], rates[c] * last, block)
                for a in range(sizes[c]):
                    for b in range(sizes[c]):
                        move[starts[c] + a, starts[c] + b] = block[a, b]
            grown = still - move @ still @ move.T
        moves[i] = move
        if i and last != 0.0:
            P = move @ P @ move.T + grown
            state = move @ state
        column = P @ seen
        s = seen @ column + noise
        spread[i] = s
        for a in range(d):
            gains[i, a] = column[a] / s
        for q in range(count):
            e = right[i, q]
            for c in range(len(sizes)):
                e -= state[starts[c], q]
            out[i, q] = e
            for a in range(d):
                state[a, q] += gains[i, a] * e
        for a in range(d):
            for b in range(d):
                P[a, b] -= column[a] * column[b] / s
    back = np.zeros((d, count))
    for i in range(n - 1, -1, -1):
        for q in range(count):
            e = out[i, q] / spread[i]
            for a in range(d):
                e += gains[i, a] * back[a, q]
            out[i, q] = e
            for c in range(len(sizes)):
                back[starts[c], q] -= e
        if i and steps[i] != 0.0:
            back = moves[i].T @ back
    return out


# For every kernel, ‖Φ(x)‖ ≤ 8·e^{−x/2} (1, 1.6 and 5.7 for the three sizes). One turn makes a state off by at most
# 2⁻⁴³·(‖state‖ + variance·|v|): the exponential, the polynomials and three products, each within a few roundings of
# terms below 12·‖state‖. So ``off`` = Σ e^{−x/2}·(what each turn adds) bounds an eighth of the error of the state.
@njit(cache=True)
def _product(steps, sizes, rates, variances, vector):  # type: ignore[no-untyped-def]  # pragma: no cover
    n = len(vector)
    out = np.zeros(n)
    errors = np.zeros(n)
    move = np.zeros((3, 3))
    still = np.zeros((3, 3))
    for c in range(len(sizes)):
        size = sizes[c]
        _stationary(size, variances[c], still)
        state = np.zeros(3)
        moved = np.zeros(3)
        off = 0.0
        last = -1.0
        decay = 1.0
        for i in range(n):
            if steps[i] != last:
                last = steps[i]
                _transition(size, rates[c] * last, move)
                decay = math.exp(-0.5 * rates[c] * last)
            norm = 0.0
            for a in range(size):
                norm += abs(state[a])
            for a in range(size):
                total = 0.0
                for b in range(size):
                    total += move[a, b] * state[b]
                moved[a] = total + still[a, 0] * vector[i]
            for a in range(size):
                state[a] = moved[a]
            off = decay * off + 2.0**-43 * (norm + variances[c] * abs(vector[i]))
            out[i] += state[0]
            errors[i] += 8 * off + 2.0**-50 * abs(out[i])
        for a in range(3):
            state[a] = 0.0
        off = 0.0
        last = -1.0
        for i in range(n - 2, -1, -1):
            if steps[i + 1] != last:
                last = steps[i + 1]
                _transition(size, rates[c] * last, move)
                decay = math.exp(-0.5 * rates[c] * last)
            norm = abs(vector[i + 1])
            for a in range(size):
                norm += abs(state[a])
            state[0] += vector[i + 1]
            for a in range(size):
                total = 0.0
                for b in range(size):
                    total += move[b, a] * state[b]
                moved[a] = total
            for a in range(size):
                state[a] = moved[a]
            off = decay * off + 2.0**-43 * norm
            total = 0.0
            for a in range(size):
                total += still[0, a] * state[a]
            out[i] += total
            errors[i] += 2 * variances[c] * 8 * off + 2.0**-50 * (abs(out[i]) + 2 * variances[c] * norm)
    total = 0.0
    for i in range(n):
        total += errors[i] * errors[i]
    return out, math.sqrt(total) * (1 + 2.0**-30)
