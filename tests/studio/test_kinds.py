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
from sfumato.studio.kinds.room_work import RoomWork
from sfumato.studio.kinds.trace_work import LivePath, TraceWork
from sfumato.studio.screens.file_screen import filed_now

FORM = {"s0": "12:15", "e0": "12:45", "way": "cut", "epsilon": "1", "radius": "200", "margin": "20", "zone": "UTC"}
pytestmark = pytest.mark.usefixtures("here")
FILE = {"description": "x", "recipient": "y", "purpose": "", "sharing": ""}


SURVEY = 'column = "answer"\nmechanism = "unary-encoding"\nepsilon = 1.0\ncategories = ["yes", "no"]'
ITEMS = [f"i{n}" for n in range(9)]
MODEL = 'columns = ["age", "sex"]\nepsilon = 1.0\nsettings = { domains = { age = [0, 100, 10], sex = ["f", "m"] } }'


@pytest.fixture
def here(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    session.work_here(monkeypatch)


@pytest.fixture
def trace(session: Session, root: Path) -> Session:
    write_kinds(root)
    assert session.post("/open", path="day.csv")[0] == 200
    assert session.desk.project.kind == "trace"
    return session


def room(session: Session) -> RoomWork:
    assert isinstance(session.desk.project.work, RoomWork)
    return session.desk.project.work


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


class TestLaterDays:
    """Three days, a point every ten minutes."""

    @pytest.fixture
    def days(self, session: Session, root: Path) -> Session:
        rows = [f"{1_699_920_000 + 600 * n},{52.5 + 0.0001 * (n % 50)},{13.4 + 0.0002 * (n % 70)}" for n in range(432)]
        (root / "days.csv").write_text("time,latitude,longitude\n" + "\n".join(rows) + "\n")
        assert session.post("/open", path="days.csv")[0] == 200
        assert session.desk.project.kind == "trace"
        return session

    def work(self, session: Session) -> TraceWork:
        assert isinstance(session.desk.project.work, TraceWork)
        return session.desk.project.work

    def test_each_day_has_its_hours(self, days: Session) -> None:
        first = self.work(days).hours
        assert "2023-11-16" in days.get("/trace/3")[1]
        page = days.post("/trace/live", **{**FORM, "day": "3"})[1]
        assert self.work(days).hours == [*first, "2023-11-16 12:15-12:45"]
        assert figures(page)
        for number, slider in ((1, 2), (2, 0), (3, 2)):
            assert days.get(f"/trace/{number}")[1].count('role="slider"') == slider
        page = days.post("/trace/bands/remove", **{**FORM, "day": "3", "band": "0"})[1]
        assert self.work(days).hours == first

    def test_the_library_hides_the_same_points(self, days: Session) -> None:
        import sfumato as sf

        days.post("/trace/live", **{**FORM, "day": "2"})
        live = LivePath.read(days.desk.opened.table, "UTC", 1)
        made = self.work(days).mechanism(live.times)
        release = sf.trace.protect(days.desk.opened.table, secrets=self.work(days).hours, margin=1200.0, radius=200.0)
        assert int(made.kept.sum()) == release.arrow.num_rows
        gone = live.minutes[~made.kept]
        assert ((gone >= 12 * 60 - 5) & (gone <= 13 * 60 + 5)).any()
        assert "2023-11-15 12:15-12:45" in sample_of(days.desk.project, "trace").command

    def test_hours_of_every_day_are_those_of_all_days(self, days: Session) -> None:
        start, end = self.work(days).bands[0]
        own = {"s0": f"{start // 60:02d}:{start % 60:02d}", "e0": f"{end // 60:02d}:{end % 60:02d}"}
        days.post("/trace/live", **{**FORM, "s0": "03:00", "e0": "04:00", "day": "2"})
        days.post("/trace/live", **{**FORM, **own, "day": "1", "daily": "on"})
        assert self.work(days).bands == ((180, 240), (start, end))
        for number in (1, 2, 3):
            assert days.get(f"/trace/{number}")[1].count('role="slider"') == 4

    @pytest.mark.parametrize("day", ["0", "4", "x"])
    def test_no_such_day(self, days: Session, day: str) -> None:
        before = days.desk.project
        assert days.post("/trace/live", **{**FORM, "day": day})[0] == 422
        assert days.get(f"/trace/{day}")[0] == 422
        assert days.desk.project is before


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
            ("answers.csv", "survey", SURVEY),
            ("hours.csv", "direction", ""),
            ("ages.csv", "statistic", 'columns = "age"\nmechanism = "mean"\nepsilon = 1\nlow = 0\nhigh = 100'),
            ("ages.csv", "model", MODEL),
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

    @pytest.mark.parametrize("settings", ["no sign", "made_up = 1", "epsilon = 1\nepsilon = 2", "epsilon = 1"])
    def test_bad_settings_change_nothing(self, session: Session, root: Path, settings: str) -> None:
        write_kinds(root)
        session.post("/open", path="ages.csv")
        session.post("/kind", kind="statistic")
        before = session.desk.project
        assert session.post("/settings", settings=settings)[0] == 422
        assert session.desk.project is before

    @pytest.mark.parametrize("settings", ['columns = "age"', "columns = 3", 'columns = ["age"]\nsettings = 3'])
    def test_settings_of_the_wrong_kind_are_said(self, session: Session, root: Path, settings: str) -> None:
        write_kinds(root)
        session.post("/open", path="ages.csv")
        session.post("/kind", kind="model")
        code, page = session.post("/settings", settings=settings)
        assert code == 200
        assert "card warn" in page
        assert "expected" in page
        assert session.post("/settings/live", settings=settings, **{"dial-epsilon": "1"})[0] == 422

    def test_a_ledger_that_is_not_for_these_data_can_be_left(self, session: Session, root: Path) -> None:
        write_kinds(root)
        session.post("/open", path="answers.csv")
        session.post("/ledger", ledger="budget.db", subject="study", total="5")
        session.post("/kind", kind="survey")
        session.post("/settings", settings=SURVEY)
        assert "The budget of study cannot pay for this: unit" in session.get("/file")[1]
        session.post("/file/start", **FILE)
        assert "keep a budget of its own" in session.desk.runs["file"].error
        assert session.post("/ledger/leave")[0] == 204
        session.post("/file/start", **FILE)
        session.wait("file")

    @pytest.mark.parametrize(
        ("path", "kind", "settings"),
        [
            ("answers.csv", "survey", SURVEY),
            ("hours.csv", "direction", 'columns = "hour"\nepsilon = 1.0'),
            ("hours.csv", "direction", 'columns = "hour"\nlevel = 1.0\nradius = 2.0'),
            ("ages.csv", "statistic", 'columns = "age"\nmechanism = "histogram"\nepsilon = 1\nlow = 0\nhigh = 100'),
            ("ages.csv", "statistic", 'columns = "age"\nmechanism = "laplace"\nepsilon = 1\nlow = 0\nhigh = 100'),
            ("ages.csv", "model", MODEL),
            ("log.csv", "activity", f'mechanism = "randomized-cells"\nepsilon = 0.1\nitems = {ITEMS}'),
        ],
    )
    def test_a_ledger_made_here_pays_for_what_is_filed_here(
        self, session: Session, root: Path, path: str, kind: str, settings: str
    ) -> None:
        write_kinds(root)
        session.post("/open", path=path)
        session.post("/kind", kind=kind)
        session.post("/settings", settings=settings)
        assert "name a ledger" in session.get("/file")[1]
        for releases in ("", "0", "x", "1001"):
            assert session.post("/ledger", ledger="budget.db", subject="study", releases=releases)[0] == 422
        assert session.post("/ledger", ledger="budget.db", subject="study", releases="3")[0] == 204
        assert "is charged when it is filed" in session.get("/file")[1]
        session.post("/file/start", **FILE)
        session.wait("file")
        filed = filed_now(session.desk)
        assert filed is not None
        assert filed.card.ledger is not None
        with Ledger(root / "budget.db", create=False) as ledger:
            found = ledger.balance("study")
        whole, left, spent = (one.cost() for one in (found.budget, found.left, found.spent))
        assert all(float(left[name]) == pytest.approx(2 * float(spent[name])) for name in spent.amounts)
        assert whole == left.plus(spent)
        assert spent

    def test_what_does_not_add_up_has_no_ledger(self, session: Session, root: Path) -> None:
        write_kinds(root)
        session.post("/open", path="log.csv")  # groups of people who look alike
        assert "Who pays?" not in session.get("/file")[1]

    def test_a_ledger_is_charged_when_it_is_filed(self, session: Session, root: Path) -> None:
        write_kinds(root)
        session.post("/open", path="hours.csv")
        assert session.post("/ledger", ledger="budget.db", subject="study", total="5")[0] == 204
        session.post("/kind", kind="statistic")
        session.post("/settings", settings='columns = "hour"\nmechanism = "mean"\nepsilon = 1\nlow = 0\nhigh = 24')
        session.post("/file/start", **FILE)
        session.wait("file")
        with Ledger(root / "budget.db", create=False) as ledger:
            balance = ledger.balance("study")
        assert balance.left.epsilon == pytest.approx(4.0)  # type: ignore[attr-defined]

    @pytest.mark.parametrize(
        ("kind", "path", "text"), [("survey", "answers.csv", SURVEY), ("model", "ages.csv", MODEL)]
    )
    def test_risk_accuracy_and_loss_follow_each_other(
        self, session: Session, root: Path, kind: str, path: str, text: str
    ) -> None:
        def live(name: str, value: str) -> tuple[int, str]:
            return session.post("/settings/live", settings="\n".join(room(session).lines), **{name: value})

        write_kinds(root)
        session.post("/open", path=path)
        session.post("/kind", kind=kind)
        assert "Sliders come when" in session.get("/settings")[1]
        page = session.post("/settings", settings=text)[1]
        assert figures(page)[0] == "73.2 %"  # e/(1 + e), rounded up
        assert live("dial-epsilon", "2")[0] == 200
        assert room(session).settings["epsilon"] == 2.0
        code, part = live("figure-guess", "60")
        assert code == 200
        assert room(session).settings["epsilon"] == pytest.approx(0.405)
        assert "epsilon=0.405" in part  # the command beside it
        assert 'id="box-dial-epsilon"' in part
        assert 'id="box-figure-guess"' not in part  # what is moved is left alone
        wanted = 0.5 * float(figures(part)[1].removesuffix(" %"))
        assert float(figures(live("figure-margin", f"{wanted}")[1])[1].removesuffix(" %")) <= wanted + 0.1
        before = session.desk.project
        for name, value in (
            ("figure-guess", "50"),
            ("figure-margin", "0"),
            ("figure-margin", "x"),
            ("figure-margin", "nan"),
            ("dial-epsilon", "-1"),
            ("dial-epsilon", "nan"),
            ("dial-k", "3"),
            ("figure-made-up", "3"),
            ("epsilon", "3"),
        ):
            assert live(name, value)[0] == 422, (name, value)
        assert session.desk.project is before

    def test_groups_of_a_log_follow_their_slider(self, session: Session, root: Path) -> None:
        write_kinds(root)
        session.post("/open", path="log.csv")
        assert session.desk.project.kind == "activity"
        assert room(session).settings["k"] == 12
        page = session.post("/settings/live", settings="\n".join(room(session).lines), **{"dial-k": "4"})[1]
        assert room(session).settings["k"] == 4
        assert figures(page)[0] == "25.0 %"

    def test_nothing_private_is_drawn_while_a_slider_moves(
        self, session: Session, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import sfumato as sf

        def drawn(*_: object, **__: object) -> None:
            raise AssertionError("an answer was drawn")

        for made in (sf.survey.UnaryEncoding, sf.model.NoisyMarginals):
            monkeypatch.setattr(made, "release", drawn)
        write_kinds(root)
        for path, kind, text in (("answers.csv", "survey", SURVEY), ("ages.csv", "model", MODEL)):
            session.post("/open", path=path)
            session.post("/kind", kind=kind)
            session.post("/settings", settings=text)
            assert session.post("/settings/live", settings=text, **{"dial-epsilon": "2"})[0] == 200

    def test_a_wrong_kind_is_refused(self, session: Session, root: Path) -> None:
        write_kinds(root)
        session.post("/open", path="ages.csv")
        assert session.post("/kind", kind="party")[0] == 422
        assert session.post("/kind", kind="trace")[0] == 422
        assert session.desk.project.kind == "table"

    def test_a_page_of_another_file_changes_nothing(self, session: Session, root: Path) -> None:
        """The file was opened in another window after the page was shown."""
        write_kinds(root)
        session.post("/open", path="ages.csv")
        shown = session.desk.file_mark
        session.post("/open", path="day.csv")
        before = session.desk.project
        for path, fields in (("/trace/live", FORM), ("/kind", {"kind": "statistic"})):
            answer = session.client.post(path, data=fields, headers={**session.headers, "x-file": shown})
            assert answer.status_code == 422
            assert "in another window" in answer.text
        assert session.desk.project is before
        opened = session.client.post("/open", data={"path": "ages.csv"}, headers={**session.headers, "x-file": shown})
        assert opened.status_code == 200
        assert session.desk.file_mark == shown

    def test_an_address_of_another_kind_is_a_page(self, session: Session, root: Path) -> None:
        write_kinds(root)
        session.post("/open", path="ages.csv")
        answer = session.client.get("/trace")
        assert answer.status_code == 422
        assert "<nav" in answer.text
        assert "expected a trace" in answer.text

    def test_a_screen_of_another_kind_says_so(self, session: Session, root: Path) -> None:
        write_kinds(root)
        session.post("/open", path="day.csv")
        for path in ("/review", "/stretches", "/settings", "/roles", "/risk", "/protect", "/attack", "/compare"):
            assert session.get(path)[0] == 422, path
        assert session.get("/trace")[0] == 200
