"""The map of the report: what is left of a pattern on the ground under each collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.noise import seeded_rng
from sfumato.study.report.panels import panels, scores
from sfumato.study.study import Picture
from sfumato.survey.data.survey import Survey
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
    figure, places = panels({label: scores(outcome, mechanism) for label, mechanism in shown.items()}, height=340)
    drawn = np.linspace(0, survey.n - 1, min(points, survey.n)).astype(int)
    flat = survey.where.shape[1] == 1
    for panel, (mechanism, place) in enumerate(zip(shown.values(), places, strict=True)):
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
                **place,
            )
    figure.update_layout(legend={"itemsizing": "constant"})
    figure.update_xaxes(showticklabels=False, showgrid=False, zeroline=False)
    figure.update_yaxes(showticklabels=False, showgrid=False, zeroline=False)
    caption = (
        "Every dot is an owner's slot, coloured by the report that ended up in it. Local privacy keeps the finest "
        "pattern and with it who said what; a shuffle among neighbours keeps the coarser ones; a uniform shuffle "
        "keeps none."
    )
    return Picture("The map that is left", figure, caption)
