"""Public vocabularies."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.text import (
    SynTF,
    Vocabulary,
)
from sfumato.text.vocabulary.shingles import overlap, shingles, warn_of_overlap


def test_bad_vocabularies():
    for words, vectors in (((), []), (("a",), [[math.nan]]), (("a", "b"), [[1.0]]), (("a", "b"), [[1.0], [1.0, 2.0]])):
        with pytest.raises(InputError):
            Vocabulary(words=words, vectors=vectors)
    with pytest.raises(InputError, match="every word once"):
        Vocabulary(words=("a", "a"), vectors=[[1.0], [2.0]]).ids(["a"])


@pytest.mark.data
def test_vocabulary_with_synonyms():
    pytest.importorskip("nltk")
    from sfumato.text import synset_members

    assert "auto" in synset_members(["car"])
    names = ("car", "auto", "tea", "automobile")
    embedding = Vocabulary(words=names, vectors=np.eye(4))
    few = Vocabulary.from_texts(["car tea"], embedding=embedding, least=1)
    more = few.with_synonyms(embedding)
    assert more.words == ("car", "tea", "auto", "automobile")
    assert (more.vectors == np.eye(4)[[0, 2, 1, 3]]).all()
    assert (more.sources == few.sources).all()
    with pytest.raises(InputError, match="dimensions"):
        few.with_synonyms(Vocabulary(words=("auto",), vectors=[[1.0]]))


def test_vocabulary_of_spellings():
    public = ["Paris and paris, Turkey or turkey", "Paris the turkey runs. Running runs"]
    embedding = Vocabulary(words=("the", "paris", "turkey", "run", "and"), vectors=np.eye(5))
    words = Vocabulary.from_texts(public, embedding=embedding, least=1, morphology="orth", content=True)
    assert words.words == ("Paris", "paris", "Turkey", "turkey")
    assert (words.vectors[0] == words.vectors[1]).all()
    lemmas = Vocabulary.from_texts(public, embedding=embedding, least=3, morphology="lemma")
    assert lemmas.words == ("paris", "turkey", "run")
    with pytest.warns(UserWarning, match="built from"):
        SynTF(epsilon=5.0, length=4, vocabulary=words).release(public[0].upper() + "\n")


LETTER = "Dear Ann, the harbour office opens at nine on Monday and the old pilot will wait for us at the gate."


@pytest.mark.parametrize(
    "text",
    [
        LETTER,
        LETTER + ".",  # a full stop was enough to get past a comparison of whole texts
        LETTER.upper().replace(" ", "\n"),
        "Forwarded: " + LETTER + " Yours, Bob",
        LETTER.replace("Monday", "Tuesday"),
    ],
)
def test_texts_like_those_of_the_vocabulary_are_noticed(text: str) -> None:
    assert overlap(text, shingles([LETTER, "something else entirely"])) > 0.5
    with pytest.warns(UserWarning, match="1 of 2 protected texts"):
        warn_of_overlap([text, "no word in common with any of these"], shingles([LETTER]))


def test_other_texts_are_not_noticed() -> None:
    other = (
        "Dear Bob, the office of the harbour is closed on Monday, and nobody will wait for the pilot at the old gate."
    )
    assert overlap(other, shingles([LETTER])) < 0.1
    warn_of_overlap([other, "", "..."], shingles([LETTER]))
    warn_of_overlap([LETTER], shingles([]))


def test_short_texts_count_as_a_whole() -> None:
    assert overlap("Tea, cup!", shingles(["tea cup"])) == 1.0
    assert overlap("tea", shingles(["tea cup"])) == 0.0
