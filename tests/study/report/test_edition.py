"""The edition to publish: no paths, no reasons, no small counts, no pictures of the input."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

from helpers.toy_study import Guess, toy_study
from sfumato.errors import InputError
from sfumato.study import Outcome, Picture, Score
from sfumato.study.frontier import frontier
from sfumato.study.report.edition import public_frontier, recommended
from sfumato.study.report.page import report
from sfumato.study.run.runner import run
from sfumato.study.threshold import Threshold


@dataclasses.dataclass(frozen=True, kw_only=True)
class Quoting(Guess):
    """Fails with a message that quotes a record."""

    name: str = "quoting"

    def attack(self, data: Any, release: Any, **_: Any) -> Score:
        raise ValueError("Ann Example, born 1 May 1970, is missing")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Few(Guess):
    """Three of four hundred people."""

    name: str = "found"

    def attack(self, data: Any, release: Any, **_: Any) -> Score:
        return Score.of_share([1] * 3 + [0] * 397, reference=0.0025)


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    study = toy_study(seeds=1)
    known = {"attacks": [Guess(), Few(), Quoting()], "records": 400, "contains": {"bit": {"person": 7}}}
    return run(dataclasses.replace(study, **known), workers=1)


@pytest.fixture(scope="module")
def pages(outcome: Outcome, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("editions")
    pictures = [
        Picture("The map of everybody", go.Figure(go.Scatter(x=[47.123456], y=[8.654321]))),
        Picture("Only averages", go.Figure(go.Scatter(x=[1.0], y=[2.0])), public=True),
    ]
    found = {}
    for edition in ("internal", "public"):
        path = folder / f"{edition}.html"
        report(outcome, path, pictures=pictures, command="sfumato study /home/ann/people.toml", edition=edition)
        content = path.read_text(encoding="utf-8")
        found[edition] = re.sub(r'id="plotly">.*?</script>', "", content, flags=re.DOTALL)
    return found


def test_an_unknown_edition(outcome: Outcome, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="edition = 'secret'"):
        report(outcome, tmp_path / "report.html", edition="secret")  # type: ignore[arg-type]


@pytest.mark.parametrize("private", ["Ann Example", "people.toml", "The map of everybody", "47.123456", "7 bits"])
def test_what_only_the_internal_edition_says(pages: dict[str, str], private: str) -> None:
    assert private in pages["internal"]
    assert private not in pages["public"]


def test_each_says_which_it_is(pages: dict[str, str]) -> None:
    assert "internal edition, not to be passed on" in pages["internal"]
    assert "edition to publish" in pages["public"]
    assert "Only averages" in pages["public"]
    assert "it could not be measured" in pages["public"]
    assert "results.parquet" not in pages["public"]


def test_no_small_counts(pages: dict[str, str], outcome: Outcome) -> None:
    settings = json.loads(re.search(r'id="settings">(.*?)</script>', pages["public"], re.DOTALL)[1])  # type: ignore[index]
    risks = [point["estimates"]["found"]["mean"] for point in settings["points"]]
    assert set(risks) == {0.028}  # 11 of 400, rounded up
    assert "0.0075" in pages["internal"]
    assert "0.0075" not in pages["public"]
    for point in [*settings["points"], settings["raw"]]:
        for ends in point["estimates"].values():
            for value in ends.values():
                assert value is None or value == float(f"{value:.2g}")


def test_risks_are_never_rounded_down_to_nobody(outcome: Outcome) -> None:
    plane = public_frontier(frontier(outcome, attack="found"), attacks=outcome.attacks, records=400)
    for point in plane.points:
        assert plane.risk(point).mean >= 11 / 400
    everybody = public_frontier(frontier(outcome), attacks=outcome.attacks, records=400)
    raw = frontier(outcome)
    for rounded, exact in zip(everybody.points, raw.points, strict=True):
        before, after = raw.risk(exact).mean, everybody.risk(rounded).mean
        assert after == 1.0 if before > 1 - 11 / 400 else abs(after - before) < 0.0051


def test_both_editions_recommend_the_same(outcome: Outcome, tmp_path: Path) -> None:
    said = set()
    for edition in ("internal", "public"):
        report(outcome, tmp_path / "report.html", limits=0.9, edition=edition)
        page = (tmp_path / "report.html").read_text(encoding="utf-8")
        said.add(json.dumps(json.loads(re.search(r'id="settings">(.*?)</script>', page, re.DOTALL)[1])["chosen"]))  # type: ignore[index]
    assert len(said) == 1
    assert "Blur" in said.pop()


def test_rounding_does_not_choose(outcome: Outcome) -> None:
    """Equal after rounding, different before: the exact numbers decide."""
    exact = frontier(outcome)
    limits = {exact.attack: Threshold(value=2.0, source="test")}
    flat = [dataclasses.replace(point, estimates=exact.points[0].estimates) for point in exact.points]
    chosen = exact.recommended(limits)
    assert chosen is not None
    found = recommended(dataclasses.replace(exact, points=flat), exact, limits)
    assert found is not None
    assert found.title == chosen.title
