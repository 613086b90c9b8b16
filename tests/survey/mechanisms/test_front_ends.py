"""Local front ends: laws that sum to one, unbiased estimators, rejections (SH1)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.mechanism import RandomizedResponse
from sfumato.survey import HadamardResponse, UnaryEncoding

FRONTS = [
    UnaryEncoding(epsilon=1.2, categories=5),
    UnaryEncoding(epsilon=1.2, categories=5, optimised=False),
    HadamardResponse(epsilon=1.2, categories=5),
    HadamardResponse(epsilon=1.2, categories=4),
    RandomizedResponse(epsilon=1.2, categories=5),
]


@pytest.mark.parametrize("front", FRONTS, ids=lambda f: f"{type(f).__name__}-{f.categories}")
def test_estimates_are_unbiased(front, rng):
    """Six standard errors of the largest variance, 1/(n·gain²)."""
    shares = np.array([0.5, 0.3, 0.15, 0.05, 0.0])[: front.categories]
    answers = np.repeat(np.arange(front.categories), (shares * 100_000).astype(int))
    estimate = front.estimate(front.release(answers, rng=rng))
    truth = np.bincount(answers, minlength=front.categories) / answers.size
    spread = (
        math.sqrt(max(v for v in (front.variance(answers.size, s) for s in truth)))
        if hasattr(front, "variance")
        else 0.005
    )
    assert np.abs(estimate - truth).max() < 6 * spread


@pytest.mark.parametrize("front", FRONTS[:4], ids=lambda f: f"{type(f).__name__}-{f.categories}")
def test_variance_is_that_of_the_estimator(front, rng):
    answers = np.repeat([0, 1], 200)
    estimates = np.array([front.estimate(front.release(answers, rng=rng)) for _ in range(400)])
    for category, share in ((0, 0.5), (2, 0.0)):
        assert estimates[:, category].var() == pytest.approx(front.variance(400, share), rel=0.35)


def test_laws_sum_to_one_and_reach_exactly_epsilon():
    bits = np.array(list(itertools.product((0, 1), repeat=4)))[:, None]
    for optimised in (True, False):
        front = UnaryEncoding(epsilon=2.0, categories=4, optimised=optimised)
        first, second = front.log_prob(bits, [0]), front.log_prob(bits, [1])
        assert np.exp(first).sum() == pytest.approx(1)
        assert np.abs(first - second).max() == pytest.approx(2.0)
    front = HadamardResponse(epsilon=2.0, categories=5)
    columns = np.arange(front.order)[:, None]
    laws = np.array([front.log_prob(columns, [x]) for x in range(5)])
    np.testing.assert_allclose(np.exp(laws).sum(axis=1), 1)
    assert (laws.max(axis=0) - laws.min(axis=0)).max() == pytest.approx(2.0)


def test_several_answers_are_independent():
    front = UnaryEncoding(epsilon=1.0, categories=2)
    outputs = np.array(list(itertools.product((0, 1), repeat=4))).reshape(-1, 2, 2)
    assert np.exp(front.log_prob(outputs, [0, 1])).sum() == pytest.approx(1)
    columns = np.array(list(itertools.product(range(4), repeat=2)))
    assert np.exp(HadamardResponse(epsilon=1.0, categories=3).log_prob(columns, [0, 2])).sum() == pytest.approx(1)


def test_large_epsilon_keeps_every_report_possible():
    front = UnaryEncoding(epsilon=60.0, categories=3)
    assert np.isfinite(front.log_prob(np.ones((1, 1, 3), int), [0])).all()
    assert HadamardResponse(epsilon=800.0, categories=3).release([0, 1, 2]).shape == (3,)


@pytest.mark.parametrize("front", FRONTS, ids=lambda f: f"{type(f).__name__}-{f.categories}")
@pytest.mark.parametrize("answers", [[5], [-1], [0, 9], ["a"]])
def test_rejects_answers_outside_the_categories(front, answers):
    with pytest.raises(InputError):
        front.release(np.array(answers))


@pytest.mark.parametrize("front", [UnaryEncoding, HadamardResponse])
@pytest.mark.parametrize("wrong", [{"epsilon": 0.0}, {"epsilon": -1.0}, {"categories": 1}, {"categories": 2.5}])
def test_rejects_parameters(front, wrong):
    with pytest.raises(InputError):
        front(**{"epsilon": 1.0, "categories": 3, **wrong})


def test_rejects_shapes():
    unary, hadamard = FRONTS[0], FRONTS[2]
    for call in (
        lambda: unary.release([[0, 1]]),
        lambda: unary.release([0.5]),
        lambda: unary.log_prob(np.zeros((1, 1, 3), int), [0]),
        lambda: unary.log_prob(np.full((1, 1, 5), 2), [0]),
        lambda: unary.estimate(np.zeros((0, 5))),
        lambda: hadamard.log_prob([[8]], [0]),
        lambda: hadamard.estimate([8]),
        lambda: hadamard.estimate([]),
        lambda: hadamard.estimate([0.5]),
        lambda: unary.estimate([[2, 0, 0, 0, 0]]),
    ):
        with pytest.raises(InputError):
            call()
