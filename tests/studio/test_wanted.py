"""Any one of risk, loss, ε and accuracy is set, and the others follow; the risk is that of people where it must be."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from helpers.studio_files import write_kinds
from helpers.studio_session import Session
from sfumato.studio.kinds.room_work import RoomWork
from sfumato.study.preview import epsilon_for_guess
from sfumato.table import protect
from sfumato.table.data import census_schema, make_census

QUESTION = {"column": "2", "kind": "mean", "low": "0", "high": "100", "by": "risk", "risk": "60"}


def figures(page: str) -> list[str]:
    return re.findall(r'<p class="value">([^<]*)</p>', page)


@pytest.fixture
def census(session: Session, root: Path) -> Session:
    """2 000 people, with the hierarchies of the census."""
    from dataclasses import replace

    from sfumato.io.files import write_table

    write_table(make_census(2000), root / "census.csv")
    assert session.post("/open", path="census.csv")[0] == 200
    project = session.desk.project
    schema = census_schema().bound(session.desk.opened.table)
    session.desk.decide("schema", replace(project, schema=schema, protection=replace(project.protection, l=None)))
    return session


class TestTables:
    @pytest.mark.parametrize(("risk", "k"), [("0.05", 20), ("0.09", 12), ("0,5", 2), ("1", 2)])
    def test_a_highest_risk_gives_its_k(self, opened: Session, risk: str, k: int) -> None:
        code, page = opened.post("/protect/want", worst=risk)
        assert code == 200
        assert opened.desk.project.protection.k == k
        assert f'name="k" min="2" max="100" value="{k}"' in page
        assert float(figures(page)[0]) <= float(risk.replace(",", "."))
        assert f"--k {k} " in page  # the command beside it

    @pytest.mark.parametrize("at", [2, 9, 40, 100])
    def test_a_loss_gives_the_strongest_k(self, census: Session, at: int) -> None:
        project = census.desk.project

        def lost(k: int) -> float:
            from dataclasses import replace

            found = census.desk.live.decide(replace(project.protection, k=k), project.roles)
            return found.information_loss

        loss = lost(at) + 1e-6
        assert census.post("/protect/want", loss=f"{100 * loss:.8f} %")[0] == 200
        k = census.desk.project.protection.k
        assert k >= at
        assert lost(k) <= loss
        assert k == 100 or lost(k + 1) > loss

    def test_an_average_risk_is_kept(self, census: Session) -> None:
        page = census.post("/protect/want", average="0.01")[1]
        assert float(figures(page)[1]) <= 0.01
        assert census.desk.project.protection.k > 2

    @pytest.mark.parametrize(
        "wanted",
        [
            {"worst": "0"},
            {"worst": "2"},
            {"worst": "0.001"},
            {"worst": "nan"},
            {"loss": "x"},
            {"loss": "-1"},
            {"loss": "nan"},
            {"average": "0"},
            {},
            {"worst": "0.1", "loss": "10"},
        ],
    )
    def test_what_is_not_to_be_had_changes_nothing(self, opened: Session, wanted: dict[str, str]) -> None:
        before = opened.desk.project
        code, words = opened.post("/protect/want", **wanted)
        assert code == 422
        assert "expected" in words
        assert opened.desk.project is before

    def test_undo_takes_it_back(self, opened: Session) -> None:
        before = opened.desk.project.protection.k
        opened.post("/protect/want", worst="0.05")
        opened.post("/journal/undo")
        assert opened.desk.project.protection.k == before


def test_the_risk_shown_is_that_of_people_as_on_the_card(session: Session, root: Path) -> None:
    """Four visits of each of 100 patients: classes of 20 records have only 5 people."""
    rows = [f"p{n // 4},{81600 + n // 4 % 4},{20 + n // 4 % 10},{'abc'[n % 3]}" for n in range(400)]
    (root / "visits.csv").write_text("patient,zip,age,illness\n" + "\n".join(rows) + "\n")
    session.post("/open", path="visits.csv")
    assert session.desk.project.schema is not None
    assert session.desk.project.schema.person == "patient"
    page = session.post("/protect/live", k="5", suppression="2")[1]
    card = protect(session.desk.opened.table, session.desk.project.roles, k=5, suppression=0.02).card
    assert card.class_risk is not None
    assert card.class_risk.counted == "people"
    assert float(figures(page)[0]) == card.class_risk.highest == 0.2
    assert float(figures(page)[1]) == card.class_risk.average == 0.2
    assert "above the limit 0.09" in page  # said in words, not by colour alone
    raw = session.get("/risk")[1]
    assert float(figures(raw)[0]) == 0.2
    assert "unique people" in raw
    session.post("/protect/pin")
    assert session.desk.project.pins[0].worst == 0.2


class TestQuestions:
    def test_a_risk_gives_its_epsilon(self, opened: Session) -> None:
        code, page = opened.post("/questions/price", **QUESTION)
        assert code == 200
        assert figures(page)[0] == f"{epsilon_for_guess(0.6):g}"
        assert figures(page)[2] == "60.0 %"

    @pytest.mark.parametrize("risk", ["50", "100", "", "x", "nan", "-3"])
    def test_a_risk_that_no_answer_has_is_said(self, opened: Session, risk: str) -> None:
        code, page = opened.post("/questions/price", **{**QUESTION, "risk": risk})
        assert code == 200
        assert "expected" in page
        assert figures(page) == []

    def test_every_number_is_explained(self, opened: Session) -> None:
        page = opened.post("/questions/price", **QUESTION)[1]
        assert page.count('class="value"') == page.count("popovertarget=") == 3


class TestPlainFields:
    """What most people say is said without a word of TOML."""

    @pytest.mark.parametrize(
        ("path", "kind", "fields", "settings"),
        [
            (
                "answers.csv",
                "survey",
                {"set-column": "0", "set-categories": "yes\n no \n\n"},
                {"column": "answer", "categories": ["yes", "no"], "mechanism": "unary-encoding", "epsilon": 1.0},
            ),
            (
                "ages.csv",
                "statistic",
                {"set-columns": "0", "set-low": "0", "set-high": "99,5", "set-categories": ""},
                {"columns": "age", "low": 0, "high": 99.5, "mechanism": "mean", "epsilon": 1.0},
            ),
            (
                "hours.csv",
                "direction",
                {"set-columns": "1", "set-columns-0": "on", "set-kind": "hour", "set-pure": "2"},
                {"columns": ["hour"], "kind": "hour", "pure": 2},
            ),
            (
                "hours.csv",
                "direction",
                {"set-level": "1", "set-radius": "3"},  # in the place of what was proposed
                {"columns": "hour", "kind": "hour", "level": 1, "radius": 3},
            ),
            (
                "ages.csv",
                "model",
                {"set-domains-0": "0, 100, 10", "set-domains-1": "f\nm"},
                {
                    "columns": ["age", "sex"],
                    "mechanism": "noisy-marginals",
                    "epsilon": 1.0,
                    "settings": {"domains": {"age": [0, 100, 10], "sex": ["f", "m"]}},
                },
            ),
            ("log.csv", "activity", {"set-k": "4"}, {"k": 4}),
        ],
    )
    def test_they_are_the_settings(
        self, session: Session, root: Path, path: str, kind: str, fields: dict[str, str], settings: dict[str, object]
    ) -> None:
        write_kinds(root)
        session.post("/open", path=path)
        session.post("/kind", kind=kind)
        code, page = session.post("/settings/fields", **fields)
        assert code == 200
        work = session.desk.project.work
        assert isinstance(work, RoomWork)
        assert {name: work.settings[name] for name in settings} == settings
        assert len(figures(page)) >= 2  # what follows is foreseen
        assert 'type="range"' in page
        before = session.desk.project
        assert session.get("/settings")[1].count('id="fields"') == 1
        assert session.post("/settings/fields")[0] == 200  # nothing said, nothing changed
        assert session.desk.project is before

    @pytest.mark.parametrize(
        ("path", "kind", "fields"),
        [
            ("answers.csv", "survey", {"set-column": "9"}),
            ("answers.csv", "survey", {"set-column": "x"}),
            ("ages.csv", "statistic", {"set-low": "x"}),
            ("ages.csv", "statistic", {"set-mechanism": ""}),
            ("ages.csv", "model", {"set-domains-0": "0, x, 10"}),
            ("hours.csv", "direction", {"set-columns": "1"}),
        ],
    )
    def test_bad_ones_change_nothing(
        self, session: Session, root: Path, path: str, kind: str, fields: dict[str, str]
    ) -> None:
        write_kinds(root)
        session.post("/open", path=path)
        session.post("/kind", kind=kind)
        before = session.desk.project
        code, words = session.post("/settings/fields", **fields)
        assert code == 422
        assert "expected" in words
        assert session.desk.project is before

    def test_a_wrong_choice_is_said(self, session: Session, root: Path) -> None:
        write_kinds(root)
        session.post("/open", path="hours.csv")
        session.post("/kind", kind="direction")
        code, page = session.post("/settings/fields", **{"set-kind": "angels"})
        assert code == 200
        assert "card warn" in page
        assert "angels" in page
