"""Pictures of studies on texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from sfumato.mechanism import Mechanism
from sfumato.noise import seeded_rng
from sfumato.study.outcome import Outcome
from sfumato.study.study import Picture
from sfumato.validate import extra

__all__ = ["examples_picture", "gap_picture"]

_LONG = 300


def gap_picture(outcome: Outcome, *, axis: str = "ε per word") -> Picture:
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
    figure.update_xaxes(title=axis, type="log")
    figure.update_yaxes(title="share of the score on raw texts", rangemode="tozero")
    return Picture(
        "What analyst and attacker keep",
        figure,
        "The wider the gap between the solid and the dotted line of a method, the better it separates what a text is "
        "about from who wrote it.",
    )


def examples_picture(outcome: Outcome, *, texts: Sequence[str], mechanisms: Mapping[str, Mechanism]) -> Picture:
    """A few texts, and what each method makes of them. They are shown: take texts that nobody wrote."""
    go = extra("plotly.graph_objects", "report")
    rows = [("before", before, place) for place, before in enumerate(texts)]
    for name, mechanism in mechanisms.items():
        after = mechanism.release(list(texts), rng=seeded_rng(0))
        told = str(mechanism.guarantee).split(" (")[0]
        label = name if mechanism.guarantee.vacuous else f"{name}, {told}"
        rows += [(label, text, place) for place, text in enumerate(after)]
    rows.sort(key=lambda row: row[2])
    cells = [[escape(name) for name, _, _ in rows], [escape(_cut(text)) for _, text, _ in rows]]
    colours = ["#eef3f8" if name == "before" else "#ffffff" for name, _, _ in rows]
    figure = go.Figure(
        go.Table(
            columnwidth=[1, 4],
            header={"values": ["", "text"], "align": "left"},
            cells={"values": cells, "align": "left", "fill": {"color": [colours, colours]}},
        )
    )
    figure.update_layout(height=120 + 95 * len(rows))
    return Picture(
        "Before and after",
        figure,
        "What survives of a text: of a code its mood, of a noisy latent hardly anything, without noise the wording.",
    )


def _cut(text: str) -> str:
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"


def _mean(rows: Iterable[Any]) -> float:
    values = [row["value"] for row in rows]
    return sum(values) / len(values) if values else 0.0
