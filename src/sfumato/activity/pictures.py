"""Pictures for the report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sfumato.study.study import RAW_LABEL, Picture
from sfumato.validate import extra

if TYPE_CHECKING:
    from sfumato.study.outcome import Outcome

__all__ = ["linkage_picture"]

_NAMES = {RAW_LABEL: "pseudonyms alone"}
MEASURES = ("linked", "linked by rare items", "linked by learning", "re-identified")


def linkage_picture(outcome: Outcome) -> Picture:
    """The strongest linkage of every release, from pseudonyms alone to a promise for each user."""
    go = extra("plotly.graph_objects", "report")
    found: dict[str, dict[str, float]] = {}
    for label in (RAW_LABEL, *outcome.labels):
        for measure in MEASURES:
            for row in outcome.select(label=label, measure=measure):
                if not math.isnan(row["value"]):
                    # ε of a cell and ε of a user are worlds apart.
                    unit = "" if math.isnan(row["epsilon"]) else f" a {row['unit']}"
                    name = f"{label}, {row['statement']}{unit}" if row["guaranteed"] else _NAMES.get(label, label)
                    one = found.setdefault(name, {})
                    one[measure] = max(one.get(measure, 0.0), row["value"])
    order = sorted(
        found, key=lambda name: -max(value for key, value in found[name].items() if key.startswith("linked"))
    )
    figure = go.Figure()
    for measure in MEASURES:
        figure.add_scatter(
            y=order, x=[found[name].get(measure) for name in order], name=measure, mode="markers", marker={"size": 9}
        )
    figure.update_xaxes(title="share of the users found", range=[-0.02, 1.02])
    figure.update_yaxes(autorange="reversed")
    figure.update_layout(height=120 + 26 * len(order), margin={"l": 20})
    return Picture(
        "Who can be found",
        figure,
        "From the release that is linked most to the one that is linked least; the raw data under fresh pseudonyms are "
        "“pseudonyms alone”.",
    )
