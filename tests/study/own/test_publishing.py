"""One's own file through the whole loop: proposal, release, card, certificate and decisions that repeat it."""

from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.cli import main
from sfumato.errors import InfeasibleError, InputError
from sfumato.io.files import read_table, write_table
from sfumato.ledger import Ledger
from sfumato.promise import PureDP
from sfumato.release import Card, Person, Release
from sfumato.study import Finding, Score
from sfumato.study.door import risks_of, uses_of
from sfumato.study.own.decisions import Decisions, RoleChoice
from sfumato.study.threshold import Threshold
from sfumato.table.data import make_hospital

ROWS = 600


def run(*words: Any) -> int:
    with pytest.raises(SystemExit) as ended:
        main([*map(str, words)])
    return int(ended.value.code or 0)


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hospital")
    table = make_hospital(ROWS)
    write_table(table, folder / "hospital.csv")
    write_table(table, folder / "hospital.xlsx")
    frame = table.to_pandas()
    frame.to_csv(folder / "latin.csv", sep=";", encoding="latin-1", index=False)
    return folder


@pytest.fixture(scope="module")
def published(hospital: Path) -> Path:
    out = hospital / "out"
    assert run("publish", hospital / "hospital.csv", "--out", out, "--recipient", "the university") == 0
    return out


def test_the_release_keeps_its_limits_and_is_verified(published: Path) -> None:
    verdict = sf.verify(published / "release.csv")
    assert verdict.holds, str(verdict)
    assert "k" in {check.name.split()[0] for check in verdict.checks} or any(
        "k = 12" in c.words for c in verdict.checks
    )
    card = Card.read(published / "release.csv.card.json")
    limited = [risk for risk in card.risk if risk.threshold is not None]
    assert len(limited) == 2
    assert all(risk.met and risk.threshold_source for risk in limited)
    assert card.context.recipient == "the university"
    assert card.class_risk is not None
    assert card.class_risk.highest <= 1 / 12


def test_what_leaves_has_no_identifier_and_no_order(published: Path, hospital: Path) -> None:
    released = read_table(published / "release.csv")
    assert "patient_id" not in released.column_names
    ids = read_table(hospital / "hospital.csv")["patient_id"].to_pylist()
    for file in ("release.csv", "release.csv.card.json", "certificate.html"):
        text = (published / file).read_text(encoding="utf-8")
        assert not any(str(one) in text for one in ids[:50])
        assert str(hospital) not in text
    rows = Release.read(published / "release.csv", key=published / "private" / "release.key").input_rows(ROWS)
    assert rows.tolist() != sorted(rows.tolist())


def test_reasons_on_a_card_tell_nothing_of_the_input() -> None:
    """Why a measure failed may name a value of the raw data: the owner reads it on the screen, nobody on the card."""
    nan = float("nan")
    told = "F = 0 on the raw data: nothing predicts diagnosis = 'HIV'"
    found = [Finding(name="F-ratio", score=Score(nan), reason=told), Finding(name="error", score=Score(0.1))]
    for written in (uses_of(found), risks_of(found)):
        assert [one.reason for one in written] == ["could not be computed", ""]


def test_the_private_folder_is_private(published: Path) -> None:
    assert stat.S_IMODE((published / "private").stat().st_mode) == 0o700
    assert {"decisions.toml", "release.key", "table.toml"} <= {one.name for one in (published / "private").iterdir()}


def test_the_certificate_says_what_an_officer_files(published: Path) -> None:
    page = re.sub(r"<[^>]+>", " ", (published / "certificate.html").read_text(encoding="utf-8"))
    page = " ".join(page.split())
    for words in (
        "All 2 limits that were set are met",
        "possibility to isolate some or all records which identify an individual in the dataset",
        "not a legal finding",
        "classes of 11 records, whose risk is 1/11",
        "the university",
        "Prepared",
        "Reviewed",
        "Decided",
        "No ledger was charged",
        "The form of the release",
        "bounds no inference from it",
    ):
        assert words in page
    assert "What was promised" not in page  # a promise of form is no proof


