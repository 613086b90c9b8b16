"""The sampling auditor: never above the truth beyond its error probability, and close enough to catch what is wrong."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from sfumato.auditor import AuditCase, audit
from sfumato.auditor.sampling import clopper_pearson
from sfumato.errors import InputError
from sfumato.promise import ApproxDP, Guarantee, MetricDP, PureDP, ZeroConcentratedDP

ALMOST_SURE = 1 - 1e-6


class Sampled:
    """A mechanism known by its releases only."""

    def __init__(self, promise: Guarantee, many: Any) -> None:
        self.guarantee, self.many = promise, many

    def release(self, data: Any, *, rng: Any = None) -> Any:
        return self.many(data, 1, rng)[0]


def case(promise: Guarantee, many: Any, pairs: Any, **options: Any) -> AuditCase:
    return AuditCase(mechanism=Sampled(promise, many), pairs=pairs, sampler=many, **options)


def geometric(scale: float) -> Any:
    """Two-sided geometric noise on whole numbers: e^{1/scale} between neighbours, exactly."""

    def many(data: int, count: int, rng: np.random.Generator) -> Any:
        share = 1 - math.exp(-1 / scale)
        return data + rng.geometric(share, count) - rng.geometric(share, count)

    return many


def grid_laplace(scale: float, step: float = 2.0**-10) -> Any:
    """Laplace noise on a grid, on any shape of input."""

    def many(data: Any, count: int, rng: np.random.Generator) -> Any:
        if np.max(np.abs(data)) > 2.0**20:
            raise InputError("such numbers are not on the grid as doubles")
        share = 1 - math.exp(-step / scale)
        shape = (count, *np.shape(data))
        return np.asarray(data) + step * (rng.geometric(share, shape) - rng.geometric(share, shape))

    return many


def test_clopper_pearson_covers():
    """Coverage computed exactly: the bound exceeds p with probability at most α, for every p."""
    from scipy.stats import binom

    trials, alpha = 40, 0.05
    low, high = clopper_pearson(np.arange(trials + 1), trials, alpha)
    for p in np.linspace(0.01, 0.99, 50):
        weight = binom.pmf(np.arange(trials + 1), trials, p)
        assert weight[low > p].sum() <= alpha
        assert weight[high < p].sum() <= alpha


def test_bound_stays_below_the_truth():
    """200 audits of a tight mechanism at confidence 0.9: 20 may exceed ε on average; Clopper-Pearson and the held-out
    half make it far fewer. More than 40 has probability below 1e-5 even at the nominal rate."""
    exceeded = 0
    for seed in range(200):
        result = audit(
            case(PureDP(1.0), geometric(1.0), [(0, 1)]),
            samples=400,
            confidence=0.9,
            rng=np.random.default_rng(seed),
        )
        exceeded += result.verdict == "broken"
    assert exceeded <= 40


@pytest.mark.parametrize("seed", range(3))
def test_bound_comes_close(seed):
    sound = audit(case(PureDP(1.0), geometric(1.0), [(0, 1)]), confidence=ALMOST_SURE, rng=np.random.default_rng(seed))
    assert (sound.verdict, sound.method) == ("holds", "sampling")
    assert 0.8 <= sound.found <= 1.0
    less = audit(case(PureDP(1.0), geometric(0.75), [(0, 1)]), confidence=ALMOST_SURE, rng=np.random.default_rng(seed))
    assert less.verdict == "broken"
    assert less.found <= 1 / 0.75


def test_vectors_are_told_apart_by_a_learned_event(rng):
    """No single coordinate shows it: each is ε = 1 apart, all four together 4."""
    pairs = [(np.zeros(4), np.ones(4))]
    result = audit(case(PureDP(1.2), grid_laplace(1.0), pairs), confidence=ALMOST_SURE, rng=rng)
    assert result.verdict == "broken"
    assert result.found > 2.0
    sound = audit(case(PureDP(4.0), grid_laplace(1.0), pairs), confidence=ALMOST_SURE, rng=rng)
    assert sound.verdict == "holds"


def test_low_bits_are_seen(rng):
    def plain(data: float, count: int, rng: np.random.Generator) -> Any:
        return data + rng.laplace(0.0, 1.0, count)

    leaky = audit(case(PureDP(1.0), plain, [(0.0, 1.0)]), confidence=ALMOST_SURE, rng=rng)
    assert leaky.verdict == "broken"
    assert leaky.why.startswith("The low bits of the doubles betray the input: release on a grid")
    assert audit(case(PureDP(1.0), grid_laplace(1.0), [(0.0, 1.0)]), confidence=ALMOST_SURE, rng=rng).verdict == "holds"


def test_rare_atom_is_seen(rng):
    """Noise as promised, but one input in twenty is let through as it is."""

    def leaks(data: float, count: int, rng: np.random.Generator) -> Any:
        noisy = grid_laplace(1.0)(data, count, rng)
        return np.where(rng.uniform(size=count) < 0.05, data, noisy)

    result = audit(case(PureDP(1.0), leaks, [(0.0, 0.5)]), confidence=ALMOST_SURE, rng=rng)
    assert result.verdict == "broken"
    assert isinstance(result.output, str)


def test_rare_leak_is_seen_with_many_releases(rng):
    """One input in ten thousand is let through; of a million releases about a hundred show it."""

    def leaks(data: float, count: int, rng: np.random.Generator) -> Any:
        noisy = grid_laplace(1.0, 2.0**-30)(data, count, rng)
        return np.where(rng.uniform(size=count) < 1e-4, data, noisy)

    target = case(PureDP(1.0), leaks, [(0.0, 0.5)])
    result = audit(target, samples=1_000_000, method="sampling", rng=rng)
    assert result.verdict == "broken"
    assert result.evidence.counts[0] > 30
    assert result.evidence.counts[1] == 0
    assert "let through" in result.why
    sound = case(PureDP(1.0), grid_laplace(1.0, 2.0**-30), [(0.0, 0.5)])
    assert audit(sound, samples=200_000, method="sampling", rng=rng).verdict == "holds"


def test_words_are_compared_as_wholes(rng):
    words = np.array(["ash", "beech", "cedar"])

    def answer(data: str, count: int, rng: np.random.Generator) -> Any:
        told = rng.uniform(size=count) < 0.9
        return list(np.where(told, data, words[rng.integers(3, size=count)]))

    truth = math.log((0.9 + 0.1 / 3) / (0.1 / 3))
    pairs = [("ash", "cedar")]
    assert audit(case(PureDP(truth), answer, pairs), confidence=ALMOST_SURE, rng=rng).verdict == "holds"
    assert audit(case(PureDP(0.7 * truth), answer, pairs), confidence=ALMOST_SURE, rng=rng).verdict == "broken"


def test_own_features(rng):
    def answer(data: int, count: int, rng: np.random.Generator) -> Any:
        return [{"value": data + float(noise)} for noise in grid_laplace(0.4)(0.0, count, rng)]

    result = audit(
        case(PureDP(1.0), answer, [(0, 1)], features=lambda output: [output["value"]]), confidence=ALMOST_SURE, rng=rng
    )
    assert result.verdict == "broken"


@pytest.mark.parametrize(
    ("honest", "false"),
    [
        (ApproxDP(0.5, 0.2213), ApproxDP(0.5, 0.12)),  # δ(½) of Laplace noise of scale 1 is 1 − e^{−1/4} = 0.2212
        (ZeroConcentratedDP(0.5), ZeroConcentratedDP(0.08)),
        (MetricDP(1.0, "euclidean"), MetricDP(0.8, "euclidean")),
    ],
    ids=["approximate", "concentrated", "metric"],
)
def test_other_promises(honest, false, rng):
    pairs = [(0.0, 1.0)]
    assert audit(case(honest, grid_laplace(1.0), pairs), confidence=ALMOST_SURE, rng=rng).verdict == "holds"
    assert audit(case(false, grid_laplace(1.0), pairs), confidence=ALMOST_SURE, rng=rng).verdict == "broken"


def test_same_seed_same_bound():
    target = case(PureDP(1.0), geometric(1.0), [(0, 1)])
    found = {audit(target, samples=2_000, rng=np.random.default_rng(5)).found for _ in range(2)}
    assert len(found) == 1


def test_nan_release_is_refused(rng):
    def broken(data: float, count: int, rng: np.random.Generator) -> Any:
        return np.full(count, np.nan)

    with pytest.raises(InputError, match="NaN"):
        audit(case(PureDP(1.0), broken, [(0.0, 1.0)]), samples=200, rng=rng)
