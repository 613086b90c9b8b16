"""What can be said of a private statistic before it is drawn and paid for: from its settings and what is public."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.errors import InputError
from sfumato.io.engine import Source
from sfumato.io.frames import missing_columns, to_arrow
from sfumato.statistic.mechanisms.private_p_value import PrivatePValue
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

_BY_NOISE = "By the noise alone, not by who happened to be asked."
_SIXTH, _TWELFTH = 1 / 6, 1 / 12


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
    frame : pandas, Polars or Arrow table, or Source
        Of its records only the number is used, and that only where neighbours replace a record: otherwise it is
        private.
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
    streams = isinstance(frame, Source)
    table: Any = () if streams else to_arrow(frame)
    question = Question(
        kind=kinds()[choice("mechanism", mechanism, list(kinds()))],
        columns=[columns] if isinstance(columns, str) else list(columns),
        settings=dict(settings or {}),
        **arguments,
    )
    missing_columns(list(question.columns), frame.columns if streams else table.column_names, "the table")
    made = mechanism_of(question, table)
    question.check_reach(made)
    epsilon = getattr(made, "epsilon", None)
    by = "" if epsilon is None else "epsilon"
    of = "two values of a record" if made.guarantee.model == "local" else "two records"
    figures, notes = [best_guess(made.guarantee, of, by)], []
    public = made.guarantee.neighbours != "add-remove"
    size = 0 if not public else None if streams else table.num_rows
    try:
        figures.append(_accuracy(question, made, size, by))
    except InputError:  # a ratio of noisy totals, several quantiles at once, or a private number of records
        notes.append("How exact the answer is, is measured when it is filed.")
    dials = () if epsilon is None else (epsilon_dial(float(epsilon)),)
    return Preview(promise=made.guarantee, figures=tuple(figures), dials=dials, notes=tuple(notes))


def _accuracy(question: Question, made: Any, size: int | None, by: str) -> Foreseen:
    """How far an answer, or each released value, is off.

    ``size`` is 0 if the number of records is private, and None if it is public but not known before a file was read.
    """
    if hasattr(made, "margin_for"):
        if size is None:
            raise InputError("the number of records is not known yet")
        return Foreseen(
            name="margin",
            value=made.margin_for(size, LEVEL),
            words="error at most " + _UNITS.get(question.name, f"of the {question.name}, in the unit of the column"),
            why=f"19 times out of 20{f', from {size:,} records' if size else ''}. {_BY_NOISE}",
            share=question.name == "quantile",
            by=by,
        )
    if hasattr(made, "truth"):
        why = "So many of the records tell another answer than the true one, drawn at random."
        return Foreseen(name="lies", value=1 - made.truth, words="of the records lie", why=why, by=by)
    if hasattr(made, "expected_error") and size:
        sixth, twelfth = (made.expected_error(size, deviation) for deviation in (_SIXTH, _TWELFTH))
        why = f"If the standard deviation of both columns is a sixth of their bounds; {twelfth:.2g} if it is a twelfth."
        return Foreseen(name="margin", value=sixth, words="error of r, about", why=why, share=False, by=by)
    if (scale := _scale_of_statistic(made, size)) is not None:
        words = "standard deviation of the noise on the statistic"
        return Foreseen(name="deviation", value=scale, words=words, why=_BY_NOISE, share=False, by=by)
    if hasattr(made, "variance"):
        words = "standard deviation of each released value"
        return Foreseen(
            name="deviation", value=math.sqrt(made.variance), words=words, why=_BY_NOISE, share=False, by=by
        )
    raise InputError(f"nothing is known beforehand of how exact {question.name} is")


def _scale_of_statistic(made: Any, size: int | None) -> float | None:
    """The noise of a test's statistic."""
    if isinstance(made, PrivatePValue) and size:
        parts = made.number_of_parts(size)
        return float(made.read(parts // 2, parts).noise_scale)
    scale = getattr(made, "noise_scale", None)
    return scale if isinstance(scale, float) else None
