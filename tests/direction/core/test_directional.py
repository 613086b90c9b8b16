"""Directional mechanisms: calibrations, kinds, shapes, snapping, rejections (B1–B3)."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sfumato.direction import (
    ClippedLaplace,
    PolarLaplace,
    Purkayastha,
    SphericalCap,
    VonMisesFisher,
    WrappedLaplace,
    latlon_to_vector,
    metres_to_radians,
)
from sfumato.direction.core.directional import ROUNDING
from sfumato.direction.core.sphere import angle_between
from sfumato.direction.mechanisms.polar_laplace import PolarLaplaceLaw
from sfumato.direction.mechanisms.wrapped_laplace import WrappedLaplaceLaw
from sfumato.errors import InputError
from sfumato.noise import seeded_rng
from sfumato.promise import MetricDP, PureDP

EVERY = [
    VonMisesFisher(epsilon=3.0),
    Purkayastha(epsilon=3.0),
    SphericalCap(pure=3.0),
    Purkayastha(pure=1.0, snap=False),
]


def unit_rows(count: int, n: int, seed: int = 0) -> np.ndarray:
    rows = seeded_rng(seed).standard_normal((count, n))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize("mechanism", EVERY, ids=lambda m: type(m).__name__ + ("" if m.snap else " unsnapped"))
@pytest.mark.parametrize("shape", [(2,), (5, 2), (4, 3), (2, 3, 3), (3, 100), (2, 1000)])
def test_release_keeps_shape_and_unit_length(mechanism, shape, rng):
    data = unit_rows(math.prod(shape[:-1]), shape[-1]).reshape(shape)
    kept = data.copy()
    released = mechanism.release(data, rng=rng)
    assert released.shape == shape
    assert np.abs(np.linalg.norm(released, axis=-1) - 1).max() < 1e-12
    np.testing.assert_array_equal(data, kept)


@settings(max_examples=30, deadline=None)
@given(n=st.integers(2, 40), log_kappa=st.floats(-6, 8), seed=st.integers(0, 1000))
def test_unit_length_for_every_dimension_and_concentration(n, log_kappa, seed):
    data = unit_rows(7, n, seed)
    for maker in (VonMisesFisher, Purkayastha):
        released = maker(epsilon=10.0**log_kappa).release(data, rng=seeded_rng(seed))
        assert np.abs(np.linalg.norm(released, axis=-1) - 1).max() < 1e-12


def test_calibrations():
    assert VonMisesFisher(epsilon=2.0).kappa == 2.0
    assert Purkayastha(level=3.0, radius=0.5).kappa == 6.0
    assert Purkayastha(pure=3.0).kappa == pytest.approx(3.0 / math.pi)
    assert VonMisesFisher(pure=3.0).kappa == 1.5
    assert VonMisesFisher(pure=3.0, sensitivity=0.5, neighbours="replace-one").kappa == 6.0
    assert WrappedLaplace(pure=3.0, calibration="nominal").kappa == pytest.approx(3.0 / math.pi)
    assert ClippedLaplace(pure=3.0).kappa == pytest.approx(3.0 / (2 * math.pi))
    assert metres_to_radians(10.0) == pytest.approx(1.57e-6, rel=1e-3)


def test_guarantees_name_their_metric_and_scope():
    assert VonMisesFisher(epsilon=2.0).guarantee == MetricDP(2.0, "euclidean")
    assert Purkayastha(epsilon=2.0).guarantee == MetricDP(2.0, "angle")
    raw = Purkayastha(epsilon=2.0, snap=False).guarantee
    assert raw == MetricDP(2.0, "angle").assuming(ROUNDING)
    assert str(raw).endswith("provided that the rounding of doubles is negligible")
    assert Purkayastha(epsilon=2.0, kind="hour").guarantee.metric == "clock arc"
    assert VonMisesFisher(epsilon=2.0, kind="latlon").guarantee.metric == "great-circle chord"
    promise = PureDP(1.0, neighbours="any-pair", model="local")
    assert Purkayastha(pure=1.0).guarantee == promise
    central = Purkayastha(pure=1.0, neighbours="replace-one", model="central", unit="person").guarantee
    assert central == PureDP(1.0, unit="person")
    clock = Purkayastha(epsilon=1.0, kind="hour").guarantee
    assert clock.loss_bound(23.0, 1.0) == pytest.approx(2 * 2 * math.pi / 24)
    globe = VonMisesFisher(epsilon=1.0, kind="latlon").guarantee
    assert globe.loss_bound([0.0, 0.0], [0.0, 180.0]) == pytest.approx(2.0)


@pytest.mark.parametrize("kind", ["hour", "angle"])
@pytest.mark.parametrize("maker", [VonMisesFisher, Purkayastha, WrappedLaplace, SphericalCap])
def test_circle_kinds_follow_the_law_around_the_cut(kind, maker):
    mechanism = maker(pure=4.0, kind=kind)
    period = 24.0 if kind == "hour" else 2 * math.pi
    released = mechanism.release(np.full(8_000, 0.01), rng=seeded_rng(1))
    assert ((released >= 0) & (released < period)).all()
    arcs = np.abs(np.mod(released - 0.01 + period / 2, period) - period / 2) * (2 * math.pi / period)
    assert stats.kstest(arcs, mechanism.law(2).cdf).pvalue > 1e-5
    right = np.mod(released - 0.01, period) < period / 2
    assert abs(right.mean() - 0.5) < 5 * 0.5 / math.sqrt(8_000)


@pytest.mark.parametrize("kind", ["latlon", "vector"])
def test_places_follow_the_law_near_the_pole(kind):
    mechanism = Purkayastha(epsilon=50.0, kind=kind)
    place = np.array([89.9, 45.0])
    data = np.tile(place if kind == "latlon" else latlon_to_vector(place), (8_000, 1))
    released = mechanism.release(data, rng=seeded_rng(2))
    vectors = latlon_to_vector(released) if kind == "latlon" else released
    angles = angle_between(vectors, latlon_to_vector(place))
    assert stats.kstest(angles, mechanism.law(3).cdf).pvalue > 1e-5


def test_scalars_come_back_as_scalars():
    for mechanism in (Purkayastha(epsilon=1.0, kind="hour"), ClippedLaplace(pure=1.0, kind="hour")):
        assert isinstance(mechanism.release(3.5), float)


def test_snapped_releases_share_one_grid_whatever_the_input():
    mechanism = Purkayastha(epsilon=2.0, kind="hour")
    cells = 2**13
    for hour in (1.0, math.pi, 23.999):
        released = mechanism.release(np.full(500, hour), rng=seeded_rng(3))
        np.testing.assert_array_equal(released * cells / 24, np.rint(released * cells / 24))
    mechanism = VonMisesFisher(epsilon=2.0)
    released = mechanism.release(unit_rows(200, 5), rng=seeded_rng(4))
    assert len(np.unique(released, axis=0)) == 200


def test_same_seed_same_release_and_pickles():
    data = unit_rows(5, 4)
    for mechanism in EVERY:
        first, second = (mechanism.release(data, rng=seeded_rng(1)) for _ in range(2))
        np.testing.assert_array_equal(first, second)
        again = pickle.loads(pickle.dumps(mechanism))
        np.testing.assert_array_equal(again.release(data, rng=seeded_rng(1)), first)


def test_float32_embeddings_are_accepted_and_normalise_takes_the_direction():
    rows = unit_rows(5, 300).astype(np.float32)
    assert Purkayastha(epsilon=5.0).release(rows).dtype == np.float64
    with pytest.raises(InputError, match="normalise=True"):
        Purkayastha(epsilon=5.0).release(3 * rows)
    released = Purkayastha(epsilon=1e8, normalise=True).release(unit_rows(5, 8) * 1e200)
    np.testing.assert_allclose(released, unit_rows(5, 8), atol=1e-6)
    with pytest.raises(InputError, match="direction"):
        Purkayastha(epsilon=5.0, normalise=True).release(np.zeros((2, 3)))


def test_wrap_takes_times_modulo_the_period():
    with pytest.raises(InputError, match="wrap=True"):
        Purkayastha(epsilon=1e6, kind="hour").release(25.0)
    assert Purkayastha(epsilon=1e6, kind="hour", wrap=True).release(25.0) == pytest.approx(1.0, abs=1e-3)
    assert ClippedLaplace(pure=1e6, kind="hour", wrap=True).release(-1.0) == pytest.approx(23.0, abs=1e-2)


@pytest.mark.parametrize(
    "wrong",
    [
        [[1.0, 1.0, 0.0]],
        [[0.0, 0.0, 0.0]],
        [[math.nan, 0.0, 1.0]],
        [[math.inf, 0.0, 0.0]],
        [[1.0]],
        1.0,
        [["a", "b"]],
        [[1.0, 0.0], [1.0]],
    ],
)
def test_bad_vectors_are_refused(wrong):
    for mechanism in EVERY:
        with pytest.raises(InputError):
            mechanism.release(wrong)


@pytest.mark.parametrize("wrong", [[91.0, 0.0], [-90.001, 0.0], [math.nan, 0.0], [1.0], [0.0, 361.0], 3.0])
def test_bad_places_are_refused(wrong):
    for mechanism in (Purkayastha(epsilon=1.0, kind="latlon"), PolarLaplace(kappa=1.0)):
        with pytest.raises(InputError):
            mechanism.release(wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"epsilon": 1.0, "pure": 1.0},
        {"epsilon": 0.0},
        {"epsilon": -1.0},
        {"epsilon": math.nan},
        {"pure": math.inf},
        {"level": 1.0},
        {"radius": 1.0},
        {"epsilon": 1.0, "radius": 1.0},
        {"level": 1.0, "radius": 4.0},
        {"level": 1.0, "radius": 0.0},
        {"epsilon": 1.0, "sensitivity": 1.0},
        {"pure": 1.0, "sensitivity": 1.0},
        {"pure": 1.0, "sensitivity": 4.0, "neighbours": "replace-one"},
        {"pure": 1.0, "sensitivity": -1.0, "neighbours": "replace-one"},
        {"epsilon": 1.0, "kind": "colour"},
        {"epsilon": 1.0, "model": "nowhere"},
        {"epsilon": True},
    ],
    ids=str,
)
def test_bad_parameters_are_refused(wrong):
    for maker in (VonMisesFisher, Purkayastha):
        with pytest.raises(InputError):
            maker(**wrong)


def test_mechanisms_of_one_space_refuse_the_other():
    for build in (
        lambda: WrappedLaplace(epsilon=1.0, kind="latlon"),
        lambda: WrappedLaplace(epsilon=1.0).release(np.eye(3)),
        lambda: WrappedLaplace(epsilon=1.0, calibration="loose"),
        lambda: PolarLaplace(kappa=0.0),
        lambda: PolarLaplace(kappa=1.0, kind="hour"),
        lambda: PolarLaplace(kappa=1.0, kind="vector").release(np.eye(2)),
        lambda: ClippedLaplace(pure=1.0, kind="latlon"),
        lambda: ClippedLaplace(pure=0.0),
        lambda: SphericalCap(epsilon=1.0),
        lambda: SphericalCap(pure=1.0, sensitivity=2.0),
        lambda: SphericalCap(pure=1.0, criterion="colour"),
        lambda: WrappedLaplaceLaw(3, 1.0),
        lambda: PolarLaplaceLaw(2, 1.0),
        lambda: PolarLaplaceLaw(3, 0.0),
    ):
        with pytest.raises(InputError):
            build()
