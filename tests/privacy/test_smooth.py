"""The exact worst case of smooth-sensitivity noise, against quadrature over the whole admissible family."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from sfumato.errors import InputError
from sfumato.privacy.calibrate import analytic_gaussian_sigma, smooth_sensitivity_noise
from sfumato.privacy.smooth import smooth_delta, tuned_smooth_noise

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


def test_constants_at_epsilon_20() -> None:
    """Mimoto §2.3 finds 3.1e-2 > 1e-2 for shifts up to the larger S; a shift is bounded by the smaller S, and holds."""
    log_term = math.log(2 / 1e-2)
    alpha, beta = 20 / (5 * math.sqrt(2 * log_term)), 20 / (4 * (1 + log_term))
    assert quadrature_delta(20.0, alpha, -beta, alpha) == pytest.approx(3.1e-2, rel=0.02)
    assert smooth_delta(20.0, alpha, beta) == pytest.approx(4.0e-3, rel=0.01)


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
