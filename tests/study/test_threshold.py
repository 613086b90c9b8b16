"""Limits: where they come from, what is recommended by them, and that nothing is without them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from helpers.toy_study import toy_study
from sfumato.errors import InfeasibleError, InputError
from sfumato.study import Limits, Outcome, Threshold
from sfumato.study.frontier import Frontier, Setting, frontier
from sfumato.study.report.page import report, sentences
from sfumato.study.report.sentences import finding, limit_sentence, total_words
from sfumato.study.run.runner import run
from sfumato.study.threshold import EPSILON_STRONG, EPSILON_WEAK, MEAN_RISK, WORST_RECORD

ATTACK = "share of bits guessed"


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return run(toy_study(), workers=1)


def changed(outcome: Outcome, label: str, **columns: Any) -> Outcome:
    """The outcome with other columns in the rows of a label."""
    rows = [row | columns if row["label"] == label else row for row in outcome.rows]
    return dataclasses.replace(outcome, rows=rows)


def test_the_defaults_have_their_sources() -> None:
    assert (WORST_RECORD.value, MEAN_RISK.value, EPSILON_STRONG.value, EPSILON_WEAK.value) == (0.09, 0.05, 1.0, 10.0)
    assert all(limit.source for limit in (WORST_RECORD, MEAN_RISK, EPSILON_STRONG, EPSILON_WEAK))
    assert 1 / 11 > WORST_RECORD.value > 1 / 12  # both readings are printed
    assert "1/11 = 0.0909" in WORST_RECORD.reading
    assert "12" in WORST_RECORD.reading


def test_what_an_epsilon_is_called() -> None:
    limits = Limits()
    assert [limits.strength(e) for e in (0.1, 1.0, 1.01, 10.0, 10.01)] == ["strong", "strong", "weak", "weak", "none"]
    assert limits.words(1000.0) == "above 10: no protection against someone who holds candidates"
    assert limits.words(float("nan")) == ""
    own = Limits.of({"epsilon_strong": 0.1, "epsilon_weak": {"value": 2, "source": "our board"}}, [ATTACK], {})
    assert [own.strength(e) for e in (0.1, 1.0, 3.0)] == ["strong", "weak", "none"]
    assert own.weak.source == "our board"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"guessing": 0.5}, "attack with a limit = 'guessing'"),
        ({ATTACK: {"source": "x"}}, "a table such as"),
        ({ATTACK: {"value": 0.5, "sauce": "x"}}, "a table such as"),
        ({ATTACK: {"value": 0.5, "source": " "}}, "who says so"),
        ({"epsilon_best": 1.0}, "limit = 'epsilon_best'"),
        ({"epsilon_strong": 11.0}, "at most weak"),
        ({"epsilon_strong": -1.0}, "> 0"),
        ("often", "limit = 'often'"),
        (float("nan"), "limit = nan"),
        ("default", "name your own"),
    ],
)
def test_limits_that_make_no_sense(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Limits.of(given, [ATTACK], {})


def test_nothing_is_recommended_without_a_limit(outcome: Outcome, tmp_path: Path) -> None:
    plane = frontier(outcome)
    assert plane.recommended({}) is None
    assert sentences(outcome)[2] == "No limit on the risk was named, so nothing is recommended."
    assert "nothing recommended" in finding(plane, Limits())
    report(outcome, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "the most useful setting is" not in page
    assert "Best setting</th>" not in page


def test_a_limit_names_its_setting(outcome: Outcome) -> None:
    plane = frontier(outcome)
    for limit in (0.75, 0.9, 1.0):
        chosen = plane.recommended({ATTACK: Threshold(value=limit, source="test")})
        assert chosen is not None
        assert chosen.proved
        assert plane.risk(chosen).cautious <= limit
        better = [p for p in plane.points if p.proved and plane.gain(p) > plane.gain(chosen)]
        assert all(plane.risk(point).cautious > limit for point in better)
    with pytest.raises(InfeasibleError, match=r"no setting with a proved promise keeps .* at most 0\.1 \(the lowest"):
        plane.recommended({ATTACK: Threshold(value=0.1, source="test")})
    said = limit_sentence(plane, Limits.of(0.1, [ATTACK], {}), {})
    assert said.startswith("No setting with a proved promise keeps")


def test_all_limits_count(outcome: Outcome) -> None:
    plane = frontier(outcome)
    other = {ATTACK: Threshold(value=1.0, source="test"), "correlation": Threshold(value=0.2, source="test")}
    assert plane.within(other) == [p for p in plane.points if p.estimates["correlation"].cautious <= 0.2]


def test_customary_limits_recommend_nothing_by_themselves(outcome: Outcome, tmp_path: Path) -> None:
    customary = {ATTACK: Threshold(value=0.75, source="a guideline", reading="Some read it otherwise.")}
    known = dataclasses.replace(outcome, customary=customary)
    said = sentences(known)[2]
    assert said.startswith("No limit on the risk was named, so nothing is recommended; ")
    assert "the customary 0.75" in said
    report(known, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "a guideline" in page
    assert "Some read it otherwise." in page
    assert "the most useful setting is" in sentences(known, limits="default")[2]


def test_a_form_is_never_called_proved(outcome: Outcome, tmp_path: Path) -> None:
    form = changed(outcome, "Blur", promise="k = 2 (syntactic)", statement="k = 2", syntactic=True)
    plane = frontier(form)
    blurred = [point for point in plane.points if point.label == "Blur"]
    assert {point.kept_by for point in blurred} == {"form only"}
    with pytest.raises(InfeasibleError, match="proved promise"):
        plane.best(risk_at_most=2.0, guaranteed=True)
    report(form, tmp_path / "report.html", limits=1.0)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert '<span class="badge proved">' not in page
    assert '<span class="badge form">form only</span>' in page
    assert "Blur (form only)" in page


def test_an_epsilon_stands_with_its_totals(tmp_path: Path) -> None:
    study = dataclasses.replace(toy_study(seeds=1), contains={"bit": {"document": 3, "person": 40}})
    outcome = run(study, workers=1)
    (setting,) = [point for point in frontier(outcome).points if point.title == "Blur, ε = 1"]
    assert [(total.holder, total.epsilon) for total in setting.totals] == [("document", 3.0), ("person", 40.0)]
    assert total_words(setting, Limits()) == [
        "in total ε = 3 for a document with 3 bits, weak: at most 10",
        "in total ε = 40 for a person with 40 bits, above 10: no protection against someone who holds candidates",
    ]
    assert setting.largest_epsilon == 40.0
    assert not any(point.totals for point in frontier(outcome).points if point.label == "Rounding")
    report(outcome, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8").replace("\u00a0", " ")
    assert "in total ε = 40 for a person with 40 bits" in page


def test_the_demo_of_tables_does_not_recommend_k_2() -> None:
    """Two records that look alike leave a coin toss: no sentence about a study may advise it unasked."""
    from sfumato.study import find_room

    (recipe,) = [recipe for recipe in find_room("table").recipes if recipe.demo]
    study = recipe.build(people=300, sizes=(2, 5))
    quick = dataclasses.replace(study, attacks=study.attacks[:2], utilities=study.utilities[:1], pictures=())
    outcome = run(quick, workers=1)
    plane = frontier(outcome)
    largest = max(plane.risk(point).mean for point in plane.points if point.name == "k = 2")
    assert largest > 0.2  # the danger is there
    assert plane.recommended({}) is None
    assert "so nothing is recommended" in sentences(outcome)[2]
    for line in (*sentences(outcome), finding(plane, Limits())):
        assert "most useful" not in line
    assert set(outcome.customary) == {study.attacks[0].name, study.attacks[1].name}
    with pytest.raises(InfeasibleError, match=r"at most 0\.09"):  # and nobody with k ≤ 5 keeps the customary limits
        plane.recommended(outcome.customary)


def test_limits_survive_the_file(outcome: Outcome, tmp_path: Path) -> None:
    known = dataclasses.replace(outcome, customary={ATTACK: WORST_RECORD}, records=400)
    known.write(tmp_path / "results.parquet")
    again = Outcome.read(tmp_path / "results.parquet")
    assert again.customary == {ATTACK: WORST_RECORD}
    assert again.records == 400


def test_studies_check_what_they_are_told() -> None:
    with pytest.raises(InputError, match="customary = 'x'"):
        dataclasses.replace(toy_study(), customary={"x": WORST_RECORD})
    with pytest.raises(InputError, match=r"contains\['bit'\]\['person'\] = 0"):
        dataclasses.replace(toy_study(), contains={"bit": {"person": 0}})
    with pytest.raises(InputError, match="records = 0"):
        dataclasses.replace(toy_study(), records=0)


def test_settings_and_frontiers_know_their_kind(outcome: Outcome) -> None:
    plane: Frontier = frontier(outcome)
    kinds: set[str] = {point.kept_by for point in plane.points}
    assert kinds == {"proved", "nothing proved"}
    assert isinstance(plane.points[0], Setting)
