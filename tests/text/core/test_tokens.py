"""Words of a text."""

from __future__ import annotations

from sfumato.text import (
    bag_of_words,
)


def test_bag_of_words_of_the_thesis():
    text = "Deep down in the ocean, small fish clean the mouths of large fish."
    expected = {"Deep": 1, "down": 1, "in": 1, "the": 2, "ocean": 1, "small": 1, "fish": 2, "clean": 1, "mouths": 1}
    assert bag_of_words(text, drop_stop_words=False) == expected | {"of": 1, "large": 1}


def test_stop_words_are_those_of_scikit_learn():
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    from sfumato.text import stop_words

    assert stop_words() == ENGLISH_STOP_WORDS
