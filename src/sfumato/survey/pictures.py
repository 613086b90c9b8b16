"""The map of the report: what is left of a pattern on the ground under each collection."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.data.surveys import Survey
from sfumato.noise import seeded_rng
from sfumato.study.shapes import Picture
from sfumato.validate import extra

if TYPE_CHECKING:
    from sfumato.study.outcome import Outcome

__all__ = ["map_picture"]

PALETTE = ("#d62728", "#ff7f0e", "#e0b400", "#2ca02c", "#17becf", "#1f77b4", "#9467bd", "#8c564b")


def map_picture(survey: Survey, shown: Mapping[str, Any], outcome: Outcome, *, points: int = 1500) -> Picture:
    """The reports on the map, one panel for each collection, headed by its attack and its learnability.

    Parameters
    ----------
    survey : Survey
    shown : mapping of str to Collection
        What each panel is called; its collection must be one of the study's.
    outcome : Outcome
    points : int
        How many owners are drawn.
    """
    go = extra("plotly.graph_objects", "report")
    subplots = extra("plotly.subplots", "report")
    headings = [f"{label}<br><sup>{_scores(outcome, mechanism)}</sup>" for label, mechanism in shown.items()]
    columns = 2 if len(shown) > 1 else 1
    rows = -(-len(shown) // columns)
    figure = subplots.make_subplots(
        rows, columns, subplot_titles=headings, horizontal_spacing=0.05, vertical_spacing=0.14
    )
    drawn = np.linspace(0, survey.n - 1, min(points, survey.n)).astype(int)
    flat = survey.where.shape[1] == 1
    for panel, mechanism in enumerate(shown.values()):
        release = mechanism.release(survey, rng=seeded_rng(panel))
        height = seeded_rng(0).random(survey.n) if flat else survey.where[:, 1]
        for category, name in enumerate(survey.categories):
            own = drawn[release.answers[drawn] == category]
            x, y = (survey.where[own, 0], height[own])
            if survey.geometry == "globe":
                x, y = y, x  # longitude runs to the right
            figure.add_trace(
                go.Scattergl(
                    x=x,
                    y=y,
                    mode="markers",
                    name=name,
                    legendgroup=name,
                    showlegend=panel == 0,
                    marker={"size": 4, "color": PALETTE[category % len(PALETTE)]},
                    hovertemplate=f"{name}<extra></extra>",
                ),
                row=panel // columns + 1,
                col=panel % columns + 1,
            )
    figure.update_layout(height=320 * rows + 80)
    _leave_room_for_the_legend(figure)
    figure.update_xaxes(showticklabels=False)
    figure.update_yaxes(showticklabels=False)
    caption = (
        "Every dot is an owner's slot, coloured by the report that ended up in it. Local privacy keeps the finest "
        "pattern and with it who said what; a shuffle among neighbours keeps the coarser ones; a uniform shuffle "
        "keeps none."
    )
    return Picture("The map that is left", figure, caption)


def _leave_room_for_the_legend(figure: Any, share: float = 0.92) -> None:
    """Lower the panels and their headings: the report puts the legend above the plot."""
    figure.for_each_yaxis(lambda axis: axis.update(domain=[edge * share for edge in axis.domain]))
    for heading in figure.layout.annotations:
        heading.y *= share


def _scores(outcome: Outcome, mechanism: Any) -> str:
    """The first attack and the first utility under this mechanism, averaged over seeds."""
    from sfumato.study.cell import parameters_of

    own = json.dumps(parameters_of(mechanism), ensure_ascii=False, sort_keys=True)
    words = []
    for measure in (outcome.attacks[0], next(iter(outcome.utilities))):
        values = [row["value"] for row in outcome.select(measure=measure, parameters=own)]
        if values:
            words.append(f"{measure} {np.mean(values):.2f}")
    return ", ".join(words)
