"""Nothing of a former file shows on any screen of the next one, whatever kinds of data they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helpers.studio_files import write_kinds
from helpers.studio_session import PEOPLE, Session
from sfumato.errors import InputError
from sfumato.studio.pages import OTHERS, STEPS

FILES = {
    "table": "people.csv",
    "text": "notes.csv",
    "trace": "day.csv",
    "activity": "log.csv",
    "survey": "answers.csv",
    "direction": "hours.csv",
    "statistic": "ages.csv",
    "model": "ages.csv",
}
MARK = "of the former file"


@pytest.fixture
def marked(session: Session, root: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    """A session in which all long work fails with the mark, and files of every kind, twice."""

    def fail(*_: object) -> None:
        raise InputError(f"an error {MARK}")

    session.work_here(monkeypatch)
    for screen, work in (
        ("file_screen", "file_release"),
        ("attack_screen", "attack_table"),
        ("risk_screen", "explain_table"),
        ("review_screen", "scan_texts"),
    ):
        monkeypatch.setattr(f"sfumato.studio.screens.{screen}.{work}", fail)
    write_kinds(root)
    (root / ".former").mkdir()  # what is hidden can be opened and stands in no list
    write_kinds(root / ".former")
    (root / ".former" / "people.csv").write_text(PEOPLE)
    return session


def open_as(session: Session, kind: str, folder: str = "") -> None:
    assert session.post("/open", path=folder + FILES[kind])[0] == 200
    assert session.post("/kind", kind=kind)[0] == 200


def leave_marks(session: Session, kind: str) -> None:
    """Everything that can be said about a file and is kept somewhere."""
    assert session.post("/ledger", ledger="budget.db", subject=f"people {MARK}", total="1", releases="1")[0] == 204
    question = {"column": "0", "kind": "histogram", "categories": f"a word {MARK}", "by": "epsilon", "epsilon": "0.01"}
    assert session.post("/questions/price", **question)[0] == 200
    if kind == "table":
        limits = {f"{name}{n}": value for n in (0, 1) for name, value in (("value", "0.3"), ("source", f"rule {MARK}"))}
        assert session.post("/attack/limits", **limits)[0] == 200
        assert session.post("/protect/pin")[0] == 200
        for path in ("/attack/start", "/risk/explain"):
            assert session.post(path)[0] == 200
    if kind == "text":
        assert session.post("/review/scan")[0] == 200
    about = {"description": f"data {MARK}", "recipient": f"somebody {MARK}", "purpose": MARK, "sharing": "open"}
    assert session.post("/file/start", **about)[0] == 200


def screens(session: Session) -> dict[str, str]:
    """All screens of the open file, without the part of the journal that is about other files."""
    found = {}
    for _, address, _ in STEPS.get(session.desk.project.kind, OTHERS):
        code, page = session.get(address)
        assert code == 200, address
        found[address] = re.sub(r'<details class="elsewhere">.*?</details>', "", page, flags=re.DOTALL)
    return found


@pytest.mark.parametrize("former", FILES)
def test_nothing_of_a_former_file_shows(marked: Session, former: str) -> None:
    open_as(marked, former, ".former/")
    leave_marks(marked, former)
    place = marked.desk.journal.place
    assert f"an error {MARK}" in screens(marked)["/file"]
    for kind in FILES:
        open_as(marked, kind)
        for run in marked.desk.runs.values():  # as if it were going on, and as if it were over
            run.over.clear()
        for address, page in screens(marked).items():
            assert "data-running" not in page, (kind, address)
        for run in marked.desk.runs.values():
            run.over.set()
        for address, page in screens(marked).items():
            assert MARK not in page, (kind, address)
            assert ".former" not in page, (kind, address)
            assert "Ledger</span> none named" in page, (kind, address)
            assert page.count('aria-current="step"') == 1
    assert marked.post("/journal/go", place=str(place))[0] == 204
    page = screens(marked)["/file"]
    assert f"an error {MARK}" in page
    assert f"Budget of people {MARK}" in page


def test_settings_that_were_changed_leave_their_error_behind(marked: Session) -> None:
    open_as(marked, "statistic")
    marked.post("/file/start", description="", recipient="", purpose="", sharing="")
    assert MARK in marked.get("/file")[1]
    marked.post("/settings", settings='columns = "age"\nmechanism = "mean"\nepsilon = 1\nlow = 0\nhigh = 100')
    assert MARK not in marked.get("/file")[1]


def test_who_it_is_for_stays_with_another_kind_of_the_same_file(marked: Session) -> None:
    open_as(marked, "statistic")
    marked.post("/file/start", description="ages", recipient="a school", purpose="", sharing="")
    marked.post("/kind", kind="model")
    assert 'value="a school"' in marked.get("/file")[1]
    assert 'value="ages"' in marked.get("/file")[1]


def test_a_file_that_was_changed_is_read_anew_when_it_is_opened_again(opened: Session, root: Path) -> None:
    opened.post("/protect/pin")
    path = root / "people.csv"
    path.write_text(PEOPLE + "Person new,81600,22,f,flu\n")
    with pytest.raises(InputError, match="open it again"):
        opened.desk.require_unchanged()
    assert opened.post("/open", path="people.csv")[0] == 200
    opened.desk.require_unchanged()
    assert opened.desk.opened.table.num_rows == 241
    assert "241 records" in opened.get("/")[1]


def test_a_file_that_is_gone_leaves_a_way_to_another(opened: Session, root: Path) -> None:
    write_kinds(root)
    for name in ("notes.csv", "ages.csv", "hours.csv"):  # more than are kept
        opened.post("/open", path=name)
    (root / "people.csv").unlink()
    opened.post("/journal/go", place="1")
    code, page = opened.get("/")
    assert code == 200
    assert "was changed since it was opened" in page
    assert "ages.csv" in page
    assert opened.get("/protect")[0] == 422
