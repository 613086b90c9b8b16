"""METEOR, perplexity and the Earth Mover's distance of protected texts."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.text import MeteorUtility, MoverUtility, PerplexityUtility, TripleModel, meteor, positional_distance
from sfumato.text.data.letters import make_letters_corpus, make_letters_vocabulary


def test_meteor_of_worked_examples():
    """Identity is 1 but for the one run; no common word is 0; order costs; a missing word costs recall."""
    words = "the cat sat on the mat"
    assert meteor(words, words) == pytest.approx(1 - 0.5 / 6**3)
    assert meteor(words, "") == 0.0
    assert meteor(words, "dogs bark") == 0.0
    assert meteor(words, "mat the on sat cat the") < meteor(words, words)
    # two of three words in one run: P = 1, R = 2/3, F = 10·(2/3)/(2/3 + 9), less ½·(1/2)³
    assert meteor("one two three", "one two") == pytest.approx(10 * (2 / 3) / (2 / 3 + 9) * (1 - 0.5 / 8))
    assert meteor("rewriting there", "rewrites there") == pytest.approx(1 - 0.5 / 8)


def test_chances_of_the_next_word_add_up():
    texts = ["the cat sat", "the dog sat down", "a cat ran"]
    model = TripleModel(texts)
    vocabulary = {word for text in texts for word in text.split()} | {"</s>", "<unknown>"}
    for before in (("<s>", "<s>"), ("<s>", "the"), ("the", "cat"), ("never", "seen")):
        assert sum(model._chance((*before, word)) for word in vocabulary) == pytest.approx(1.0)


def test_perplexity_prefers_the_language_of_the_corpus():
    letters = make_letters_corpus(authors=3, letters=12)
    rng = np.random.default_rng(0)
    mixed = letters.with_texts([" ".join(rng.permutation(text.split())) for text in letters.texts])
    utility = PerplexityUtility()
    same, other = (utility.measure(letters, one) for one in (letters, mixed))
    assert same.value == same.reference < other.value


def test_the_best_pairing_is_never_farther_than_that_of_places():
    letters, words = make_letters_corpus(authors=2, letters=6), make_letters_vocabulary()
    utility = MoverUtility(vocabulary=words)
    assert utility.measure(letters, letters).value == pytest.approx(0.0, abs=1e-9)
    turned = letters.with_texts([" ".join(reversed(text.split())) for text in letters.texts])
    assert utility.measure(letters, turned).value == pytest.approx(0.0, abs=1e-9)
    ids = words.text_ids(letters.texts[0])
    assert positional_distance(words.points(ids), words.points(ids[::-1])) > 0.1
    assert MeteorUtility().measure(letters, letters).value > 0.999
