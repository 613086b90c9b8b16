"""Markov paths: solves and products against dense matrices, and the bound on rounding."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.trace import RBF, Matern, White, covariance
from sfumato.trace.core.state_space import MarkovPath, markov_parts

KERNELS = [
    Matern(length=30.0, nu=0.5, variance=9e4) + White(variance=1.0),
    Matern(length=640.0, nu=1.5, variance=9e4) + White(variance=25.0),
    Matern(length=10.0, nu=2.5, variance=900.0) + Matern(length=7200.0, nu=1.5, variance=9e6) + White(variance=25.0),
]


def moments(seed: int) -> np.ndarray:
    """Irregular times with gaps and stays (equal moments), on the grid of ticks."""
    steps = np.random.default_rng(seed).choice([0.0, 0.5, 1.0, 7.0, 60.0, 4000.0], 150)
    return np.cumsum(steps)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel.parts[0]).__name__ + str(len(kernel.parts)))
@pytest.mark.parametrize("seed", [0, 1])
def test_solve_and_product_are_those_of_the_dense_matrix(kernel, seed):
    times = moments(seed)
    path = MarkovPath.of(kernel, times)
    dense = path.kernel(times[:, None] - times[None, :])
    right = np.random.default_rng(seed).normal(size=(150, 3))
    whole = dense + (path.white + 100.0) * np.eye(150)
    np.testing.assert_allclose(whole @ path.solve(100.0, right), right, atol=1e-7)
    product, bound = path.product(right[:, 0])
    off = float(np.linalg.norm(product - dense @ right[:, 0]))
    assert off <= bound + 1e-12 * float(np.linalg.norm(product))  # the dense product rounds too
    assert bound < 1e-7 * float(np.linalg.norm(product))


def test_the_kernel_is_that_of_the_library():
    times = np.array([0.0, 1.0, 30.0, 900.0])
    for kernel in KERNELS:
        path = MarkovPath.of(kernel, times)
        dense = path.kernel(times[:, None] - times[None, :]) + path.white * np.eye(4)
        np.testing.assert_allclose(dense, covariance(kernel, times), rtol=1e-12)


def test_the_bound_covers_sixty_digits():
    """The product in sixty digits, of a short path with a long and a short kernel."""
    import mpmath

    kernel = KERNELS[2]
    times = np.cumsum(np.random.default_rng(5).choice([0.0, 0.5, 60.0], 20))
    path = MarkovPath.of(kernel, times)
    vector = np.random.default_rng(6).normal(size=20)
    product, bound = path.product(vector)
    with mpmath.workdps(60):
        total = mpmath.mpf(0)
        for i in range(20):
            exact = mpmath.mpf(0)
            for j in range(20):
                gap = abs(mpmath.mpf(times[i]) - mpmath.mpf(times[j]))
                for size, rate, variance in zip(path.sizes, path.rates, path.variances, strict=True):
                    x = mpmath.mpf(float(rate)) * gap
                    shape = (1, 1 + x, 1 + x + x * x / 3)[int(size) - 1]
                    exact += mpmath.mpf(float(variance)) * mpmath.exp(-x) * shape * mpmath.mpf(vector[j])
            total += (exact - mpmath.mpf(product[i])) ** 2
        assert float(mpmath.sqrt(total)) <= bound


def test_other_kernels_are_refused():
    for kernel in (RBF(length=3.0), RBF(length=3.0) + White(variance=1.0), White(variance=1.0)):
        with pytest.raises(InputError, match="a sum of Matern"):
            markov_parts(kernel)
