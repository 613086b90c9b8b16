"""Releases against the claimed law: lying mechanisms are caught in every way of comparing, honest ones are not."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from sfumato.auditor import AuditCase, audit
from sfumato.auditor.auditor import attempt
from sfumato.auditor.exact import evaluate, log_law_of
from sfumato.auditor.fit import fit_releases, uniform_tests
from sfumato.auditor.sample import Sample
from sfumato.auditor.transform import uniforms
from sfumato.errors import InputError
from sfumato.mechanism import Exponential, Gaussian, Laplace, PlanarLaplace, RandomizedResponse
from sfumato.promise import MetricDP, PureDP

ALMOST_SURE = 1 - 1e-6


@dataclass(frozen=True, kw_only=True, eq=False)
class Quiet(Laplace):
    """Keeps the law of Laplace and releases with less noise."""

    factor: float = 50.0

    def release(self, data: Any, *, rng: Any = None) -> Any:
        honest = Laplace(epsilon=self.epsilon, sensitivity=self.sensitivity, grid=self.grid)
        noise = np.asarray(honest.release(np.zeros(np.shape(data)), rng=rng))
        released = data + np.rint(noise / self.factor / self.step) * self.step
        return released if np.ndim(data) else float(released)


@pytest.mark.parametrize("factor", [50.0, 2.0, 1.5])
@pytest.mark.parametrize("seed", range(3))
def test_less_noise_than_the_law_says(factor, seed):
    """The exact part alone believes it; the whole audit does not. The corrected p-values are below 1e-7 by far."""
    mechanism = Quiet(epsilon=1.0, sensitivity=1.0, factor=factor)
    assert audit(mechanism, pairs=[(0.0, 1.0)], method="exact").verdict == "holds"
    result = audit(mechanism, pairs=[(0.0, 1.0)], confidence=ALMOST_SURE, rng=np.random.default_rng(seed))
    assert result.verdict == "broken"
    assert next(part for part in result.parts if part.name == "fit").verdict == "broken"
    assert "do not follow the claimed law" in " ".join(result.sentences)


def test_half_of_sigma():
    @dataclass(frozen=True, kw_only=True, eq=False)
    class Half(Gaussian):
        def release(self, data: Any, *, rng: Any = None) -> Any:
            noise = Gaussian(sigma=self.scale / 2, sensitivity=1.0).release(0.0, rng=rng)
            return float(np.rint((data + noise) / self.step) * self.step)

    result = audit(
        Half(sigma=2.0, sensitivity=1.0), pairs=[(0.0, 1.0)], confidence=ALMOST_SURE, rng=np.random.default_rng(0)
    )
    assert result.verdict == "broken"


def test_a_tenth_less_noise_is_confirmed_on_fresh_releases():
    """3 000 releases raise a suspicion only; what is counted in the end are more than 10 000."""
    caught = 0
    for seed in range(4):
        mechanism = Quiet(epsilon=1.0, sensitivity=1.0, factor=1.1)
        result = audit(mechanism, pairs=[(0.0, 1.0)], confidence=ALMOST_SURE, rng=np.random.default_rng(seed))
        caught += result.verdict == "broken"
    assert caught >= 3


def test_release_of_probability_zero():
    class OffGrid(Laplace):
        def release(self, data: Any, *, rng: Any = None) -> Any:
            return super().release(data, rng=rng) + self.step / 2

    result = audit(
        OffGrid(epsilon=1.0, sensitivity=1.0, grid=1.0),
        pairs=[(0.0, 1.0)],
        confidence=ALMOST_SURE,
        rng=np.random.default_rng(0),
    )
    assert result.verdict == "broken"
    assert any("probability 0 under the mechanism's own law" in sentence for sentence in result.sentences)
    assert "support" in result.why or "what can come out" in result.why


def test_identity_is_a_verdict():
    class Identity(Laplace):
        def release(self, data: Any, *, rng: Any = None) -> Any:
            return data

    result = audit(
        Identity(epsilon=1.0, sensitivity=1.0), pairs=[(0.0, 1.0)], confidence=ALMOST_SURE, rng=np.random.default_rng(0)
    )
    assert result.verdict == "broken"
    assert "no noise" in result.why


def test_noise_that_is_used_twice():
    kept: list[float] = []

    class Twice(Laplace):
        def release(self, data: Any, *, rng: Any = None) -> Any:
            if kept:
                return float(data + kept.pop())
            kept.append(super().release(0.0, rng=rng))
            return float(data + kept[0])

    result = audit(
        Twice(epsilon=1.0, sensitivity=1.0), pairs=[(0.0, 1.0)], confidence=ALMOST_SURE, rng=np.random.default_rng(0)
    )
    fit = next(part for part in result.parts if part.name == "fit")
    assert (result.verdict, fit.verdict) == ("broken", "broken")


@dataclass(frozen=True, kw_only=True, eq=False)
class Vectors(PlanarLaplace):
    """Planar noise that is a share of what its density says."""

    share: float = 1.0

    def release(self, data: Any, *, rng: Any = None) -> Any:
        return data + self.share * (np.asarray(super().release(data, rng=rng)) - data)


@dataclass(frozen=True, kw_only=True, eq=False)
class Slanted:
    """Correlated normal noise, ``share`` of what its density says: neither isotropic nor a product."""

    share: float = 1.0
    guarantee = MetricDP(1.0, "euclidean")

    def release(self, data: Any, *, rng: Any = None) -> Any:
        return data + self.share * (np.array([[1.0, 0.0], [0.8, 0.6]]) @ rng.standard_normal(2))

    def sample(self, data: Any, count: int, rng: Any) -> Any:
        return data + self.share * rng.standard_normal((count, 2)) @ np.array([[1.0, 0.8], [0.0, 0.6]])

    def log_density(self, output: Any, data: Any) -> Any:
        first, second = (np.asarray(output) - data).T
        return -(first**2 + ((second - 0.8 * first) / 0.6) ** 2) / 2


def spun(share: float) -> Any:
    """Von Mises-Fisher noise in space with ``share`` of its concentration under the density of all of it."""

    @dataclass(frozen=True, kw_only=True, eq=False)
    class Spun:
        guarantee = MetricDP(2.0, "euclidean")

        def sample(self, data: Any, count: int, rng: Any) -> Any:
            below = -np.log1p(rng.random(count) * np.expm1(-4.0 * share)) / (2.0 * share)
            across = rng.standard_normal((count, 3))
            across -= (across @ data)[:, None] * data
            across *= np.sqrt(below * (2 - below) / (across**2).sum(axis=1))[:, None]
            drawn = np.rint(2.0**14 * ((1 - below)[:, None] * data + across))  # raw doubles would tell the input
            return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)

        def release(self, data: Any, *, rng: Any = None) -> Any:
            return self.sample(data, 1, rng)[0]

        def log_density(self, output: Any, data: Any) -> Any:
            if not np.allclose(np.linalg.norm(output, axis=1), 1):
                raise InputError("no direction")
            return 2.0 * np.asarray(output) @ data

    return Spun()


def vectors(mechanism: Any) -> AuditCase:
    pair = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    return AuditCase(mechanism=mechanism, pairs=[pair], sampler=mechanism.sample)


def directions(share: float) -> AuditCase:
    mechanism = spun(share)
    pair = np.array([1.0, 0.0, 0.0]), np.array([0.6, 0.8, 0.0])
    return AuditCase(mechanism=mechanism, pairs=[pair], sampler=mechanism.sample)


def product(factor: float = 1.0) -> AuditCase:
    mechanism = Quiet(epsilon=1.0, sensitivity=3.0, factor=factor)
    return AuditCase(mechanism=mechanism, pairs=[(np.zeros(3), np.ones(3))])


CASES = {
    "cells": AuditCase(
        mechanism=RandomizedResponse(epsilon=1.0, categories=4), pairs=[(0, 3), (1, 2)], outputs=np.arange(4)
    ),
    "line": AuditCase(mechanism=Laplace(epsilon=1.0, sensitivity=1.0), pairs=[(0.0, 1.0)]),
    "product": product(),
    "chains": vectors(Slanted()),
    "isotropic, on the sphere": directions(1.0),
    "isotropic": AuditCase(
        mechanism=Vectors(epsilon=1.0),
        pairs=[(np.zeros(2), np.ones(2))],
        sampler=lambda data, count, rng: PlanarLaplace(epsilon=1.0).release(np.tile(data, (count, 1)), rng=rng),
    ),
}


@pytest.mark.parametrize("way", CASES)
def test_numbers_are_uniform_under_the_law(way):
    """Corrected p-values over 40 seeds; the smallest of 40 is below 1e-4 in one run of 250."""
    case = CASES[way]
    x, y = case.pairs[0]
    least = 1.0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        samples = [Sample(a, b, case.draw(a, 300, rng)) for a, b in ((x, y), (y, x))]
        kind, law = log_law_of(case.mechanism)
        sets = list(uniforms(case, kind, law, samples, rng))
        assert {one.way for one in sets} == {way.partition(",")[0]}
        tests = [test.p for one in sets for test in uniform_tests(one.values)]
        least = min(least, min(tests) * len(tests))
    assert least > 1e-4


def test_inputs_are_the_last_resort():
    """Outputs that are no arrays: Bayes' rule on the inputs of the case tells a lie from the truth."""

    class Coin:
        guarantee = PureDP(2.0)

        def __init__(self, told: float) -> None:
            self.told = told

        def release(self, data: int, *, rng: Any = None) -> dict[str, float]:
            kept = rng.random() < self.told
            return {"answer": float(data if kept else 1 - data), "noise": float(rng.random())}

        def log_density(self, output: Any, data: int) -> Any:
            keep = 1 / (1 + math.exp(-1.0))
            return np.log([keep if one["answer"] == data else 1 - keep for one in output])

    honest = AuditCase(mechanism=Coin(1 / (1 + math.exp(-1.0))), pairs=[(0, 1)], features=lambda o: [o["answer"]])
    assert audit(honest, confidence=ALMOST_SURE, rng=np.random.default_rng(0)).verdict == "holds"
    lying = replace(honest, mechanism=Coin(0.9))
    result = audit(lying, confidence=ALMOST_SURE, rng=np.random.default_rng(0))
    assert (result.verdict, result.method) == ("broken", "fit")
    assert "more telling about their input" in " ".join(result.sentences)


