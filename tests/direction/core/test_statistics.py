"""Conversions (D1), circular statistics (U4), transport distances (U5), sample sizes (E8)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from sfumato.direction import (
    Purkayastha,
    VonMisesFisher,
    WrappedLaplace,
    angle_to_time,
    angle_to_vector,
    circular_difference,
    circular_distance,
    circular_emd,
    circular_histogram,
    circular_mean,
    globe_emd,
    globe_histogram,
    latlon_to_vector,
    mean_direction,
    mean_place,
    metres_to_radians,
    sample_size,
    simulated_sample_size,
    time_to_angle,
    unit_vector,
    vector_to_angle,
    vector_to_latlon,
)
from sfumato.direction.core.sphere import angle_between, log_area
from sfumato.direction.mechanisms.polar_laplace import PolarLaplaceLaw
from sfumato.errors import InfeasibleError, InputError
from sfumato.io.geography import EARTH_RADIUS
from sfumato.noise import seeded_rng

hours = st.floats(0, 23.999_999)


@given(hours)
def test_hours_round_trip(hour):
    assert float(circular_distance(angle_to_time(vector_to_angle(angle_to_vector(time_to_angle(hour)))), hour)) < 1e-12


@given(st.floats(-90, 90), st.floats(-180, 180))
def test_places_round_trip(latitude, longitude):
    back = vector_to_latlon(latlon_to_vector([latitude, longitude]))
    assert angle_between(latlon_to_vector(back), latlon_to_vector([latitude, longitude])) < 1e-14
    assert -90 <= back[0] <= 90
    assert -180 < back[1] <= 180


def test_angles_are_exact_from_tiny_to_opposite():
    """D1: the arccos of the dot product returns 0 at 1e-8."""
    for angle in (1e-15, 1e-8, 1e-3, 1.0, math.pi - 1e-8, math.pi):
        y = np.array([math.cos(angle), math.sin(angle), 0.0])
        assert float(angle_between(np.array([1.0, 0.0, 0.0]), y)) == pytest.approx(angle, rel=1e-15)


def test_areas():
    np.testing.assert_allclose(np.exp([log_area(d) for d in range(3)]), [2, 2 * math.pi, 4 * math.pi])


def test_circular_mean_across_midnight_and_where_there_is_none():
    assert circular_mean([23.5, 0.5]) == pytest.approx(0.0, abs=1e-9)
    assert circular_mean([350.0, 20.0], period=360) == pytest.approx(5.0)
    np.testing.assert_allclose(circular_mean(np.array([[23.0, 1.0], [5.0, 7.0]]), axis=1), [0.0, 6.0], atol=1e-9)
    with pytest.raises(InfeasibleError):
        circular_mean([0.0, 12.0])
    with pytest.raises(InputError):
        circular_mean([])
    with pytest.raises(InputError):
        circular_mean([math.nan])


@given(hours, hours)
def test_circular_difference_is_signed_and_short(first, second):
    """Erratum 5: the range is ±p/2, and s − t > p/2 gives (s − t) − p."""
    difference = float(circular_difference(first, second))
    assert -12 <= difference < 12
    assert math.isclose(math.cos((second + difference - first) * math.pi / 12), 1, abs_tol=1e-9)
    assert float(circular_distance(first, second)) == pytest.approx(float(circular_distance(second, first)))


def test_signed_difference_of_the_erratum():
    assert float(circular_difference(23.0, 1.0)) == -2.0


def test_mean_directions():
    np.testing.assert_allclose(mean_direction([[1.0, 0.0], [0.0, 1.0]]), [math.sqrt(0.5)] * 2)
    assert mean_place([[0.0, 10.0], [0.0, 20.0]]) == pytest.approx([0.0, 15.0])
    with pytest.raises(InfeasibleError):
        mean_direction([[1.0, 0.0], [-1.0, 0.0]])


def test_histograms_count_everything_once():
    assert circular_histogram([0.0, 0.5, 23.99, 12.0]).tolist() == [2] + [0] * 11 + [1] + [0] * 10 + [1]
    counts, centres = globe_histogram([[90.0, 180.0], [-90.0, -180.0], [48.1, 11.5], [48.9, 11.9]])
    assert counts.sum() == 4
    assert (np.abs(centres[:, 0]) <= 90).all()
    assert counts[(centres == [49.0, 11.0]).all(axis=1)].tolist() == [2]


@pytest.mark.parametrize("bins", [3, 8, 24])
def test_circular_emd_equals_the_linear_program(bins):
    """U5: closed form against an exact transport program."""
    rng = seeded_rng(bins)
    p, q = rng.dirichlet(np.ones(bins)), rng.dirichlet(np.ones(bins))
    at = np.arange(bins) * 24 / bins
    cost = circular_distance(at[:, None], at[None])
    rows = np.concatenate([np.kron(np.eye(bins), np.ones(bins)), np.kron(np.ones(bins), np.eye(bins))])
    exact = optimize.linprog(cost.ravel(), A_eq=rows, b_eq=np.concatenate([p, q]), method="highs").fun
    assert circular_emd(p, q) == pytest.approx(exact, rel=1e-9)


def test_circular_emd_of_many_histograms_and_of_an_empty_one():
    first = np.array([[1, 0, 0, 0], [0, 0, 0, 0]])
    second = np.array([[0, 1, 0, 0], [5, 5, 5, 5]])
    np.testing.assert_allclose(circular_emd(first, second), [6.0, 0.0])


def test_globe_emd_moves_mass_along_great_circles():
    quarter = globe_emd([1.0], [[0.0, 0.0]], [1.0], [[0.0, 90.0]])
    assert quarter == pytest.approx(EARTH_RADIUS / 1000 * math.pi / 2)
    assert globe_emd([1, 1], [[0, 0], [10, 0]], [2, 2], [[0, 0], [10, 0]]) == pytest.approx(0, abs=1e-9)
    across = globe_emd([1.0], [[0.0, 179.0]], [1.0], [[0.0, -179.0]])
    assert across == pytest.approx(math.radians(2) * EARTH_RADIUS / 1000)


def test_bad_histograms_and_conversions_are_refused():
    for call in (
        lambda: circular_emd([1, 2], [1, 2, 3]),
        lambda: circular_emd([-1, 2], [1, 2]),
        lambda: circular_emd([], []),
        lambda: globe_emd([1], [[0, 0], [1, 1]], [1], [[0, 0]]),
        lambda: time_to_angle(24.0),
        lambda: time_to_angle(-1.0),
        lambda: time_to_angle(1.0, period=0.0),
        lambda: latlon_to_vector([90.1, 0.0]),
        lambda: latlon_to_vector([1.0, 2.0, 3.0]),
        lambda: vector_to_latlon([1.0, 1.0, 1.0]),
        lambda: vector_to_latlon([1.0, 0.0]),
        lambda: vector_to_angle([1.0, 0.0, 0.0]),
        lambda: unit_vector([0.0, 0.0]),
        lambda: metres_to_radians(-1.0),
        lambda: circular_histogram([25.0]),
        lambda: sample_size(Purkayastha(pure=1.0).law(2), 0.0),
    ):
        with pytest.raises(InputError):
            call()
    assert float(time_to_angle(25.0, wrap=True)) == pytest.approx(math.pi / 12)


def test_sample_sizes_of_the_dissertation():
    """E8 at ε = 1, τ = 0.1: asymptotically 783 (Pur), 3668 (WL), 1272 and 525 (VMF with κ = 1/π and 1/2)."""
    assert sample_size(Purkayastha(pure=1.0).law(2), 0.1) == pytest.approx(783, abs=1)
    assert sample_size(WrappedLaplace(pure=1.0, calibration="nominal").law(2), 0.1) == pytest.approx(3668, abs=1)
    assert sample_size(VonMisesFisher(epsilon=1 / math.pi).law(2), 0.1) == pytest.approx(1272, abs=1)
    assert sample_size(VonMisesFisher(pure=1.0).law(2), 0.1) == pytest.approx(525, abs=1)
    assert sample_size(PolarLaplaceLaw(3, 0.5), 0.1) == math.inf


def test_simulated_sample_size_agrees_with_the_asymptotic_one():
    """1000 repeats: the mean error at N has a standard error of 2.4 %, so N is within 15 % beyond doubt."""
    law = Purkayastha(pure=3.0).law(2)
    expected = sample_size(law, 0.15)
    found = simulated_sample_size(law, 0.15, repeats=1000, most=400, rng=seeded_rng(5))
    assert found == pytest.approx(expected, rel=0.15)
    assert simulated_sample_size(law, 0.01, repeats=50, most=50, rng=seeded_rng(5)) == math.inf
