"""Noise designs against the reference results of the specification (meehan.md §6.6) and addenda §1."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.trace.core.conditional import condition
from sfumato.trace.core.kernel import RBF, Periodic, covariance
from sfumato.trace.core.privacy_loss import block_loss, loss, printed_loss
from sfumato.trace.core.secret import Secret, all_basic
from sfumato.trace.designs.closed_form import concentrated, like_the_path, optimal_basic, optimal_block, uniform
from sfumato.trace.designs.compound_secret import optimal_compound
from sfumato.trace.designs.published_program import published
from sfumato.trace.designs.worst_case import optimal_times, optimal_worst

BASIC = Secret((24,))


def rbf(length: float) -> np.ndarray:
    return covariance(RBF(length=length), np.arange(50.0))


def periodic(length: float) -> np.ndarray:
    return covariance(Periodic(length=length, period=24.0), np.arange(48.0))


@pytest.mark.parametrize(
    ("prior", "budget", "even", "sdp_a", "block", "full"),
    [
        (rbf(1.0), 1.0, 53.4, 3.03, 2.618, 1.530),
        (rbf(3.0), 1.0, 138, 10.6, 7.303, 4.110),
        (rbf(6.0), 1.0, 261, 21.3, 12.348, 7.609),
        (rbf(10.0), 1.0, 415, 35.4, 18.085, 11.941),
        (periodic(0.5), 0.96, 162, 14.3, 8.99, None),
        (periodic(1.1), 0.96, 292, 34.6, 15.4, None),
        (periodic(1.5), 0.96, 357, 49.6, 18.5, None),
    ],
)
def test_basic_secret_reaches_the_reference_losses(prior, budget, even, sdp_a, block, full):
    n = len(prior)
    assert loss(prior, uniform(n, budget), BASIC) == pytest.approx(even, rel=0.005)
    assert loss(prior, published(prior, BASIC, budget), BASIC) == pytest.approx(sdp_a, rel=0.005)
    assert loss(prior, optimal_block(prior, BASIC, budget), BASIC) == pytest.approx(block, rel=0.005)
    best = optimal_basic(prior, BASIC, budget)
    assert np.trace(best) == pytest.approx(budget, rel=1e-9)
    if full is not None:
        assert loss(prior, best, BASIC) == pytest.approx(full, rel=0.001)


@pytest.mark.parametrize(
    ("prior", "secret", "budget", "inflation", "sdp_a", "block"),
    [
        (rbf(1.0), Secret((24, 25)), 1.0, 1000, 6.18, 5.04),
        (rbf(3.0), Secret((24, 25)), 1.0, 1000, 106, 45.9),
        (rbf(6.0), Secret((24, 25)), 1.0, 1000, 858, 241),
        (rbf(10.0), Secret((24, 25)), 1.0, 1000, 6140, 894),
        (periodic(0.5), Secret((16, 32)), 0.96, 10, 29.5, 16.7),
        (periodic(1.1), Secret((16, 32)), 0.96, 10, 60.0, 28.2),
        (periodic(1.5), Secret((16, 32)), 0.96, 10, 71.0, 33.9),
    ],
)
def test_compound_secret_reaches_the_reference_losses(prior, secret, budget, inflation, sdp_a, block):
    pytest.importorskip("cvxpy", reason="needs the trace extra")
    assert loss(prior, published(prior, secret, budget, inflation=inflation), secret) == pytest.approx(sdp_a, rel=0.01)
    split = condition(prior, secret.within(len(prior)))
    blocked = optimal_compound(split, budget, block=True)
    assert loss(prior, blocked.noise, secret) == pytest.approx(block, rel=0.005)
    free = optimal_compound(split, budget)
    assert free.gap < 1e-4  # proved optimal by its own dual
    assert loss(prior, free.noise, secret) == pytest.approx(free.kappa, rel=1e-4)
    assert free.kappa < blocked.kappa


def test_concentrated_noise_is_filtered_out_by_a_smooth_prior():
    assert loss(rbf(3.0), concentrated(50, BASIC, 1.0), BASIC) > 1e4


def test_eq_5_5_understates_correlated_noise_and_is_refused():
    """E16: with X_u ≈ X_s and noise correlation −.99 the printed formula says 4.0 and the truth is 333."""
    prior = np.array([[1.0, 0.999], [0.999, 1.0]])
    noise = 0.5 * np.array([[1.0, -0.99], [-0.99, 1.0]])
    secret = Secret((0,))
    assert printed_loss(prior, noise, secret) == pytest.approx(4.0, rel=0.01)
    assert loss(prior, noise, secret) == pytest.approx(333, rel=0.2)
    with pytest.raises(InputError, match=r"eq\. 5\.5"):
        block_loss(prior, noise, secret)


def test_eq_5_5_is_the_general_loss_on_block_noise():
    prior = rbf(2.0)
    noise = published(prior, BASIC, 1.0)
    assert block_loss(prior, noise, BASIC) == pytest.approx(loss(prior, noise, BASIC), rel=1e-4)


def test_robust_and_all_basic_designs_beat_the_plain_ones():
    kernels = [rbf(3.0), rbf(6.0), rbf(9.0)]
    robust = optimal_worst([condition(k, BASIC.within(50)) for k in kernels], 1.0, prove=True)
    assert robust.bound <= robust.kappa < 1.001 * robust.bound
    assert max(loss(k, robust.noise, BASIC) for k in kernels) == pytest.approx(robust.kappa, rel=1e-3)
    assert robust.kappa < max(loss(k, optimal_basic(rbf(6.0), BASIC, 1.0), BASIC) for k in kernels)
    prior = rbf(3.0)
    every = optimal_worst([condition(prior, s.within(50)) for s in all_basic(50)], 24.3, prove=True)
    assert every.bound <= every.kappa < 1.005 * every.bound
    assert every.kappa < max(loss(prior, uniform(50, 24.3), s) for s in all_basic(50))


def schur_program(splits, budget, *, block=()):
    """min t with [[tI, Ãᵀ], [Ã, M + Σᵍ]] ⪰ 0 for every split: the exact program of §6.3, by cvxpy and Clarabel."""
    cvxpy = pytest.importorskip("cvxpy", reason="needs the trace extra")
    n = len(splits[0].rest)
    noise, bound, direct = cvxpy.Variable((n, n), PSD=True), cvxpy.Variable(), cvxpy.Variable()
    limits = [cvxpy.trace(noise) <= budget]
    for split in splits:
        corner = bound * np.eye(split.lift.shape[1])
        limits.append(cvxpy.bmat([[corner, split.lift.T], [split.lift, split.rest + noise]]) >> 0)
    if block:
        inside, others = list(block), [i for i in range(n) if i not in block]
        limits.append(noise[inside][:, others] == 0)
        limits.append(noise[inside][:, inside] == direct * np.eye(len(inside)))
    problem = cvxpy.Problem(cvxpy.Minimize(bound), limits)
    problem.solve(solver="CLARABEL")
    assert problem.status == "optimal"
    return float(problem.value)


@pytest.mark.parametrize("indices", [(5, 6), (3, 8), (4, 5, 6)])
def test_compound_designs_are_the_optimum_of_the_schur_program(indices):
    prior = covariance(RBF(length=2.0), np.arange(12.0))
    split = condition(prior, np.array(indices))
    free = optimal_compound(split, 0.24)
    assert free.kappa == pytest.approx(schur_program([split], 0.24), rel=1e-4)
    assert free.gap < 1e-4
    blocked = optimal_compound(split, 0.24, block=True)
    assert blocked.kappa == pytest.approx(schur_program([split], 0.24, block=indices), rel=1e-3)


def test_designs_for_one_time_and_for_several_kernels_are_the_optimum_of_the_schur_program():
    splits = [condition(covariance(RBF(length=length), np.arange(12.0)), np.array([5])) for length in (1.0, 2.0, 3.0)]
    robust = optimal_worst(splits, 0.24, prove=True)
    exact = schur_program(splits, 0.24)
    assert robust.kappa == pytest.approx(exact, rel=1e-3)
    assert 0.999 * exact < robust.bound < exact * (1 + 1e-5)
    prior = covariance(RBF(length=2.0), np.arange(12.0))
    basic = loss(prior, optimal_basic(prior, Secret((5,)), 0.24), Secret((5,)))
    assert basic == pytest.approx(schur_program(splits[1:2], 0.24), rel=1e-4)


@pytest.mark.parametrize("prior", [rbf(3.0), rbf(10.0), periodic(1.1)])
def test_noise_like_the_path_is_the_optimum_when_every_time_is_secret(prior):
    """κ = n/B, and κ_i ≥ 1/Σᵍ_ii with Σ_i Σᵍ_ii = B: no noise reaches less."""
    n = len(prior)
    noise = like_the_path(prior, 0.3 * n)
    assert np.trace(noise) == pytest.approx(0.3 * n)
    assert max(loss(prior, noise, secret) for secret in all_basic(n)) == pytest.approx(1 / 0.3, rel=1e-5)


def test_several_times_of_one_prior_are_designed_together():
    """One factorisation for all times gives what one for each does: κ_i = 1/Var(x_i | z) − 1/Var(x_i)."""
    prior = covariance(RBF(length=4.0), np.arange(30.0)) + 0.01 * np.eye(30)
    times = np.array([5, 14, 15, 22])
    slow = optimal_worst([condition(prior, np.array([t])) for t in times], 0.6, prove=True)
    fast = max(loss(prior, optimal_times(prior, times, 0.6), Secret((int(t),))) for t in times)
    assert fast == pytest.approx(slow.kappa, rel=2e-3)
    assert slow.bound <= fast < 1.005 * slow.bound
