"""Directional mechanisms: promises (D4, D7, B1–B3), calibrations, shapes, snapping, rejections."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from sfumato.auditor import audit
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
from sfumato.direction.core.sphere import angle_between
from sfumato.direction.examples import audit_cases, sphere_outputs, sphere_pairs
from sfumato.direction.mechanisms.polar_laplace import PolarLaplaceLaw
from sfumato.direction.mechanisms.spherical_cap import CapLaw
from sfumato.direction.mechanisms.wrapped_laplace import WrappedLaplaceLaw
from sfumato.errors import InputError
from sfumato.noise import seeded_rng
from sfumato.promise import MetricDP, NoGuarantee, PureDP
from specimens.direction import CASES

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


@pytest.mark.parametrize("n", [2, 3, 7, 50])
def test_vmf_attains_its_promise(n):
    """D4: the largest log-ratio is ε‖x−y‖, at z = (x−y)/‖x−y‖."""
    mechanism = VonMisesFisher(epsilon=2.5)
    for x, y in sphere_pairs(n):
        z = (x - y) / np.linalg.norm(x - y)
        found = mechanism.log_density(z[None], x) - mechanism.log_density(z[None], y)
        assert found[0] == pytest.approx(2.5 * np.linalg.norm(x - y), rel=1e-9)
        every = mechanism.log_density(sphere_outputs(n), x) - mechanism.log_density(sphere_outputs(n), y)
        assert np.abs(every).max() <= 2.5 * np.linalg.norm(x - y) * (1 + 1e-9)


@pytest.mark.parametrize("n", [2, 3, 7, 50])
def test_purkayastha_attains_its_promise(n):
    """D7: the largest log-ratio is ε·d∠(x, y), at z = x."""
    mechanism = Purkayastha(epsilon=2.5)
    for x, y in sphere_pairs(n):
        found = mechanism.log_density(x[None], x) - mechanism.log_density(x[None], y)
        assert found[0] == pytest.approx(2.5 * float(angle_between(x, y)), rel=1e-9)
        every = mechanism.log_density(sphere_outputs(n), x) - mechanism.log_density(sphere_outputs(n), y)
        assert np.abs(every).max() <= 2.5 * float(angle_between(x, y)) * (1 + 1e-9)


def test_auditor_finds_promises_kept_and_attained_within_one_per_cent():
    for case in audit_cases():
        if case.label.startswith(("VonMisesFisher", "Purkayastha", "SphericalCap", "WrappedLaplace, tight")):
            result = audit(case, rng=seeded_rng(0))
            assert result.verdict == "holds", str(result)
            assert result.attained > 0.99, str(result)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)
def test_auditor_refuses_the_published_promises(case):
    assert audit(case, rng=seeded_rng(0)).verdict == "broken"


def test_polar_laplace_has_no_guarantee_and_the_ratio_grows_as_the_ball_shrinks():
    """B3: κ = 1, d = 0.2: the log-ratio on a ball around −x is 1.3 at ρ = 0.1 and 3.7 at ρ = 0.01 (claimed 0.2)."""
    assert isinstance(PolarLaplace(kappa=1.0).guarantee, NoGuarantee)
    law = PolarLaplaceLaw(3, 1.0)

    def share_of_ball(distance: float, rho: float) -> float:
        """The probability of the ball of radius ρ around the point at ``distance`` from the mean."""

        def ring(theta: float) -> float:
            cosine = (math.cos(rho) - math.cos(theta) * math.cos(distance)) / (
                math.sin(theta) * math.sin(distance) if distance < math.pi else 1e-300
            )
            covered = math.acos(min(1.0, max(-1.0, cosine))) / math.pi
            return covered * math.exp(float(law.log_angle_density(theta)))

        low, high = max(0.0, distance - rho), min(math.pi, distance + rho)
        return integrate.quad(ring, low, high, limit=200)[0]

    found = []
    for rho in (0.1, 0.01):
        at_antipode = float(law.survival(math.pi - rho))
        found.append(math.log(at_antipode / share_of_ball(math.pi - 0.2, rho)))
    assert found[0] == pytest.approx(1.3, abs=0.06)
    assert found[1] == pytest.approx(3.7, abs=0.06)


@pytest.mark.parametrize(("kappa", "expected"), [(0.1, 1.58334), (0.3, 1.66020), (1.0, 1.58481), (3.0, 0.66605)])
def test_polar_laplace_mean_angle(kappa, expected, rng):
    law = PolarLaplaceLaw(3, kappa)
    assert law.mean_angle == pytest.approx(expected, abs=1e-5)
    total, moment = (
        integrate.quad(lambda t, p=p: t**p * math.exp(float(law.log_angle_density(t))), 0, math.pi)[0] for p in (0, 1)
    )
    assert total == pytest.approx(1, rel=1e-9)
    assert moment == pytest.approx(law.mean_angle, rel=1e-9)
    angles = law.sample_angles(20_000, rng)
    assert stats.kstest(angles, law.cdf).pvalue > 1e-6
    assert np.cos(angles).mean() == pytest.approx(law.mean_cosine, abs=5 * np.cos(angles).std() / math.sqrt(20_000))


def test_polar_laplace_is_worst_in_the_middle():
    """Its expected angle exceeds that of uniform noise: 1.7329 at κ = 2/π, at most 1.7357 at κ = 0.5856."""
    assert PolarLaplaceLaw(3, 2 / math.pi).mean_angle == pytest.approx(1.7329, abs=5e-5)
    grid = np.linspace(0.4, 0.8, 4001)
    values = [PolarLaplaceLaw(3, k).mean_angle for k in grid]
    assert max(values) == pytest.approx(1.7357, abs=5e-5)
    assert grid[int(np.argmax(values))] == pytest.approx(0.5856, abs=2e-3)
    assert PolarLaplaceLaw(3, 0.9).mean_cosine < 0 < PolarLaplaceLaw(3, 1.1).mean_cosine


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
    assert mechanism.kappa >= 1.5 / sensitivity


@pytest.mark.parametrize("n", [2, 3, 10, 200])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 6.0])
@pytest.mark.parametrize("criterion", ["angle", "chord", "cosine"])
def test_the_cap_is_the_best_of_all_two_level_laws_and_beats_the_others(n, epsilon, criterion):
    best = SphericalCap(pure=epsilon, criterion=criterion).law(n)
    error = {"angle": "mean_angle", "chord": "mean_chord", "cosine": "mean_cosine"}[criterion]
    sign = -1 if criterion == "cosine" else 1
    for other in (VonMisesFisher(pure=epsilon).law(n), Purkayastha(pure=epsilon).law(n)):
        assert sign * getattr(best, error) < sign * getattr(other, error)
    for factor in (0.9, 1.1):
        moved = CapLaw(n, epsilon, criterion)
        moved.__dict__["cap_angle"] = min(math.pi - 1e-6, best.cap_angle * factor)
        assert sign * getattr(best, error) <= sign * getattr(moved, error) + 1e-12
    total = best.cap_probability + (1 - best.cap_share) * math.exp(float(best.log_density(math.pi)) + _log_sphere(n))
    assert total == pytest.approx(1, rel=1e-9)


def _log_sphere(n: int) -> float:
    from sfumato.direction.core.sphere import log_area

    return log_area(n - 1)


@pytest.mark.parametrize("n", [2, 3, 30])
def test_cap_sampler_follows_its_law(n):
    law = CapLaw(n, 2.0)
    angles = law.sample_angles(10_000, seeded_rng(n))
    assert stats.kstest(angles, law.cdf).pvalue > 1e-5
    inside = (angles <= law.cap_angle).mean()
    assert inside == pytest.approx(law.cap_probability, abs=5 * 0.5 / 100)


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
    assert Purkayastha(epsilon=2.0, kind="hour").guarantee.metric == "clock arc"
    assert VonMisesFisher(epsilon=2.0, kind="latlon").guarantee.metric == "great-circle chord"
    assert Purkayastha(pure=1.0).guarantee == PureDP(1.0, neighbours="any-pair", model="local")
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


def test_the_grid_of_the_cap_is_finer_than_the_cap():
    mechanism = SphericalCap(pure=25.0)
    released = mechanism.release(np.tile([1.0, 0.0], (2_000, 1)), rng=seeded_rng(5))
    angles = np.abs(np.arctan2(released[:, 1], released[:, 0]))
    law = mechanism.law(2)
    assert law.cap_angle < 1e-4
    assert np.median(angles) == pytest.approx(law.cap_angle / 2, rel=0.1)


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


def test_clipped_laplace_spends_twice_what_is_compared():
    """B1: with κ = ε/π the loss across the cut is 2ε."""
    mechanism = ClippedLaplace(pure=2.0, snap=False)
    ends = np.array([0.0, math.nextafter(2 * math.pi, 0)])
    loss = mechanism.log_density(ends, 0.0) - mechanism.log_density(ends, ends[1])
    assert np.abs(loss).max() == pytest.approx(2.0, rel=1e-9)
    released = mechanism.release(np.full(20_000, 1.0), rng=seeded_rng(1))
    edge = (released == 0).mean()
    assert edge == pytest.approx(0.5 * math.exp(-mechanism.kappa), abs=0.02)
    arcs = np.abs(np.mod(released - 1 + math.pi, 2 * math.pi) - math.pi)
    assert arcs.mean() == pytest.approx(mechanism.expected_error(1.0), abs=5 * arcs.std() / math.sqrt(20_000))


def test_errata_theorem_7_26():
    """Erratum 1: E_WL − E_Pur > κπ²/(e^{2κπ}−1) only for κ > 2/π; E_WL > E_Pur always."""
    for kappa in np.geomspace(1e-3, 3, 60):
        gap = WrappedLaplaceLaw(2, kappa).mean_angle - Purkayastha(epsilon=kappa).law(2).mean_angle
        assert gap > 0
        claimed = kappa * math.pi**2 / math.expm1(2 * kappa * math.pi)
        assert (gap > claimed) == (kappa > 2 / math.pi)
    gap = WrappedLaplaceLaw(2, 0.1).mean_angle - Purkayastha(epsilon=0.1).law(2).mean_angle
    assert gap == pytest.approx(0.0693, abs=5e-5)


def test_purkayastha_errs_less_than_vmf_at_equal_concentration():
    """E6: in all cells tried."""
    for n in (2, 3, 25, 50, 100, 500):
        for kappa in 10.0 ** np.arange(-3, 4):
            assert Purkayastha(epsilon=kappa).law(n).mean_angle < VonMisesFisher(epsilon=kappa).law(n).mean_angle
