"""What can be said of a private statistic before it is drawn: of its settings and the public number of records."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.errors import InputError
from sfumato.io.frames import missing_columns, to_arrow
from sfumato.statistic.protection import mechanism_of
from sfumato.statistic.question import Question, kinds
from sfumato.study.preview import LEVEL, Foreseen, Preview, best_guess, epsilon_dial
from sfumato.validate import choice

__all__ = ["preview"]

_UNITS = {
    "count": "of the count, in records",
    "histogram": "of each count, in records",
    "quantile": "of the quantile, in ranks",
}
"""What the margin of a statistic is of, where it is not in the unit of its column."""


def preview(
    frame: Any,
    columns: str | Sequence[str],
    *,
    mechanism: str,
    settings: Mapping[str, Any] | None = None,
    **arguments: Any,
) -> Preview:
    """What a private statistic would promise, and how exact it would be. No value is looked at.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table
    columns, mechanism, settings, arguments
        As in :func:`~sfumato.statistic.protect`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 47] * 500})
    >>> found = preview(people, "age", mechanism="mean", low=0, high=100, epsilon=1.0)
    >>> round(found.figure("guess").value, 3), round(found.figure("margin").value, 3)
    (0.731, 0.3)
    """
    table = to_arrow(frame)
    question = Question(
        kind=kinds()[choice("mechanism", mechanism, list(kinds()))],
        columns=[columns] if isinstance(columns, str) else list(columns),
        settings=dict(settings or {}),
        **arguments,
    )
    missing_columns(list(question.columns), table.column_names, "the table")
    made = mechanism_of(question, table)
    question.check_reach(made)
    epsilon = getattr(made, "epsilon", None)
    by = "" if epsilon is None else "epsilon"
    of = "two values of a record" if made.guarantee.model == "local" else "two records"
    figures, notes = [best_guess(made.guarantee, of, by)], []
    try:
        figures.append(_accuracy(question, made, table.num_rows, by))
    except InputError:  # a ratio of noisy totals, or a test: no margin is known beforehand
        notes.append("How exact the answer is, is measured when it is filed.")
    dials = () if epsilon is None else (epsilon_dial(float(epsilon)),)
    return Preview(promise=made.guarantee, figures=tuple(figures), dials=dials, notes=tuple(notes))


def _accuracy(question: Question, made: Any, size: int, by: str) -> Foreseen:
    """How far an answer, or each released value, is off."""
    why = "By the noise alone, not by who happened to be asked; the number of records is public."
    if hasattr(made, "margin_for"):
        return Foreseen(
            name="margin",
            value=made.margin_for(size, LEVEL),
            words="error at most " + _UNITS.get(question.name, f"of the {question.name}, in the unit of the column"),
            why=f"From {size:,} records, 19 times out of 20. {why}",
            share=question.name == "quantile",
            by=by,
        )
    if hasattr(made, "truth"):
        why = "So many of the records tell another answer than the true one, drawn at random."
        return Foreseen(name="lies", value=1 - made.truth, words="of the records lie", why=why, by=by)
    if hasattr(made, "variance"):
        return Foreseen(
            name="deviation",
            value=math.sqrt(made.variance),
            words="standard deviation of each released value",
            why=why,
            share=False,
            by=by,
        )
    raise InputError(f"nothing is known beforehand of how exact {question.name} is")
