"""What leaves, in which order, paid by whom."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import BudgetError, InputError
from sfumato.ledger import Ledger
from sfumato.noise import seeded_rng
from sfumato.promise import Assumption, KAnonymity, PureDP
from sfumato.release import Card, Key, Release, Terms
from sfumato.release.card import card_path
from sfumato.release.issuance import OWNER_ONLY
from sfumato.study.door import risks_of, uses_of

N = 200


def made(**changes: Any) -> Release:
    table = changes.pop("table", pa.table({"x": list(range(N))}))
    given: dict[str, Any] = {
        "kind": "statistic",
        "mechanism": "laplace",
        "guarantee": PureDP(1.0),
        "parameters": {"columns": ["x"], "epsilon": 1.0},
        "roles": {"x": "protected"},
        "rows": np.arange(table.num_rows),
    }
    return Release.make(table, **(given | changes))


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "budget.ledger"
    with Ledger(path) as book:
        book.set("clinic", PureDP(1.5))
    return path


def test_rows_are_shuffled_and_the_key_puts_them_back() -> None:
    release = made()
    shuffled = release.arrow["x"].to_pylist()
    assert shuffled != list(range(N))
    assert sorted(shuffled) == list(range(N))
    assert release.input_rows(N).tolist() == shuffled
    assert release.card.release.order_shuffled


def test_order_is_kept_only_when_asked() -> None:
    assert made(terms=Terms(keep_order=True)).arrow["x"].to_pylist() == list(range(N))
    assert made(ordered=True).arrow["x"].to_pylist() == list(range(N))


def test_a_column_without_a_role_does_not_leave() -> None:
    with pytest.raises(InputError, match="name"):
        made(table=pa.table({"x": [1], "name": ["Ann"]}))


@pytest.mark.parametrize("frame", [pd.DataFrame({"x": [1.0]}), pl.DataFrame({"x": [1.0]}), pa.table({"x": [1.0]})])
def test_data_have_the_kind_of_the_input(frame: Any) -> None:
    assert type(made(like=frame).data) is type(frame)


def test_seeded_noise_promises_nothing_and_does_not_spend(ledger: Path) -> None:
    release = made(rng=seeded_rng(1), terms=Terms(ledger=ledger, subject="clinic"))
    assert release.guarantee.vacuous
    assert release.card.mechanism.randomness == "seeded"
    assert release.card.ledger is not None
    assert not release.card.ledger.paid
    with Ledger(ledger) as book:
        assert book.left("clinic") == PureDP(1.5)
        assert len(book.releases("clinic")) == 1


def test_paying(ledger: Path) -> None:
    terms = Terms(ledger=ledger, subject="clinic")
    first = made(terms=terms)
    assert first.card.ledger is not None
    assert first.card.ledger.paid
    assert first.card.ledger.left == "ε = 0.5"
    with pytest.raises(BudgetError):
        made(terms=terms)
    second = made(guarantee=PureDP(0.5), terms=terms)
    assert second.card.earlier_releases == (first.card.id,)


def test_a_promise_of_form_is_recorded_unpaid(ledger: Path) -> None:
    terms = Terms(ledger=ledger, subject="people never heard of")
    first = made(guarantee=KAnonymity(5), draws=False, terms=terms)
    second = made(guarantee=KAnonymity(5), draws=False, terms=terms)
    assert first.card.ledger is not None
    assert not first.card.ledger.paid
    assert not first.card.ledger.notice
    assert second.card.ledger is not None
    assert "once before" in second.card.ledger.notice


def test_a_subject_needs_a_ledger_and_a_ledger_a_subject(ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="ledger"):
        Terms(subject="clinic")
    with pytest.raises(InputError, match="subject"):
        Terms(ledger=ledger)
    monkeypatch.setenv("SFUMATO_LEDGER", str(ledger))
    assert Terms(subject="clinic").ledger == ledger
    assert not Terms(ledger=False).ledger


def test_all_records_of_a_person_are_charged(ledger: Path) -> None:
    with Ledger(ledger) as book:
        book.set("people", PureDP(3.0, unit="person"))
    frame = pa.table({"x": list(range(4)), "who": ["a", "a", "a", "b"]})
    terms = Terms(ledger=ledger, subject="people", person="who")
    total = terms.for_people(PureDP(1.0), frame)
    assert total is not None
    assert (total.unit, total.cost()) == ("person", PureDP(3.0).cost())
    assert [one.source for one in total.assumptions] == [None]  # the number was read off the data
    release = made(terms=terms, per_person=total)
    assert release.card.promise["per_person"]["statement"] == "ε = 3"
    with Ledger(ledger) as book:
        assert book.left("people").statement == "ε = 0"


def test_a_known_number_of_records_is_a_bound_and_no_assumption() -> None:
    frame = pa.table({"who": ["a", "a", "b"]})
    total = Terms(person="who", most=5).for_people(PureDP(0.1), frame)
    assert total == PureDP(0.5, unit="person")
    with pytest.raises(InputError, match="most"):
        Terms(person="who", most=1).for_people(PureDP(0.1), frame)


def test_sources_are_declared() -> None:
    release = made(guarantee=PureDP(1.0).assuming(Assumption("bounds")), terms=Terms(public={"bounds": "codebook"}))
    assert release.guarantee.assumptions == (Assumption("bounds", source="codebook"),)
    with pytest.raises(InputError):
        made(terms=Terms(public={"vocabulary": "GloVe"}))


def test_writing_and_reading(tmp_path: Path) -> None:
    out, key = tmp_path / "release.csv", tmp_path / "release.key"
    release = made(secrets={"pseudonyms": "00ff"})
    card = release.write(out, key=key)
    assert Card.read(card_path(out)) == card
    assert stat.S_IMODE(os.stat(key).st_mode) == 0o600
    read = Release.read(out, key=key)
    assert read.arrow.equals(release.arrow)
    assert read.input_rows(N).tolist() == release.input_rows(N).tolist()
    assert read.key.secrets == {"pseudonyms": "00ff"}
    assert "00ff" not in card_path(out).read_text()
    assert "00ff" not in repr(read.key)
    with pytest.raises(InputError, match="key"):
        Release.read(out).input_rows(N)


def test_a_key_over_a_readable_file_is_private(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("old")
    os.chmod(key, 0o644)
    Key(release="r", rows=np.arange(3)).write(key)
    assert stat.S_IMODE(os.stat(key).st_mode) == 0o600


def test_the_key_is_there_before_the_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interruption while the data are written does not lose the way back."""

    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sfumato.release.release.write_table", stop)
    with pytest.raises(KeyboardInterrupt):
        made().write(tmp_path / "release.csv", key=tmp_path / "release.key")
    assert [path.name for path in tmp_path.iterdir()] == ["release.key"]
    assert Key.read(tmp_path / "release.key").rows is not None


