"""Length scales and periods by maximum likelihood."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.trace import (
    RBF,
    Periodic,
    White,
    covariance,
    fit_lengths,
)


def test_length_scale_is_recovered():
    """Median of 200 fits within 15 % of the truth."""
    rng = np.random.default_rng(6)
    times = np.arange(40.0)
    factor = np.linalg.cholesky(covariance(RBF(length=4.0) + White(variance=0.0025), times))
    traces = [(times, factor @ rng.normal(size=(40, 2))) for _ in range(100)]
    fitted = fit_lengths(traces, bounds=(1.0, 20.0), noise=0.0025)
    assert np.median(fitted.lengths) == pytest.approx(4.0, rel=0.15)
    assert fitted.effective == pytest.approx(fitted.lengths)


def test_period_and_length_are_recovered_together():
    """Medians of 40 fits within 10 % of the truth."""
    rng = np.random.default_rng(8)
    times = np.arange(48.0)
    factor = np.linalg.cholesky(covariance(Periodic(length=1.2, period=22.0) + White(variance=0.1), times))
    fitted = fit_lengths(
        [(times, factor @ rng.normal(size=(48, 4))) for _ in range(10)],
        bounds=(0.1, 20.0), noise=0.1, period=(16.0, 34.0), standardise=False,
    )  # fmt: skip
    assert np.median(fitted.lengths) == pytest.approx(1.2, rel=0.1)
    assert np.median(fitted.periods) == pytest.approx(22.0, rel=0.1)


@pytest.mark.data
def test_published_length_scales_of_temperature():
    """Quartiles 1.040/1.097/1.145 (App. E.1.4), which the temperature outdoors gives to the last digit."""
    from sfumato.trace.data.published import temperature_windows

    fitted = fit_lengths(temperature_windows(), bounds=(0.01, 100.0), noise=0.1, period=(16.0, 34.0), standardise=False)
    assert fitted.quartiles() == pytest.approx((1.040, 1.097, 1.145), abs=0.0006)
