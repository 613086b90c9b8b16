"""Amplification by uniform shuffling, against direct summation and against randomised response itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from sfumato.errors import InfeasibleError, InputError
from sfumato.survey import amplified_by_shuffling
from sfumato.survey.core.amplification import amplified_delta, amplified_epsilon_closed_form


def direct_delta(epsilon: float, local: float, n: int) -> float:
    """The divergence summed term by term over clones, A and Δ."""
    keep = math.exp(local) / (math.exp(local) + 1)
    first, second = {}, {}
    for clones in range(n):
        for a in range(clones + 1):
            mass = binom.pmf(clones, n - 1, math.exp(-local)) * binom.pmf(a, clones, 0.5)
            for delta, p in ((1, keep), (0, 1 - keep)):
                for law, one in ((first, delta), (second, 1 - delta)):
                    key = (a + one, clones - a + 1 - one)
                    law[key] = law.get(key, 0.0) + mass * p
    return sum(max(0.0, p - math.exp(epsilon) * second.get(key, 0.0)) for key, p in first.items())


@pytest.mark.parametrize("local", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("n", [2, 7, 30])
def test_delta_is_the_divergence(local, n):
    for epsilon in (0.0, 0.1, 0.5 * local, 0.99 * local):
        assert amplified_delta(epsilon, local_epsilon=local, n=n) == pytest.approx(
            direct_delta(epsilon, local, n), abs=1e-14
        )
    assert amplified_delta(local, local_epsilon=local, n=n) == 0


@pytest.mark.parametrize(("n", "local"), [(1000, 1.0), (10_000, 2.5), (1_000_000, 4.0)])
def test_bound_covers_binary_randomised_response_and_beats_the_closed_form(n, local):
    promise = amplified_by_shuffling(local_epsilon=local, n=n, delta=1e-6)
    wrong = 1 / (math.exp(local) + 1)
    others = binom.pmf(np.arange(n + 1), n - 1, wrong)
    shifted = np.concatenate([[0.0], others[:-1]])
    truth, lie = others * (1 - wrong) + shifted * wrong, others * wrong + shifted * (1 - wrong)
    for p, q in ((truth, lie), (lie, truth)):
        assert np.maximum(p - math.exp(promise.epsilon) * q, 0).sum() <= 1e-6
    assert promise.epsilon < 0.5 * local
    assert promise.epsilon < amplified_epsilon_closed_form(local_epsilon=local, n=n, delta=1e-6)


def test_limits_and_rejections():
    assert amplified_by_shuffling(local_epsilon=1e-9, n=100, delta=1e-3).epsilon == 0
    with pytest.raises(InfeasibleError, match="holds up to"):
        amplified_epsilon_closed_form(local_epsilon=5.0, n=1000, delta=1e-6)
    with pytest.raises(InputError):
        amplified_by_shuffling(local_epsilon=1.0, n=1, delta=1e-6)
    with pytest.raises(InputError):
        amplified_by_shuffling(local_epsilon=1.0, n=10, delta=0.0)
    with pytest.raises(InputError):
        amplified_delta(-0.1, local_epsilon=1.0, n=10)


@pytest.mark.parametrize(("local", "epsilon"), [(30.0, 29.9), (38.0, 37.0), (40.0, 36.8), (800.0, 750.0)])
def test_no_amplification_where_nobody_is_a_clone(local, epsilon):
    """e^{−ε₀} < 10⁻¹³: δ is that of the report alone, 1 − e^{ε − ε₀}, though e^{ε₀}/(e^{ε₀} + 1) rounds to 1."""
    assert amplified_delta(epsilon, local_epsilon=local, n=2) == pytest.approx(-math.expm1(epsilon - local), rel=1e-9)
    assert amplified_by_shuffling(local_epsilon=local, n=100, delta=1e-6).epsilon == pytest.approx(local, rel=1e-5)
