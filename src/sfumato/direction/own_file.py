"""The study of times of day or places of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from sfumato.errors import bad_input
from sfumato.study.study import Study
from sfumato.study.wording import count
from sfumato.validate import choice

__all__ = ["own_study"]


def own_study(
    data: Path,
    *,
    columns: Sequence[str],
    kind: str = "hour",
    levels: Iterable[float] | None = None,
    group: str | None = None,
    hour: str | None = None,
    user: str | None = None,
    public: Path | None = None,
    metres: float = 200.0,
) -> Study:
    """Hours that people report, one row a person, or visits to places, one row a visit.

    Parameters
    ----------
    data : path
    columns : sequence of str
        For hours one column a night; for places latitude and longitude.
    kind : {"hour", "latlon"}
    levels : iterable of float, optional
        For hours the pure ε of each answer; for places the loss within ``metres`` and within three hours.
    group : str, optional
        For hours: the public group of each person, such as the age.
    hour, user : str
        For places: the columns of the time of day and of the user.
    public : path
        For places: a table of public places in the same columns, at which visits are counted.
    """
    from sfumato.direction.core.frame_columns import check_ins_of_columns, read_columns, survey_of_columns
    from sfumato.direction.room import busyness, hours
    from sfumato.io.files import read_table

    if isinstance(columns, str):
        raise bad_input("columns", columns, f'a list such as ["{columns}"]')
    table = read_table(data)
    if choice("kind", kind, ("hour", "latlon")) == "hour":
        for name, value in (("hour", hour), ("user", user), ("public", public)):
            if value is not None:
                raise bad_input(name, str(value), "nothing for hours", 'kind = "latlon" uses it')
        survey = survey_of_columns(table, list(columns), group)
        study = hours("own-direction", f"The hours of {count(len(survey), 'person', 'people')}", survey, levels)
        return replace(study, pictures=(), records=len(survey))
    if group is not None or hour is None or user is None or public is None:
        raise bad_input(
            "hour, user, public", (hour, user, public), "all three for places, and no group", "visits are counted there"
        )
    places = read_columns(read_table(public), list(columns))
    visits = check_ins_of_columns(table, list(columns), places, hour=hour, user=user)
    title = f"When {count(len(places), 'place')} are busy"
    study = busyness("own-direction", title, visits, levels or (0.1, 1.0, 10.0), metres, 2)
    return replace(study, pictures=(), records=len(visits.hour))