def test_vectors_with_less_noise():
    lying = replace(CASES["isotropic"], mechanism=Vectors(epsilon=1.0, share=0.7), sampler=None)
    assert audit(lying, confidence=ALMOST_SURE, rng=np.random.default_rng(0)).verdict == "broken"
    assert audit(CASES["isotropic"], confidence=ALMOST_SURE, rng=np.random.default_rng(0)).verdict == "holds"
    for share, verdict in ((0.7, "broken"), (1.0, "holds")):
        result = audit(vectors(Slanted(share=share)), confidence=ALMOST_SURE, rng=np.random.default_rng(0))
        assert next(part.verdict for part in result.parts if part.name == "fit") == verdict


@pytest.mark.parametrize("seed", range(3))
def test_a_twentieth_less_noise_of_vectors(seed):
    """A symmetry of the law gives the whole power: of two cases and three seeds, a miss has probability below 1 %."""
    for lying in (product(1 / 0.94), directions(1.08)):
        result = audit(lying, confidence=ALMOST_SURE, samples=20_000, rng=np.random.default_rng(seed))
        assert (result.verdict, result.method) == ("broken", "fit"), lying


@pytest.mark.parametrize("length", [None, 1, 3])
def test_noise_used_twice_is_seen_without_a_law(length):
    """Numbers, vectors and wholes whose law nobody knows; each noise is used for two releases in a row."""

    class Unknown:
        guarantee = MetricDP(1.0, "euclidean")

        def __init__(self, twice: bool) -> None:
            self.twice = twice

        def sample(self, data: Any, count: int, rng: Any) -> Any:
            noise = rng.laplace(scale=4.0, size=(count, length or 1))
            if self.twice:
                noise = np.repeat(noise, 2, axis=0)[:count]
            drawn = np.round(data + noise, 3)
            return drawn if length else [f"about {one:.3f}" for one in drawn[:, 0]]

        def release(self, data: Any, *, rng: Any = None) -> Any:
            return self.sample(data, 1, rng)[0]

    for twice, verdict in ((True, "broken"), (False, "holds")):
        mechanism = Unknown(twice)
        case = AuditCase(mechanism=mechanism, pairs=[(0.0, 1.0)], sampler=mechanism.sample, samples=2_000)
        result = audit(case, confidence=ALMOST_SURE, rng=np.random.default_rng(0))
        assert result.verdict == verdict, result.sentences
        assert ("used again" in " ".join(result.sentences)) == twice


