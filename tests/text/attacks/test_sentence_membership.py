"""Sentence membership and inversion: bounded by the promise, and more than chance where nothing is protected."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.noise import seeded_rng
from sfumato.text import Corpus, DeepCandidate, InversionAttack, LinkageAttack, SentenceMembershipAttack
from sfumato.text.data.letters import make_letters, make_letters_corpus, make_letters_pool


def deep(epsilon: float, unit: str = "sentence") -> DeepCandidate:
    return DeepCandidate(epsilon=epsilon, pool=make_letters_pool(), encoder="tfidf", by="topics", most=20, unit=unit)


@pytest.mark.parametrize(("epsilon", "unit"), [(0.5, "sentence"), (3.0, "sentence"), (3.0, "document")])
def test_nobody_tells_a_sentence_more_often_than_the_promise_allows(epsilon, unit):
    data, shares, mechanism = make_letters_corpus(authors=4, letters=18), [], deep(epsilon, unit)
    for seed in range(4):
        release = mechanism.release(data, rng=seeded_rng(seed))
        found = SentenceMembershipAttack().attack(data, release, mechanism=mechanism, rng=seeded_rng(seed))
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
    nearest = InversionAttack(by="sentence")
    strong = deep(20.0, "document")
    told = nearest.attack(data, strong.release(data, rng=seeded_rng(1)), mechanism=strong, rng=seeded_rng(1))
    assert told.value > told.reference
    with pytest.raises(InputError, match="private retrieval"):
        nearest.attack(data, data, rng=seeded_rng(1))
    blank = replace(data, texts=["the of"] * len(data))
    with pytest.raises(InputError, match="words"):
        InversionAttack().attack(blank, blank, rng=seeded_rng(1))


def test_whoever_holds_the_texts_names_them_at_a_budget_per_sentence_and_not_at_one_per_document():
    """Linkage by likelihood: the default cannot exceed its leakage; ε per sentence is no protection."""
    made = make_letters(authors=4, letters=30, length=150)
    data = Corpus(texts=made.texts, authors=made.authors, topics=made.topics, train=made.train)
    linked = {}
    for unit in ("sentence", "document"):
        mechanism = deep(5.0, unit)
        hits = [
            LinkageAttack()
            .attack(data, mechanism.release(data, rng=seeded_rng(seed)), mechanism=mechanism, rng=seeded_rng(seed))
            .value
            for seed in range(3)
        ]
        linked[unit] = np.mean(hits)
    bound = math.exp(deep(5.0, "document").guarantee.leakage) / len(data)
    assert linked["document"] < bound + 0.08  # 360 tries: more than three standard deviations
    assert linked["sentence"] > linked["document"]
