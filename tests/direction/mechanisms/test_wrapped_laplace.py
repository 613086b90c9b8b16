"""The wrapped Laplace mechanism: golden values, true loss, tight calibration, erratum 1."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.direction import (
    Purkayastha,
    VonMisesFisher,
    WrappedLaplace,
)
from sfumato.direction.mechanisms.wrapped_laplace import WrappedLaplaceLaw


def test_wrapped_laplace_golden_values_and_true_loss():
    """B2: §7.1 of the spec."""
    assert WrappedLaplaceLaw(2, 0.5).mean_angle == pytest.approx(1.311588405, rel=1e-9)
    law = WrappedLaplaceLaw(2, 1 / math.pi)
    assert law.loss(math.pi) == pytest.approx(0.434, abs=5e-4)
    assert law.expect(lambda t: t) == pytest.approx(law.mean_angle, rel=1e-12)
    assert law.mean_cosine == pytest.approx(law.expect(np.cos), rel=1e-12)
    tight = {e: WrappedLaplace(pure=e).law().mean_angle for e in (1.0, 2.0, 5.0, 10.0)}
    for epsilon, expected in ((1.0, 1.289), (2.0, 1.020), (5.0, 0.548), (10.0, 0.294)):
        assert tight[epsilon] == pytest.approx(expected, abs=6e-4)
        assert WrappedLaplace(pure=epsilon).kappa == pytest.approx(math.acosh(math.exp(epsilon)) / math.pi, rel=1e-12)
        assert tight[epsilon] < Purkayastha(pure=epsilon).law(2).mean_angle
    assert VonMisesFisher(pure=2.0).law(2).mean_angle == pytest.approx(1.000, abs=6e-4)
    assert VonMisesFisher(pure=5.0).law(2).mean_angle == pytest.approx(0.576, abs=6e-4)
    one = 1 / math.pi
    assert WrappedLaplace(epsilon=one).law().mean_angle == pytest.approx(1.406, abs=6e-4)
    assert Purkayastha(epsilon=one).law(2).mean_angle == pytest.approx(1.313, abs=6e-4)


@pytest.mark.parametrize("sensitivity", [0.01, 0.5, 2.0])
def test_tight_wrapped_laplace_with_a_bounded_query(sensitivity):
    mechanism = WrappedLaplace(pure=1.5, sensitivity=sensitivity, neighbours="replace-one")
    assert mechanism.law().loss(sensitivity) == pytest.approx(1.5, rel=1e-9)
    assert mechanism.law().loss(sensitivity) <= 1.5
    assert mechanism.kappa >= 1.5 / sensitivity * (
        1 - 2.0**-52
    )  # rounded down, where the double 1.5/sensitivity may be up


def test_errata_theorem_7_26():
    """Erratum 1: E_WL − E_Pur > κπ²/(e^{2κπ}−1) only for κ > 2/π; E_WL > E_Pur always."""
    for kappa in np.geomspace(1e-3, 3, 60):
        gap = WrappedLaplaceLaw(2, kappa).mean_angle - Purkayastha(epsilon=kappa).law(2).mean_angle
        assert gap > 0
        claimed = kappa * math.pi**2 / math.expm1(2 * kappa * math.pi)
        assert (gap > claimed) == (kappa > 2 / math.pi)
    gap = WrappedLaplaceLaw(2, 0.1).mean_angle - Purkayastha(epsilon=0.1).law(2).mean_angle
    assert gap == pytest.approx(0.0693, abs=5e-5)
