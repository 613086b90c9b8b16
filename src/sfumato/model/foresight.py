"""What can be said of generated records before a generator is fitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.io.frames import to_arrow
from sfumato.model.protection import column_names, generator_of
from sfumato.study.preview import LEVEL, Preview, best_guess, epsilon_dial, error_of_share
from sfumato.validate import probability

__all__ = ["preview"]


def preview(
    frame: Any,
    columns: Sequence[str],
    *,
    mechanism: str = "noisy-marginals",
    epsilon: float | None = None,
    count: int | None = None,
    holdout: float = 0.2,
    settings: Mapping[str, Any] | None = None,
) -> Preview:
    """What a release of generated records would promise, and how exact its shares can be. No record is looked at.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table
    columns, mechanism, epsilon, count, holdout, settings
        As in :func:`~sfumato.model.protect`.

    Examples
    --------
    >>> from sfumato.model.data.census import make_census
    >>> domains = {"age": [0, 100, 10], "sex": ["f", "m"]}
    >>> found = preview(make_census(1250), ["age", "sex"], epsilon=1.0, settings={"domains": domains})
    >>> round(found.figure("guess").value, 3), round(found.figure("margin").value, 3)
    (0.731, 0.012)
    """
    table = to_arrow(frame)
    column_names(columns, table)
    made = generator_of(mechanism, {**(settings or {}), **_given(epsilon=epsilon, count=count)})
    promise = made.guarantee
    figures, notes = [best_guess(promise, "two records")], []
    trained = max(round(table.num_rows * (1 - probability("holdout", holdout, zero=True))), 1)
    if hasattr(made, "margin_for"):
        why = (
            f"By the noise on the count of one value or range, for about {trained:,} records that are learned from, 19 "
            "times out of 20; the number of records is public."
        )
        figures.append(error_of_share(made.margin_for(trained, LEVEL), "a value", why))
    else:
        notes.append("How close the records come to the data is measured when they are filed.")
    if promise.vacuous:
        notes.append("Nothing is promised: what attackers achieve is measured when they are filed.")
    dials = (epsilon_dial(float(made.epsilon)),) if hasattr(made, "epsilon") else ()
    return Preview(promise=promise, figures=tuple(figures), dials=dials, notes=tuple(notes))


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
