"""What d_σ privacy bounds, by enumeration of every attacker that fits (SH9, SH10, SH15, SH16)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.mechanism import RandomizedResponse
from sfumato.survey import (
    Collection,
    Groups,
    Shuffler,
    de_finetti_bounds,
    inferential_loss,
    posterior_bounds,
    reidentification_bound,
    reidentification_odds,
)


def test_posterior_bounds_move_the_log_odds_by_alpha():
    for prior, alpha in itertools.product((0.01, 0.5, 0.9), (0.0, 0.3, 4.0)):
        low, high = posterior_bounds(prior, alpha)
        odds = math.log(prior / (1 - prior))
        assert math.log(low / (1 - low)) == pytest.approx(odds - alpha)
        assert math.log(high / (1 - high)) == pytest.approx(odds + alpha)
    assert posterior_bounds(0.0, 5.0) == (0.0, 0.0)
    assert posterior_bounds(1.0, 5.0) == (1.0, 1.0)


def test_theorem_4_on_every_bag_and_prior(rng):
    """The attacker knows all outside the group and the bag inside it: the odds of x_i move by at most α."""
    groups = Groups.from_lists([[0, 1, 3], [0, 1], [2], [1, 3]])
    shuffler = Shuffler(alpha=0.9, groups=groups)
    members = groups.members(0)
    worst = 0.0
    for outside, bag in itertools.product((0, 1), ((0, 0, 1), (0, 1, 1))):
        # Reports are the answers here (ε = ∞); a random prior over the arrangements of the bag inside the group.
        worlds = sorted(set(itertools.permutations(bag)))
        prior = rng.dirichlet(np.full(len(worlds), 0.5))
        outputs = np.array(list(itertools.product((0, 1), repeat=4)))
        laws = []
        for world in worlds:
            reports = np.full(4, outside)
            reports[members] = world
            laws.append(np.exp(shuffler.log_prob(outputs, reports)))
        law = np.array(laws)
        ones = np.array([world[0] == 1 for world in worlds])
        before = math.log(prior[ones].sum() / prior[~ones].sum())
        told_one, told_zero = prior[ones] @ law[ones], prior[~ones] @ law[~ones]
        seen = (told_one > 0) & (told_zero > 0)
        worst = max(worst, np.abs(np.log(told_one[seen] / told_zero[seen]) - before).max())
    assert 0.05 < worst <= 0.9 + 1e-9


def test_theorem_5_on_every_guess():
    """k = 1: naming one slot for one owner's report. Pr[loses] ≥ (r − 1)·e^{−(2ε+α)}·Pr[wins]."""
    n, epsilon, alpha = 4, 0.4, 0.7
    groups = Groups.everyone(n)
    front, shuffler = RandomizedResponse(epsilon=epsilon, categories=2), Shuffler(alpha=alpha, groups=groups)
    orders = np.array(list(itertools.permutations(range(n))))
    drawn = np.empty_like(orders)
    drawn[:, shuffler.reference] = orders
    chance = np.exp([shuffler.log_prob(row[None], np.arange(n))[0] for row in drawn])
    assert chance.sum() == pytest.approx(1)
    bound = reidentification_odds(group=n, named=1, epsilon=epsilon, alpha=alpha)
    tightest = math.inf
    for answers in itertools.product((0, 1), repeat=n):
        reports = np.array(list(itertools.product((0, 1), repeat=n)))
        weight = np.exp(front.log_prob(reports, np.array(answers)))
        for seen in itertools.product((0, 1), repeat=n):
            for slot, owner in itertools.product(range(n), repeat=2):
                wins = loses = 0.0
                for row, p in zip(drawn, chance, strict=True):
                    mass = p * weight[(reports[:, row] == seen).all(axis=1)].sum()
                    wins, loses = (wins + mass, loses) if row[slot] == owner else (wins, loses + mass)
                tightest = min(tightest, loses / wins / bound)
    assert 1 <= tightest < 4
    assert reidentification_bound(group=n, named=1, epsilon=epsilon, alpha=alpha) == pytest.approx(1 / (1 + bound))


def test_de_finetti_by_enumeration(rng):
    """One group of everyone: Pr[σ(i) = j] moves by at most e^{±α} under any prior on the order."""
    n, alpha = 4, 0.8
    shuffler = Shuffler(alpha=alpha, groups=Groups.everyone(n))
    orders = np.array(list(itertools.permutations(range(n))))
    law = np.exp([shuffler.log_prob(orders, order) for order in orders])
    for _ in range(20):
        prior = rng.dirichlet(np.full(len(orders), 0.2))
        joint = prior[:, None] * law
        posterior = joint / joint.sum(axis=0)
        for i, j in itertools.product(range(n), repeat=2):
            event = orders[:, i] == j
            low, high = de_finetti_bounds(min(1.0, float(prior[event].sum())), alpha)
            told = posterior[event].sum(axis=0)
            assert low - 1e-12 <= told.min()
            assert told.max() <= high + 1e-12


def test_inferential_loss_is_the_change_of_log_odds():
    """SH16 on two answers that always agree: each also tells the other, so the loss doubles."""
    front = RandomizedResponse(epsilon=1.0, categories=2)
    collection = Collection(front=front)
    answers = list(itertools.product((0, 1), repeat=2))
    seen = np.array([[0, 0]])
    law = np.array([np.exp(collection.log_prob(seen, np.array(a))[0]) for a in answers]).reshape(2, 2)
    independent, equal = np.full((2, 2), 0.25), np.diag([0.3, 0.7])
    assert inferential_loss(independent, law) == pytest.approx(1.0)
    assert inferential_loss(equal, law) == pytest.approx(2.0)
    prior_odds = math.log(0.3 / 0.7)
    posterior = equal * law / (equal * law).sum()
    assert math.log(posterior[0].sum() / posterior[1].sum()) - prior_odds == pytest.approx(2.0)
    assert inferential_loss(independent, np.zeros((2, 2))) == 0
    assert inferential_loss(independent, [[1.0, 1.0], [0.0, 0.0]]) == math.inf


@pytest.mark.parametrize(
    "call",
    [
        lambda: posterior_bounds(1.5, 1.0),
        lambda: posterior_bounds(0.5, -1.0),
        lambda: reidentification_odds(group=10, named=5, epsilon=0.1, alpha=1.0),
        lambda: reidentification_odds(group=10, named=0, epsilon=0.1, alpha=1.0),
        lambda: reidentification_odds(group=10, named=2, epsilon=-0.1, alpha=1.0),
        lambda: de_finetti_bounds(-0.1, 1.0),
        lambda: inferential_loss([0.5, 0.6], [0.1, 0.2]),
        lambda: inferential_loss([0.5, 0.5], [0.1, 0.2, 0.3]),
        lambda: inferential_loss([0.5, 0.5], [0.1, 1.2]),
    ],
)
def test_rejects(call):
    with pytest.raises(InputError):
        call()


def test_bounds_of_a_promise_that_says_nothing():
    assert de_finetti_bounds(0.1, 1000.0) == (0.0, 1.0)
    assert posterior_bounds(0.1, 1000.0) == (0.0, 1.0)
