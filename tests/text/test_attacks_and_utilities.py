"""Attacks on protected texts, and what is left of them."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.text import (
    AuthorshipAttack,
    Corpus,
    RetrievalUtility,
    SentimentUtility,
    SimilarityUtility,
    SynTF,
    TopicUtility,
    VerificationAttack,
)
from sfumato.text.data.letters import make_letters_corpus, make_letters_vocabulary


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return make_letters_corpus(authors=6, letters=18)


@pytest.mark.parametrize("features", ["writeprints", "characters", "words"])
def test_raw_letters_give_their_authors_away(corpus, features):
    score = AuthorshipAttack(features=features).attack(corpus, corpus, rng=np.random.default_rng(0))
    assert score.value > 3 * score.reference
    assert score.low <= score.value <= score.high


def test_syntf_keeps_the_topic_and_loses_the_author(corpus):
    rng = np.random.default_rng(1)
    vocabulary = make_letters_vocabulary()
    release = SynTF(epsilon=10.0, length=60, vocabulary=vocabulary).release(corpus, rng=rng)
    attack = AuthorshipAttack().attack(corpus, release, rng=rng)
    topic = TopicUtility().measure(corpus, release, rng=rng)
    assert topic.value > 0.9
    assert attack.value < 0.5 < AuthorshipAttack().attack(corpus, corpus, rng=rng).value
    assert SimilarityUtility(vocabulary=vocabulary).measure(corpus, release).value > 0.9
    assert VerificationAttack().attack(corpus, release).value < VerificationAttack().attack(corpus, corpus).value


def test_fewer_suspects_are_easier(corpus):
    release = SynTF(epsilon=15.0, length=60, vocabulary=make_letters_vocabulary()).release(
        corpus, rng=np.random.default_rng(1)
    )
    few, all_ = (AuthorshipAttack(suspects=k).attack(corpus, release, rng=np.random.default_rng(2)) for k in (2, None))
    assert few.value > all_.value
    assert few.reference == 0.5
    with pytest.raises(InputError, match="suspects"):
        AuthorshipAttack(suspects=7).attack(corpus, release, rng=np.random.default_rng(2))


def test_utilities_of_the_raw_data_are_their_reference(corpus):
    for one in (TopicUtility(), TopicUtility(learner="svm", metric="f1"), SentimentUtility(), RetrievalUtility()):
        score = one.measure(corpus, corpus, rng=np.random.default_rng(0))
        assert score.value == pytest.approx(score.reference)


def test_releases_without_words_are_no_error(corpus):
    empty = corpus.with_texts([""] * len(corpus))
    assert AuthorshipAttack().attack(corpus, empty, rng=np.random.default_rng(0)).value < 0.5
    assert VerificationAttack().attack(corpus, empty).value == pytest.approx(0.5)
    assert 0 <= TopicUtility().measure(corpus, empty, rng=np.random.default_rng(0)).value < 1


def test_attacks_need_a_corpus(corpus):
    with pytest.raises(InputError, match="Corpus"):
        AuthorshipAttack().attack(list(corpus.texts), corpus)
    with pytest.raises(InputError, match="one text for each"):
        TopicUtility().measure(corpus, make_letters_corpus(authors=2, letters=3))
