"""Which raw text is behind a release: exact laws, ties, and what maximal leakage allows."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.text import (
    BagExponential,
    CandidateExponential,
    Corpus,
    LinkageAttack,
    NeighbourhoodResponse,
    Scrubber,
    SynTF,
    TopicResponse,
    WordExponential,
    WordLaplace,
)
from sfumato.text.attacks.linkage import _hits
from sfumato.text.data.letters import make_letters_corpus, make_letters_pool, make_letters_vocabulary
from sfumato.text.examples import PLANE, bags, small_rating

WORDS = make_letters_vocabulary()


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return make_letters_corpus(authors=6, letters=20)


@pytest.mark.parametrize(
    "mechanism",
    [
        SynTF(epsilon=25.0, length=60, vocabulary=WORDS),
        WordExponential(epsilon=8.0, vocabulary=WORDS),
        WordLaplace(epsilon=12.0, vocabulary=WORDS),
        CandidateExponential(epsilon=3.0, vocabulary=WORDS),
        Scrubber(),
    ],
    ids=lambda mechanism: type(mechanism).__name__,
)
def test_a_large_epsilon_hides_no_text_from_whoever_holds_it(corpus, mechanism):
    release = mechanism.release(corpus, rng=np.random.default_rng(0))
    score = LinkageAttack().attack(corpus, release, mechanism=mechanism, rng=np.random.default_rng(1))
    assert score.value > 0.9
    assert score.reference == 1 / 120


def test_the_likelihood_is_the_law():
    syntf = SynTF(epsilon=3.0, length=3, vocabulary=PLANE.top(4), rating=small_rating())
    outputs, inputs = bags(PLANE.words[:4], 3), ["cat", "cat dog dog", "nothing known"]
    ours = syntf.log_likelihood(outputs, inputs)
    exact = np.stack([syntf.log_prob(outputs, text) for text in inputs], axis=1)
    constant = exact[:, :1] - ours[:, :1]  # the number of orders of a bag is the same for all inputs
    assert np.allclose(exact, ours + constant, atol=1e-4)
    words = WordExponential(epsilon=2.0, vocabulary=PLANE)
    pairs = [" ".join(pair) for pair in itertools.product(PLANE.words, repeat=2)]
    found = words.log_likelihood(pairs, ["cat dog", "dog cat", "cat"])
    assert np.allclose(np.exp(found[:, :2]).sum(axis=0), 1.0)
    assert np.isneginf(found[:, 2]).all()  # two words are never released for one
    alone = [words.log_prob(list(PLANE.words), one) for one in ("cat", "dog")]
    assert np.allclose(found[:, 0].reshape(6, 6), alone[0][:, None] + alone[1][None])
    bag = BagExponential(epsilon=2.0, vocabulary=PLANE)
    assert np.isneginf(bag.log_likelihood(["cat"], ["cat dog"])).all()


@pytest.mark.parametrize("kind", [TopicResponse, NeighbourhoodResponse])
@pytest.mark.parametrize("epsilon", [1.0, 5.0])
def test_linkage_never_exceeds_the_leakage(corpus, kind, epsilon):
    """The expectation over all releases: (1/N)·Σ_y max_i Pr[y|x_i] ≤ leakage/N."""
    response = kind(epsilon=epsilon, pool=make_letters_pool())
    answers = list(response.pool.texts)
    likelihood = response.log_likelihood(answers, list(corpus.texts)) + response.log_shares()[:, None]
    best = float(np.exp(likelihood).max(axis=1).sum()) / len(corpus)
    assert best <= response.leakage / len(corpus) * (1 + 1e-9)
    assert response.leakage <= math.exp(epsilon) * (1 + 1e-9)
    values = [
        LinkageAttack()
        .attack(corpus, response.release(corpus, rng=np.random.default_rng(seed)), mechanism=response)
        .value
        for seed in range(5)
    ]
    assert np.mean(values) <= best + 0.05


def test_ties_never_help():
    assert _hits(np.zeros((4, 4))).tolist() == [0.25] * 4
    assert _hits(np.array([[1.0, 2.0], [2.0, 2.0]])).tolist() == [0.0, 0.5]
    assert _hits(np.full((2, 2), -np.inf)).tolist() == [0.5, 0.5]


def test_the_order_of_rows_links_them(corpus):
    attack = LinkageAttack(by="order")
    kept = corpus.with_texts([""] * len(corpus), order=np.arange(len(corpus)))
    assert attack.attack(corpus, kept).value == 1.0
    shuffled = corpus.with_texts([""] * len(corpus), order=np.random.default_rng(0).permutation(len(corpus)))
    assert attack.attack(corpus, shuffled).value < 0.1
    with pytest.raises(InputError, match="the place of each text"):
        attack.attack(corpus, corpus)


def test_fewer_candidates_are_easier(corpus):
    syntf = SynTF(epsilon=8.0, length=20, vocabulary=WORDS)
    release = syntf.release(corpus, rng=np.random.default_rng(0))
    few, many = (
        np.mean(
            [
                LinkageAttack(candidates=n)
                .attack(corpus, release, mechanism=syntf, rng=np.random.default_rng(seed))
                .value
                for seed in range(5)
            ]
        )
        for n in (3, 120)
    )
    assert few > many
