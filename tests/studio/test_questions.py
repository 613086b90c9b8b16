"""Questions: accuracy and ε on public things, and an answer that is paid once."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from helpers.door_contract import run as sfumato
from helpers.studio_session import Session
from sfumato.ledger import Ledger
from sfumato.statistic import Histogram, Mean, Quantile
from sfumato.statistic.core.wanted_accuracy import epsilon_for_margin
from sfumato.studio.code_samples import question_sample

MEAN = {"column": "2", "kind": "mean", "low": "0", "high": "100", "by": "margin", "margin": "5", "level": "0.5"}


@pytest.mark.parametrize(
    ("make", "margin"),
    [
        (lambda e: Mean(epsilon=e, bounds=(0, 100)), 0.5),
        (lambda e: Histogram(epsilon=e, categories=["a", "b"]), 20),
        (lambda e: Quantile(epsilon=e, bounds=(0, 100), points=100), 0.01),
    ],
)
def test_the_epsilon_is_enough_and_hardly_more(make: object, margin: float) -> None:
    epsilon = epsilon_for_margin(make, 1000, margin)  # type: ignore[arg-type]
    assert make(epsilon).margin_for(1000) <= margin  # type: ignore[operator]
    assert make(0.97 * epsilon).margin_for(1000) > margin  # type: ignore[operator]


def test_a_quantile_s_margin_holds() -> None:
    """Of 400 releases at least 95 % lie within the margin; fewer than 90 % would happen once in 10⁴ at 95 % exactly."""
    import numpy as np

    from sfumato.noise import seeded_rng

    data = seeded_rng(1).integers(0, 101, 500).astype(float)
    asked = Quantile(epsilon=0.5, bounds=(0, 100), q=0.3, points=100)
    margin = asked.margin_for(500)
    answers = asked.sample(data, 400, seeded_rng(2))
    below, upto = (data[:, None] < answers).mean(axis=0), (data[:, None] <= answers).mean(axis=0)
    off = np.maximum(np.maximum(below - 0.3, 0.3 - upto), 0)
    assert (off <= margin).mean() >= 0.9


def test_the_price_looks_at_no_value(opened: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the data were looked at")

    monkeypatch.setattr("sfumato.studio.screens.question_screen.protect", refuse)
    for kind in (Mean, Histogram, Quantile):
        monkeypatch.setattr(kind, "release", refuse)
    code, page = opened.post("/questions/price", **MEAN)
    assert code == 200
    needed = epsilon_for_margin(lambda e: Mean(epsilon=e, bounds=(0, 100)), 240, 5)
    assert f">{needed:g}<" in page
    assert 'id="pay"' not in page  # nobody pays yet
    assert opened.post("/questions/price", **{**MEAN, "kind": "quantile", "margin": "10"})[0] == 200
    words = {**MEAN, "column": "4", "kind": "histogram", "categories": "flu, cold, gout"}
    assert "± " in opened.post("/questions/price", **words)[1]


@pytest.mark.parametrize("wrong", [{"low": ""}, {"high": "-1"}, {"margin": "0"}, {"column": "99"}, {"kind": "mode"}])
def test_a_wrong_question_says_why(opened: Session, wrong: dict[str, str]) -> None:
    code, page = opened.post("/questions/price", **{**MEAN, **wrong})
    assert code == 200
    assert "expected" in page


class TestPaying:
    @pytest.fixture
    def paying(self, opened: Session) -> Session:
        code, _ = opened.post("/ledger", ledger="budget.db", subject="people", total="1")
        assert code == 204
        return opened

    def test_the_ledger_is_always_in_view(self, paying: Session) -> None:
        for path in ("/", "/roles", "/protect", "/file", "/questions"):
            assert "Budget of people" in paying.get(path)[1]

    def test_an_answer_is_paid_once(self, paying: Session, root: Path) -> None:
        asked = {**MEAN, "by": "epsilon", "epsilon": "0.25"}
        code, page = paying.post("/questions/pay", **asked)
        assert code == 200
        assert "Paid by people" in page
        assert paying.post("/questions/pay", **asked)[0] == 200  # the same again: the same answer
        assert len(paying.desk.answers) == 1
        with Ledger(root / "budget.db") as ledger:
            assert ledger.left("people").epsilon == 0.75
        assert "ε = 0.75 left of ε = 1" in paying.get("/")[1]
        answer = paying.client.get("/questions/0/answer.csv", headers=paying.headers)
        assert answer.text.splitlines()[0] == '"mechanism","column","part","value"'
        assert paying.client.get("/questions/1/answer.csv", headers=paying.headers).status_code == 422

    def test_undo_gives_nothing_back(self, paying: Session, root: Path) -> None:
        paying.post("/questions/pay", **{**MEAN, "by": "epsilon", "epsilon": "0.25"})
        paying.post("/journal/undo")
        with Ledger(root / "budget.db") as ledger:
            assert ledger.left("people").epsilon == 0.75

    def test_what_is_not_left_is_not_released(self, paying: Session, root: Path) -> None:
        code, words = paying.post("/questions/pay", **{**MEAN, "by": "epsilon", "epsilon": "3"})
        assert code == 422
        assert "nothing was spent" in words
        assert paying.desk.answers == []
        with Ledger(root / "budget.db") as ledger:
            assert ledger.left("people").epsilon == 1

    def test_the_same_command_pays_the_same(self, paying: Session, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(root)
        for fields in ({}, {"kind": "quantile", "level": "0.25"}, {"kind": "histogram"}):
            paying.desk.answers.clear()
            paying.post("/questions/pay", **{**MEAN, "by": "epsilon", "epsilon": "0.1", **fields})
            plan = paying.desk.answers[0].plan
            words = shlex.split(question_sample(paying.desk.project, paying.desk.budget, "age", plan.arguments).command)
            assert sfumato(*words[1:]) == 0
        with Ledger(root / "budget.db") as ledger:
            assert ledger.left("people").epsilon == pytest.approx(0.4)


@pytest.mark.parametrize("name", ["../budget.db", "/tmp/budget.db", "", ".", "absent/budget.db", "people.csv"])
def test_a_ledger_is_below_the_folder_and_is_one(opened: Session, root: Path, name: str) -> None:
    before = (root / "people.csv").read_text()
    code, _ = opened.post("/ledger", ledger=name, subject="people", total="1")
    assert code == 422
    assert opened.desk.budget is None
    assert (root / "people.csv").read_text() == before
    assert not (root.parent / "budget.db").exists()


def test_nobody_pays_without_a_ledger(opened: Session) -> None:
    code, words = opened.post("/questions/pay", **MEAN)
    assert code == 422
    assert "no ledger is named" in words