def test_the_key_of_another_release_is_refused(tmp_path: Path) -> None:
    made().write(tmp_path / "a.csv", key=tmp_path / "a.key")
    made().write(tmp_path / "b.csv", key=tmp_path / "b.key")
    with pytest.raises(InputError, match="key"):
        Release.read(tmp_path / "a.csv", key=tmp_path / "b.key")


@pytest.mark.parametrize("content", [b"", b"nonsense", b"PAR1"])
def test_what_is_no_key_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(content)
    with pytest.raises(InputError, match="key"):
        Key.read(tmp_path / "key")


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        made().write(tmp_path / "release.csv", key=tmp_path / "missing" / "key")
    assert list(tmp_path.iterdir()) == []


def test_the_card_tells_nothing_of_the_input() -> None:
    """Two inputs that differ in a value nobody may see have cards that differ in what is drawn at random alone."""
    cards = []
    for age in (31, 99):
        people = pa.table({"age": [age, 47, 52], "name": ["Ann", "Bob", "Eve"]})
        release = sf.statistic.protect(people, "age", mechanism="mean", low=0, high=100, epsilon=1.0)
        values = json.loads(release.card.to_json())
        cards.append({name: value for name, value in values.items() if name not in ("id", "made")})
    assert cards[0] == cards[1]
    assert "Ann" not in json.dumps(cards[0])


def test_what_was_measured_on_the_raw_data_stays_with_the_owner() -> None:
    """Absolute and relative error together give the exact mean away: a proved promise keeps both off the card."""
    people = pa.table({"age": [31, 47, 52] * 20})
    release = sf.statistic.protect(people, "age", mechanism="mean", low=0, high=100, epsilon=1.0)
    uses = uses_of(release.measure(people))
    value = {use.use: use.value for use in uses}
    assert value["absolute error"] / value["relative error"] == pytest.approx(130 / 3, rel=1e-6)
    card = release.assessed(risks_of(release.attack(people)), uses).card
    assert (card.risk, card.utility) == ((), ())
    assert OWNER_ONLY in card.not_covered
    formed = made(guarantee=KAnonymity(5), draws=False).assessed(utility=uses).card
    assert formed.utility == tuple(uses)
