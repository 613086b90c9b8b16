"""Promises as tables and as phrases."""

from __future__ import annotations

import pytest

from sfumato.errors import InputError
from sfumato.promise import KAnonymity
from sfumato.table import (
    LDiversity,
    PopulationUniqueness,
    RecursiveDiversity,
    ReidentificationRisk,
    TCloseness,
)
from sfumato.table.promise.base import ClassSize, TablePromise
from sfumato.table.promise.notation import PROMISES, make_promise, parse_promise


def test_promises_in_words() -> None:
    expected = {
        "k-anonymity k=4": KAnonymity(4),
        "l-diversity l=3 column=illness": LDiversity(3, "illness"),
        "l-diversity l=2.5 column='the illness' variant=entropy": LDiversity(2.5, "the illness", "entropy"),
        "recursive-diversity c=2 l=3 column=illness allowed=flu,cold": RecursiveDiversity(
            2, 3, "illness", allowed=["flu", "cold"]
        ),
        "t-closeness t=0.2 column=illness distance=ordered": TCloseness(0.2, "illness", "ordered"),
        "risk limit=0.05 attacker=marketer": ReidentificationRisk(0.05, "marketer"),
        "uniqueness limit=0.01 population=5000 estimator=zayatz": PopulationUniqueness(
            0.01, population=5000, estimator="zayatz"
        ),
    }
    for phrase, promise in expected.items():
        assert parse_promise(phrase) == promise
    for message, phrase in {
        "one of 'k-anonymity', 'l-diversity'": "m-diversity m=2",
        "expected limit; say limit=": "risk attacker=marketer",
        r"parameter = 'unit'": "k-anonymity k=2 unit=word",
        "each parameter once": "k-anonymity k=2 k=3",
        "as name=value": "k-anonymity 5",
        "a name and parameters": "",
        r"promise 'risk': attacker = 'bob'": "risk limit=0.1 attacker=bob",
        r"'k-anonymity': k = 'two'": "k-anonymity k=two",
    }.items():
        with pytest.raises(InputError, match=message):
            parse_promise(phrase)


def test_promises_as_tables() -> None:
    assert make_promise({"kind": "k-anonymity", "k": 4}) == KAnonymity(4)
    assert make_promise({"kind": "l-diversity", "l": 2.5, "column": "s", "variant": "entropy"}) == (
        LDiversity(2.5, "s", "entropy")
    )
    assert make_promise({"kind": "recursive-diversity", "c": 2, "l": 3, "column": "s", "allowed": ["a"]}) == (
        RecursiveDiversity(2, 3, "s", allowed=["a"])
    )
    for message, wrong in {
        "promise = 'beauty'": {"kind": "beauty"},
        r"expected \[\[promise\]\] with kind": {"k": 5},
        "expected k; say k=": {"kind": "k-anonymity"},
        "expected one of l, column, variant": {"kind": "l-diversity", "m": 2},
        "'k-anonymity': k = 'two'": {"kind": "k-anonymity", "k": "two"},
        "promise = 'k-anonymity k=2'": "k-anonymity k=2",
    }.items():
        with pytest.raises(InputError, match=message):
            make_promise(wrong)  # type: ignore[arg-type]


def test_every_promise_can_be_written() -> None:
    """A promise without a name in files would be reachable from Python alone."""

    def kinds(base: type) -> set[type]:
        return {base, *(kind for child in base.__subclasses__() for kind in kinds(child))}

    concrete = {
        kind
        for kind in kinds(TablePromise)
        if kind.__module__.startswith("sfumato.") and not getattr(kind, "__abstractmethods__", None)
    }
    assert concrete - set(PROMISES.values()) == {ClassSize, *(k for k in concrete if k.__name__ == "AllOf")}
