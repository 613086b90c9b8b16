"""Attacks and utilities tell raw, local, shuffled and uniform apart (SH12, SH13)."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.mechanism import RandomizedResponse
from sfumato.noise import seeded_rng
from sfumato.study import Raw
from sfumato.survey import (
    BayesianAttack,
    Collection,
    GroupEstimates,
    Groups,
    Learnability,
    LearnedAttack,
    MajorityVoteAttack,
    MapError,
    Prediction,
    Shuffler,
    linked_order,
)
from sfumato.survey.core.local_view import local_shares, unbias, voters
from sfumato.survey.data.survey import Survey, make_hospital_stays, make_incomes
from sfumato.survey.utilities.map_error import cells_of


@pytest.fixture(scope="module")
def survey() -> Survey:
    return make_hospital_stays(1500, sites=60, towns=12, seed=3)


@pytest.fixture(scope="module")
def collections(survey: Survey) -> dict[str, object]:
    front = RandomizedResponse(epsilon=3.0, categories=survey.k)
    order = linked_order(Groups.from_places(survey.where, radius=0), survey.where)
    band = Shuffler(alpha=8.0, groups=Groups.banded(order, reach=3), order=order)
    uniform = Shuffler(alpha=0.0, groups=Groups.everyone(survey.n))
    return {
        "raw": Raw(),
        "local": Collection(front=front),
        "shuffled": Collection(front=front, shuffler=band),
        "uniform": Collection(front=front, shuffler=uniform),
    }


@pytest.mark.parametrize(
    "attack", [MajorityVoteAttack(radius=10.0, repeats=10), BayesianAttack(radius=10.0), LearnedAttack(trees=10)]
)
def test_attacks_are_ordered_by_protection(attack, survey, collections):
    found = {}
    for name, mechanism in collections.items():
        release = mechanism.release(survey, rng=seeded_rng(1))
        found[name] = attack.attack(survey, release, mechanism=mechanism, rng=seeded_rng(2))
        assert 0 <= found[name].low <= found[name].value <= found[name].high <= 1
    assert found["raw"].value > found["local"].value - 0.02
    assert found["local"].value > found["uniform"].value + 0.05
    assert found["shuffled"].value > found["uniform"].value - 0.02
    # Nothing is told by a uniform shuffle but the overall mix, which the attacker knows.
    assert found["uniform"].value < found["uniform"].reference + 0.06


@pytest.mark.parametrize(
    "utility",
    [Learnability(radius=10.0, trees=15), GroupEstimates(radius=10.0), MapError(cells=6), Prediction(trees=15)],
)
def test_utilities_are_ordered_by_what_is_kept(utility, survey, collections):
    sign = 1 if utility.better == "lower" else -1
    value = {
        name: sign * utility.measure(survey, mechanism.release(survey, rng=seeded_rng(1)), rng=seeded_rng(2)).value
        for name, mechanism in collections.items()
    }
    assert value["raw"] <= value["local"] + 0.02
    assert value["local"] < value["shuffled"] + 0.02
    assert value["shuffled"] < value["uniform"] + 0.02
    assert value["local"] < value["uniform"]


def test_learnability_ends(survey):
    """λ = 0 would be perfect; the overall mix in place of every local one is what uniform shuffling leaves."""
    exact = Learnability(radius=10.0, trees=30).measure(survey, survey, rng=seeded_rng(0)).value
    assert exact < 0.5
    constant = survey.with_answers(np.zeros(survey.n, int))
    assert Learnability(radius=1e6).measure(constant, constant, rng=seeded_rng(0)).value == pytest.approx(0, abs=1e-9)


def test_who_knows_the_friends_guesses_better():
    """Circles of ten who agree, at places that tell nothing: 73 % of the reports are true, most of every circle."""
    answers = np.repeat(seeded_rng(5).integers(0, 2, 120), 10)
    survey = Survey(answers, seeded_rng(6).random(1200), ["yes", "no"])
    friends = Groups.from_lists([np.arange(i - i % 10, i - i % 10 + 10) for i in range(1200)])
    local = Collection(front=RandomizedResponse(epsilon=1.0, categories=2))
    release = local.release(survey, rng=seeded_rng(7))
    scores = [
        LearnedAttack(fellows=fellows).attack(survey, release, mechanism=local, rng=seeded_rng(8)).value
        for fellows in (None, friends)
    ]
    assert scores[1] > scores[0] + 0.05
    with pytest.raises(InputError, match="1200"):
        LearnedAttack(fellows=Groups.alone(5)).attack(survey, release, mechanism=local, rng=seeded_rng(8))


@pytest.mark.parametrize("n", [40, 60, 76, 200])
def test_learnability_of_a_plain_map_whatever_the_order_of_the_owners(n):
    """Two halves that answer differently: sorted by place, as a command has them, or mixed; few owners, too."""
    for seed in range(3):
        where = np.arange(n, dtype=float)
        answers = ((where >= n / 2) ^ (seeded_rng(seed).random(n) < 0.05)).astype(np.int64)
        survey = Survey(answers, where, ["yes", "no"])
        for order in (np.arange(n), seeded_rng(seed).permutation(n)):
            same = survey.arranged(order)
            assert Learnability(radius=3.0).measure(same, same, rng=seeded_rng(0)).value < 0.6


def test_unbiased_learnability_is_better_under_strong_noise(survey):
    noisy = Collection(front=RandomizedResponse(epsilon=1.0, categories=survey.k)).release(survey, rng=seeded_rng(0))
    plain = Learnability(radius=10.0, trees=15, unbiased=False).measure(survey, noisy, rng=seeded_rng(0)).value
    undone = Learnability(radius=10.0, trees=15).measure(survey, noisy, rng=seeded_rng(0)).value
    assert undone < plain


def test_voters_are_near_and_most_alike(rng):
    survey = make_incomes(400, seed=1)
    targets = np.array([3, 77, 250])
    found = voters(survey, targets, 2.0, 9, rng)
    age, side = survey.where[:, 0], survey.privileged[:, 0]
    for target, row in zip(targets, found, strict=True):
        row = row[row >= 0]
        assert target in row
        assert (abs(age[row] - age[target]) <= 2).all()
        near = np.flatnonzero(abs(age - age[target]) <= 2)
        alike = np.sort(abs(side[near] - side[target]))[: row.size]
        np.testing.assert_allclose(np.sort(abs(side[row] - side[target])), alike)
    alone = Survey(np.array([0, 1]), np.array([0.0, 9.0]), ["a", "b"])
    assert voters(alone, np.array([0, 1]), 1.0, 3, rng).tolist() == [[0, -1, -1], [1, -1, -1]]


def test_local_shares_and_their_unbiasing(rng):
    survey = Survey(np.array([0, 0, 1, 1]), np.array([0.0, 1.0, 2.0, 9.0]), ["a", "b"])
    np.testing.assert_allclose(local_shares(survey, np.array([0, 3, 1]), 1.0), [[1, 0], [0, 1], [2 / 3, 1 / 3]])
    channel = np.array([[0.7, 0.3], [0.3, 0.7]])
    np.testing.assert_allclose(unbias(np.array([[0.7, 0.3], [0.1, 0.9]]), channel), [[1, 0], [0, 1]], atol=1e-12)


def test_cells_of_a_map():
    assert cells_of(np.array([[0.0, 0.0], [1.0, 1.0], [0.4, 0.9]]), 2).tolist() == [0, 3, 1]
    assert cells_of(np.array([[5.0], [5.0]]), 4).tolist() == [0, 0]


def test_a_vote_on_the_rare_answer_only(rng):
    survey = make_incomes(2000, seed=2)
    attack = MajorityVoteAttack(radius=2.0, answer=1, repeats=5)
    release = survey.with_answers(survey.answers)
    assert attack.attack(survey, release, rng=rng).reference == 0
    with pytest.raises(InputError, match="somebody"):
        MajorityVoteAttack(radius=2.0, answer=5).attack(survey, release, rng=rng)


def test_one_release_without_its_mechanism_can_be_attacked(survey):
    release = survey.with_answers(survey.answers)
    assert MajorityVoteAttack(radius=0.0, votes=1).attack(survey, release, rng=seeded_rng(0)).value == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: MajorityVoteAttack(radius=-1.0),
        lambda: MajorityVoteAttack(radius=1.0, votes=0),
        lambda: MajorityVoteAttack(radius=1.0, needed=0.0),
        lambda: BayesianAttack(radius=1.0, repeats=0),
        lambda: LearnedAttack(trees=0),
        lambda: Learnability(radius=-1.0),
        lambda: GroupEstimates(radius=1.0, owners=0),
        lambda: MapError(cells=0),
        lambda: Prediction(merge=0),
    ],
)
def test_rejects_parameters(make):
    with pytest.raises(InputError):
        make()


def test_rejects_a_release_of_others(survey):
    other = make_hospital_stays(500, sites=60)
    for call in (
        lambda: MajorityVoteAttack(radius=1.0).attack(survey, other),
        lambda: BayesianAttack(radius=1.0).attack(survey, other),
        lambda: LearnedAttack().attack(survey, other),
        lambda: GroupEstimates(radius=1.0).measure(survey, other),
        lambda: MapError().measure(survey, np.zeros(3)),
    ):
        with pytest.raises(InputError):
            call()
