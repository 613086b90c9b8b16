"""The law by which SynTF replaces words."""

from __future__ import annotations

import math

import numpy as np
import pytest

from helpers.vocabularies import made_up
from sfumato.text import (
    CosineRating,
    ReplacementLaw,
    SynTF,
)


@pytest.mark.parametrize("epsilon", [6.0, 400.0])
def test_draws_with_a_short_head_follow_the_law(monkeypatch, epsilon):
    """The sampler with a head of 20 of 300 words and rejection in the tail, against the exact law.

    At ε = 400 head and tail both have words of the least weight, which must not be counted twice.
    """
    monkeypatch.setattr("sfumato.text.mechanisms.syntf.best_replacements._WHOLE", 100)
    monkeypatch.setattr("sfumato.text.mechanisms.syntf.best_replacements._HEAD", 20)
    law = ReplacementLaw(rating=CosineRating(vocabulary=made_up(300), spelling=0.3), epsilon=epsilon)
    if epsilon > 100:  # weights so that the words of the least weight are drawn often enough to be counted
        law.__dict__["weights"] = np.where(law.weights == 1, 1, 40)
    drawn = law.draw(np.full(200_000, 7), np.random.default_rng(3))
    expected = 200_000 * np.exp(law.log_probs([7])[0])
    counts = np.bincount(drawn, minlength=300)
    heads = law.rating.best
    assert heads.stops[7] - heads.starts[7] <= 20
    assert heads.starts[8] == -1  # nobody asked for this word
    if epsilon > 100:
        assert (law.weights[heads.levels[heads.starts[7] : heads.stops[7]]] == 1).any()
    chi = ((counts - expected) ** 2 / expected).sum()
    assert abs(chi - 299) < 6 * math.sqrt(2 * 299)  # about one false alarm in 10⁸


def test_laws_of_one_rating_share_its_heads_and_pickle_without_them():
    import pickle

    rating = CosineRating(vocabulary=made_up(50))
    for epsilon in (2.0, 20.0):
        syntf = SynTF(epsilon=epsilon, length=30, vocabulary=rating.vocabulary, rating=rating)
        text = " ".join(rating.vocabulary.words[5:9])
        first = syntf.release(text, rng=np.random.default_rng(1))
        assert first == syntf.replace().release(text, rng=np.random.default_rng(1))
    assert (rating.best.starts >= 0).sum() == 4
    assert "best" not in pickle.loads(pickle.dumps(rating)).__dict__


def test_streamed_loss_is_that_of_the_whole_matrix():
    words = made_up(300)
    rating = CosineRating(vocabulary=words)
    law = ReplacementLaw(rating=rating, epsilon=20.0)
    logits = 10 * rating.matrix()
    probs = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
    assert law.loss == pytest.approx((probs.max(axis=0) - probs.min(axis=0)).max(), rel=1e-9)
