"""Texts in the studio: from a file to findings, decisions, an estimate of what was missed, and the papers."""

from __future__ import annotations

import io
import json
import re
import shlex
import zipfile
from pathlib import Path

import pytest

from helpers.door_contract import run as sfumato
from helpers.studio_files import NOTES, write_kinds, write_mails
from helpers.studio_session import Session
from sfumato.io.files import read_table
from sfumato.release import Card
from sfumato.studio.code_samples import sample_of
from sfumato.studio.kinds.text_work import TextWork
from sfumato.text import SpanReview
from sfumato.text.scrub.span import Span

HERE = {"from": "review", "page": "0"}
SETTINGS = {"column": "2", "names": "lists", "replacement": "label", "reviewer": "Kim"}


@pytest.fixture
def texts(session: Session, root: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    """The notes as texts, looked through by lists."""
    session.work_here(monkeypatch)
    write_kinds(root)
    assert session.post("/open", path="notes.csv")[0] == 200
    assert "holds prose" in session.get("/")[1]
    assert session.post("/kind", kind="text")[0] == 200
    assert session.post("/review/settings", **SETTINGS)[0] == 200
    look(session)
    return session


def look(session: Session) -> None:
    assert session.post("/review/scan")[0] == 200
    session.wait("scan")


def work(session: Session) -> TextWork:
    found = session.desk.project.work
    assert isinstance(found, TextWork)
    return found


def marks(page: str) -> list[dict[str, str]]:
    pattern = r'<mark class="span (\w+)[^"]*" id="([^"]+)"[^>]*data-text="(\d+)" data-at="(\d+)" data-end="(\d+)"'
    names = ("verdict", "id", "text", "start", "end")
    return [dict(zip(names, found, strict=True)) for found in re.findall(pattern, page)]


class TestFindings:
    def test_they_are_underlined_and_may_be_kept_or_hidden(self, texts: Session) -> None:
        first, second, *_ = marks(texts.get("/review")[1])
        assert first["verdict"] == "open"
        places = {name: first[name] for name in ("text", "start", "end")}
        page = texts.post("/review/decide", **places, verdict="keep", **HERE)[1]
        assert marks(page)[0]["verdict"] == "keep"
        places = {name: second[name] for name in ("text", "start", "end")}
        page = texts.post("/review/decide", **places, verdict="hide", **HERE)[1]
        assert [one["verdict"] for one in marks(page)[:2]] == ["keep", "hide"]
        assert [one.reviewer for one in work(texts).review.decisions] == ["Kim", "Kim"]

    def test_all_equal_ones_at_once(self, texts: Session) -> None:
        first = marks(texts.get("/review")[1])[0]
        places = {name: first[name] for name in ("text", "start", "end")}
        page = texts.post("/review/decide", **places, verdict="keep", all="1", **HERE)[1]
        assert sum(one["verdict"] == "keep" for one in marks(page)) == 12

    def test_every_decision_can_be_taken_back(self, texts: Session) -> None:
        first = marks(texts.get("/review")[1])[0]
        places = {name: first[name] for name in ("text", "start", "end")}
        texts.post("/review/decide", **places, verdict="keep", **HERE)
        texts.post("/journal/undo")
        assert marks(texts.get("/review")[1])[0]["verdict"] == "open"
        assert work(texts).review.decisions == ()

    def test_what_was_missed_is_added_and_taken_away(self, texts: Session) -> None:
        at = NOTES.splitlines()[1].split('"')[1].index("Wexcombe")
        places = {"text": "0", "start": str(at), "end": str(at + 8)}
        page = texts.post("/review/decide", **places, verdict="missed", label="PLACE", **HERE)[1]
        assert ">Wexcombe</mark>" in page
        assert work(texts).review.decisions[0].source == "reviewer"
        texts.post("/review/decide", **places, verdict="keep", **HERE)
        assert work(texts).review.decisions == ()

    def test_words_are_hidden_everywhere(self, texts: Session) -> None:
        assert texts.post("/review/words", words="wexcombe", label="PLACE", page="0")[0] == 200
        assert work(texts).review.to_card()["added"] == 12
        assert texts.post("/review/words", words="nowhere at all", label="PLACE", page="0")[0] == 422

    def test_the_journal_holds_no_text(self, texts: Session) -> None:
        texts.post("/review/words", words="Wexcombe", label="PLACE", page="0")
        assert not any("excombe" in words for words, _ in texts.desk.journal.entries)

    @pytest.mark.parametrize(
        "fields",
        [
            {"text": "0", "start": "0", "end": "99999", "verdict": "hide"},
            {"text": "99", "start": "0", "end": "4", "verdict": "hide"},
            {"text": "0", "start": "1", "end": "2", "verdict": "hide"},
            {"text": "0", "start": "5", "end": "9", "verdict": "burn"},
            {"text": "0", "start": "x", "end": "9", "verdict": "hide"},
            {"text": "0", "start": "0", "end": "4", "verdict": "missed", "label": "<img>"},
        ],
    )
    def test_bad_places_are_refused(self, texts: Session, fields: dict[str, str]) -> None:
        assert texts.post("/review/decide", **fields, **HERE)[0] == 422
        assert work(texts).review.decisions == ()

    def test_markup_in_a_text_stays_text(self, session: Session, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        session.work_here(monkeypatch)
        (root / "evil.jsonl").write_text(json.dumps({"text": "Hi <img src=x onerror=alert(1)> Anna\r\nyours"}) + "\n")
        session.post("/open", path="evil.jsonl")
        assert session.desk.project.kind == "text"
        session.post("/review/settings", **{**SETTINGS, "column": "0"})
        look(session)
        page = session.get("/review")[1]
        assert "<img" not in page
        assert "&#13;" in page  # so that the browser counts the same characters


class TestRecall:
    def test_a_sample_is_read_and_recall_is_printed(self, texts: Session) -> None:
        assert "Draw a sample" in texts.get("/stretches")[1]
        page = texts.post("/review/sample", count="10", **{"from": "stretches"})[1]
        assert page.count('class="stretch"') == 10
        for number in range(10):
            page = texts.post("/review/look", number=str(number), **{"from": "stretches"})[1]
        assert "recall, " in page
        stretches = work(texts).review.stretches
        assert f"10 of {stretches}" in page

    def test_what_is_selected_in_a_stretch_counts_as_read_and_missed(self, texts: Session) -> None:
        texts.post("/review/sample", count="1000", **{"from": "stretches"})
        texts.post("/review/words", words="Wexcombe", label="PLACE", **{"from": "stretches"})
        assert work(texts).review.seen == ()  # only reading makes a stretch speak for others
        stretch = work(texts).review.sample[3]
        place = {"text": str(stretch.text), "start": str(stretch.start), "end": str(stretch.end)}
        texts.post("/review/decide", **place, verdict="missed", label="OTHER", **{"from": "stretches"})
        assert work(texts).review.seen == (3,)
        texts.post("/journal/undo")
        for number in range(len(work(texts).review.sample)):
            page = texts.post("/review/look", number=str(number), **{"from": "stretches"})[1]
        found = len(marks(texts.get("/review")[1])) - 12
        assert f"{found / (found + 12):.3f}" in page  # all was read: no interval any more

    @pytest.mark.parametrize("count", ["0", "-3", "many", "1001"])
    def test_bad_sizes(self, texts: Session, count: str) -> None:
        assert texts.post("/review/sample", count=count, **{"from": "stretches"})[0] == 422

    def test_other_findings_need_another_sample(self, texts: Session) -> None:
        texts.post("/review/sample", count="10", **{"from": "stretches"})
        texts.post("/review/settings", **{**SETTINGS, "names": "capitals"})
        assert work(texts).review.sample == ()


def test_nothing_is_decided_before_it_was_looked_for(session: Session, root: Path) -> None:
    write_kinds(root)
    session.post("/open", path="letters/")
    assert session.desk.project.kind == "text"
    assert session.post("/review/words", words="Anna", label="PERSON", page="0")[0] == 422
    assert session.post("/review/sample", count="5")[0] == 422


@pytest.mark.parametrize("path", ["letter.txt", "letters", "letters/"])
def test_documents_and_folders_are_texts(session: Session, root: Path, path: str) -> None:
    write_kinds(root)
    assert session.post("/open", path=path)[0] == 200
    assert session.desk.project.kind == "text"
    assert session.desk.opened.table.column_names == ["file", "text"]
    assert session.post("/kind", kind="table")[0] == 422


def send(session: Session, body: bytes, ending: str) -> int:
    """Drop a file on the page."""
    return session.client.post("/upload", content=body, headers={**session.headers, "x-ending": ending}).status_code


LETTER = b"Dear Anna,\nI met Zofia Nowicka in Wexcombe, and we had tea.\n"
TABLE = b"name;age\nAnna;31\nBen;47\n"


@pytest.mark.parametrize("ending", [".txt", ""])
@pytest.mark.parametrize(("body", "kind", "other"), [(LETTER, "text", "csv"), (TABLE, "table", "txt")])
def test_a_text_file_is_what_is_in_it_and_can_be_taken_for_the_other(
    session: Session, root: Path, body: bytes, kind: str, other: str, ending: str
) -> None:
    assert send(session, body, ending) == 200
    assert session.desk.project.kind == kind
    assert "by what is in it" in session.get("/")[1]
    (root / "file.txt").write_bytes(body)
    session.post("/open", path="file.txt")
    assert session.desk.project.kind == kind
    assert session.post("/dialect", format=other, delimiter="", encoding="")[0] == 200
    assert session.desk.project.kind == ("table" if kind == "text" else "text")


@pytest.mark.parametrize("path", ["all.mbox", "mails"])
def test_mails_are_texts(session: Session, root: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write_mails(root)
    assert session.post("/open", path=path)[0] == 200
    assert session.desk.project.kind == "text"
    assert session.desk.opened.table.num_rows == 3
    session.work_here(monkeypatch)
    session.post("/review/settings", **{**SETTINGS, "column": "1"})
    assert session.post("/review/scan")[0] == 200
    assert marks(session.get("/review")[1])
    session.post("/file/start", description="", recipient="", purpose="", sharing="")
    session.wait("file")
    assert "The papers are ready" in session.get("/file")[1]


@pytest.mark.parametrize("ending", [".mbox", ""])
def test_a_mailbox_can_be_dropped(session: Session, root: Path, ending: str) -> None:
    write_mails(root)
    assert send(session, (root / "all.mbox").read_bytes(), ending) == 200
    assert session.desk.project.kind == "text"
    assert session.desk.opened.table.num_rows == 3
    assert send(session, (root / "mails" / "0.eml").read_bytes(), "") == 200
    assert session.desk.opened.table.num_rows == 1


def test_a_folder_that_was_changed_meanwhile_is_not_filed(session: Session, root: Path) -> None:
    write_kinds(root)
    session.post("/open", path="letters")
    (root / "letters" / "letter1.txt").write_text("Dear Ben,\nanother letter of another length.\n")
    code, words = session.post("/file/start", description="", recipient="", purpose="", sharing="")
    assert code == 422
    assert "was changed since it was opened" in words


def test_a_folder_with_a_way_out_is_not_opened(session: Session, root: Path) -> None:
    write_kinds(root)
    (root.parent / "secret.txt").write_text("secret")
    (root / "letters" / "link.txt").symlink_to(root.parent / "secret.txt")
    code, words = session.post("/open", path="letters")
    assert code == 422
    assert "no such file" in words


def test_the_papers_follow_the_review_and_the_commands_repeat_it(
    texts: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = marks(texts.get("/review")[1])[0]
    places = {name: first[name] for name in ("text", "start", "end")}
    texts.post("/review/decide", **places, verdict="keep", all="1", **HERE)
    texts.post("/review/words", words="Wexcombe", label="PLACE", page="0")
    texts.post("/review/sample", count="10", **{"from": "stretches"})
    texts.post("/review/look", number="0", **{"from": "stretches"})
    texts.post("/file/start", description="Notes", recipient="A university", purpose="", sharing="named")
    texts.wait("file")
    page = texts.get("/file")[1]
    assert "The papers are ready" in page
    assert "linkage" in page
    give = lambda name: texts.client.get(f"/file/{name}", headers=texts.headers).content  # noqa: E731
    assert b"estimated by a reviewer: recall " in give("certificate.html")
    for name in ("release.csv", "review.json"):
        assert b"excombe" not in give(name)
    assert b"Anna" in give("release.csv")
    assert b"Zofia" not in give("release.csv")
    assert b"Anna" not in give("review.json")
    zipfile.ZipFile(io.BytesIO(give("private.zip"))).extractall(tmp_path)
    assert SpanReview.read(tmp_path / "review.json") == work(texts).review
    (tmp_path / "notes.csv").write_text(NOTES)
    monkeypatch.chdir(tmp_path)
    assert sfumato(*shlex.split(sample_of(texts.desk.project, "review").command)[1:]) == 0
    assert sfumato(*shlex.split(sample_of(texts.desk.project, "file").command)[1:]) == 0
    (tmp_path / "theirs.csv").write_bytes(give("release.csv"))
    wanted = sorted(read_table(tmp_path / "theirs.csv")["note"].to_pylist())
    for path in ("release.csv", "papers/release.csv"):
        assert sorted(read_table(tmp_path / path)["note"].to_pylist()) == wanted
    shown = json.loads(give("release.csv.card.json"))["mechanism"]
    for path in ("release.csv.card.json", "papers/release.csv.card.json"):
        made = Card.read(tmp_path / path).mechanism
        assert (made.name, dict(made.parameters)) == (shown["name"], shown["parameters"])
    exec(sample_of(texts.desk.project, "review").python, {})


def test_pieces_cover_a_text_once() -> None:
    from sfumato.studio.kinds.text_work import pieces_of

    text = "Hi Anna, Ben and Wexcombe"
    review = SpanReview.of([text]).decide(0, [Span(17, 25, "PLACE")], "hide", source="reviewer")
    review = review.decide(0, [Span(5, 12, "X")], "hide", source="reviewer")  # overlaps both names
    pieces = pieces_of(text, 0, [Span(3, 7, "PERSON"), Span(9, 12, "PERSON")], review)
    assert "".join(one.text for one in pieces) == text
    assert all(text[one.at : one.at + len(one.text)] == one.text for one in pieces)
