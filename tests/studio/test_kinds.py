"""Traces and all other kinds of data in the studio: each leads to its papers, by the library."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from helpers.door_contract import run as sfumato
from helpers.studio_files import write_kinds
from helpers.studio_session import Session
from sfumato.ledger import Ledger
from sfumato.release import Card
from sfumato.studio.code_samples import sample_of
from sfumato.studio.kinds.path_figure import MOST_POINTS, path_map
from sfumato.studio.kinds.trace_work import TraceWork
from sfumato.studio.screens.file_screen import filed_now

FORM = {"s0": "12:15", "e0": "12:45", "way": "cut", "epsilon": "1", "radius": "200", "margin": "20", "zone": "UTC"}
pytestmark = pytest.mark.usefixtures("here")
FILE = {"description": "x", "recipient": "y", "purpose": "", "sharing": ""}


@pytest.fixture
def here(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    session.work_here(monkeypatch)


@pytest.fixture
def trace(session: Session, root: Path) -> Session:
    write_kinds(root)
    assert session.post("/open", path="day.csv")[0] == 200
    assert session.desk.project.kind == "trace"
    return session


def figures(page: str) -> list[str]:
    return re.findall(r'<p class="value">([^<]*)</p>', page)


class TestTrace:
    def test_the_numbers_follow_the_form(self, trace: Session) -> None:
        narrow = figures(trace.post("/trace/live", **{**FORM, "margin": "5"})[1])
        wide = figures(trace.post("/trace/live", **{**FORM, "margin": "40"})[1])
        assert float(narrow[0]) > float(wide[0])
        noise = trace.post("/trace/live", **{**FORM, "way": "noise"})[1]
        assert "error of a released point" in noise
        assert float(figures(noise)[0]) <= 1

    def test_the_epsilon_shown_is_that_of_the_library(self, trace: Session) -> None:
        import sfumato as sf

        page = trace.post("/trace/live", **FORM)[1]
        release = sf.trace.protect(trace.desk.opened.table, secrets=["12:15-12:45"], margin=1200.0)
        assert float(figures(page)[0]) == pytest.approx(release.guarantee.epsilon, rel=0.01)  # type: ignore[attr-defined]

    def test_bands_are_added_and_removed(self, trace: Session) -> None:
        page = trace.post("/trace/bands/add", **FORM)[1]
        assert page.count('role="slider"') == 4
        work = trace.desk.project.work
        assert isinstance(work, TraceWork)
        assert len(work.bands) == 2
        both = {
            f"{side}{n}": value
            for n, band in enumerate(work.hours)
            for side, value in zip("se", band.split("-"), strict=True)
        }
        page = trace.post("/trace/bands/remove", **{**FORM, **both, "band": "1"})[1]
        assert page.count('role="slider"') == 2
        assert trace.post("/trace/bands/remove", **{**FORM, "band": "0"})[0] == 422

    @pytest.mark.parametrize(
        "wrong",
        [
            {"s0": "13:00", "e0": "12:00"},
            {"s0": "25:00"},
            {"s0": "noon"},
            {"radius": "-1"},
            {"margin": "x"},
            {"zone": "Mars"},
            {"s1": "12:30", "e1": "12:50"},
        ],
    )
    def test_bad_forms_change_nothing(self, trace: Session, wrong: dict[str, str]) -> None:
        before = trace.desk.project
        assert trace.post("/trace/live", **{**FORM, **wrong})[0] == 422
        assert trace.desk.project is before

    def test_hours_without_a_point_are_said(self, trace: Session) -> None:
        page = trace.post("/trace/live", **{**FORM, "s0": "01:00", "e0": "02:00"})[1]
        assert "an interval in which the trace has a point" in page

    def test_nothing_is_drawn_before_it_is_filed(self, trace: Session) -> None:
        page = trace.post("/trace/live", **{**FORM, "way": "noise"})[1]
        assert 'class="released"' not in page
        assert 'class="guess"' not in page

    def test_the_papers_and_the_guess(self, trace: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        trace.post("/trace/live", **FORM)
        trace.post("/file/start", **FILE)
        trace.wait("file")
        assert "The papers are ready" in trace.get("/file")[1]
        page = trace.get("/trace")[1]
        assert 'class="released"' in page
        assert 'class="guess"' in page
        filed = filed_now(trace.desk)
        assert filed is not None
        assert filed.seen is not None
        assert len(filed.seen.guesses) == 1
        (tmp_path / "day.csv").write_bytes((trace.desk.root / "day.csv").read_bytes())
        monkeypatch.chdir(tmp_path)
        assert sfumato(*shlex.split(sample_of(trace.desk.project, "trace").command)[1:]) == 0
        mine = Card.read(tmp_path / "release.csv.card.json")
        for name in ("epsilon", "radius", "settings"):
            assert mine.mechanism.parameters[name] == filed.card.mechanism.parameters[name]
        assert mine.promised == filed.card.promised
        exec(sample_of(trace.desk.project, "trace").python, {})


def test_a_line_has_at_most_2000_points() -> None:
    rng = np.random.default_rng(0)
    path = rng.normal(size=(50_000, 2)).cumsum(0)
    hidden = np.zeros(len(path), bool)
    hidden[100:20_000] = True
    drawn = path_map(path, hidden, None)
    for line in (drawn.true, drawn.hidden):
        assert MOST_POINTS / 2 < line.count(",") <= MOST_POINTS + 2


class TestOtherKinds:
    @pytest.mark.parametrize(
        ("path", "kind", "settings"),
        [
            (
                "answers.csv",
                "survey",
                'column = "answer"\nmechanism = "unary-encoding"\nepsilon = 1.0\ncategories = ["yes", "no"]',
            ),
            ("hours.csv", "direction", ""),
            ("ages.csv", "statistic", 'columns = "age"\nmechanism = "mean"\nepsilon = 1\nlow = 0\nhigh = 100'),
            (
                "ages.csv",
                "model",
                'columns = ["age", "sex"]\nepsilon = 1\n'
                'settings = { domains = { age = [0, 100, 10], sex = ["f", "m"] } }',
            ),
            ("log.csv", "activity", ""),
        ],
    )
    def test_each_leads_to_its_papers(
        self,
        session: Session,
        root: Path,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        path: str,
        kind: str,
        settings: str,
    ) -> None:
        write_kinds(root)
        session.post("/open", path=path)
        assert session.post("/kind", kind=kind)[0] == 200
        assert session.get("/settings")[0] == 200
        if settings:
            assert session.post("/settings", settings=settings)[0] == 200
        session.post("/file/start", **FILE)
        session.wait("file")
        filed = filed_now(session.desk)
        assert filed is not None
        assert filed.card.kind == kind
        assert "The papers are ready" in session.get("/file")[1]
        (tmp_path / path).write_bytes((root / path).read_bytes())
        monkeypatch.chdir(tmp_path)
        assert sfumato(*shlex.split(sample_of(session.desk.project, "settings").command)[1:]) == 0
        mine = Card.read(tmp_path / "papers" / "release.csv.card.json")
        assert mine.mechanism.name == filed.card.mechanism.name
        assert mine.promised == filed.card.promised
        assert json.dumps(mine.mechanism.parameters, default=str) == json.dumps(
            filed.card.mechanism.parameters, default=str
        )

    def test_what_is_missing_is_said(self, session: Session, root: Path) -> None:
        write_kinds(root)
        session.post("/open", path="ages.csv")
        session.post("/kind", kind="statistic")
        session.post("/file/start", **FILE)
        run = session.desk.runs["file"]
        assert run.over.wait(600)
        assert "low" in run.error
        assert "low" in session.get("/file")[1]

    @pytest.mark.parametrize("settings", ["no sign", "made_up = 1", "epsilon = 1\nepsilon = 2"])
    def test_bad_settings_change_nothing(self, session: Session, root: Path, settings: str) -> None:
        write_kinds(root)
        session.post("/open", path="ages.csv")
        session.post("/kind", kind="statistic")
        before = session.desk.project
        assert session.post("/settings", settings=settings)[0] == 422
        assert session.desk.project is before

    def test_a_ledger_is_charged_when_it_is_filed(self, session: Session, root: Path) -> None:
        write_kinds(root)
        session.post("/open", path="hours.csv")
        assert session.post("/questions/ledger", ledger="budget.db", subject="study", total="5")[0] == 200
        session.post("/kind", kind="statistic")
        session.post("/settings", settings='columns = "hour"\nmechanism = "mean"\nepsilon = 1\nlow = 0\nhigh = 24')
        session.post("/file/start", **FILE)
        session.wait("file")
        with Ledger(root / "budget.db", create=False) as ledger:
            balance = ledger.balance("study")
        assert balance.left.epsilon == pytest.approx(4.0)  # type: ignore[attr-defined]

    def test_a_wrong_kind_is_refused(self, session: Session, root: Path) -> None:
        write_kinds(root)
        session.post("/open", path="ages.csv")
        assert session.post("/kind", kind="party")[0] == 422
        assert session.post("/kind", kind="trace")[0] == 422
        assert session.desk.project.kind == "table"

    def test_a_screen_of_another_kind_says_so(self, session: Session, root: Path) -> None:
        write_kinds(root)
        session.post("/open", path="day.csv")
        for path in ("/review", "/stretches", "/settings", "/roles", "/risk", "/protect", "/attack", "/compare"):
            assert session.get(path)[0] == 422, path
        assert session.get("/trace")[0] == 200
