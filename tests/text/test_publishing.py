"""Texts of one's own through the whole loop."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.cli import main
from sfumato.errors import InfeasibleError, InputError
from sfumato.io.files import read_table, write_table
from sfumato.ledger import Ledger
from sfumato.promise import PureDP
from sfumato.release import Card
from sfumato.text.data.letters import make_letters, make_letters_pool
from sfumato.text.publishing import propose


@pytest.fixture(scope="module")
def mails(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = make_letters(authors=4, letters=6)
    folder = tmp_path_factory.mktemp("mails")
    texts = [f"Dear Zofia Nowicka,\n{text}" for text in made.texts]
    write_table(
        pa.table({"id": list(range(24)), "from": made.authors, "body": texts, "folder": made.topics}),
        folder / "mails.jsonl",
    )
    pool = make_letters_pool()
    write_table(pa.table({"body": pool.texts, "topic": list(pool.topics or ())}), folder / "public.jsonl")
    return folder


def run(*words: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    return int(ended.value.code or 0)


def test_names_are_masked_and_reasons_said(mails: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("publish", mails / "mails.jsonl", "--kind", "text", "--out", tmp_path / "out", "--to", "jsonl")
    assert run(*words, "--set", "names=lists") == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "body: text (named like one; names and numbers are masked; style and topic stay" in said
    assert "from: author (named like one" in said
    assert "id: left behind (only the text leaves)" in said
    table = read_table(tmp_path / "out" / "release.jsonl")
    assert table.column_names == ["body"]
    assert not any("Zofia" in text for text in table["body"].to_pylist())
    card = Card.read(tmp_path / "out" / "release.jsonl.card.json")
    assert card.promised.startswith("no guarantee")
    assert {one.attack for one in card.risk} >= {"authorship (method known)", "linkage (raw texts known)"}
    assert sf.verify(tmp_path / "out" / "release.jsonl").holds
    again = ("--decisions", tmp_path / "out" / "private" / "decisions.toml", "--to", "jsonl")
    assert run("publish", mails / "mails.jsonl", "--out", tmp_path / "again", *again) == 0
    assert sorted(read_table(tmp_path / "again" / "release.jsonl")["body"].to_pylist()) == sorted(
        table["body"].to_pylist()
    )


def test_a_limit_is_not_kept_by_masking(mails: Path, tmp_path: Path) -> None:
    with pytest.raises(InfeasibleError, match="linkage"):
        sf.publish(mails / "mails.jsonl", tmp_path / "out", kind="text", protect={"names": "lists"}, limit=0.09)
    assert not list((tmp_path / "out").glob("release*"))


def test_with_a_public_pool_one_text_stands_for_an_author(mails: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "budget.db"
    with Ledger(ledger) as book:
        book.set("mails.jsonl", PureDP(6.0, unit="person", neighbours="any-pair", model="local"))
    words = ("publish", mails / "mails.jsonl", "--kind", "text", "--set", f"pool={mails / 'public.jsonl'}")
    declared = ("--public", "pool='made-up letters'", "--ledger", ledger)
    assert run(*words, *declared, "--out", tmp_path / "out", "--to", "jsonl") == 0
    table = read_table(tmp_path / "out" / "release.jsonl")
    assert table.num_rows == 4
    assert set(table.column_names) == {"body", "stated"}
    card = Card.read(tmp_path / "out" / "release.jsonl.card.json")
    assert card.mechanism.name == "topic-response"
    assert card.promise["statement"].startswith("ε = 5")
    assert "made-up letters" in card.to_json()
    with Ledger(ledger) as book:
        assert book.spent("mails.jsonl").epsilon == 5.0
    assert sf.verify(tmp_path / "out" / "release.jsonl", ledger=ledger).holds


def test_a_pool_without_topics_and_texts_without_authors(mails: Path, tmp_path: Path) -> None:
    pool = read_table(mails / "public.jsonl").select(["body"])
    write_table(pool, tmp_path / "plain.jsonl")
    texts = read_table(mails / "mails.jsonl").select(["body"])
    proposal = propose(texts, decisions=None, protect={"pool": str(tmp_path / "plain.jsonl")}, limit=0.5)
    assert proposal.decisions.protect["mechanism"] == "neighbourhood-response"
    assert "author" not in proposal.decisions.protect
    assert list(proposal.decisions.limits) == ["linkage (raw texts known)"]


def test_which_column_is_the_text() -> None:
    long = "one two three four five six"
    found = propose(pa.table({"a": ["x", "y"], "b": [long, long]}), decisions=None, protect={}, limit=None)
    assert found.decisions.protect == {"column": "b", "mechanism": "scrubber"}
    assert found.decisions.roles[1].reason.startswith("6 words a row on average")
    asked = propose(
        pa.table({"a": ["x"], "b": [long]}), decisions=None, protect={"column": "a", "keep": ["b"]}, limit=None
    )
    assert [(one.column, one.role) for one in asked.decisions.roles] == [("a", "text"), ("b", "kept")]
    with pytest.raises(InputError, match="--set column=NAME"):
        propose(pa.table({"a": ["x"], "n": [3]}), decisions=None, protect={}, limit=None)
    with pytest.raises(InputError, match="one of the columns"):
        propose(pa.table({"a": ["x"]}), decisions=None, protect={"column": "b"}, limit=None)
    with pytest.raises(InputError, match="above 0"):
        propose(pa.table({"text": ["x"]}), decisions=None, protect={}, limit=2.0)


def test_a_folder_of_documents_is_texts(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    for number in range(3):
        (source / f"{number}.txt").write_text(f"Dear Zofia Nowicka, this is letter {number}.")
    done = sf.publish(source, tmp_path / "out", protect={"names": "lists"})
    assert done.decisions.kind == "text"
    assert done.release.card.release.rows == 3
    assert "Zofia" not in (tmp_path / "out" / "release.csv").read_text()
