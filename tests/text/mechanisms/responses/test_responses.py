"""Responses with public texts: the laws of addenda §4, exact draws, authors as a whole, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.promise import PureDP, compose
from sfumato.text import (
    NeighbourhoodResponse,
    PublicPool,
    ResponsePrivacy,
    TopicResponse,
    accuracy_ceiling,
)
from sfumato.text.data.letters import make_letters_corpus, make_letters_pool
from sfumato.text.examples import POOL, response_cases
from sfumato.text.mechanisms.responses.neighbourhood_response import most_informative


def pool_of(topics: int, each: int = 1) -> PublicPool:
    """One word for each topic; ``each`` texts with it."""
    texts = [f"word{k}x " * (copy + 1) for k in range(topics) for copy in range(each)]
    return PublicPool.of(texts, topics=[f"topic {k:03}" for k in range(topics) for _ in range(each)])


@pytest.mark.parametrize(("epsilon", "highest"), [(1.0, 0.125), (3.0, 0.514), (5.0, 0.887), (10.0, 0.999)])
def test_no_analyst_exceeds_the_ceiling_and_the_response_reaches_it(epsilon, highest):
    response = TopicResponse(epsilon=epsilon, pool=pool_of(20))
    p = math.exp(epsilon) / (math.exp(epsilon) + 19)
    assert accuracy_ceiling(epsilon, 20) == pytest.approx(highest, abs=5e-4)
    assert response.truth == pytest.approx(p, rel=1e-8) == pytest.approx(response.ceiling, rel=1e-8)
    assert response.leakage == pytest.approx(20 * p, rel=1e-8)
    assert response.leakage <= min(math.exp(epsilon), 20)


@pytest.mark.parametrize(("epsilon", "texts", "nearest"), [(10.0, 1000, 1), (3.0, 200, 10), (1.0, 50, 25)])
def test_the_law_of_neighbourhoods(epsilon, texts, nearest):
    response = NeighbourhoodResponse(epsilon=epsilon, pool=pool_of(texts), nearest=nearest)
    weight = nearest * math.exp(epsilon)
    p = weight / (weight + texts - nearest)
    assert response.truth == pytest.approx(p, rel=1e-8)
    assert response.leakage == pytest.approx(p * texts / nearest, rel=1e-8)


@pytest.mark.parametrize("epsilon", [1e-3, 0.7, 5.0, 19.9, 30.0, 40.0])
def test_weights_are_whole_numbers_whose_ratio_is_at_most_the_promise(epsilon):
    response = TopicResponse(epsilon=epsilon, pool=pool_of(5))
    high, base = response.weights
    assert isinstance(high, int)
    assert response.total < 2**62
    # e^ε between two rational bounds by its series, so that nothing rests on a rounded exponential
    term, total, x = Fraction(1), Fraction(1), Fraction(epsilon)
    for k in range(1, 400):
        term *= x / k
        total += term
    assert Fraction(high, base) <= total + term
    assert Fraction(high + 1, base) > total


def test_a_budget_beyond_all_numbers_is_refused():
    with pytest.raises(InputError, match="2⁶²"):
        TopicResponse(epsilon=60.0, pool=POOL)


@pytest.mark.parametrize("case", response_cases(), ids=lambda case: case.label)
def test_every_output_is_enumerated(case):
    mechanism = case.mechanism
    for text in {text for pair in case.pairs for text in pair}:
        assert np.exp(mechanism.log_prob(case.outputs, text)).sum() == pytest.approx(1.0)
    law = np.stack([mechanism.log_prob(case.outputs, text) for pair in case.pairs for text in pair])
    assert (law.max(axis=0) - law.min(axis=0)).max() == pytest.approx(mechanism.epsilon, abs=1e-8)
    assert np.exp(law.max(axis=0)).sum() <= mechanism.leakage * (1 + 1e-9)
    assert np.isneginf(mechanism.log_prob(["no text of the pool"], "my dog")).all()


@pytest.mark.parametrize("case", response_cases(), ids=lambda case: case.label)
def test_what_is_drawn_follows_the_law(case):
    """χ² over six outputs, 20 000 draws; false alarm below 1e-6 for each."""
    mechanism = case.mechanism
    drawn = mechanism.release(["stock, bond, share"] * 20_000, rng=np.random.default_rng(5))
    counts = np.array([drawn.count(text) for text in case.outputs])
    wanted = 20_000 * np.exp(mechanism.log_prob(case.outputs, "stock, bond, share"))
    assert ((counts - wanted) ** 2 / wanted).sum() < 40


def test_the_promise_has_two_sides():
    promise = TopicResponse(epsilon=5.0, pool=pool_of(20)).guarantee
    assert promise.cost().amounts.keys() == {"epsilon", "leakage"}
    assert promise.leakage == pytest.approx(math.log(20 * accuracy_ceiling(5.0, 20)), rel=1e-6)
    assert "17.7 times" in str(promise)
    assert "the pool" in str(promise)
    both = compose(promise, promise)
    assert (both.epsilon, both.leakage) == pytest.approx((10.0, 2 * promise.leakage))
    assert promise.over(3, unit="person").leakage == pytest.approx(3 * promise.leakage)
    budget = PureDP(8.0, unit="document", neighbours="any-pair", model="local")
    assert float(budget.price(promise).amounts["epsilon"]) == 5.0
    with pytest.raises(InputError, match="leakage"):
        ResponsePrivacy(1.0, 1.5)


def test_an_author_as_a_whole_is_better_told_than_one_text():
    corpus = make_letters_corpus(authors=12, letters=12)
    pool = make_letters_pool()
    response = TopicResponse(epsilon=30.0, pool=pool)
    people = [[t for t, own in zip(corpus.texts, corpus.authors, strict=True) if own == a] for a in set(corpus.authors)]
    released = response.release_people(people, rng=np.random.default_rng(0))
    assert len(released) == len(people)
    best = [pool.names[int(response.summaries(texts).mean(axis=0).argmax())] for texts in people]
    assert response.stated(released) == best  # at ε = 30 the truth is told
    with pytest.raises(InputError, match="at least one text"):
        response.release_people([[]], rng=np.random.default_rng(0))


def test_a_text_is_answered_the_same_in_any_company():
    """Float similarities may not depend on what else is released, or one document would move another."""
    corpus = make_letters_corpus(authors=3, letters=9)
    for response in (
        TopicResponse(epsilon=1.0, pool=make_letters_pool()),
        NeighbourhoodResponse(epsilon=1.0, pool=make_letters_pool(), nearest=3),
    ):
        together = response.favourites(response.summaries(list(corpus.texts)))
        alone = [response.favourites(response.summaries([text]))[0] for text in corpus.texts]
        assert (together == np.array(alone)).all()


def test_overlap_of_pool_and_texts_is_said():
    with pytest.warns(UserWarning, match=r"pool of public texts .* 1 of 2 protected texts"):
        TopicResponse(epsilon=1.0, pool=POOL).release(["a cat and a dog", "quite another text"])


def test_the_information_passes_where_randomised_response_says():
    assert round(100_000 / most_informative(1.0, 100_000)) == 3
    assert 15 < 100_000 / most_informative(4.0, 100_000) < 18
    assert 1500 < 100_000 / most_informative(10.0, 100_000) < 3000
    assert most_informative(50.0, 100) == 1


def test_pools_are_checked():
    for texts, message in ((["one"], "at least two"), (["a", "a"], "each text once"), (["a", " "], "each text once")):
        with pytest.raises(InputError, match=message):
            PublicPool(texts=texts)
    with pytest.raises(InputError, match="one for each"):
        PublicPool.of(["a", "b"], topics=["x"])
    with pytest.raises(InputError, match="at least two topics"):
        TopicResponse(epsilon=1.0, pool=PublicPool.of(["a", "b"]))
    with pytest.raises(InputError, match="PublicPool"):
        NeighbourhoodResponse(epsilon=1.0, pool=["a", "b"])
    with pytest.raises(InputError, match="nearest"):
        NeighbourhoodResponse(epsilon=1.0, pool=POOL, nearest=6)
    with pytest.raises(InputError, match="that the card names"):
        POOL.check_card(pool_of(3).to_card())
    POOL.check_card(POOL.to_card())
