"""One measure that fails is a dash with a reason, not the end of a study."""

from __future__ import annotations

import dataclasses
import importlib.util
import math
import sys
from pathlib import Path
from typing import Any

import pytest

from helpers.toy_study import Agreement, Blur, toy_study
from sfumato.errors import CellError, InfeasibleError, MissingExtraError
from sfumato.noise import Rng
from sfumato.study import Score
from sfumato.study.frontier import frontier
from sfumato.study.publication import publish_study
from sfumato.study.run.runner import run


@dataclasses.dataclass(frozen=True, kw_only=True)
class Broken(Agreement):
    """Cannot be measured on one kind of release."""

    name: str = "broken"
    memory: bool = False

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        if self.memory:
            raise MemoryError
        if abs(release - data).max() > 0:
            raise ZeroDivisionError("nothing left")
        return Score(1.0)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Unreachable(Blur):
    """A target that the data cannot reach, or an extra that is not there."""

    missing: bool = False

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        if self.missing:
            raise MissingExtraError("cvxpy is not installed; pip install 'sfumato[trace]' brings it")
        raise InfeasibleError("no class of 20 can be had")


def test_a_failing_measure_is_a_dash_with_its_reason(tmp_path: Path) -> None:
    study = dataclasses.replace(toy_study(seeds=1), utilities=[Agreement(), Broken()])
    outcome = publish_study(study, tmp_path, workers=1)
    failed = outcome.select(measure="broken", label="Blur")
    assert {row["reason"] for row in failed} == {"ZeroDivisionError: nothing left"}
    assert all(math.isnan(row["value"]) for row in failed)
    assert outcome.select(measure="broken", label="raw data")[0]["value"] == 1.0
    assert not math.isnan(outcome.select(measure="correlation", label="Blur")[0]["value"])
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "What could not be measured" in page
    assert "ZeroDivisionError: nothing left" in page


def test_what_failed_is_tried_again(tmp_path: Path) -> None:
    study = dataclasses.replace(toy_study(seeds=1), utilities=[Agreement(), Broken()])
    run(study, workers=1, out=tmp_path)
    again = run(study, workers=1, out=tmp_path)
    assert (again.computed, again.kept) == (8, 1)  # the raw data could be measured


def test_a_setting_out_of_reach_does_not_end_the_study(tmp_path: Path) -> None:
    study = toy_study(seeds=1)
    mechanisms = {"Blur": study.mechanisms["Blur"], "k": [Unreachable(epsilon=1.0)]}
    outcome = publish_study(dataclasses.replace(study, mechanisms=mechanisms), tmp_path, workers=1)
    assert {row["reason"] for row in outcome.select(label="k")} == {"no class of 20 can be had"}
    plane = frontier(outcome)
    assert plane.chance == 0.5  # as the settings that could be measured say
    assert "no class of 20 can be had" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_full_memory_ends_the_cell() -> None:
    study = dataclasses.replace(toy_study(seeds=1), utilities=[Broken(memory=True)])
    with pytest.raises(CellError, match="MemoryError"):
        run(study, workers=1)


def test_a_missing_extra_ends_a_study_at_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    study = toy_study(seeds=1, log=str(log))
    mechanisms = {"k": [Unreachable(epsilon=1.0, missing=True)], "Blur": study.mechanisms["Blur"]}
    with pytest.raises(MissingExtraError, match="cvxpy"):
        run(dataclasses.replace(study, mechanisms=mechanisms), workers=1)
    assert not log.exists()


@pytest.mark.parametrize("module", ["plotly", "jinja2"])
def test_what_a_report_needs_is_checked_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    log = tmp_path / "log"
    with pytest.raises(MissingExtraError, match=rf"{module} is not installed.*sfumato\[report\]"):
        publish_study(toy_study(seeds=1, log=str(log)), tmp_path / "out", workers=1)
    assert not log.exists()
    assert not (tmp_path / "out").exists()


def test_pictures_in_files_are_optional(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name == "matplotlib" else there(name, *a))
    publish_study(toy_study(seeds=1, n=40), tmp_path, workers=1)
    assert {path.name for path in tmp_path.iterdir()} == {"journal.jsonl", "results.parquet", "report.html"}
    assert "<noscript>" not in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_limit_on_an_attack_that_is_not_there_ends_before_the_work(tmp_path: Path) -> None:
    from sfumato.errors import InputError

    log = tmp_path / "log"
    with pytest.raises(InputError, match="attack with a limit = 'guesing'"):
        publish_study(toy_study(seeds=1, log=str(log)), tmp_path / "out", workers=1, limits={"guesing": 0.5})
    assert not log.exists()
