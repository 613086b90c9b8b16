"""The certified loss of a place is above the real one, held against 60-digit arithmetic of the same doubles."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import mpmath
import numpy as np
import pytest

from sfumato.trace.core.place_response import _norm, certified_place_loss


def exact_loss(a: Any, matrix: Any, factor: Any, floor: float, days: float) -> Any:
    """aᵀN⁻¹a with N = (M + floor·I)/days + F·Fᵀ of the doubles as they are."""
    rest = mpmath.matrix(matrix.tolist()) + mpmath.mpf(floor) * mpmath.eye(len(a))
    spread = rest / mpmath.mpf(days) + mpmath.matrix(factor.tolist()) * mpmath.matrix(factor.tolist()).T
    vector = mpmath.matrix(a.tolist())
    return (vector.T * mpmath.lu_solve(spread, vector))[0]


@pytest.mark.parametrize("days", [1.0, 30.0])
@pytest.mark.parametrize("seed", range(6))
def test_above_the_real_loss_and_close_to_it(seed, days):
    """Without any slack on the side that matters, for a good guess and for a bad one."""
    rng, n = np.random.default_rng(seed), 10
    root = rng.normal(size=(n, n)) * rng.lognormal(0, 2, n)
    matrix = root @ root.T
    matrix = (matrix + matrix.T) / 2 + 4.0 * np.eye(n)  # the measurement error is in it
    a, factor, floor = rng.normal(size=n), rng.normal(0, 30.0, (n, 3)), 25.0
    wrong = (n + 2) * 2.0**-53 * float(np.abs(matrix).sum())

    def product(vector: Any) -> tuple[Any, float]:
        return matrix @ vector, wrong * _norm(vector)

    response: Any = SimpleNamespace(shape=a, shape_error=0.0, white=4.0, product=product)
    guess = np.linalg.solve((matrix + floor * np.eye(n)) / days + factor @ factor.T, a)
    with mpmath.workdps(60):
        truth = exact_loss(a, matrix, factor, floor, days)
        found = certified_place_loss(response, floor, factor, guess, days=days)
        assert truth <= mpmath.mpf(found) <= truth * (1 + mpmath.mpf("1e-6"))
        off = certified_place_loss(response, floor, factor, guess * (1 + 1e-3 * rng.normal(size=n)), days=days)
        assert truth <= mpmath.mpf(off)


@pytest.mark.parametrize("count", [1, 7, 1000, 100_000])
def test_a_norm_is_never_too_small(count):
    values = np.random.default_rng(count).lognormal(0, 3, count)
    with mpmath.workdps(60):
        truth = mpmath.sqrt(mpmath.fsum(mpmath.mpf(float(value)) ** 2 for value in values))
        assert truth <= mpmath.mpf(_norm(values)) <= truth * (1 + mpmath.mpf("1e-9"))
