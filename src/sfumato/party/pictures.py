"""Pictures for the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.study.study import Picture
from sfumato.validate import extra

if TYPE_CHECKING:
    from sfumato.study.outcome import Outcome

__all__ = ["answers_picture"]


def answers_picture(outcome: Outcome) -> Picture:
    """What an attacker infers of the answers, and how many are true, against ε."""
    go = extra("plotly.graph_objects", "report")
    figure = go.Figure()
    for label in outcome.labels:
        for measure in ("answers inferred", "true answers"):
            rows = outcome.select(label=label, measure=measure)
            places = sorted({row["varied"] for row in rows})
            values = [[row["value"] for row in rows if row["varied"] == place] for place in places]
            means = [sum(several) / len(several) for several in values]
            figure.add_scatter(x=places, y=means, name=f"{label}: {measure}", mode="lines+markers")
    figure.update_xaxes(type="log", title="ε of each answer")
    figure.update_yaxes(title="share", range=[0, 1])
    caption = "An answer that is useful to the peer is as useful to an attacker: the two curves meet."
    return Picture("What the answers tell", figure, caption)
