"""The exact auditor: golden values, both directions, far tails, close pairs, every kind of promise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.auditor import AuditCase, audit
from sfumato.errors import InputError
from sfumato.mechanism import Mechanism
from sfumato.noise import resolve_rng
from sfumato.promise import (
    ApproxDP,
    Guarantee,
    KAnonymity,
    MetricDP,
    NoGuarantee,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
    analytic_gaussian_sigma,
    gaussian_delta,
    hockey_stick,
    max_log_ratio,
    renyi_divergence,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Noisy(Mechanism):
    """Independent noise on every coordinate, with whatever promise the test puts on it."""

    promise: Guarantee
    scale: float

    @property
    def guarantee(self) -> Guarantee:
        return self.promise


def on_grid(values: Any) -> Any:
    """Far finer than the noise, and coarse enough for the low bits to say nothing; refuses what it would round."""
    if np.max(np.abs(values), initial=0.0) > 2.0**32:
        raise InputError("numbers beyond 2^32 are not on the grid as doubles")
    return np.round(values * 2.0**20) / 2.0**20


@dataclass(frozen=True, kw_only=True, eq=False)
class LaplaceNoise(Noisy):
    def release(self, data: Any, *, rng: Any = None) -> Any:
        return on_grid(data + rng.laplace(0.0, self.scale, np.shape(data)))

    def log_density(self, output: Any, data: Any) -> Any:
        away = np.abs(np.asarray(output) - data).reshape(len(output), -1)
        return -(away / self.scale + math.log(2 * self.scale)).sum(axis=1)


@dataclass(frozen=True, kw_only=True, eq=False)
class GaussianNoise(Noisy):
    def release(self, data: Any, *, rng: Any = None) -> Any:
        return on_grid(data + rng.normal(0.0, self.scale, np.shape(data)))

    def log_density(self, output: Any, data: Any) -> Any:
        away = (np.asarray(output) - data).reshape(len(output), -1) / self.scale
        return -(away**2 / 2 + math.log(self.scale * math.sqrt(2 * math.pi))).sum(axis=1)


@dataclass(frozen=True, kw_only=True, eq=False)
class Table(Mechanism):
    """A finite law given as a table: one row of probabilities for each input."""

    rows: tuple[tuple[float, ...], ...]
    promise: Guarantee

    @property
    def guarantee(self) -> Guarantee:
        return self.promise

    def release(self, data: int, *, rng: Any = None) -> int:
        return int(rng.choice(len(self.rows[data]), p=self.rows[data]))

    def log_prob(self, output: Any, data: int) -> Any:
        with np.errstate(divide="ignore"):
            return np.log(np.array(self.rows[data]))[output]


SCALAR = [(0.0, 1.0)]
VECTOR = [(np.zeros(4), np.full(4, 0.5))]


def test_laplace_attains_its_promise(rng):
    result = audit(LaplaceNoise(promise=PureDP(1.0), scale=1.0), pairs=SCALAR, rng=rng)
    assert (result.verdict, result.method, result.confidence) == ("holds", "density", 1.0)
    assert result.found == pytest.approx(1.0, rel=1e-9)
    assert result.attained >= 0.99


@pytest.mark.parametrize("share", [0.5, 0.9, 0.999, 1 - 1e-7])
def test_laplace_with_less_noise_is_caught(share, rng):
    result = audit(LaplaceNoise(promise=PureDP(1.0), scale=share), pairs=SCALAR, rng=rng)
    assert result.verdict == "broken"
    assert result.found == pytest.approx(1 / share)


def test_no_promise_is_measured_all_the_same(rng):
    result = audit(LaplaceNoise(promise=NoGuarantee("a test"), scale=0.5), pairs=SCALAR, rng=rng)
    assert result.verdict == "no promise"
    assert result.as_expected
    assert result.found == pytest.approx(2.0)
    assert math.isnan(result.promised)


def test_both_directions_are_tried():
    rows = ((0.5, 0.5), (0.9, 0.1))  # ln 5 from the first to the second, ln 1.8 back
    mechanism = Table(rows=rows, promise=PureDP(math.log(2)))
    for pairs in ([(0, 1)], [(1, 0)]):
        result = audit(mechanism, pairs=pairs, outputs=np.arange(2), rng=np.random.default_rng(0))
        assert result.found == pytest.approx(math.log(5))
        assert result.pair == (0, 1)
        assert result.output == 1


def test_impossible_output_has_no_finite_epsilon():
    result = audit(
        Table(rows=((1.0, 0.0), (0.5, 0.5)), promise=PureDP(50.0)),
        pairs=[(0, 1)],
        outputs=np.arange(2),
        rng=np.random.default_rng(0),
    )
    assert result.found == math.inf
    assert result.verdict == "broken"


def test_zero_over_zero_counts_as_one():
    result = audit(
        Table(rows=((1.0, 0.0), (1.0, 0.0)), promise=PureDP(0.0)),
        pairs=[(0, 1)],
        outputs=np.arange(2),
        rng=np.random.default_rng(0),
    )
    assert result.verdict == "holds"


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (1.0, 1e-5), (10.0, 1e-5)])
def test_analytic_gaussian_attains_its_delta(epsilon, delta, rng):
    sigma = analytic_gaussian_sigma(epsilon=epsilon, delta=delta, sensitivity=1.0)
    result = audit(GaussianNoise(promise=ApproxDP(epsilon, delta), scale=sigma), pairs=SCALAR, rng=rng)
    assert result.verdict == "holds"
    assert result.attained >= 0.999
    less = audit(GaussianNoise(promise=ApproxDP(epsilon, delta), scale=0.99 * sigma), pairs=SCALAR, rng=rng)
    assert less.verdict == "broken"
    assert less.found == pytest.approx(gaussian_delta(epsilon=epsilon, sigma=0.99 * sigma, sensitivity=1.0), rel=1e-6)


def test_delta_of_vectors_is_bounded_by_importance_sampling(rng):
    """One false alarm in 10⁶: the bound is a lower confidence bound at 1 − 1e-6."""
    sigma = analytic_gaussian_sigma(epsilon=1.0, delta=1e-5, sensitivity=1.0)
    sound = audit(GaussianNoise(promise=ApproxDP(1.0, 1e-5), scale=sigma), pairs=VECTOR, confidence=1 - 1e-6, rng=rng)
    assert (sound.verdict, sound.method) == ("holds", "density, sampled")
    assert sound.confidence == 1 - 1e-6
    assert sound.attained >= 0.6  # of a δ of 1e-5, from 20 000 releases
    broken = audit(
        GaussianNoise(promise=ApproxDP(1.0, 1e-5), scale=0.95 * sigma), pairs=VECTOR, confidence=1 - 1e-6, rng=rng
    )
    assert broken.verdict == "broken"


@pytest.mark.parametrize("pairs", [SCALAR, VECTOR], ids=["scalar", "vector"])
def test_concentrated_promise(pairs, rng):
    sound = audit(GaussianNoise(promise=ZeroConcentratedDP(0.5), scale=1.0), pairs=pairs, samples=4_000, rng=rng)
    assert sound.verdict == "holds"
    assert sound.attained >= 0.95
    assert sound.promised == pytest.approx(0.5)
    less = audit(GaussianNoise(promise=ZeroConcentratedDP(0.5), scale=0.9), pairs=pairs, samples=4_000, rng=rng)
    assert less.verdict == "broken"


def test_renyi_curve_is_tested_at_every_order(rng):
    curve = RenyiDP((2.0, 8.0), (1.0, 4.0))
    assert audit(GaussianNoise(promise=curve, scale=1.0), pairs=SCALAR, rng=rng).attained == pytest.approx(
        1.0, rel=1e-6
    )
    wrong_at_one = RenyiDP((2.0, 8.0), (1.0, 3.9))
    result = audit(GaussianNoise(promise=wrong_at_one, scale=1.0), pairs=SCALAR, rng=rng)
    assert result.verdict == "broken"
    assert result.symbol == "Rényi ε at order 8"


def test_metric_promise_needs_its_metric(rng):
    pairs = [(np.zeros(3), np.ones(3))]
    assert audit(LaplaceNoise(promise=MetricDP(1.0, "manhattan"), scale=1.0), pairs=pairs, rng=rng).verdict == "holds"
    wrong = audit(LaplaceNoise(promise=MetricDP(1.0, "euclidean"), scale=1.0), pairs=pairs, rng=rng)
    assert wrong.verdict == "broken"
    assert wrong.found == pytest.approx(math.sqrt(3), rel=1e-6)


@dataclass(frozen=True, kw_only=True, eq=False)
class ScaledByInput(LaplaceNoise):
    """A scale that depends a little on the data: the ratio is small near the inputs and unbounded far out."""

    def release(self, data: Any, *, rng: Any = None) -> Any:
        return on_grid(data + rng.laplace(0.0, self._own(data)))

    def _own(self, data: Any) -> float:
        return self.scale * (1 + 1e-3 * data)

    def log_density(self, output: Any, data: Any) -> Any:
        return -np.abs(output - data) / self._own(data) - math.log(2 * self._own(data))


def test_far_tails_are_reached(rng):
    """Fischer §7.3: a data-dependent scale shows only at outputs many scales away."""
    mechanism = ScaledByInput(promise=PureDP(1.5), scale=1.0)
    near = audit(mechanism, pairs=SCALAR, outputs=np.linspace(-8, 8, 400), rng=rng)
    assert near.found < 1.5
    far = audit(mechanism, pairs=SCALAR, rng=rng)
    assert far.verdict == "broken"
    assert far.found > 5


@dataclass(frozen=True, kw_only=True, eq=False)
class Step(LaplaceNoise):
    """Rounds a place first: two inputs that lie close together on either side of a step land far apart."""

    def release(self, data: Any, *, rng: Any = None) -> Any:
        return super().release(np.floor(data), rng=rng)

    def log_density(self, output: Any, data: Any) -> Any:
        return super().log_density(output, np.floor(data))


def test_close_pairs_of_a_metric_promise(rng):
    """The pair (0, −1) keeps the promise; the auditor goes closer and finds the step."""
    result = audit(Step(promise=MetricDP(1.0, "euclidean"), scale=1.0), pairs=[(0.0, -1.0)], rng=rng)
    assert result.verdict == "broken"
    assert result.found == pytest.approx(1000.0, rel=1e-6)


def test_k_anonymity_is_counted_on_releases(rng):
    @dataclass(frozen=True, kw_only=True, eq=False)
    class Constant(Mechanism):
        @property
        def guarantee(self) -> Guarantee:
            return KAnonymity(3)

        def release(self, data: Any, *, rng: Any = None) -> Any:
            return [0] * len(data)

    def smallest_class(data: Any, release: Any) -> float:
        return min(release.count(value) for value in release)

    def case(*pairs: Any) -> AuditCase:
        return AuditCase(mechanism=Constant(), pairs=pairs, reached=smallest_class)

    assert audit(case(([1, 2, 3], [1, 2, 4])), rng=rng).verdict == "holds"
    broken = audit(case(([1, 2, 3], [1, 2])), rng=rng)
    assert (broken.verdict, broken.found, broken.promised) == ("broken", 2.0, 3.0)
    untested = audit(AuditCase(mechanism=Constant(), pairs=[([1], [2])]), rng=rng)
    assert untested.verdict == "untested"
    assert not untested.as_expected


def test_result_prints_rows_and_draws(rng):
    result = audit(LaplaceNoise(promise=PureDP(1.0), scale=0.9), pairs=SCALAR, rng=rng)
    assert str(result) == "LaplaceNoise: ε promised 1, found 1.11111 (density): broken"
    assert result.row()["verdict"] == "broken"
    epsilon = np.array([0.0, 0.5, 1.0])
    exact = np.maximum(0.0, -np.expm1((epsilon - 1 / 0.9) / 2))  # the curve of a Laplace pair
    np.testing.assert_allclose(result.found_delta(epsilon), exact, rtol=1e-4)
    assert result.found_delta(1.0)[0] > result.promised_delta(1.0)[0] == 0.0
    pytest.importorskip("plotly")
    figure = result.plot()
    assert [trace.name for trace in figure.data] == ["promised", "found"]


@given(st.floats(0.05, 3.0), st.floats(0.0, 3.0))
def test_pure_promise_bounds_its_own_curve(promised, epsilon):
    """What a pure promise leaves room for is what randomised response takes."""
    truth = math.exp(promised) / (1 + math.exp(promised))
    p, q = np.log([truth, 1 - truth]), np.log([1 - truth, truth])
    result = audit(
        Table(rows=((truth, 1 - truth), (1 - truth, truth)), promise=PureDP(promised)),
        pairs=[(0, 1)],
        outputs=np.arange(2),
    )
    assert result.promised_delta(epsilon)[0] == pytest.approx(hockey_stick(p, q, epsilon), abs=1e-12)


@given(st.lists(st.floats(0.01, 1.0), min_size=2, max_size=6), st.lists(st.floats(0.01, 1.0), min_size=6, max_size=6))
def test_divergences_are_ordered(first, second):
    """KL ≤ Rényi, growing in the order, below the largest log-ratio; hockey-stick 0 from there on."""
    p = np.log(np.array(first) / np.sum(first))
    q = np.log(np.array(second[: len(first)]) / np.sum(second[: len(first)]))
    top, _ = max_log_ratio(p, q)
    curve = [renyi_divergence(p, q, order) for order in (1.5, 2.0, 8.0, 64.0)]
    assert all(a <= b + 1e-12 for a, b in zip(curve, [*curve[1:], max(top, 0.0)], strict=True))
    assert hockey_stick(p, q, max(top, 0.0) + 1e-9) == 0.0
    assert hockey_stick(p, q, 0.0) == pytest.approx(np.abs(np.exp(p) - np.exp(q)).sum() / 2)


class TestRejections:
    def test_needs_pairs(self):
        with pytest.raises(InputError, match="pairs"):
            audit(LaplaceNoise(promise=PureDP(1.0), scale=1.0))

    def test_needs_a_mechanism(self):
        with pytest.raises(InputError, match="target"):
            audit(42, pairs=SCALAR)

    def test_exact_needs_a_law(self):
        class Opaque:
            guarantee = PureDP(1.0)

            def release(self, data: Any, *, rng: Any = None) -> Any:
                return data

        with pytest.raises(InputError, match="sampling"):
            audit(Opaque(), pairs=SCALAR, method="exact")

    @pytest.mark.parametrize(
        ("options", "named"),
        [
            ({"method": "guess"}, "method"),
            ({"samples": 3}, "samples"),
            ({"confidence": 1.0}, "confidence"),
            ({"rng": 1}, "rng"),
        ],
    )
    def test_options(self, options, named):
        with pytest.raises(InputError, match=named):
            audit(LaplaceNoise(promise=PureDP(1.0), scale=1.0), pairs=SCALAR, **options)

    def test_nan_density(self, rng):
        class Broken(LaplaceNoise):
            def log_density(self, output: Any, data: Any) -> Any:
                return np.full(len(output), np.nan)

        with pytest.raises(InputError, match="log-probability"):
            audit(Broken(promise=PureDP(1.0), scale=1.0), pairs=SCALAR, rng=rng)

    def test_outputs_listed_twice(self):
        with pytest.raises(InputError, match="list every output once"):
            audit(Table(rows=((0.5, 0.5), (0.9, 0.1)), promise=PureDP(2.0)), pairs=[(0, 1)], outputs=[0, 1, 1])


@dataclass(frozen=True, kw_only=True, eq=False)
class Stutter(Mechanism):
    """Releases one or two noisy numbers: as many as came in, or the other number, with odds e^ε : 1."""

    promise: Guarantee
    odds: float = 1.0

    @property
    def guarantee(self):
        return self.promise

    def release(self, data, *, rng=None):
        rng = resolve_rng(rng)
        kept = rng.random() < math.exp(self.odds) / (1 + math.exp(self.odds))
        return rng.standard_normal(len(data) if kept else 3 - len(data))

    def log_density(self, output, data):
        same = np.array([len(o) == len(data) for o in output])
        noise = np.array([-0.5 * np.square(o).sum() - len(o) * math.log(math.sqrt(2 * math.pi)) for o in output])
        return np.where(same, self.odds, 0.0) - math.log1p(math.exp(self.odds)) + noise


@pytest.mark.parametrize("outputs", [None, [[0.5], [0.5, -1.0]]])
@pytest.mark.parametrize("true", [1.0, 1.5])
@pytest.mark.parametrize("promise", [PureDP(1.0), MetricDP(1.0, "discrete"), ApproxDP(1.0, 1e-3)], ids=str)
def test_releases_of_different_lengths(promise, true, outputs, rng):
    mechanism = Stutter(promise=promise, odds=true)
    result = audit(mechanism, pairs=[([0.0], [0.0, 1.0])], outputs=outputs, rng=rng)
    assert result.verdict == ("holds" if true == 1.0 else "broken")
    assert len(result.plot().data) == 2