def test_a_sampler_is_not_believed():
    """The case brings an honest sampler for a mechanism that releases something else."""
    lying = replace(CASES["isotropic"], mechanism=Vectors(epsilon=1.0, share=0.2))
    assert audit(lying, confidence=ALMOST_SURE, rng=np.random.default_rng(0)).verdict == "broken"


def test_false_alarms_of_the_fit():
    """At α = 0.2, 100 sound comparisons may raise 20 alarms on average; more than 40 has probability below 1e-5."""
    case, alarms = CASES["line"], 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        samples = [Sample(a, b, case.draw(a, 150, rng)) for a, b in ((0.0, 1.0), (1.0, 0.0))]
        found = fit_releases(
            case, samples, alpha=0.2, rng=rng, draw=lambda data, n, rng=rng: case.draw(data, n, rng), more=(300,)
        )
        alarms += found is not None and found.misfit is not None
    assert alarms <= 40


def test_a_density_per_another_measure():
    """Density per area of the sphere, outputs in degrees: a square degree at latitude φ measures cos φ."""

    class Places:
        guarantee = MetricDP(1.0, "euclidean")

        def release(self, data: Any, *, rng: Any = None) -> Any:
            u = rng.random(2)
            return np.round([np.degrees(np.arcsin(2 * u[0] - 1)), 360 * u[1] - 180], 6)

        def log_density(self, output: Any, data: Any) -> Any:
            if (np.abs(output[:, 0]) > 90).any() or (np.abs(output[:, 1]) > 180).any():
                raise InputError("no place")
            return np.full(len(output), -math.log(4 * math.pi))

    case = AuditCase(mechanism=Places(), pairs=[(np.zeros(2), np.ones(2))])
    for power, verdict in ((1.0, "holds"), (-1.0, "broken")):
        area = replace(case, log_volume=lambda places, p=power: p * np.log(np.cos(np.radians(places[:, 0]))))
        assert audit(area, confidence=ALMOST_SURE, rng=np.random.default_rng(0)).verdict == verdict


