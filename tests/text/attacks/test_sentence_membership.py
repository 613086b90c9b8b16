"""Sentence membership and inversion: bounded by the promise, and more than chance where nothing is protected."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.noise import seeded_rng
from sfumato.text import DeepCandidate, InversionAttack, SentenceMembershipAttack
from sfumato.text.data.letters import make_letters_corpus, make_letters_pool


def deep(epsilon: float) -> DeepCandidate:
    return DeepCandidate(epsilon=epsilon, pool=make_letters_pool(), encoder="tfidf", by="topics", most=20)


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_nobody_tells_a_sentence_more_often_than_the_promise_allows(epsilon):
    data, shares = make_letters_corpus(authors=4, letters=18), []
    for seed in range(4):
        release = deep(epsilon).release(data, rng=seeded_rng(seed))
        found = SentenceMembershipAttack().attack(data, release, mechanism=deep(epsilon), rng=seeded_rng(seed))
        assert found.reference == 0.5
        shares.append(found.value)
    most = math.exp(epsilon) / (1 + math.exp(epsilon))
    assert 0.4 < np.mean(shares) < most + 0.1  # 288 tries: more than three standard deviations


def test_a_large_budget_gives_sentences_away():
    data = make_letters_corpus(authors=4, letters=18)
    release = deep(60.0).release(data, rng=seeded_rng(1))
    assert SentenceMembershipAttack().attack(data, release, mechanism=deep(60.0), rng=seeded_rng(1)).value > 0.55


def test_a_law_is_needed_and_two_documents():
    data = make_letters_corpus(authors=2, letters=3)
    with pytest.raises(InputError, match="law is known"):
        SentenceMembershipAttack().attack(data, data, rng=seeded_rng(1))
    single = replace(data, texts=["one sentence"] * len(data))
    with pytest.raises(InputError, match="two sentences"):
        SentenceMembershipAttack().attack(single, single, mechanism=deep(1.0), rng=seeded_rng(1))


def test_inversion_recovers_what_was_left():
    data = make_letters_corpus(authors=4, letters=9)
    whole = InversionAttack().attack(data, data, rng=seeded_rng(1))
    assert whole.value == 1.0 > whole.reference
    found = InversionAttack().attack(data, deep(1.0).release(data, rng=seeded_rng(1)), rng=seeded_rng(1))
    assert found.value < 0.7
    blank = replace(data, texts=["the of"] * len(data))
    with pytest.raises(InputError, match="words"):
        InversionAttack().attack(blank, blank, rng=seeded_rng(1))
