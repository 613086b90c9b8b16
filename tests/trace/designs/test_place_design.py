"""Noise that hides places: golden values of addenda §3, optimality, and the residual-free theorem."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.errors import InfeasibleError
from sfumato.trace import HiddenPlace, Matern, PlaceNoise, White, walking_family
from sfumato.trace.core.place_response import responses
from sfumato.trace.designs.core_problem import least_core
from sfumato.trace.designs.place_design import optimal_place, place_design, shared_noise

KAPPA = 1 / 40_000  # ε = 1 at 200 m and order 2
STAY = HiddenPlace(((3600.0, 5400.0),))
DAY = np.arange(0.0, 9001.0, 60.0)


def family_responses(times, places):
    return [one for kernel in walking_family().kernels for one in responses(kernel, times, places)]


def exact(response, noise, days=1.0):
    size = len(response.shape)
    spread = (response.rest() + noise.floor * np.eye(size)) / days + noise.factor @ noise.factor.T
    return float(response.shape @ np.linalg.solve(spread, response.shape))


@pytest.mark.parametrize(
    ("every", "span", "whole", "there"),
    [(60, 7200, 143, 426), (30, 3600, 198, 430), (5, 1800, 267, 425), (1, 480, 301, 388)],
)
def test_error_of_one_hidden_moment(every, span, whole, there):
    """Addenda §3, the table of the default prior; within 1 %, and the certificate agrees with the dense loss."""
    times = np.arange(0.0, span + 1, every)
    middle = len(times) // 2
    found = family_responses(times, [HiddenPlace.at(times[middle])])
    noise, losses = place_design(found, KAPPA)
    assert math.sqrt(2 * noise.trace / len(times)) == pytest.approx(whole, rel=0.01)
    assert math.sqrt(2 * noise.variances[middle]) == pytest.approx(there, rel=0.01)
    assert losses.max() <= KAPPA
    np.testing.assert_allclose(losses, [exact(one, noise) for one in found], rtol=1e-6)


@pytest.mark.parametrize(
    ("days", "whole", "there"), [(1, 214, 360), (7, 259, 387), (30, 295, 395), (365, 314, 392), (1e6, 316, 392)]
)
def test_error_of_noise_that_days_share(days, whole, there):
    """Addenda §3, the table of days: a stay of 30 minutes, a fresh floor of 25 m."""
    found = family_responses(DAY, [STAY])
    noise, losses = place_design(found, KAPPA, floor=625.0, days=days)
    assert math.sqrt(2 * noise.trace / len(DAY)) == pytest.approx(whole, rel=0.01)
    assert math.sqrt(2 * noise.variances[STAY.during(DAY)].mean()) == pytest.approx(there, rel=0.01)
    assert losses.max() <= KAPPA
    np.testing.assert_allclose(losses, [exact(one, noise, days) for one in found], rtol=1e-4)


@pytest.mark.parametrize(("days", "epsilon"), [(7, 2.05), (30, 6.1), (365, 64.0)])
def test_loss_of_a_one_day_design_that_is_reused(days, epsilon):
    found = family_responses(DAY, [STAY])
    noise, _ = place_design(found, KAPPA, floor=625.0)
    assert max(exact(one, noise, days) for one in found) / KAPPA == pytest.approx(epsilon, rel=0.02)


def test_one_noise_for_ever_is_the_limit_of_many_days():
    """Addenda §3: 316 m over the day and 392 m at the stay."""
    shapes = np.stack([one.shape for one in family_responses(DAY, [STAY])], axis=1)
    factor = shapes @ shared_noise(shapes, KAPPA)
    variances = (factor**2).sum(1) + 625.0
    assert math.sqrt(2 * variances.mean()) == pytest.approx(316, rel=0.01)
    assert math.sqrt(2 * variances[STAY.during(DAY)].mean()) == pytest.approx(392, rel=0.01)
    for shape in shapes.T:  # Σᵍ ⪰ c·aaᵀ for every shape: no residual is needed
        assert float(shape @ np.linalg.lstsq(factor @ factor.T, shape, rcond=1e-12)[0]) <= KAPPA * (1 + 1e-6)


def test_several_places_and_moments_at_once():
    places = [HiddenPlace(((1800.0, 2700.0), (6000.0, 6600.0))), STAY_LATE, HiddenPlace.at(600.0)]
    found = family_responses(DAY, places)
    noise, losses = place_design(found, KAPPA)
    assert len(losses) == 21
    assert losses.max() <= KAPPA
    np.testing.assert_allclose(losses, [exact(one, noise) for one in found], rtol=1e-6)
    alone, _ = place_design(family_responses(DAY, places[:1]), KAPPA)
    assert noise.trace > alone.trace


STAY_LATE = HiddenPlace(((4000.0, 5000.0),))


def test_the_closed_form_is_the_optimum_for_one_kernel():
    """The general design reaches the loss of the closed form at its trace; random noise of that trace loses more."""
    kernel = Matern(length=640.0, variance=9e4) + White(variance=1.0)
    (response,) = responses(kernel, DAY, [STAY])
    rest, shape = response.rest(), response.shape
    noise, _ = place_design([response], KAPPA, floor=100.0)
    budget = noise.trace - 100.0 * len(DAY)
    best = optimal_place(shape, rest, budget, floor=100.0)
    size = len(DAY)
    closed = float(shape @ np.linalg.solve(rest + (100.0 + budget) * np.eye(size), shape))
    assert exact(response, best) == pytest.approx(closed, rel=1e-9)
    assert closed == pytest.approx(KAPPA, rel=2e-3)
    rng = np.random.default_rng(1)
    for rank in (1, 3, 20):
        factor = rng.normal(size=(size, rank)) + shape[:, None]
        factor *= math.sqrt(budget) / np.linalg.norm(factor)
        spread = rest + 100.0 * np.eye(size) + factor @ factor.T
        assert float(shape @ np.linalg.solve(spread, shape)) > closed


def test_the_core_problem_is_solved_as_by_a_convex_solver():
    cvxpy = pytest.importorskip("cvxpy", reason="the solver is in the trace extra")
    rng = np.random.default_rng(4)
    size, count = 4, 5
    vectors = rng.normal(size=(count, size))
    inner = np.array([b @ b.T / 4 for b in rng.normal(size=(count, size, size))])
    limits = rng.uniform(0.3, 0.6, count)
    found = least_core(np.eye(size), vectors, inner, limits)
    core = cvxpy.Variable((size, size), PSD=True)
    blocks = [
        cvxpy.bmat([[np.array([[b]]), d[None]], [d[:, None], core + h]]) >> 0
        for d, h, b in zip(vectors, inner, limits, strict=True)
    ]
    least = cvxpy.Problem(cvxpy.Minimize(cvxpy.trace(core)), blocks).solve(solver="CLARABEL")
    assert least * (1 - 1e-6) <= float(np.trace(found)) <= least * 1.0002
    for d, h, b in zip(vectors, inner, limits, strict=True):
        assert d @ np.linalg.solve(found + h, d) <= b
    near = least_core(np.eye(size), vectors, inner, limits * 1.01, start=found)
    assert np.trace(near) < np.trace(found)


def test_a_million_metres_do_not_hide_what_has_no_certificate():
    """Two noises along single directions on one path: the losses do not add up (addenda §3, about 10⁶)."""
    kernel = Matern(length=160.0, nu=2.5, variance=9e4)
    (response,) = responses(kernel, DAY, [STAY])
    rest, shape = response.rest() + 1e-6 * np.eye(len(DAY)), response.shape
    budget = 151 * 100.0**2
    first = optimal_place(shape, rest, budget)
    second = optimal_place(shape, rest, 4 * budget)
    alone = [float(shape @ np.linalg.solve(rest + one.factor @ one.factor.T, shape)) for one in (first, second)]
    size = len(DAY)
    both = np.block([[rest + first.factor @ first.factor.T, rest], [rest, rest + second.factor @ second.factor.T]])
    twice = np.concatenate([shape, shape])
    together = float(twice @ np.linalg.solve(both + 1e-9 * np.eye(2 * size), twice))
    assert together > 1000 * sum(alone)


@pytest.mark.parametrize("epsilon", [1e-1, 1e-3, 1e-6])
def test_a_promise_that_costs_much_is_refused_with_its_figure(epsilon):
    """As ε falls the noise tends to a·η with η ~ N(0, r²/ε): an error in proportion to 1/√ε, which is said."""
    with pytest.raises(InfeasibleError, match=r"costs a root mean square error of \d+ m, more than the 500 m"):
        _ = PlaceNoise(places=[STAY], times=DAY, epsilon=epsilon, max_error=500.0).noise
    dear = PlaceNoise(places=[STAY], times=DAY, epsilon=epsilon)
    assert dear.certified_epsilon <= epsilon
    assert dear.plane_error < 2 * 200 * math.sqrt(2 / epsilon)