def test_a_case_that_raises_is_a_result():
    class Boom:
        guarantee = PureDP(1.0)

        def release(self, data: Any, *, rng: Any = None) -> Any:
            raise ZeroDivisionError("oh")

    result = attempt(AuditCase(mechanism=Boom(), pairs=[(0.0, 1.0)]))
    assert (result.verdict, result.why, result.as_expected) == ("could not run", "ZeroDivisionError: oh", False)
    assert str(result) == "Boom: could not run: ZeroDivisionError: oh"


@pytest.mark.parametrize("seed", range(5))
def test_outputs_of_equal_probability_do_not_follow_the_order_of_arrival(seed):
    """A thousand equally likely outputs: ranking ties by arrival would make honest releases look dependent."""
    case = AuditCase(mechanism=Exponential(epsilon=1.0, sensitivity=1.0), pairs=[(np.zeros(1000), np.full(1000, -1.0))])
    result = audit(case, confidence=ALMOST_SURE, samples=5_000, rng=np.random.default_rng(seed))
    assert result.verdict == "holds", result.sentences


def test_equal_texts_are_weighed_once():
    """A law of texts is asked for each of them once, and an output that it does not know is found all the same."""
    asked = []

    def law(outputs, data):
        asked.append(list(outputs))
        return np.array([-math.inf if text == "dog" else -1.0 for text in outputs])

    logs = evaluate("law", law, ["cat", "dog", "cat", "horse", "dog"], "cat")
    assert asked == [["cat", "dog", "horse"]]
    assert logs.tolist() == [-1.0, -math.inf, -1.0, -1.0, -math.inf]
