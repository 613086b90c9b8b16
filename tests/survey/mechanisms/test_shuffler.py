"""Algorithm 1: conventions, exact privacy loss, certificates (SH7, SH8, SH14)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest

from helpers.slow_shuffling import random_groups
from sfumato.auditor.auditor import audit
from sfumato.errors import InputError
from sfumato.mechanism import RandomizedResponse
from sfumato.promise import NoGuarantee, PureDP, compose
from sfumato.survey import Collection, Groups, ShufflePrivacy, Shuffler
from sfumato.survey.examples import group_pairs, permutations_of


def largest_loss(shuffler: Shuffler, reports: np.ndarray, groups: Groups) -> float:
    """The largest log-ratio over all outputs and all rearrangements inside one group."""
    outputs = permutations_of(reports)
    base = shuffler.log_prob(outputs, reports)
    pairs = group_pairs(reports, groups)
    return max((float(np.abs(base - shuffler.log_prob(outputs, other)).max()) for _, other in pairs), default=0.0)


def test_permutation_conventions_of_the_worked_examples(monkeypatch):
    # §5.1: σ = (1 3 5 4 2), x = ⟨21, 33, 45, 65, 67⟩ ⇒ σ(x) = ⟨21, 45, 67, 65, 33⟩, σ⁻¹ = (1 5 2 4 3)
    sigma = np.array([1, 3, 5, 4, 2]) - 1
    assert np.array([21, 33, 45, 65, 67])[sigma].tolist() == [21, 45, 67, 65, 33]
    assert (np.argsort(sigma) + 1).tolist() == [1, 5, 2, 4, 3]
    # σ₀ = (5 2 3 8 4 1 6 7), σ̇ = (3 2 5 4 8 1 7 6) ⇒ z = (y1 y2 y5 y8 y3 y7 y6 y4)
    reference, drawn = np.array([5, 2, 3, 8, 4, 1, 6, 7]) - 1, np.array([3, 2, 5, 4, 8, 1, 7, 6]) - 1
    shuffler = Shuffler(alpha=1.0, groups=Groups.everyone(8), order=reference)
    monkeypatch.setattr("sfumato.survey.mechanisms.shuffler.sample_mallows", lambda *args, **options: drawn)
    assert shuffler.release(np.arange(1, 9)).tolist() == [1, 2, 5, 8, 3, 7, 6, 4]


@pytest.mark.parametrize("metric", ["kendall", "hamming"])
def test_the_loss_is_theta_times_the_exact_sensitivity(metric, rng):
    """SH7 by enumeration at n ≤ 6: the largest log-ratio equals θΔ = α, never more."""
    for n in (3, 4, 5, 5, 6):
        groups = random_groups(n, rng)
        shuffler = Shuffler(alpha=1.3, groups=groups, metric=metric, order="bfs")
        loss = largest_loss(shuffler, np.arange(n), groups)
        assert loss == pytest.approx(1.3 if shuffler.sensitivity else 0.0, rel=1e-9)
        repeated = rng.integers(0, 2, n)
        assert largest_loss(shuffler, repeated, groups) <= 1.3 + 1e-9


def test_the_printed_sensitivity_is_valid_and_looser(rng):
    groups = Groups.from_lists([[0, 4], [1], [2], [3], [0, 4]])
    exact = Shuffler(alpha=1.0, groups=groups, order=np.arange(5))
    printed = exact.replace(sensitivity_form="printed")
    assert (exact.sensitivity, printed.sensitivity) == (7, 10)
    assert largest_loss(printed, np.arange(5), groups) == pytest.approx(0.7)
    assert exact.theta > printed.theta


def test_certificates_of_owners_and_of_other_groups(rng):
    groups = Groups.from_lists([[0, 1, 2], [1], [2, 3], [3], [3, 4, 5], [5]])
    shuffler = Shuffler(alpha=2.0, groups=groups, order="bfs")
    for owner in range(6):
        alone = Groups.from_lists([groups.members(i).tolist() if i == owner else [i] for i in range(6)])
        assert shuffler.certificates[owner] == pytest.approx(largest_loss(shuffler, np.arange(6), alone), abs=1e-9)
        assert shuffler.certify(alone).alpha == pytest.approx(shuffler.certificates[owner], rel=1e-12)
    assert shuffler.certificates.max() == pytest.approx(2.0)
    wider = Groups.everyone(6)
    promise = shuffler.certify(wider)
    assert promise.alpha == pytest.approx(shuffler.theta * 15)
    assert largest_loss(shuffler, np.arange(6), wider) == pytest.approx(promise.alpha)
    with pytest.raises(InputError, match="same 6 owners"):
        shuffler.certify(Groups.alone(5))


def test_ends_of_the_dial(rng):
    reports = rng.integers(0, 100, 30)
    local = Shuffler(alpha=math.inf, groups=Groups.everyone(30))
    np.testing.assert_array_equal(local.release(reports), reports)
    assert isinstance(local.guarantee, NoGuarantee)
    with pytest.raises(InputError, match="moves nothing"):
        local.certify(Groups.everyone(30))
    alone = Shuffler(alpha=1.0, groups=Groups.alone(30))
    assert alone.theta == math.inf
    np.testing.assert_array_equal(alone.release(reports), reports)
    assert alone.certificates.max() == 0
    assert isinstance(alone.guarantee, NoGuarantee)
    uniform = Shuffler(alpha=0.0, groups=Groups.from_places(rng.random(4), radius=0.1))
    law = uniform.log_prob(permutations_of(np.arange(4)), np.arange(4))
    np.testing.assert_allclose(law, -math.log(24))


def test_law_agrees_with_draws(rng):
    """Chi-square over the 60 rearrangements of five reports, two of them equal; false alarm once in 10⁴ seeds."""
    from scipy.stats import chi2

    reports = np.array([0, 1, 1, 2, 3])
    shuffler = Shuffler(alpha=2.0, groups=Groups.from_places([0.0, 3.0, 1.0, 2.0, 4.0], radius=1))
    outputs = permutations_of(reports)
    law = np.exp(shuffler.log_prob(outputs, reports))
    assert law.sum() == pytest.approx(1)
    drawn = reports[shuffler.draw(size=40_000, rng=rng)]
    code = 4 ** np.arange(5)
    counts = np.array([np.count_nonzero(drawn @ code == key) for key in outputs @ code])
    assert ((counts - 40_000 * law) ** 2 / (40_000 * law)).sum() < chi2.isf(1e-4, len(law) - 1)


def test_rows_of_reports_are_moved_together(rng):
    shuffler = Shuffler(alpha=1.0, groups=Groups.everyone(6))
    rows = np.arange(12).reshape(6, 2)
    released = shuffler.release(rows, rng=rng)
    np.testing.assert_array_equal(released[:, 1] - released[:, 0], 1)
    law = shuffler.log_prob(np.array([rows, rows[::-1]]), rows)
    assert np.isfinite(law).all()
    words = np.array(["a", "b", "c", "d", "e", "f"])
    assert sorted(shuffler.release(words, rng=rng)) == sorted(words)
    assert np.isfinite(shuffler.log_prob(words[None], words)).all()


def test_impossible_outputs_have_no_probability():
    shuffler = Shuffler(alpha=1.0, groups=Groups.everyone(3))
    assert shuffler.log_prob([[0, 1, 1], [9, 9, 9]], [0, 1, 2]).tolist() == [-math.inf] * 2
    assert np.isfinite(shuffler.log_prob([[1, 1, 0]], [0, 1, 1])).all()


def test_exact_law_of_equal_reports_has_its_limit():
    shuffler = Shuffler(alpha=1.0, groups=Groups.everyone(9))
    with pytest.raises(InputError, match="at most 8"):
        shuffler.log_prob(np.zeros((1, 9), int), np.zeros(9, int))


@pytest.mark.parametrize(
    "changes",
    [
        {"alpha": -1.0},
        {"alpha": math.nan},
        {"alpha": "4"},
        {"alpha": True},
        {"groups": [[0], [1]]},
        {"metric": "cayley"},
        {"order": "sorted"},
        {"order": [0, 1]},
        {"sensitivity_form": "rough"},
        {"sensitivity_form": "printed", "metric": "hamming"},
    ],
)
def test_rejects_parameters(changes):
    with pytest.raises(InputError):
        Shuffler(**{"alpha": 1.0, "groups": Groups.everyone(3), **changes})


def test_rejects_reports_that_do_not_match_the_owners():
    shuffler = Shuffler(alpha=1.0, groups=Groups.everyone(3))
    for reports in ([1, 2], [1, 2, 3, 4], 1, None):
        with pytest.raises(InputError, match="3 owners"):
            shuffler.release(reports)
        with pytest.raises(InputError, match="3 owners"):
            Collection(front=RandomizedResponse(epsilon=1.0, categories=5), shuffler=shuffler).release(reports)
    with pytest.raises(InputError, match="one shape"):
        shuffler.release([[1], [1, 2], [3]])
    with pytest.raises(InputError, match="output"):
        shuffler.log_prob([[1, 2]], [1, 2, 3])


def test_promise_knows_which_inputs_it_covers():
    groups = Groups.from_lists([[0, 1], [0, 1], [2, 3], [2, 3]])
    promise = ShufflePrivacy(0.5, groups, PureDP(0.4, unit="answer", model="local"))
    x = np.array([1, 2, 3, 3])
    assert promise.loss_bound(x, x) == 0
    assert promise.loss_bound(x, np.array([2, 1, 3, 3])) == 0.5  # inside one group: α, which is less than 2ε
    assert promise.loss_bound(x, np.array([3, 2, 1, 3])) == 0.8  # across groups: two answers, 2ε
    assert promise.loss_bound(x, np.array([1, 2, 3, 0])) == 0.4
    assert promise.loss_bound(x, np.array([1, 2, 3])) == math.inf
    pairs = np.array([[1, 1], [2, 2], [3, 3], [3, 3]])  # two answers each
    assert promise.loss_bound(pairs, np.where(pairs == 2, 0, pairs)) == 0.8
    assert ShufflePrivacy(0.5, groups).loss_bound(x, np.array([3, 2, 1, 3])) == math.inf
    assert promise == ShufflePrivacy(0.5, Groups.from_lists([[0, 1], [0, 1], [2, 3], [2, 3]]), promise.local)


def test_promises_compose_for_the_same_groups():
    groups = Groups.everyone(5)
    local = PureDP(1.0, unit="answer", model="local")
    both = compose(ShufflePrivacy(0.5, groups, local), ShufflePrivacy(1.0, groups, local))
    assert (both.alpha, both.epsilon) == (1.5, 2.0)
    assert compose(ShufflePrivacy(0.5, groups), ShufflePrivacy(1.0, groups, local)).local is None
    with pytest.raises(InputError, match="same groups"):
        compose(both, ShufflePrivacy(1.0, Groups.alone(5)))
    with pytest.raises(InputError, match=r"unit|one currency"):
        compose(both, local)


@pytest.mark.parametrize("wrong", [{"alpha": -1.0}, {"groups": 3}, {"local": NoGuarantee("x")}])
def test_promise_rejects(wrong):
    with pytest.raises(InputError):
        ShufflePrivacy(**{"alpha": 1.0, "groups": Groups.alone(2), **wrong})


def test_collection_states_what_holds():
    front = RandomizedResponse(epsilon=2.0, categories=2)
    groups = Groups.everyone(3)
    assert Collection(front=front).guarantee == front.guarantee
    assert isinstance(Collection().guarantee, NoGuarantee)
    shuffled = Collection(shuffler=Shuffler(alpha=1.0, groups=groups)).guarantee
    assert isinstance(shuffled, ShufflePrivacy)
    assert shuffled.local is None
    assert Collection(front=front, shuffler=Shuffler(alpha=math.inf, groups=groups)).guarantee == front.guarantee
    alone = Shuffler(alpha=1.0, groups=Groups.alone(3))
    assert Collection(front=front, shuffler=alone).guarantee == front.guarantee
    assert isinstance(Collection(shuffler=alone).guarantee, NoGuarantee)
    mixing = Shuffler(alpha=1.0, groups=groups)  # not an owner's own: α would not carry over to the answers
    for wrong in ({"front": 3}, {"front": mixing}, {"shuffler": 3}):
        with pytest.raises(InputError):
            Collection(**wrong)


def test_collection_rejects_answers_outside_the_categories():
    collection = Collection(
        front=RandomizedResponse(epsilon=2.0, categories=3), shuffler=Shuffler(alpha=1.0, groups=Groups.everyone(3))
    )
    for answers in ([0, 1, 3], [0, 1, -1], [0, 1]):
        with pytest.raises(InputError):
            collection.release(np.array(answers))


def test_every_promise_of_the_room_is_met():
    from sfumato.survey.room import ROOM

    for case in ROOM.audits():
        found = audit(case, rng=np.random.default_rng(0), confidence=1 - 1e-6)
        assert found.verdict == "holds", found


def test_numbers_of_any_kind_are_an_alpha():
    for alpha in (np.int64(2), np.float32(2), 2):
        assert Shuffler(alpha=alpha, groups=Groups.everyone(2)).theta == math.nextafter(2.0, 0)
    narrow = Shuffler(alpha=np.float32(4.1), groups=Groups.everyone(3))
    assert narrow.theta * 3 <= float(np.float32(4.1))


def test_the_specimens_are_caught():
    from specimens.survey import CASES

    for case in CASES:
        assert audit(case, rng=np.random.default_rng(0)).verdict == "broken"
    # The n = 5 example of the spec: log-ratio 1.517 for α = 1.3.
    assert audit(CASES[0], rng=np.random.default_rng(0)).found == pytest.approx(1.3 * 7 / 6)


@pytest.mark.parametrize("metric", ["kendall", "hamming"])
def test_several_reports_of_one_person_add_up(metric: str) -> None:
    """By enumeration: reports rearranged inside the groups of two owners, one after the other, cost at most 2α."""
    groups = Groups.from_lists([[0, 1], [0, 1], [2, 3], [2, 3], [1, 4]])
    shuffler = Shuffler(alpha=1.5, groups=groups, metric=metric)  # type: ignore[arg-type]
    reports = np.arange(5)
    outputs = permutations_of(reports)
    base, worst = shuffler.log_prob(outputs, reports), 0.0
    for first, second in itertools.product(range(5), repeat=2):
        for one in _rearranged(reports, groups.members(first)):
            for both in _rearranged(one, groups.members(second)):
                worst = max(worst, float(np.abs(base - shuffler.log_prob(outputs, both)).max()))
    promised = shuffler.guarantee.over(2, unit="person")
    assert shuffler.alpha + 1e-9 < worst <= promised.alpha + 1e-9  # type: ignore[union-attr]


def _rearranged(reports: np.ndarray, members: np.ndarray) -> Iterator[np.ndarray]:
    for order in itertools.permutations(members.tolist()):
        moved = reports.copy()
        moved[members] = reports[list(order)]
        yield moved
