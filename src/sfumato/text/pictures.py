"""Pictures of studies on texts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sfumato.study.outcome import Outcome
from sfumato.study.study import Picture
from sfumato.validate import extra

__all__ = ["gap_picture"]


def gap_picture(outcome: Outcome) -> Picture:
    """Share of the raw score that analyst and attacker keep, along each method."""
    go = extra("plotly.graph_objects", "report")
    figure = go.Figure()
    attack = next(row["measure"] for row in outcome.rows if row["kind"] == "attack")
    utility = next(row["measure"] for row in outcome.rows if row["kind"] == "utility")
    colours = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
    base = {measure: _mean(outcome.select(label="raw data", measure=measure)) for measure in (attack, utility)}
    for k, label in enumerate(name for name in outcome.labels if name != "raw data"):
        for measure, dash, kind in ((utility, "solid", "kept by the analyst"), (attack, "dot", "kept by the attacker")):
            rows = outcome.select(label=label, measure=measure)
            places = sorted({row["varied"] for row in rows})
            values = [_mean([row for row in rows if row["varied"] == place]) for place in places]
            shown = [value / base[measure] if base[measure] else 0.0 for value in values]
            figure.add_scatter(
                x=places, y=shown, mode="lines+markers", name=f"{label}: {kind}", legendgroup=label,
                line={"color": colours[k % len(colours)], "dash": dash},
            )  # fmt: skip
    figure.update_xaxes(title="ε per word", type="log")
    figure.update_yaxes(title="share of the score on raw texts", rangemode="tozero")
    return Picture(
        "What analyst and attacker keep",
        figure,
        "The wider the gap between the solid and the dotted line of a method, the better it separates what a text is "
        "about from who wrote it.",
    )


def _mean(rows: Iterable[Any]) -> float:
    values = [row["value"] for row in rows]
    return sum(values) / len(values) if values else 0.0
