"""Calibration against 60-digit arithmetic and the specs' golden values (M2, M3, P9, B5)."""

from __future__ import annotations

import math

import mpmath
import pytest

from sfumato.errors import InputError
from sfumato.promise import (
    analytic_gaussian_sigma,
    classical_gaussian_sigma,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_rho,
    laplace_scale,
    smooth_sensitivity_noise,
)


def true_delta(epsilon: float, sigma: float) -> mpmath.mpf:
    with mpmath.workdps(400):
        e, s = mpmath.mpf(epsilon), mpmath.mpf(sigma)
        return mpmath.ncdf(1 / (2 * s) - e * s) - mpmath.exp(e) * mpmath.ncdf(-1 / (2 * s) - e * s)


@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 0.5, 1.0, 3.0, 10.0, 100.0, 1e4, 1e6])
@pytest.mark.parametrize("delta", [1e-300, 1e-30, 1e-10, 1e-5, 0.01, 0.5])
def test_analytic_sigma_is_safe_and_tight(epsilon: float, delta: float) -> None:
    sigma = analytic_gaussian_sigma(epsilon, delta)
    assert true_delta(epsilon, sigma) <= delta  # never a hair too small
    assert true_delta(epsilon, sigma * (1 - 1e-4)) > delta
    assert gaussian_epsilon(delta, sigma) == pytest.approx(epsilon, rel=1e-4)


@pytest.mark.parametrize(
    ("epsilon", "sigma"), [(0.0, 1.0), (0.3, 5.0), (1.0, 1.0), (4.0, 0.7), (50.0, 0.12), (5.0, 0.05)]
)
def test_exact_delta(epsilon: float, sigma: float) -> None:
    exact = true_delta(epsilon, sigma)
    found = gaussian_delta(epsilon, sigma)
    assert exact <= found <= exact * (1 + 1e-11)


def test_golden_epsilon_of_one_release() -> None:
    assert gaussian_epsilon(1e-5, 1.0) == pytest.approx(4.37718, abs=5e-6)
    assert gaussian_epsilon(0.5, 10.0) == 0.0  # so much noise that no ε is needed


def test_scale_follows_sensitivity() -> None:
    assert analytic_gaussian_sigma(1.0, 1e-6, 7.0) == pytest.approx(7 * analytic_gaussian_sigma(1.0, 1e-6))
    assert gaussian_delta(1.0, 14.0, 7.0) == pytest.approx(gaussian_delta(1.0, 2.0))
    assert gaussian_rho(3.0, 6.0) == 2.0
    assert laplace_scale(0.1, 1.0) * 0.1 >= 1.0


def test_classical_rule_holds_below_one_and_is_refused_above() -> None:
    for epsilon in (0.1, 0.5, 0.99):
        assert true_delta(epsilon, classical_gaussian_sigma(epsilon, 1e-5)) < 1e-6
    assert true_delta(0.99, classical_gaussian_sigma(0.99, 1e-5)) == pytest.approx(4.1e-8, rel=0.02)
    for epsilon in (1.0, 10.0):
        with pytest.raises(InputError, match="analytic_gaussian_sigma"):
            classical_gaussian_sigma(epsilon, 1e-5)


@pytest.mark.parametrize(("epsilon", "delta"), [(10.0, 2.3e-5), (20.0, 1.5e-3)])
def test_classical_rule_would_fail_at_large_epsilon(epsilon: float, delta: float) -> None:
    """Fischer §3.2: σ = √(2 ln(1.25/δ))/ε for δ = 1e-5 misses its δ from ε = 10 on."""
    sigma = math.sqrt(2 * math.log(1.25 / 1e-5)) / epsilon
    assert gaussian_delta(epsilon, sigma) == pytest.approx(delta, rel=0.03)


@pytest.mark.parametrize("epsilon", [0, -1.0, math.nan, math.inf, "1", True])
def test_rejects_epsilon(epsilon: object) -> None:
    for function in (analytic_gaussian_sigma, classical_gaussian_sigma, smooth_sensitivity_noise):
        with pytest.raises(InputError, match="epsilon"):
            function(epsilon, 1e-5)  # type: ignore[operator]
    with pytest.raises(InputError, match="epsilon"):
        laplace_scale(epsilon)  # type: ignore[arg-type]


@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, math.nan])
def test_rejects_delta(delta: float) -> None:
    for function in (analytic_gaussian_sigma, classical_gaussian_sigma, smooth_sensitivity_noise, gaussian_epsilon):
        with pytest.raises(InputError, match="delta"):
            function(*((delta, 1.0) if function is gaussian_epsilon else (0.5, delta)))  # type: ignore[operator]


@pytest.mark.parametrize("sensitivity", [0.0, -1.0, math.inf, math.nan])
def test_rejects_sensitivity_and_sigma(sensitivity: float) -> None:
    with pytest.raises(InputError, match="sensitivity"):
        analytic_gaussian_sigma(1.0, 1e-5, sensitivity)
    with pytest.raises(InputError, match="sensitivity"):
        laplace_scale(1.0, sensitivity)
    with pytest.raises(InputError, match="sigma"):
        gaussian_delta(1.0, sensitivity)


@pytest.mark.parametrize("sigma", [0.1, 0.3, 3.7, 1e-5, 7e8])
def test_rho_is_rounded_up(sigma: float) -> None:
    with mpmath.workdps(50):
        exact = 1 / (2 * mpmath.mpf(sigma) ** 2)
        assert exact <= gaussian_rho(sigma) <= exact * (1 + mpmath.mpf(2) ** -50)
