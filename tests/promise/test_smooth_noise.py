"""The exact worst case of smooth-sensitivity noise, against quadrature over the whole admissible family."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from sfumato.errors import InputError
from sfumato.promise import analytic_gaussian_sigma
from sfumato.promise.smooth_noise import smooth_delta, smooth_sensitivity_noise, tuned_smooth_noise

Floats = NDArray[np.float64]


def quadrature_delta(epsilon: float, alpha: float, log_ratio: float, shift: float, step: float = 2e-4) -> float:
    """∫ (p − e^ε·q)⁺ for p = N(0, 1) and q = N(shift, e^{2·log_ratio}), both in units of p's scale."""
    x = np.arange(-40.0, 40.0, step)
    log_q = -((x - shift) ** 2) / 2 * math.exp(-2 * log_ratio) - log_ratio
    return float(np.maximum(np.exp(-x * x / 2) - np.exp(epsilon + log_q), 0).sum() * step / math.sqrt(2 * math.pi))


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0, 10.0])
@pytest.mark.parametrize("delta", [1e-2, 1e-5, 1e-7])
def test_tuned_noise_is_exactly_as_good_as_promised(epsilon: float, delta: float) -> None:
    alpha, beta = tuned_smooth_noise(epsilon, delta)
    worst = 0.0
    for log_ratio in np.linspace(-beta, beta, 9):
        for part in (0.25, 1.0):
            shift = part * alpha * min(1.0, math.exp(log_ratio))
            worst = max(worst, quadrature_delta(epsilon, alpha, log_ratio, shift))
    assert worst <= delta * (1 + 1e-5)
    assert worst >= delta * (1 - 1e-3)  # no better α exists


def test_constants_of_the_source_theorem_at_epsilon_5() -> None:
    """Mimoto §2.3: they hold at ε = 5 with a wide margin; the tuned α is 3.6 times as large."""
    alpha, beta = smooth_sensitivity_noise(5.0, 1e-5)
    assert smooth_delta(5.0, alpha, beta) == pytest.approx(2.0e-10, rel=0.01)
    assert tuned_smooth_noise(5.0, 1e-5).alpha / alpha == pytest.approx(3.61, abs=0.01)


@pytest.mark.parametrize(
    ("epsilon", "delta", "careful", "exact"),
    [(5.0, 1e-2, 3.3e-5, 1.75e-5), (5.0, 1e-5, 3.6e-10, 2.0e-10), (20.0, 1e-2, 3.1e-2, 4.0e-3)],
)
def test_shifts_up_to_the_larger_or_the_smaller_sensitivity(
    epsilon: float, delta: float, careful: float, exact: float
) -> None:
    """Mimoto §2.3 [V] lets a shift reach the larger S (and so misses δ at ε = 20); it is bounded by the smaller."""
    alpha, beta = smooth_sensitivity_noise(epsilon, delta)
    assert quadrature_delta(epsilon, alpha, -beta, alpha) == pytest.approx(careful, rel=0.02)
    assert quadrature_delta(epsilon, alpha, -beta, alpha * math.exp(-beta)) == pytest.approx(exact, rel=0.01)
    assert smooth_delta(epsilon, alpha, beta) == pytest.approx(exact, rel=0.01)


@pytest.mark.parametrize(("epsilon", "reached"), [(25.0, "0.011"), (1000.0, "1")])
def test_constants_that_miss_their_delta_are_refused(epsilon: float, reached: str) -> None:
    with pytest.raises(InputError, match=rf"here δ = {reached}.*tuned_smooth_noise"):
        smooth_sensitivity_noise(epsilon, 1e-2)


def test_constants_in_more_dimensions() -> None:
    with pytest.raises(InputError, match="more than one dimension"):
        smooth_sensitivity_noise(1.0, 1e-5, dimension=2)
    alpha, beta = smooth_sensitivity_noise(0.5, 1e-5, dimension=3)
    assert alpha == pytest.approx(0.5 / (5 * math.sqrt(2 * math.log(2e5))))
    assert beta == pytest.approx(0.5 / (4 * (3 + math.log(2e5))))


@pytest.mark.parametrize("epsilon", [0.1, 0.9])
def test_smooth_noise_keeps_its_promise_where_it_is_proved(epsilon: float) -> None:
    assert smooth_delta(epsilon, *smooth_sensitivity_noise(epsilon, 1e-5)) <= 1e-5


def test_without_smoothness_it_is_the_analytic_gaussian() -> None:
    assert 1 / tuned_smooth_noise(1.0, 1e-5, 0.0).alpha == pytest.approx(analytic_gaussian_sigma(1.0, 1e-5), rel=1e-6)


def test_noise_on_a_grid_is_paid_for() -> None:
    """The hockey-stick sum of discrete Gaussians, against the δ that ``step`` promises."""
    epsilon, beta, step = 1.0, 0.02, 0.05
    alpha = tuned_smooth_noise(epsilon, 1e-4, beta, step=step).alpha
    n = np.arange(-400, 401)
    wide, narrow = math.exp(beta) / step, 1 / step
    p, q = -((n / wide) ** 2) / 2, -(((n - math.floor(alpha / step)) / narrow) ** 2) / 2
    p, q = np.exp(p) / np.exp(p).sum(), np.exp(q) / np.exp(q).sum()
    assert np.maximum(p - math.exp(epsilon) * q, 0).sum() <= 1e-4


@pytest.mark.parametrize(
    ("epsilon", "delta", "beta"), [(0.0, 1e-5, None), (1.0, 0.0, None), (1.0, 1.0, None), (1.0, 1e-5, 2.0)]
)
def test_rejections(epsilon: float, delta: float, beta: float | None) -> None:
    with pytest.raises(InputError):
        tuned_smooth_noise(epsilon, delta, beta)


def test_alpha_beyond_the_theorem_is_refused() -> None:
    with pytest.raises(InputError, match="α² ≤ 2ε"):
        smooth_delta(1.0, 2.0, 0.01)
