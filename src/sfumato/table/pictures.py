"""Figures for reports on tables."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.table.core.label_classes import as_it_is_rows
from sfumato.table.core.lineage import arrow_of
from sfumato.table.core.schema import Schema
from sfumato.validate import extra

if TYPE_CHECKING:
    from sfumato.study.outcome import Outcome

__all__ = ["candidate_picture", "class_size_picture"]

EDGES = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)


def class_size_picture(releases: Mapping[str, Any], schema: Schema) -> Any:
    """A histogram of records by the size of their class, for each release."""
    go = extra("plotly.graph_objects", "report")
    figure = go.Figure()
    names = [str(a) if b == a + 1 else f"{a}–{b - 1}" for a, b in itertools.pairwise(EDGES)]
    names.append(f"{EDGES[-1]} or more")
    for label, release in releases.items():
        member, counts = as_it_is_rows(arrow_of(release), schema)
        bins = np.searchsorted(EDGES, counts[member], side="right") - 1
        share = np.bincount(bins, minlength=len(names)) / len(member)
        figure.add_bar(x=names, y=share.tolist(), name=label)
    figure.update_layout(barmode="group")
    figure.update_xaxes(title="records in the class")
    figure.update_yaxes(title="share of all records", tickformat=".0%")
    return figure


def candidate_picture(outcome: Outcome) -> Any:
    """The first attack against the first utility, one point for each release, one colour a method."""
    go = extra("plotly.graph_objects", "report")
    figure = go.Figure()
    risk, loss = outcome.attacks[0], next(iter(outcome.utilities))
    for label in outcome.labels:
        risks = {row["varied"]: row["value"] for row in outcome.select(label=label, measure=risk)}
        losses = {row["varied"]: row["value"] for row in outcome.select(label=label, measure=loss)}
        places = sorted(risks)
        figure.add_scatter(
            x=[losses[place] for place in places],
            y=[risks[place] for place in places],
            text=[f"k = {place:g}" for place in places],
            name=label,
            mode="lines+markers+text",
            textposition="top center",
        )
    figure.update_xaxes(title=loss)
    figure.update_yaxes(title=risk, type="log")
    return figure
