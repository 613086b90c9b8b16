"""The exponential mechanism (M6) and randomised response (SH1)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sfumato.errors import InputError
from sfumato.mechanism import Exponential, RandomizedResponse
from sfumato.promise import Assumption, PureDP


def test_what_is_no_output_has_probability_zero():
    """Positions outside, between and behind: none of them wraps around or is cut to a position."""
    mechanism = Exponential(epsilon=1.0, sensitivity=1.0)
    scores = [0.0, 1.0, 2.0]
    law = mechanism.log_probs(scores)
    assert mechanism.log_prob([0, 1, 2], scores).tolist() == law.tolist()
    assert mechanism.log_prob(np.array([2.0, 0.0]), scores).tolist() == law[[2, 0]].tolist()
    for foreign in ([3, -1, -3, 10**6], [0.5, math.nan, math.inf, -0.25], np.array([2**63, 2**64 - 1], np.uint64)):
        assert np.isneginf(mechanism.log_prob(foreign, scores)).all()
    assert np.isneginf(mechanism.log_prob(["red", "1"], scores)).all()
    named = Exponential(epsilon=1.0, sensitivity=1.0, candidates=["a", "b", "c"])
    assert np.isneginf(named.log_prob(["d", 0], scores)).all()


def test_exponential_law(rng):
    mechanism = Exponential(epsilon=2.0, sensitivity=0.5)
    scores = np.array([1.0, 0.0, 1.5, -3.0])
    law = np.exp(mechanism.log_probs(scores))
    expected = np.exp(2.0 * scores)
    assert law == pytest.approx(expected / expected.sum())
    drawn = mechanism.release(np.tile(scores, (50_000, 1)), rng=rng)
    counts = np.bincount(drawn, minlength=4)
    common = law * drawn.size > 5
    expected = law[common] * counts[common].sum() / law[common].sum()
    assert stats.chisquare(counts[common], expected).pvalue > 1e-6


def test_exponential_needs_no_exponentials_that_fit():
    """Scores a million apart, or offset by 1e300, neither overflow nor lose the best one."""
    mechanism = Exponential(epsilon=1.0, sensitivity=1.0)
    assert mechanism.release([0.0, -1e6, -1e300]) == 0
    assert mechanism.release([1e300, 0.0]) == 0
    assert np.exp(mechanism.log_probs([1e6, 1e6 + 1])).sum() == pytest.approx(1.0)


@settings(max_examples=60, deadline=None)
@given(
    epsilon=st.floats(0.01, 20.0),
    scores=st.lists(st.floats(-10, 10), min_size=2, max_size=12),
    moves=st.lists(st.floats(-1, 1), min_size=12, max_size=12),
)
def test_exponential_log_ratio(epsilon, scores, moves):
    x = np.array(scores)
    y = x + np.array(moves[: x.size])
    plain = Exponential(epsilon=epsilon, sensitivity=1.0)
    assert np.abs(plain.log_probs(x) - plain.log_probs(y)).max() <= epsilon + 1e-10
    up = x + np.abs(moves[: x.size])
    monotonic = plain.replace(monotonic=True)
    assert np.abs(monotonic.log_probs(x) - monotonic.log_probs(up)).max() <= epsilon + 1e-10


def test_exponential_loss_is_attained_in_the_limit():
    """One option up and a million down: ε up to the option's own share."""
    mechanism = Exponential(epsilon=1.0, sensitivity=1.0)
    x = np.zeros(10**6)
    y = np.where(np.arange(10**6) == 0, 1.0, -1.0)
    assert mechanism.log_prob([0], y)[0] - mechanism.log_prob([0], x)[0] == pytest.approx(1.0, abs=1e-5)


