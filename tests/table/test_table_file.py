"""table.toml: promises and mechanisms as tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.table_people import SCHEMA
from sfumato.errors import InputError
from sfumato.promise import KAnonymity
from sfumato.table import (
    Anatomy,
    ColumnMethods,
    CorrelatedNoise,
    GlobalRecoding,
    GreedyKMember,
    Hierarchy,
    IndependentNoise,
    LocalRecoding,
    Microaggregation,
    RecordSampling,
    RecordSuppression,
    Schema,
    Swapping,
    TableFile,
    TCloseness,
)

STEPS = {
    "age": [{"step": "noise", "scale": 2}, {"step": "generalise", "level": 1}],
    "town": [{"step": "category-noise", "epsilon": 1}],
}


def test_mechanisms_by_name() -> None:
    numbers = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])}, sensitive=["illness"])
    for kind, settings, wanted in (
        ("microaggregation", {"k": 4, "grouping": "k-member"}, Microaggregation),
        ("greedy-k-member", {"k": 3}, GreedyKMember),
        ("swapping", {"columns": ["illness", "age"], "rate": 0.2}, Swapping),
        ("swapping", {"columns": "illness, age", "rate": 0.2}, Swapping),
        ("anatomy", {"column": "illness", "l": 2}, Anatomy),
        ("record-sampling", {"rate": 0.5}, RecordSampling),
        ("record-suppression", {"k": 3}, RecordSuppression),
        ("independent-noise", {"columns": ["age"], "share": 0.1}, IndependentNoise),
        ("correlated-noise", {"columns": "age", "c": 0.1}, CorrelatedNoise),
    ):
        made = TableFile(numbers, kind=kind, settings=settings).build()
        assert type(made) is wanted
        assert made.get_params()["schema"] == numbers
    method = TableFile(SCHEMA, kind="column-methods", settings={"rate": 0.9, "columns": STEPS}).build()
    assert isinstance(method, ColumnMethods)
    assert (method.rate, len(method.columns["age"])) == (0.9, 2)
    recoder = TableFile(SCHEMA, (KAnonymity(2),), "local-recoding", {"publish": "set"}).build()
    assert isinstance(recoder, LocalRecoding)
    assert (recoder.publish, recoder.guarantee.statement) == ("set", KAnonymity(2).statement)


def _columns(columns: object) -> TableFile:
    return TableFile(SCHEMA, kind="column-methods", settings={"columns": columns})


@pytest.mark.parametrize(
    ("message", "file"),
    [
        ("one of 'global-recoding', 'local-recoding', 'greedy-k-member'", TableFile(SCHEMA, kind="blur")),
        ("steps for some columns", TableFile(SCHEMA, kind="column-methods")),
        ("step = 'blur'", _columns({"age": [{"step": "blur"}]})),
        ("quasi-identifiers: age, town", _columns({"shoe": [{"step": "generalise", "level": 1}]})),
        ("from 0 to 3", _columns({"age": [{"step": "generalise", "level": 9}]})),
        ("a table with the name of the step", _columns({"age": [1]})),
        ("a table with the name of the step", _columns({"age": ["noise scale=2"]})),
        ("parameter = 'k'", TableFile(SCHEMA, (KAnonymity(2),), settings={"k": 5})),
        ("at least one promise", TableFile(SCHEMA)),
        ("none with greedy-k-member", TableFile(SCHEMA, (KAnonymity(2),), "greedy-k-member", {"k": 2})),
    ],
)
def test_refused_mechanisms(message: str, file: TableFile) -> None:
    with pytest.raises(InputError, match=message):
        file.build()


@pytest.fixture
def toml(tmp_path: Path) -> Path:
    SCHEMA.write(tmp_path / "table.toml")
    return tmp_path / "table.toml"


def _add(toml: Path, text: str) -> Path:
    toml.write_text(toml.read_text() + "\n" + text + "\n", encoding="utf-8")
    return toml


def test_the_file_is_read(toml: Path) -> None:
    plain = TableFile.read(toml)
    assert (plain.promises, plain.kind, plain.recodes) == ((), "global-recoding", True)
    _add(
        toml, '[[promise]]\nkind = "k-anonymity"\nk = 3\n[[promise]]\nkind = "t-closeness"\nt = 0.2\ncolumn = "illness"'
    )
    file = TableFile.read(toml)
    assert file.promises == (KAnonymity(3), TCloseness(0.2, "illness"))
    assert isinstance(file.build(), GlobalRecoding)
    assert file.with_mechanism("greedy-k-member", {"k": 2}).promises == ()  # they are what recoding must reach
    assert file.with_mechanism("local-recoding", {}).promises == file.promises


def test_columns_in_the_file(toml: Path) -> None:
    _add(
        toml,
        '[mechanism]\nkind = "column-methods"\nrate = 0.8\n[mechanism.columns]\n'
        'age = [{ step = "noise", scale = 1 }, { step = "generalise", level = 1 }]',
    )
    file = TableFile.read(toml)
    assert not file.recodes
    assert isinstance(file.build(), ColumnMethods)
    assert file.with_mechanism("global-recoding", {}).recodes
    assert file.with_mechanism(None, {"rate": 0.5}).build().rate == 0.5  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (r"table.toml: promise = .*double brackets", '[promise]\nkind = "k-anonymity"\nk = 2'),
        ("table.toml: promise = 'beauty'", '[[promise]]\nkind = "beauty"'),
        ("table.toml: mechanism = {'rate': 0.5}", "[mechanism]\nrate = 0.5"),
        ("table.toml: key = 'metod'", '[metod]\nkind = "record-sampling"'),
        ("table.toml: mechanism = 'blur'", '[[promise]]\nkind = "k-anonymity"\nk = 2\n[mechanism]\nkind = "blur"'),
        ("none with anatomy", '[[promise]]\nkind = "k-anonymity"\nk = 2\n[mechanism]\nkind = "anatomy"\nl = 2'),
    ],
)
def test_refused_files(toml: Path, message: str, text: str) -> None:
    with pytest.raises(InputError, match=message):
        TableFile.read(_add(toml, text))


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ('promises = ["k-anonymity k=2"]', r"\[\[promise\]\] with kind"),
        ('method = "columns rate=0.9"', r"\[mechanism\] with kind"),
        ('columns = {age = ["noise scale=2"]}', r"\[mechanism.columns\] with age"),
    ],
)
def test_sentences_in_the_file_are_answered_with_the_new_form(toml: Path, line: str, instead: str) -> None:
    toml.write_text(line + "\n" + toml.read_text(), encoding="utf-8")
    with pytest.raises(InputError, match=f"tables instead of texts; write {instead}"):
        TableFile.read(toml)
