"""The planar Laplace mechanism (M5, B9)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

from sfumato.errors import InputError
from sfumato.mechanism import PlanarLaplace
from sfumato.promise import MetricDP, NoGuarantee

coordinates = st.lists(st.floats(-50.0, 50.0), min_size=3, max_size=3)


def test_promise():
    mechanism = PlanarLaplace(epsilon=0.1, unit="place")
    assert mechanism.guarantee == MetricDP(0.1, "euclidean", unit="place")
    assert isinstance(mechanism.replace(exact=False).guarantee, NoGuarantee)


@pytest.mark.parametrize("dimension", [1, 2, 3, 25])
def test_radius_mean_and_variance(dimension, rng):
    mechanism = PlanarLaplace(epsilon=0.2, dimension=dimension)
    noise = mechanism.release(np.zeros((20_000, dimension)), rng=rng)
    radius = np.linalg.norm(noise, axis=1)
    assert stats.kstest(radius, stats.gamma(dimension, scale=5.0).cdf).pvalue > 1e-6
    assert mechanism.mean_distance == pytest.approx(radius.mean(), rel=0.05)
    assert mechanism.variance == pytest.approx(noise[:, 0].var(), rel=0.1)


def test_two_dimensions_by_the_inverse_with_lambert(rng):
    """M5: r = −(1/ε)(W₋₁((p − 1)/e) + 1) has the same law."""
    p = rng.random(20_000)
    radius = -(special.lambertw((p - 1) / math.e, -1).real + 1) / 0.2
    ours = np.linalg.norm(PlanarLaplace(epsilon=0.2).release(np.zeros((20_000, 2)), rng=rng), axis=1)
    assert stats.ks_2samp(radius, ours).pvalue > 1e-6


def test_plain_form_has_the_same_law(rng):
    mechanism = PlanarLaplace(epsilon=0.2, dimension=3, exact=False)
    noise = mechanism.release(np.zeros((20_000, 3)), rng=rng)
    assert stats.kstest(np.linalg.norm(noise, axis=1), stats.gamma(3, scale=5.0).cdf).pvalue > 1e-6


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_density_integrates_to_one(dimension):
    mechanism = PlanarLaplace(epsilon=1.3, dimension=dimension)
    area = {1: 2.0, 2: 2 * math.pi, 3: 4 * math.pi}[dimension]

    def shell(radius):
        point = np.zeros((1, dimension))
        point[0, 0] = radius
        return area * radius ** (dimension - 1) * math.exp(mechanism.log_density(point, np.zeros(dimension))[0])

    assert integrate.quad(shell, 0, 60)[0] == pytest.approx(1.0, abs=1e-8)


@settings(max_examples=50, deadline=None)
@given(x=coordinates, y=coordinates, z=coordinates)
def test_log_ratio_never_exceeds_the_distance(x, y, z):
    mechanism = PlanarLaplace(epsilon=0.7, dimension=3)
    ratio = mechanism.log_density([z], x)[0] - mechanism.log_density([z], y)[0]
    assert abs(ratio) <= mechanism.guarantee.loss_bound(x, y) + 1e-12


def test_cells_of_close_points_are_metric_private():
    """Two points a hair apart, across a cell's edge: laws equal up to ε·d, where rounding the inputs would show ε·g."""
    mechanism = PlanarLaplace(epsilon=1.0, grid=0.5)
    rng = np.random.default_rng(8)
    size = 200_000
    left = mechanism.release(np.tile([0.25 - 1e-9, 0.0], (size, 1)), rng=rng)
    right = mechanism.release(np.tile([0.25 + 1e-9, 0.0], (size, 1)), rng=rng)
    counts = np.array([[(part[:, 0] == cell).sum() for cell in np.arange(-2, 2.5, 0.5)] for part in (left, right)])
    assert stats.chi2_contingency(counts).pvalue > 1e-6  # a rounded input would move 0.5 and differ in every cell


def test_grid(rng):
    mechanism = PlanarLaplace(epsilon=0.5, grid=0.25)
    released = mechanism.release(rng.normal(size=(1000, 2)) * 1e5, rng=rng)
    assert (released % 0.25 == 0).all()
    assert PlanarLaplace(epsilon=0.5).step < 1e-4


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": 0.0},
        {"epsilon": -1.0},
        {"epsilon": math.nan},
        {"dimension": 0},
        {"dimension": 2.0},
        {"grid": 0.3},
        {"grid": 4.0},
        {"exact": "no"},
        {"unit": ""},
    ],
)
def test_rejected_parameters(wrong):
    with pytest.raises(InputError):
        PlanarLaplace(**{"epsilon": 0.5, **wrong})


@pytest.mark.parametrize(
    "data", [[1.0], 1.0, [[1.0, 2.0, 3.0]], [[math.nan, 0.0]], [[math.inf, 0.0]], ["a", "b"], [[[1.0, 2.0, 3.0]]]]
)
def test_rejected_points(data):
    with pytest.raises(InputError):
        PlanarLaplace(epsilon=0.5).release(data)


def test_points_of_several_paths_keep_their_shape():
    paths = np.zeros((3, 4, 2))
    assert PlanarLaplace(epsilon=0.5).release(paths, rng=np.random.default_rng(1)).shape == paths.shape
