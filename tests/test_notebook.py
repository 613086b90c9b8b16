"""What objects look like in a notebook."""

from __future__ import annotations

import dataclasses
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from helpers.toy_study import toy_study
from sfumato.promise import Assumption
from sfumato.study import console
from sfumato.study.frontier import frontier
from sfumato.study.run.runner import run


def test_studies_outcomes_and_frontiers_are_tables() -> None:
    study = dataclasses.replace(toy_study(seeds=1, n=40), title="Bits & <pieces>")
    outcome = run(study, workers=1)
    for shown in (study, outcome, frontier(outcome)):
        html = shown._repr_html_()  # type: ignore[attr-defined]
        assert html.startswith("<table><caption>")
        assert html.count("<tr>") >= 4
        assert 'scope="row"' in html
        assert "<pieces>" not in html
    assert "Bits &amp; &lt;pieces&gt;" in study._repr_html_()
    assert "nothing proved" in frontier(outcome)._repr_html_()
    assert len(repr(outcome)) < 1000  # not every row of it


def test_promises_mechanisms_audits_and_releases_are_tables() -> None:
    mechanism = sf.Laplace(epsilon=1.0, sensitivity=1.0)
    case = sf.AuditCase(name="Laplace <b>", mechanism=mechanism, pairs=[(0.0, 1.0)])
    audited = sf.audit(case, rng=np.random.default_rng(0))
    release = sf.statistic.protect(pa.table({"age": [31, 47]}), "age", mechanism="mean", low=0, high=99, epsilon=1.0)
    promise = sf.PureDP(1.0).assuming(Assumption("bounds", source="a <law>"))
    for shown, says in (
        (promise, "a &lt;law&gt;"),
        (mechanism, "sensitivity=1.0"),
        (audited, "holds"),
        (release, "ε = 1"),
    ):
        html = shown._repr_html_()  # type: ignore[attr-defined]
        assert html.startswith("<table><caption>")
        assert says in html
        assert "<b>" not in html


def test_progress_in_a_notebook_needs_no_widgets(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    class Handle:
        def update(self, line: str) -> None:
            shown.append(line)

    def display(line: str, display_id: bool) -> Handle:
        shown.append(line)
        return Handle()

    package, fake = ModuleType("IPython"), ModuleType("IPython.display")
    fake.HTML = str  # type: ignore[attr-defined]
    fake.display = display  # type: ignore[attr-defined]
    package.display = fake  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", fake)
    notes: Any = console.notes
    monkeypatch.setattr(notes, "is_jupyter", True)
    assert list(console.progress([1, 2, 3], "adding <b>")) == [1, 2, 3]
    assert "0 of 3" in shown[0]
    assert "3 of 3" in shown[-1]
    assert "adding &lt;b&gt;" in shown[-1]
