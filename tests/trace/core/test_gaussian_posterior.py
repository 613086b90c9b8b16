"""Posterior intervals of the Gaussian adversary."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.trace import (
    RBF,
    Secret,
    covariance,
    loss,
    posterior_interval,
)
from sfumato.trace.designs.closed_form import concentrated, optimal_basic, uniform
from sfumato.trace.designs.published_program import published

TIMES = np.arange(50.0)
BASIC = Secret((24,))


@pytest.mark.parametrize(
    ("length", "even", "conc", "sdp_a", "full"),
    [(1.0, 0.271, 0.797, 0.997, 1.257), (3.0, 0.170, 0.0, 0.586, 0.885), (6.0, 0.124, 0.0, 0.424, 0.682)],
)
def test_posterior_intervals_of_the_reference_table(length, even, conc, sdp_a, full):
    """meehan.md §6.6 and addenda §1: the 2σ of the secret."""
    prior = covariance(RBF(length=length), TIMES)
    assert posterior_interval(prior, uniform(50, 1.0), BASIC) == pytest.approx(even, abs=0.002)
    assert posterior_interval(prior, concentrated(50, BASIC, 1.0), BASIC) == pytest.approx(conc, abs=0.005)
    assert posterior_interval(prior, published(prior, BASIC, 1.0), BASIC) == pytest.approx(sdp_a, abs=0.004)
    assert posterior_interval(prior, optimal_basic(prior, BASIC, 1.0), BASIC) == pytest.approx(full, abs=0.004)


def test_floor_against_smoother_paths():
    """Addenda §1: ρ = .2 at l = 6 gives κ = 9.23 and keeps 2σ = .310 when the path is smoother than assumed."""
    prior, smoother = covariance(RBF(length=6.0), TIMES), covariance(RBF(length=9.0), TIMES)
    guarded = optimal_basic(prior, BASIC, 1.0, floor=0.2)
    assert loss(prior, guarded, BASIC) == pytest.approx(9.23, rel=0.001)
    assert posterior_interval(prior, guarded, BASIC) == pytest.approx(0.625, abs=0.003)
    assert posterior_interval(smoother, guarded, BASIC) == pytest.approx(0.310, abs=0.005)
