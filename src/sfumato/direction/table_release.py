"""Release of a table: each mechanism takes what it needs from the columns and gives a table back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from sfumato.direction.core.frame_columns import (
    check_ins_of_columns,
    label_codes,
    read_columns,
    release_columns,
    survey_of_columns,
)
from sfumato.direction.mechanisms.bayesian_remap import BayesianRemap
from sfumato.direction.mechanisms.naive_central_survey import NaiveCentralSurvey
from sfumato.direction.mechanisms.protected_check_ins import ProtectedCheckIns
from sfumato.direction.mechanisms.protected_survey import ProtectedSurvey
from sfumato.errors import bad_input
from sfumato.io.frames import with_columns
from sfumato.noise import Rng

__all__ = ["release_table"]


def release_table(
    table: pa.Table,
    columns: Sequence[str],
    mechanism: Any,
    *,
    hour: str | None = None,
    group: str | None = None,
    public: pa.Table | None = None,
    rng: Rng | None = None,
) -> tuple[pa.Table, list[str]]:
    """The released table, and which of its columns are protected.

    Parameters
    ----------
    columns : sequence of str
        Latitude and longitude for places, one column a night for surveys, else any columns of directions.
    mechanism : Mechanism
        Any mechanism of directions.
    hour : str, optional
        For :class:`ProtectedCheckIns`: the column of the time of day.
    group : str, optional
        For surveys: the column of the group, which is public.
    public : table, optional
        With the same columns: the candidates of :class:`BayesianRemap`, the places of :class:`ProtectedCheckIns`.

    Examples
    --------
    >>> from sfumato.direction import Purkayastha
    >>> poll = pa.table({"age": ["young", "old", "old"], "wakes": [8.5, 6.0, 7.25]})
    >>> means = NaiveCentralSurvey(noise=Purkayastha(pure=1.0, kind="hour"))
    >>> released, protected = release_table(poll, ["wakes"], means, group="age")
    >>> released.column("age").to_pylist(), protected
    (['old', 'young', 'all'], ['age', 'mean_hour'])
    """
    if isinstance(mechanism, ProtectedCheckIns):
        _refuse(group=group)
        if hour is None or public is None:
            raise bad_input("hour, public", (hour, public), "a column of hours and a table of public places")
        visits = check_ins_of_columns(table, columns, read_columns(public, columns), hour=hour)
        released = mechanism.release(visits, rng=rng)
        latitude, longitude = released.places[released.place].T
        new = {columns[0]: latitude, columns[1]: longitude, hour: released.hour}
        return with_columns(table, new), list(new)
    _refuse(hour=hour)
    if not isinstance(mechanism, BayesianRemap):
        _refuse(public=public)
    if isinstance(mechanism, ProtectedSurvey):
        answers = mechanism.release(survey_of_columns(table, columns, group), rng=rng).hour
        return with_columns(table, {name: answers[:, i] for i, name in enumerate(columns)}), list(columns)
    if isinstance(mechanism, NaiveCentralSurvey):
        return _mean_table(mechanism, table, columns, group, rng), [str(group), "mean_hour"]
    _refuse(group=group)
    if isinstance(mechanism, BayesianRemap):
        if public is None:
            raise bad_input("public", None, f"a table of public directions with the columns {', '.join(columns)}")
        mechanism.fit(read_columns(public, columns))
    return release_columns(table, columns, mechanism, rng=rng), list(columns)


def _refuse(**options: Any) -> None:
    """Refuse options that the mechanism has no use for."""
    for name, value in options.items():
        if value is not None:
            shown = value if isinstance(value, str) else "a table"
            raise bad_input(name, shown, "nothing: this mechanism does not use it", "leave it out")


def _mean_table(
    mechanism: NaiveCentralSurvey, table: pa.Table, columns: Sequence[str], group: str | None, rng: Rng | None
) -> pa.Table:
    """The protected mean hour of each group, and of all people in the last row."""
    if group is None:
        raise bad_input("group", None, "the column of the group that each person belongs to")
    means = mechanism.release(survey_of_columns(table, columns, group), rng=rng)
    labels = [str(label) for label in label_codes(table, group)[0]]
    return pa.table({group: [*labels, "all"], "mean_hour": [*means.group, means.overall]})
