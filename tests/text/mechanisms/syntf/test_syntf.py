"""SynTF (Weggenmann S1–S4)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.promise import Assumption, NoGuarantee, PureDP
from sfumato.promise.amount import multiply_up
from sfumato.text import (
    MatrixRating,
    SynTF,
    Vocabulary,
    eta_bound,
)
from sfumato.text.examples import PLANE, bags, small_rating


def test_exact_enumeration_of_all_outputs():
    """L = 4, n = 3, ε = 3: the worst log-ratio over all pairs and bags is 4.3506 = nℓ; η-bound 6.474, nominal 9."""
    words = PLANE.top(4)
    syntf = SynTF(epsilon=3.0, length=3, vocabulary=words, rating=small_rating())
    outputs = bags(words.words, 3)
    documents = [" ".join(d) for n in (1, 2) for d in itertools.combinations_with_replacement(words.words, n)]
    laws = np.array([syntf.log_prob(outputs, document) for document in [*documents, "nothing known"]])
    assert np.exp(laws).sum(axis=1) == pytest.approx(1)
    worst = (laws.max(axis=0) - laws.min(axis=0)).max()
    assert worst == pytest.approx(4.3506, abs=5e-5)
    promise = PureDP(multiply_up(3, syntf.law.loss), unit="document", neighbours="any-pair", model="local")
    assert syntf.guarantee == promise.assuming(Assumption("vocabulary"))
    assert 3 * syntf.law.loss == pytest.approx(worst, rel=1e-9)
    assert 3 * syntf.law.loss >= worst
    assert 3 * eta_bound(3.0, 4) == pytest.approx(6.474, abs=5e-4)
    assert syntf.budget["nominal"] == (3.0, 9.0)


def test_multinomial_form_has_the_same_law_and_no_promise():
    rng = np.random.default_rng(2)
    two = SynTF(epsilon=8.0, length=40, vocabulary=PLANE)
    one = two.replace(form="multinomial")
    assert isinstance(one.guarantee, NoGuarantee)
    text = "cat dog dog share"
    expected = 2000 * 40 * two.composition(text)
    for mechanism in (two, one):
        counts = np.zeros(len(PLANE))
        for released in mechanism.release([text] * 2000, rng=rng):
            counts += np.bincount(PLANE.ids(released.split()), minlength=len(PLANE))
        chi = ((counts - expected) ** 2 / expected).sum()
        assert chi < 40  # 5 degrees of freedom: one false alarm in 10⁶


def test_sparse_counts_sum_to_n():
    matrix = SynTF(epsilon=8.0, length=15, vocabulary=PLANE).counts(
        ["cat", "", "dog share"], rng=np.random.default_rng(0)
    )
    assert matrix.shape == (3, 6)
    assert matrix.sum(axis=1).A1.tolist() == [15, 15, 15] if hasattr(matrix.sum(axis=1), "A1") else True
    assert (np.asarray(matrix.sum(axis=1)).ravel() == 15).all()


def test_empty_documents_are_released_like_any_other():
    syntf = SynTF(epsilon=8.0, length=12, vocabulary=PLANE)
    for text in ("", "1234 !!!", "xylophone"):
        assert len(syntf.release(text, rng=np.random.default_rng(0)).split()) == 12
    assert syntf.composition("") == pytest.approx(np.mean([syntf.composition(word) for word in PLANE.words], axis=0))


@pytest.mark.parametrize(
    "bad",
    [
        {"epsilon": 0.0},
        {"epsilon": math.nan},
        {"length": 0},
        {"length": 1.5},
        {"spelling": -0.1},
        {"range_mode": "stretch"},
        {"form": "fast"},
        {"morphology": "stem"},
        {"vocabulary": None},
        {"rating": MatrixRating(ratings=np.zeros((2, 2)))},
    ],
)
def test_bad_parameters(bad):
    with pytest.raises(InputError):
        SynTF(**{"epsilon": 1.0, "length": 3, "vocabulary": PLANE, **bad})


def test_vocabulary_from_the_protected_documents_is_noticed():
    public = ["the cat and the dog", "a dog and a cat and stock"]
    words = Vocabulary.from_texts(public, embedding=PLANE, least=1)
    assert words.words == ("cat", "dog", "stock")
    syntf = SynTF(epsilon=5.0, length=4, vocabulary=words)
    with pytest.warns(UserWarning, match="built from"):
        syntf.release(["dog", public[0] + "."], rng=np.random.default_rng(0))
    assert str(syntf.guarantee).endswith("provided that the vocabulary is public")
    forced = syntf.replace(own_documents=True).release(public, rng=np.random.default_rng(0))
    assert len(forced) == 2
    assert isinstance(syntf.replace(own_documents=True).guarantee, NoGuarantee)
    assert isinstance(syntf.guarantee, PureDP)
    assert isinstance(SynTF(epsilon=5.0, length=4, vocabulary=PLANE, own_documents=True).guarantee, PureDP)
    with pytest.raises(InputError, match="language"):
        Vocabulary.from_texts(["mia katto kaj hundo"], embedding=PLANE)
