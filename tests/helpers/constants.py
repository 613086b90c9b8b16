"""Random grids of parameters, and doubles as real numbers, for tests of constants against 60-digit arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

import mpmath
import numpy as np

from sfumato.promise.amount import exact

SEED = 12
NEAR = Fraction(1, 2**48)


def spread(count: int, *ranges: tuple[float, float], seed: int = SEED) -> list[tuple[float, ...]]:
    """Points whose logarithms are uniform in the ranges, some of them with few digits, as people write them."""
    rng = np.random.default_rng(seed)
    points = []
    for k in range(count):
        point = [float(math.exp(rng.uniform(math.log(low), math.log(high)))) for low, high in ranges]
        points.append(tuple(float(f"{x:.2g}") if k % 3 == 0 else x for x in point))
    return points


def over(points: Iterable[tuple[float, ...]]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """A test of all points; a failure names its point."""

    def loop(test: Callable[..., None]) -> Callable[[], None]:
        def run() -> None:
            for point in points:
                try:
                    test(*point)
                except AssertionError as error:
                    raise AssertionError(f"at {point}: {error}") from error

        run.__name__, run.__doc__ = test.__name__, test.__doc__
        return run

    return loop


def real(x: float) -> mpmath.mpf:
    """The real number that a double is."""
    return mpmath.mpf(x)


def printed(x: float) -> Fraction:
    """The real number that a double prints as: what a budget counts."""
    return Fraction(str(exact(x)))


def largest(x: float) -> mpmath.mpf:
    """The larger of the two."""
    return max(real(x), mpmath.mpf(str(exact(x))))


def smallest(x: float) -> mpmath.mpf:
    """The smaller of the two."""
    return min(real(x), mpmath.mpf(str(exact(x))))


def near(x: mpmath.mpf) -> mpmath.mpf:
    return abs(x) * mpmath.mpf(2) ** -48


def true_delta(epsilon: float, ratio: mpmath.mpf) -> mpmath.mpf:
    """δ of Gaussian noise with standard deviation ``ratio`` sensitivities."""
    with mpmath.workdps(120):
        e = mpmath.mpf(epsilon)
        return mpmath.ncdf(1 / (2 * ratio) - e * ratio) - mpmath.exp(e) * mpmath.ncdf(-1 / (2 * ratio) - e * ratio)


def true_smooth_delta(epsilon: float, alpha: float, beta: float) -> mpmath.mpf:
    """The larger of W and G of :mod:`sfumato.promise.smooth_noise`, by the roots of the quadratic."""
    with mpmath.workdps(120):
        e, a, b = mpmath.mpf(epsilon), mpmath.mpf(alpha), mpmath.mpf(beta)
        rho = mpmath.exp(b)
        curvature = 1 - rho**-2
        root = mpmath.sqrt(a * a - 2 * curvature * (a * a / 2 - b - e))
        ends = [(a - root) / curvature, (a + root) / curvature]
        wide = mpmath.ncdf(ends[0] / rho) + mpmath.ncdf(-ends[1] / rho)
        narrow = mpmath.ncdf(ends[0] - a) + mpmath.ncdf(a - ends[1])
        return max(wide - mpmath.exp(e) * narrow, true_delta(float(e - b), 1 / a) if e > b else mpmath.mpf(1))
