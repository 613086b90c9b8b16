"""What a card holds, and that nothing else is read as one."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InputError
from sfumato.promise import ApproxDP, Assumption, KAnonymity, NoGuarantee, PureDP
from sfumato.release import Card, Column, Content, Method, Person, Risk, Use
from sfumato.release.card import promise_record

PROMISES = [
    PureDP(0.5, unit="user"),
    ApproxDP(1.0, 1e-6).assuming(Assumption("bounds", source="codebook 2021")),
    KAnonymity(5),
    NoGuarantee("name lists miss names"),
]


def card(**changes: Any) -> Card:
    made = Card(kind="statistic", promise=promise_record(PureDP(1.0)), mechanism=Method(name="mean"))
    return replace(made, **changes)


@pytest.mark.parametrize("promise", PROMISES, ids=lambda promise: type(promise).__name__)
def test_a_promise_comes_back_from_the_card(promise: Any) -> None:
    read = Card.from_json(card(promise=promise_record(promise)).to_json())
    assert read.guarantee == promise
    assert read.promise["words"] == promise.words
    assert read.promise["syntactic"] == promise.syntactic


numbers = st.floats(allow_nan=True, allow_infinity=True)


@given(st.text(), numbers, numbers, st.lists(st.text(), max_size=3))
def test_every_card_comes_back(words: str, score: float, low: float, listed: list[str]) -> None:
    made = card(
        release=Content(rows=3, columns=tuple(Column(name=name, role="kept") for name in listed)),
        risk=(Risk(attack=words, score=score, low=low, criterion="inference"),),
        utility=(Use(use=words, metric="lower", value=score),),
        people=(Person(role="decided", name=words),),
        not_covered=tuple(listed),
    )
    read = Card.from_json(made.to_json())
    assert read.release == made.release
    assert read.people == made.people
    assert read.signed_bytes() == made.signed_bytes()
    assert read.risk[0].score == score or (math.isnan(score) and math.isnan(read.risk[0].score))


CHANGES: dict[str, Any] = {
    "schema_version": 2,
    "kind": 7,
    "promise": {"kind": "PureDP", "parameters": {"epsilon": -1.0}, "statement": "ε", "words": ""},
    "mechanism": {"name": "mean", "randomness": "lucky"},
    "release": {"rows": "many"},
    "risk": {"attack": "a"},
    "unheard_of": 1,
    "people": [{"role": "decided"}],
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_wrong_field_is_named(name: str) -> None:
    values = json.loads(card().to_json())
    values[name] = CHANGES[name]
    with pytest.raises(InputError):
        Card.from_json(json.dumps(values))


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '{"schema_version": 1}', "[" * 3000])
def test_what_is_no_card_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        Card.from_json(text)


def test_a_promise_without_plain_parameters_has_words_only() -> None:
    record = promise_record(PureDP(1.0)) | {"parameters": None}
    assert Card.from_json(card(promise=record).to_json()).guarantee is None


def test_equal_cards_are_signed_alike_whatever_the_order_of_keys() -> None:
    made = card(promise=dict(reversed(promise_record(PureDP(1.0)).items())))
    assert made.signed_bytes() == replace(made, promise=promise_record(PureDP(1.0))).signed_bytes()