def test_candidates_and_utility(rng):
    mechanism = Exponential(
        epsilon=50.0, sensitivity=1.0, candidates=["a", "b", "c"], utility=lambda data: [data.count(k) for k in "abc"]
    )
    assert mechanism.release("abbbbbb", rng=rng) == "b"
    assert mechanism.log_prob(["b", "z"], "abbb")[1] == -math.inf
    rows = Exponential(epsilon=50.0, sensitivity=1.0, candidates=["a", "b"]).release([[9.0, 0.0], [0.0, 9.0]], rng=rng)
    assert rows == ["a", "b"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": 0.0},
        {"sensitivity": 0.0},
        {"sensitivity": math.inf},
        {"candidates": []},
        {"utility": 3},
        {"monotonic": 1},
    ],
)
def test_exponential_rejects_parameters(wrong):
    with pytest.raises(InputError):
        Exponential(**{"epsilon": 1.0, "sensitivity": 1.0, **wrong})


@pytest.mark.parametrize("scores", [[], [math.nan], [math.inf, 0.0], [[[1.0]]], ["a"], 3.0, np.zeros((2, 0))])
def test_exponential_rejects_scores(scores):
    with pytest.raises(InputError, match="scores"):
        Exponential(epsilon=1.0, sensitivity=1.0).release(scores)


def test_exponential_rejects_other_lengths():
    with pytest.raises(InputError, match="each of the 3 candidates"):
        Exponential(epsilon=1.0, sensitivity=1.0, candidates="abc").release([1.0, 2.0])
    with pytest.raises(InputError, match="row by row"):
        Exponential(epsilon=1.0, sensitivity=1.0).log_prob([0], np.zeros((2, 3)))


@pytest.mark.parametrize("categories", [2, 5, 50])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 6.0])
def test_randomised_response_law(categories, epsilon, rng):
    mechanism = RandomizedResponse(epsilon=epsilon, categories=categories)
    law = np.exp(mechanism.log_prob(np.arange(categories), 1))
    assert law.sum() == pytest.approx(1.0)
    assert law[1] / law[0] == pytest.approx(math.exp(epsilon))
    assert law[1] == pytest.approx(mechanism.truth)
    assert law[0] == pytest.approx(mechanism.other)
    counts = np.bincount(mechanism.release(np.ones(30_000, int), rng=rng), minlength=categories)
    assert stats.chisquare(counts, law * 30_000).pvalue > 1e-6


def test_randomised_response_estimate_is_unbiased(rng):
    mechanism = RandomizedResponse(epsilon=1.0, categories=["a", "b", "c"])
    truth = np.repeat(["a", "b", "c"], [60_000, 30_000, 10_000])
    shares = mechanism.estimate(mechanism.release(truth, rng=rng))
    error = 5 * 0.5 / math.sqrt(truth.size) / (mechanism.truth - mechanism.other)
    assert np.abs(shares - [0.6, 0.3, 0.1]).max() < error
    assert shares.sum() == pytest.approx(1.0)


def test_randomised_response_of_huge_epsilon_and_of_many_answers():
    mechanism = RandomizedResponse(epsilon=800.0, categories=3)
    assert (mechanism.release(np.arange(3)) == np.arange(3)).all()
    assert mechanism.log_prob([0, 1], 1)[0] == pytest.approx(-800.0)
    assert mechanism.guarantee == PureDP(
        800.0, unit="answer", neighbours="any-pair", model="local", assumptions=(Assumption("categories"),)
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": 0.0},
        {"epsilon": math.inf},
        {"categories": 1},
        {"categories": ["a"]},
        {"categories": ["a", "a"]},
        {"categories": 2.5},
        {"categories": True},
    ],
)
def test_randomised_response_rejects_parameters(wrong):
    with pytest.raises(InputError):
        RandomizedResponse(**{"epsilon": 1.0, "categories": 3, **wrong})


@pytest.mark.parametrize("answers", [3, -1, [0, 7], 0.5, math.nan, "yes", None])
def test_randomised_response_rejects_answers(answers):
    with pytest.raises(InputError):
        RandomizedResponse(epsilon=1.0, categories=3).release(answers)


def test_randomised_response_rejects_no_answers():
    with pytest.raises(InputError, match="at least one answer"):
        RandomizedResponse(epsilon=1.0, categories=3).estimate([])
