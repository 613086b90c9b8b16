"""Small multiples for a report: one panel for each setting of a study, headed by its name and what it scored."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.validate import extra

if TYPE_CHECKING:
    from sfumato.study.outcome import Outcome

__all__ = ["panels", "scores"]


def panels(headings: Mapping[str, str], *, height: int, columns: int = 2) -> tuple[Any, list[dict[str, int]]]:
    """A plotly figure with a panel for each heading (title and line below it), and the row and column of each.

    Parameters
    ----------
    headings : mapping of str to str
    height : int
        Of one panel, in pixels.
    columns : int
    """
    subplots = extra("plotly.subplots", "report")
    rows = -(-len(headings) // columns)
    total = height * rows + 80
    titles = [f"{title}<br><sup>{below}</sup>" for title, below in headings.items()]
    figure = subplots.make_subplots(
        rows, columns, subplot_titles=titles, horizontal_spacing=0.04, vertical_spacing=60 / total
    )
    figure.update_layout(height=total)
    return figure, [{"row": k // columns + 1, "col": k % columns + 1} for k in range(len(headings))]


def scores(outcome: Outcome, mechanism: Any) -> str:
    """The first attack and the first utility of the study under this mechanism, averaged over seeds."""
    from sfumato.study.run.cell import parameters_of
    from sfumato.study.wording import shown

    own = json.dumps(parameters_of(mechanism), ensure_ascii=False, sort_keys=True)
    words = []
    for measure in (outcome.attacks[0], next(iter(outcome.utilities))):
        values = [row["value"] for row in outcome.select(measure=measure, parameters=own)]
        if values:
            words.append(f"{measure} {shown(float(np.mean(values)))}")
    return ", ".join(words)
