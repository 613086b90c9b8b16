"""What word-level mechanisms promise, and how these promises add up."""

from __future__ import annotations

import math

import pytest

from sfumato.errors import InputError
from sfumato.promise import MetricDP, PureDP, compose
from sfumato.text import BagPrivacy, CandidatePrivacy, SynTF, TruncatedExponential, WordLaplace, WordPrivacy
from sfumato.text.examples import PLANE

GROUPS = CandidatePrivacy(2.0, PLANE, bytes(4 * 7))
ALL = [WordPrivacy(2.0, PLANE), WordPrivacy(2.0, PLANE, cap=0.5), BagPrivacy(2.0, PLANE), GROUPS]


@pytest.mark.parametrize("promise", ALL, ids=str)
def test_two_releases_lose_twice_as_much(promise):
    both = compose(promise, promise)
    assert type(both) is type(promise)
    assert both.epsilon == 4.0
    assert both.loss_bound("cat dog", "dog dog") == pytest.approx(2 * promise.loss_bound("cat dog", "dog dog"))


@pytest.mark.parametrize("promise", ALL, ids=str)
def test_no_radius_states_them(promise):
    """Their distance is that of whole texts, which a radius in one metric does not bound."""
    assert not isinstance(promise, MetricDP)
    assert not hasattr(promise, "within")
    with pytest.raises(InputError, match="per_text"):
        promise.over(3)
    with pytest.raises(InputError, match="per_text"):
        promise.as_approx(1e-6)


@pytest.mark.parametrize("promise", ALL, ids=str)
def test_a_ledger_is_told_why_they_cannot_be_its_budget(promise):
    assert promise.obstacle == ""
    assert "cannot write down" in promise.budget_obstacle
    for budget in (PureDP(100.0, unit=promise.unit), MetricDP(100.0, "euclidean", unit=promise.unit)):
        with pytest.raises(InputError, match="payable"):
            budget.price(promise)


@pytest.mark.parametrize("promise", ALL, ids=str)
def test_words_say_that_the_number_of_words_is_seen(promise):
    assert "They see" in promise.words or "knows how many words" in promise.words


def test_distances_do_not_mix():
    with pytest.raises(InputError, match="distance"):
        compose(WordPrivacy(1.0, PLANE), WordPrivacy(1.0, PLANE, distance="Mahalanobis"))
    with pytest.raises(InputError, match="vocabulary"):
        compose(WordPrivacy(1.0, PLANE), WordPrivacy(1.0, PLANE.top(3)))


def test_negative_epsilon_is_refused():
    with pytest.raises(InputError, match="epsilon"):
        WordPrivacy(-1.0, PLANE)


@pytest.mark.parametrize("promise", ALL[:3], ids=str)
def test_no_two_texts_lose_more_than_the_total_says(promise):
    words = [*PLANE.words, "zebra"]
    per_unit, most = promise.per_text(1)
    assert per_unit.epsilon == 2.0
    assert max(promise.loss_bound(a, b) for a in words for b in words) <= most.epsilon
    assert promise.per_text(7)[1].epsilon == pytest.approx(7 * most.epsilon)


def test_words_of_two_sets_can_be_told_apart():
    within_set, between = GROUPS.per_text(3)
    assert within_set.epsilon == 6.0
    assert math.isinf(between.epsilon)


def test_mechanisms_say_what_a_text_loses():
    assert WordLaplace(epsilon=2.0, vocabulary=PLANE).text_losses(5)[0].epsilon == 10.0
    capped = TruncatedExponential(epsilon=2.0, vocabulary=PLANE, truncation=0.5).text_losses(5)
    assert capped[1].epsilon == 5.0
    syntf = SynTF(epsilon=2.0, length=5, vocabulary=PLANE)
    totals = {loss.counted: loss.epsilon for loss in syntf.text_losses(5)}
    assert totals["tight (ℓ)"] == syntf.guarantee.epsilon
    assert totals["nominal (ε)"] == 10.0
