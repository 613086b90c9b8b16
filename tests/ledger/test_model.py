"""A ledger under two names, in step with a dictionary, whatever is asked of it and whatever killed writers leave."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import BudgetError, InputError
from sfumato.ledger import Ledger
from sfumato.promise import KAnonymity, PureDP

pytestmark = pytest.mark.skipif(not hasattr(os, "link"), reason="needs hard links")

names = st.sampled_from([f"subject {i}" for i in range(8)])
thousandths = st.integers(1, 900)
actions = st.one_of(
    st.tuples(st.just("set"), names, thousandths),
    st.tuples(st.just("spend"), names, thousandths),
    st.tuples(st.just("spend together"), st.lists(names, min_size=1, max_size=4), thousandths),
    st.tuples(st.just("record"), names, st.none()),
    st.tuples(st.just("half a line"), st.floats(0, 1, exclude_max=True), st.sampled_from([0, 3])),
)


class Model:
    """What a ledger should hold, in thousandths of ε."""

    def __init__(self) -> None:
        self.budget: dict[str, int] = {}
        self.spent: Counter[str] = Counter()
        self.unpaid: Counter[str] = Counter()
        self.entries = 0

    def fits(self, subjects: list[str], cost: int) -> bool:
        wanted = self.spent + Counter({name: count * cost for name, count in Counter(subjects).items()})
        return all(wanted[name] <= self.budget[name] for name in subjects)


def leave_half_a_line(path: Path, share: float, zeros: int) -> None:
    content = path.read_bytes()
    last = content.splitlines(keepends=True)[-1]
    if content.endswith(b"\n"):  # a writer cuts off what another left before it writes itself
        with path.open("ab") as file:
            file.write(last[: int(share * len(last))] + bytes(zeros))


def act(ledger: Ledger, model: Model, action: tuple[str, Any, Any]) -> None:
    kind, subject, amount = action
    if kind == "half a line":
        leave_half_a_line(ledger.path, subject, amount)
    elif kind == "record":
        ledger.record(subject, KAnonymity(2))
        model.unpaid[subject] += 1
        model.entries += 1
    elif kind == "set":
        if amount < model.spent[subject]:
            with pytest.raises(InputError, match="at least what is spent"):
                ledger.set(subject, PureDP(amount / 1000))
        else:
            ledger.set(subject, PureDP(amount / 1000))
            model.budget[subject] = amount
            model.entries += 1
    else:
        subjects: list[str] = subject if kind == "spend together" else [subject]
        cost = PureDP(amount / 1000)
        if not set(subjects) <= model.budget.keys():
            with pytest.raises((InputError, BudgetError)):
                ledger.spend_all(subjects, cost)
        elif not model.fits(subjects, amount):
            with pytest.raises(BudgetError):
                ledger.spend_all(subjects, cost)
        else:
            entries = ledger.spend_all(subjects, cost)
            model.spent.update({name: count * amount for name, count in Counter(subjects).items()})
            model.entries += len(subjects)
            assert entries[-1].id == model.entries


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.booleans(), actions), max_size=30))
def test_a_ledger_is_in_step_with_a_dictionary(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[bool, tuple[str, Any, Any]]]
) -> None:
    folder, model = tmp_path_factory.mktemp("model"), Model()
    with Ledger(folder / "one.db") as one:
        os.link(one.path, folder / "two.db")
        with Ledger(folder / "two.db") as two:
            for second, action in steps:
                act(two if second else one, model, action)
            for ledger in (one, two):
                assert {b.subject: b.spent for b in ledger.balances()} == {
                    name: PureDP(model.spent[name] / 1000) for name in model.budget
                }
                assert set(ledger.subjects()) == model.budget.keys() | model.unpaid.keys()
                for name in ledger.subjects():
                    assert sum(not entry.paid for entry in ledger.releases(name)) == model.unpaid[name]
                assert ledger.verify(one.anchor()).count == model.entries
                assert [ledger.entry(i + 1).id for i in range(model.entries)] == list(range(1, model.entries + 1))