@pytest.mark.parametrize("name", ["latin.csv", "hospital.xlsx"])
def test_other_ways_to_write_the_same_table(name: str, hospital: Path, published: Path, tmp_path: Path) -> None:
    """The decisions of one file repeat the release of the same data in another format."""
    decisions = published / "private" / "decisions.toml"
    assert run("publish", hospital / name, "--out", tmp_path, "--decisions", decisions) == 0
    first, second = (read_table(folder / "release.csv") for folder in (published, tmp_path))
    keys = [(column, "ascending") for column in first.column_names]
    assert second.cast(first.schema).sort_by(keys).equals(first.sort_by(keys))
    assert Decisions.read(tmp_path / "private" / "decisions.toml").protect == Decisions.read(decisions).protect


def test_nothing_is_written_if_no_method_keeps_the_limit(hospital: Path, tmp_path: Path) -> None:
    with pytest.raises(InfeasibleError, match="nothing that was tried"):
        sf.publish(hospital / "hospital.csv", tmp_path / "out", limit=1 / ROWS / 2)
    assert not (tmp_path / "out" / "release.csv").exists()


def test_a_statistic_is_published_and_paid(hospital: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "budget.ledger"
    with Ledger(ledger) as book:
        book.set("hospital.csv", PureDP(1.0))
    words = ["--set", "columns=cost", "--set", "mechanism=mean", "--set", "low=0", "--set", "high=100000"]
    words += ["--set", "epsilon=0.5", "--set", "clip=true", "--ledger", str(ledger)]
    table = make_hospital(ROWS)
    filled = table.set_column(table.column_names.index("cost"), "cost", table["cost"].fill_null(0.0))
    write_table(filled, tmp_path / "hospital.csv")
    command = ("publish", tmp_path / "hospital.csv", "--kind", "statistic", *words)
    assert run(*command, "--out", tmp_path / "a") == 0
    assert sf.verify(tmp_path / "a" / "release.csv", ledger=ledger).holds
    assert run(*command, "--out", tmp_path / "b") == 0
    assert run(*command, "--out", tmp_path / "c") == 2
    assert not (tmp_path / "c" / "release.csv").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--kind", "nonsense"), "one of"),
        (("--kind", "statistic"), "how to protect"),
        (("--decisions", "nowhere.toml"), "does not exist"),
        (("--limit", "0"), "above 0"),
        (("--to", "nonsense"), "nonsense"),
    ],
)
def test_bad_words(
    words: tuple[str, ...], message: str, hospital: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("publish", hospital / "hospital.csv", "--out", tmp_path / "out", *words) == 2
    said = capsys.readouterr().err
    assert message in said
    assert not list((tmp_path / "out").glob("release*"))


def test_decisions_come_back(tmp_path: Path) -> None:
    made = Decisions(
        kind="table",
        roles=(RoleChoice(column='say "so"\n', role="quasi", reason="ü"),),
        protect={"k": 5, "recoding": "local", "suppression": 0.02, "keep": ["a", "b"]},
        limits={"worst risk": Threshold(value=0.1, source="us")},
        attack={"author": "from"},
        people=(Person(role="decided", name="A. Nobody"),),
        reassess_when=("new data",),
        valid_until="2027-01-01",
    )
    made.write(tmp_path / "decisions.toml")
    assert Decisions.read(tmp_path / "decisions.toml") == made


@pytest.mark.parametrize(
    "text", ["", "kind = 3", "nonsense = 1\nkind = 'table'", "kind = 'table'\n[limits]\nx = 1", "["]
)
def test_bad_decisions(text: str, tmp_path: Path) -> None:
    (tmp_path / "decisions.toml").write_text(text)
    with pytest.raises(InputError):
        Decisions.read(tmp_path / "decisions.toml")


def test_a_frame_that_looks_like_texts_is_texts(tmp_path: Path) -> None:
    write_table(pa.table({"text": ["Ann was here"] * 3}), tmp_path / "texts.csv")
    assert sf.publish(tmp_path / "texts.csv", tmp_path / "out", protect={"names": "lists"}).decisions.kind == "text"


@pytest.mark.parametrize("kind", ["direction", "statistic", "survey", "trace", "party", "model"])
def test_kinds_without_a_proposal_say_what_they_need(kind: str, hospital: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"{kind} needs to know how to protect: say --set .* such as "):
        sf.publish(hospital / "hospital.csv", tmp_path / "out", kind=kind)
