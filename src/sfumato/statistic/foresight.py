"""What can be said of the error of a release before it is made and paid for: from the settings and what is public."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sfumato.errors import InputError
from sfumato.io.engine import Source
from sfumato.statistic.mechanisms.private_p_value import PrivatePValue
from sfumato.statistic.mechanisms.quantile import Quantile
from sfumato.statistic.protection import mechanism_of
from sfumato.statistic.question import Question, kinds
from sfumato.study.preview import LEVEL
from sfumato.validate import choice

__all__ = ["expected_error"]

_SIXTH, _TWELFTH = 1 / 6, 1 / 12


def expected_error(frame: Any, columns: str | Sequence[str], *, mechanism: str, **arguments: Any) -> str:
    """How far a release would be off, in words; empty where nothing is known beforehand. No value is looked at.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table, or Source
        Only its number of rows is used, and that only where neighbours replace a record: otherwise it is private.
    columns, mechanism, arguments
        As in :func:`~sfumato.statistic.protect`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [30.0] * 1000, "weight": [70.0] * 1000})
    >>> expected_error(people, "age", mechanism="mean", low=0, high=120, epsilon=1.0)
    'at most 0.359 off in 95 % of releases, by the noise alone'
    >>> bounds = {"low": 0, "high": 120, "epsilon": 1.0, "delta": 1e-5}
    >>> expected_error(people, ["age", "weight"], mechanism="moment-correlation", **bounds)
    'r off by about 0.11 if the columns spread over a sixth of their bounds (standard deviation), 0.43 over a twelfth'
    """
    kind = kinds()[choice("mechanism", mechanism, list(kinds()))]
    question = Question(kind=kind, columns=[columns] if isinstance(columns, str) else list(columns), **arguments)
    made: Any = mechanism_of(question, () if isinstance(frame, Source) else frame)
    public = made.guarantee.neighbours != "add-remove"
    return _words(made, len(frame) if public and not isinstance(frame, Source) else 0, public)


def _words(made: Any, size: int, public: bool) -> str:
    """For ``size`` records, 0 if their number is private or, though public, not known before a file was read."""
    share = f"in {LEVEL:.0%} of releases".replace("%", " %")
    if hasattr(made, "margin_for"):
        if public and not size:
            return ""
        try:
            margin = made.margin_for(size, LEVEL)
        except InputError:  # a ratio of two noisy totals, several quantiles at once, or a private number of records
            return ""
        if isinstance(made, Quantile):
            return f"off by at most {margin:.1%} of the records in rank {share}".replace("%", " %", 1)
        return f"at most {margin:.3g} off {share}, by the noise alone"
    if hasattr(made, "expected_error") and size:
        sixth, twelfth = (made.expected_error(size, deviation) for deviation in (_SIXTH, _TWELFTH))
        return (
            f"r off by about {sixth:.2g} if the columns spread over a sixth of their bounds (standard deviation), "
            f"{twelfth:.2g} over a twelfth"
        )
    if hasattr(made, "noise_scale") and isinstance(made.noise_scale, float):
        return f"the statistic gets noise of standard deviation {made.noise_scale:.3g}"
    if isinstance(made, PrivatePValue) and size:
        parts = made.number_of_parts(size)
        return f"the statistic gets noise of standard deviation {made.read(parts // 2, parts).noise_scale:.3g}"
    if hasattr(made, "variance"):
        return f"each value gets noise of standard deviation {math.sqrt(made.variance):.3g}"
    return ""
