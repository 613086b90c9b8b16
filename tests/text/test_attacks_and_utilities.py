"""Attacks on protected texts, and what is left of them."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.text import (
    AuthorshipAttack,
    CooccurrenceUtility,
    Corpus,
    PrivateSkipGram,
    RetrievalUtility,
    SentimentUtility,
    SimilarityUtility,
    SynTF,
    TopicUtility,
    TrainingMembershipAttack,
    VerificationAttack,
)
from sfumato.text.data.letters import make_letters_corpus, make_letters_vocabulary


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return make_letters_corpus(authors=6, letters=18)


def test_syntf_keeps_the_topic_and_loses_the_author(corpus):
    rng = np.random.default_rng(1)
    vocabulary = make_letters_vocabulary()
    syntf = SynTF(epsilon=10.0, length=60, vocabulary=vocabulary)
    release = syntf.release(corpus, rng=rng)
    attack = AuthorshipAttack(copies=4).attack(corpus, release, mechanism=syntf, rng=rng)
    topic = TopicUtility().measure(corpus, release, rng=rng)
    assert topic.value > 0.9
    raw = AuthorshipAttack(learns_from="raw").attack(corpus, corpus, rng=rng)
    assert attack.value < 0.5 < raw.value
    assert SimilarityUtility(vocabulary=vocabulary).measure(corpus, release).value > 0.9
    assert VerificationAttack().attack(corpus, release).value < VerificationAttack().attack(corpus, corpus).value


def test_utilities_of_the_raw_data_are_their_reference(corpus):
    topics = TopicUtility(), TopicUtility(adaptive=False), TopicUtility(learner="svm", metric="f1")
    for one in (*topics, SentimentUtility(), RetrievalUtility()):
        score = one.measure(corpus, corpus, rng=np.random.default_rng(0))
        assert score.value == pytest.approx(score.reference)


def test_releases_without_words_are_no_error(corpus):
    empty = corpus.with_texts([""] * len(corpus))
    learned = AuthorshipAttack(learns_from="releases").attack(corpus, empty, rng=np.random.default_rng(0))
    assert learned.value <= learned.reference  # a tie goes to the most prolific author
    assert VerificationAttack().attack(corpus, empty).value == pytest.approx(0.5)
    assert 0 <= TopicUtility().measure(corpus, empty, rng=np.random.default_rng(0)).value < 1


def test_attacks_need_a_corpus(corpus):
    with pytest.raises(InputError, match="Corpus"):
        AuthorshipAttack().attack(list(corpus.texts), corpus)
    with pytest.raises(InputError, match="one text for each"):
        TopicUtility().measure(corpus, make_letters_corpus(authors=2, letters=3))


PAIRS = 30


def gossips() -> tuple[tuple[str, ...], dict[str, list[str]]]:
    """People who each have two words that nobody else uses, beside two that all use."""
    words = tuple(f"w{chr(97 + k // 26)}{chr(97 + k % 26)}" for k in range(2 * PAIRS + 2))
    people = {
        f"person {k}": [f"{words[2 * k]} {words[2 * k + 1]} " * 6, f"{words[-2]} {words[-1]} " * 3]
        for k in range(PAIRS)
    }
    return words, people


@pytest.mark.parametrize(("epsilon", "low", "high"), [(1e5, 0.95, 1.0), (0.5, 0.2, 0.8)])
def test_membership_is_found_without_noise_only(epsilon, low, high):
    pytest.importorskip("torch", reason="PyTorch is not installed (the neural extra)")
    words, people = gossips()
    sizes = {"dimension": 8, "steps": 30, "rate": 1.0, "learning_rate": 30.0, "window": 1}
    model = PrivateSkipGram(vocabulary=words, epsilon=epsilon, delta=1e-5, expected_users=PAIRS, **sizes)
    vectors = model.release(people, rng=np.random.default_rng(0))
    scores = [
        TrainingMembershipAttack().attack(people, vectors, mechanism=model, rng=np.random.default_rng(seed))
        for seed in range(3)
    ]
    assert low <= np.median([score.value for score in scores]) <= high
    assert scores[0].reference == 0.5


def test_membership_needs_the_method_and_people_to_leave_out():
    pytest.importorskip("torch", reason="PyTorch is not installed (the neural extra)")
    words, people = gossips()
    vectors = np.ones((len(words), 2))
    with pytest.raises(InputError, match="PrivateSkipGram"):
        TrainingMembershipAttack().attack(people, vectors)
    model = PrivateSkipGram(vocabulary=words, epsilon=1.0, delta=1e-5, expected_users=2)
    few = {name: people[name] for name in list(people)[:3]}
    with pytest.raises(InputError, match="at least 4"):
        TrainingMembershipAttack().attack(few, vectors, mechanism=model)


def test_vectors_of_neighbours_are_told_from_vectors_at_random():
    words, people = gossips()
    near = np.repeat(np.random.default_rng(0).normal(size=(PAIRS + 1, 40)), 2, axis=0)  # pairs share a direction
    measure = CooccurrenceUtility(words=words, window=1)
    good = measure.measure(people, near, rng=np.random.default_rng(1))
    assert good.value > 0.9
    assert good.reference > 0.9
    blind = np.random.default_rng(2).normal(size=near.shape)
    assert 0.3 < measure.measure(people, blind, rng=np.random.default_rng(1)).value < 0.7
    with pytest.raises(InputError, match="one for each of the"):
        measure.measure(people, near[1:])
    with pytest.raises(InputError, match="language of the vocabulary"):
        measure.measure({"ann": ["quite other words"]}, near)


def test_a_stated_topic_is_not_taken_for_a_mood(corpus):
    """The static analyst takes the topic at its word only where topics are asked for, and reads the text elsewhere."""
    from dataclasses import replace

    stated = replace(corpus.with_texts(corpus.texts), stated=corpus.topics)
    static = SentimentUtility(adaptive=False)
    assert TopicUtility(adaptive=False).measure(corpus, stated).value == 1.0
    assert static.measure(corpus, stated).value == static.measure(corpus, corpus).value > 0.5


@pytest.mark.parametrize("text", ["", "..."])
def test_releases_without_a_word_name_nobody(corpus, text):
    """Nothing can be learned from them, and no attacker stumbles over that."""
    blank = corpus.with_texts([text] * len(corpus))
    for features in (("characters", "words", "style", "length"), ("style", "content"), ("content",)):
        attack = AuthorshipAttack(learns_from="releases", features=features)
        score = attack.attack(corpus, blank, rng=np.random.default_rng(0))
        assert score.value == pytest.approx(score.reference)
