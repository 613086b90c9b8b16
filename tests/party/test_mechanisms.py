"""Noise on answers and counts: what the generic checks cannot know."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.noise import seeded_rng
from sfumato.party import AnswerAttack, BisectionAttack, LastAnswerAttack, PrivateAnswers, PrivateCount, YesError


def test_turned_shares_are_turned_answers() -> None:
    """Turning a share turns the answer: (a ⊕ f) ⊕ b = (a ⊕ b) ⊕ f; so noise on a share has the law of the mechanism."""
    mechanism, rng = PrivateAnswers(epsilon=1.0), seeded_rng(3)
    flips = mechanism.flips(40_000, rng=rng)
    assert flips.mean() == pytest.approx(1 / (1 + math.e), abs=0.014)  # six standard errors


def test_the_estimate_is_unbiased() -> None:
    """3 000 of 10 000, over 50 draws: within six standard errors of the mean."""
    mechanism = PrivateAnswers(epsilon=1.0)
    truth = np.array([1] * 3_000 + [0] * 7_000)
    found = [mechanism.estimate(mechanism.release(truth, rng=seeded_rng(seed))) for seed in range(50)]
    p = mechanism.truth
    error = math.sqrt(10_000 * p * (1 - p)) / (2 * p - 1) / math.sqrt(50)
    assert abs(np.mean(found) - 3_000) < 6 * error


def test_counts_have_the_variance_of_the_law() -> None:
    mechanism, rng = PrivateCount(epsilon=0.5), seeded_rng(4)
    noise = np.array([mechanism.noise(rng=rng) for _ in range(4_000)])
    q = math.exp(-0.5)
    assert noise.var() == pytest.approx(2 * q / (1 - q) ** 2, rel=0.3)


@pytest.mark.parametrize("kind", [PrivateAnswers, PrivateCount])
@pytest.mark.parametrize("epsilon", [0.0, -1.0, float("nan"), "one"])
def test_bad_parameters_are_refused(kind: type, epsilon: float) -> None:
    with pytest.raises(InputError):
        kind(epsilon=epsilon)


@pytest.mark.parametrize("data", [[0, 2], [0.5], ["yes"], [None]])
def test_what_is_no_answer_is_refused(data: list[object]) -> None:
    for kind in (PrivateAnswers, PrivateCount):
        with pytest.raises(InputError):
            kind(epsilon=1.0).release(np.array(data))


def test_attacks_gain_with_epsilon() -> None:
    rng = seeded_rng(5)
    truth = rng.integers(0, 2, 4_000)
    found = []
    for epsilon in (0.1, 1.0, 5.0):
        mechanism = PrivateAnswers(epsilon=epsilon)
        found.append(AnswerAttack().attack(truth, mechanism.release(truth, rng=rng), mechanism=mechanism).value)
    assert found[0] < found[1] < found[2]
    assert found[2] == pytest.approx(PrivateAnswers(epsilon=5.0).truth, abs=0.02)


def test_a_rare_answer_is_guessed_by_the_prior() -> None:
    """With 2 % yes and much noise the released yes is no reason to guess yes."""
    truth = np.array([1] * 80 + [0] * 3_920)
    mechanism = PrivateAnswers(epsilon=0.5)
    score = AnswerAttack().attack(truth, mechanism.release(truth, rng=seeded_rng(6)), mechanism=mechanism)
    assert score.value >= 0.9


def test_the_last_answer_of_a_count() -> None:
    """The best guess is right with probability 1/(1 + e^−ε) … of the nearer of two: within the bound of ε."""
    for epsilon in (0.2, 2.0):
        score = LastAnswerAttack(repeats=4_000).attack(
            [1, 0, 1], 2, mechanism=PrivateCount(epsilon=epsilon), rng=seeded_rng(7)
        )
        assert score.value <= 1 / (1 + math.exp(-epsilon)) + 0.05
    assert LastAnswerAttack().attack([1, 0, 0], 1).value == 1.0


def test_bisection_finds_every_number_and_noise_stops_it() -> None:
    """ℓ exact answers tell ℓ bits. At ε = 0.5 each, ℓ turned answers are all right with probability 0.62¹² < 0.4 %."""
    secret = seeded_rng(8).integers(0, 4096, 500)
    first = (secret <= 2047).astype(int)
    assert BisectionAttack(bits=12).attack(secret, first).value == 1.0
    mechanism = PrivateAnswers(epsilon=0.5)
    once = BisectionAttack(bits=12).attack(secret, first, mechanism=mechanism, rng=seeded_rng(9))
    often = BisectionAttack(bits=12, repeats=101).attack(secret, first, mechanism=mechanism, rng=seeded_rng(9))
    assert once.value < 0.05
    assert often.value > 0.7  # which costs 101·12·0.5: a ledger says no long before
    with pytest.raises(InputError, match="odd"):
        BisectionAttack(repeats=2)
    with pytest.raises(InputError, match="below 2"):
        BisectionAttack(bits=4).attack([16], [1])


def test_errors_of_the_number_of_yes() -> None:
    assert YesError().measure([1, 0, 1], [1, 1, 1]).value == 1.0
    assert YesError().measure([1, 0, 1], np.array([5])).value == 3.0
