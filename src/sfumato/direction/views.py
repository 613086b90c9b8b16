"""An original and its release as the attacks and utilities take them: directions, surveys, check-ins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.core.frame_columns import check_ins_of_columns, label_codes, read_columns
from sfumato.direction.core.group_means import GroupMeans
from sfumato.direction.data.check_ins import CheckIns
from sfumato.direction.data.sleep import SleepSurvey
from sfumato.direction.mechanisms.protected_check_ins import ProtectedCheckIns
from sfumato.direction.mechanisms.protected_survey import ProtectedSurvey
from sfumato.direction.question import Question
from sfumato.errors import bad_input
from sfumato.io.frames import numbers
from sfumato.release import Release

__all__ = ["View", "views"]

_MOST_PLACES = 2_000  # all distances between them are held


@dataclass(frozen=True, eq=False)
class View:
    """Data and release in one form, row by row.

    Parameters
    ----------
    data, release
    has : frozenset of str
        What they tell of: ``"hour"``, ``"place"``, ``"user"``.
    """

    data: Any
    release: Any
    has: frozenset[str]

    def fits(self, example: tuple[Any, ...]) -> bool:
        """Whether an attack or utility, registered with data and a release, can take this."""
        subject, data, release = example[:3]
        same = isinstance(self.data, type(data)) and isinstance(self.release, type(release))
        return same and subject.needs <= self.has


def views(
    question: Question, original: Any, release: Release, *, person: str | None = None, hour: str | None = None
) -> list[View]:
    """All forms in which this release can be attacked and measured, rows in the order of the release.

    Parameters
    ----------
    original : pyarrow.Table
    person : str, optional
        The column of the original that says whose record it is.
    hour : str, optional
        A column of the release with the time of day, where places were protected.
    """
    if question.gives_means:
        return [_means(question, original, release)]
    rows = release.input_rows(original.num_rows)
    seen = release.arrow
    if len(rows) != original.num_rows or len(rows) != seen.num_rows:
        raise bad_input(
            "original", original.num_rows, f"{len(rows)} records, as in the release", "is it the right file?"
        )
    raw = original.take(rows)
    if hour is not None and hour not in seen.column_names:
        raise bad_input("--hour", hour, "a column of the release", "protect --keep releases one unchanged")
    return list(_records(question, raw, seen, person, hour))


def _means(question: Question, original: Any, release: Release) -> View:
    survey: SleepSurvey = question.data(original)
    table = release.arrow
    labels = [str(label) for label in label_codes(original, str(question.group))[0]]
    told = [str(label) for label in table[str(question.group)].to_pylist()]
    if told != [*labels, "all"]:
        raise bad_input("original", f"{len(labels)} groups", "the groups of the release", "is it the right file?")
    hours = numbers(table, "mean_hour")
    means = GroupMeans(group=hours[:-1], overall=float(hours[-1]))
    return View(survey, means, frozenset({"hour", "user"}))


def _records(question: Question, raw: Any, seen: Any, person: str | None, hour: str | None) -> Iterator[View]:
    user = None if person is None else label_codes(raw, person)[1]
    who: frozenset[str] = frozenset() if user is None else frozenset({"user"})
    if issubclass(question.made_by, ProtectedSurvey):
        survey: SleepSurvey = question.data(raw)
        yield View(survey, survey.with_hours(read_columns(seen, question.columns, "hour")), frozenset({"hour", "user"}))
    elif issubclass(question.made_by, ProtectedCheckIns):
        yield _check_ins(question, raw, seen, question.known_rows, question.hour, user, who)
        return
    elif question.kind == "hour" and user is not None:
        first, second = (_hours(question.directions(table).values, user) for table in (raw, seen))
        yield View(first, second, who | {"hour"})
    elif question.kind == "latlon":
        yield _check_ins(question, raw, seen, _map_of(read_columns(raw, question.columns)), hour, user, who)
    yield View(question.directions(raw), question.directions(seen), frozenset())


def _map_of(latlon: NDArray[np.float64]) -> NDArray[np.float64]:
    """The places that the attacker knows as a map: all of the original, or the busiest squares of about 100 m."""
    places = np.unique(latlon, axis=0)
    if len(places) <= _MOST_PLACES:
        return places
    squares, counts = np.unique(np.round(latlon, 3), axis=0, return_counts=True)
    return np.asarray(squares[np.sort(np.argsort(-counts, kind="stable")[:_MOST_PLACES])])


def _check_ins(
    question: Question, raw: Any, seen: Any, places: Any, hour: str | None, user: Any, who: frozenset[str]
) -> View:
    first, second = (
        check_ins_of_columns(table, question.columns, places, hour=hour, zone=question.zone) for table in (raw, seen)
    )
    if user is not None:
        first, second = replace(first, user=user), replace(second, user=user)
    return View(first, second, who | {"place"} | ({"hour"} if hour is not None else set()))


def _hours(values: Any, user: Any) -> CheckIns:
    """Hours of users at one place."""
    count = values.size
    return CheckIns(
        user=np.repeat(user, values.shape[1]),
        hour=values.ravel(),
        latlon=np.zeros((count, 2)),
        place=np.zeros(count, dtype=np.int64),
        places=np.zeros((1, 2)),
    )
