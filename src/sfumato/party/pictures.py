"""Pictures for the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.study.study import Picture
from sfumato.validate import extra

if TYPE_CHECKING:
    from sfumato.study.outcome import Outcome

__all__ = ["error_picture"]


def error_picture(outcome: Outcome) -> Picture:
    """The error of the mean against ε."""
    go = extra("plotly.graph_objects", "report")
    figure = go.Figure()
    for label in outcome.labels:
        rows = outcome.select(label=label, measure="error of the mean")
        places = sorted({row["varied"] for row in rows})
        values = [[row["value"] for row in rows if row["varied"] == place] for place in places]
        figure.add_scatter(x=places, y=[sum(v) / len(v) for v in values], name=label, mode="lines+markers")
    figure.update_xaxes(type="log", title="ε")
    figure.update_yaxes(type="log", title="error of the mean")
    return Picture("How far the mean is off", figure, "A tenfold ε makes the error ten times smaller.")
