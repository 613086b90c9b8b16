"""What is hidden, from what the user says: intervals of a day, moments, and the same hours of every day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta

import numpy as np

from sfumato.errors import bad_input
from sfumato.trace.core.gps import time_zone
from sfumato.trace.core.hidden_place import HiddenPlace
from sfumato.trace.core.kernel import Vector
from sfumato.trace.core.secret import Secret

__all__ = ["Interval", "hidden_places", "parse_interval", "samples_of", "visits_in_words"]

Interval = tuple[float, float]
_DATED = re.compile(r"\s*(\d{4}-\d\d-\d\d)[ T]+(\S.*)")


def hidden_places(
    secrets: Sequence[str | HiddenPlace], times: Vector, *, daily: Sequence[str] = (), zone: str | None = None
) -> list[HiddenPlace]:
    """The places behind ``12:00-12:30`` (a stay), ``12:05`` (a moment) and daily ``22:00-06:00`` (one place, each day).

    They are of the first day; ``2024-05-02 12:00-12:30`` is of another one.

    Every interval must have a point of the path in it, or lie between two.

    >>> hidden_places(["00:01-00:02"], np.array([0.0, 60.0, 120.0, 180.0]))
    [HiddenPlace(visits=((60.0, 120.0),))]
    """
    for name, given in (("--secret", secrets), ("--daily", daily)):
        if isinstance(given, str):
            raise bad_input(name, given, "a list of intervals such as 12:00-12:30")
    if not secrets and not daily:
        raise bad_input("--secret", None, "intervals such as 12:00-12:30", "say when the place is secret")
    first, last = float(times[0]), float(times[-1])
    found: list[HiddenPlace] = []
    for one in secrets:
        place = one if isinstance(one, HiddenPlace) else HiddenPlace((parse_interval(one, first, zone),))
        if not any(end >= first and start <= last for start, end in place.visits):
            raise bad_input("secret", one, "an interval in which the trace has a point", "check the time zone")
        found.append(place)
    for text in daily:
        visits = tuple(_every_day(text, first, last, zone))
        if not visits:
            raise bad_input("daily", text, "hours in which the trace has a point", "check the time zone")
        found.append(HiddenPlace(visits))
    return list(dict.fromkeys(found))


def samples_of(places: Sequence[HiddenPlace], times: Vector) -> list[Secret]:
    """Each point that was taken during a visit, as a secret of its own; the nearest point for a visit without any.

    >>> samples_of([HiddenPlace(((60.0, 120.0),))], np.array([0.0, 60.0, 120.0, 180.0]))
    [Secret(indices=(1,)), Secret(indices=(2,))]
    """
    inside: set[int] = set()
    for place in places:
        for start, end in place.visits:
            during = np.flatnonzero((times >= start) & (times <= end))
            inside |= set(during.tolist()) or {int(np.abs(times - (start + end) / 2).argmin())}
    return [Secret((index,)) for index in sorted(inside)]


def parse_interval(text: str, start: float, zone: str | None = None) -> Interval:
    """``12:00-12:30``, or ``12:05`` for a moment, on the day of ``start`` in a time zone, as Unix seconds.

    A date in front of it names another day.

    >>> parse_interval("00:01-00:02", 86400.0)
    (86460.0, 86520.0)
    >>> parse_interval("1970-01-03 00:01-00:02", 86400.0)
    (172860.0, 172920.0)
    """
    day = datetime.fromtimestamp(start, time_zone(zone) or UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    dated = _DATED.match(text)
    if dated is not None:
        try:
            named = date.fromisoformat(dated[1])
        except ValueError:
            raise bad_input("secret", text, "a day such as 2024-02-29 in front of the hours") from None
        day = day.replace(year=named.year, month=named.month, day=named.day)
    first, second = _clock_times("secret", text if dated is None else dated[2])
    low, high = (day.replace(hour=t.hour, minute=t.minute).timestamp() for t in (first, second))
    if not low <= high:
        raise bad_input("secret", text, "an interval that begins before it ends", "--daily takes nights")
    return low, high


def visits_in_words(places: Sequence[HiddenPlace], zone: str | None = None) -> str:
    """The hidden intervals in local time, for the owner.

    >>> visits_in_words([HiddenPlace(((60.0, 120.0),))])
    '1970-01-01 00:01:00 to 00:02:00 UTC'
    """
    clock = time_zone(zone) or UTC
    words = []
    for place in places:
        for start, end in place.visits:
            low, high = (datetime.fromtimestamp(moment, clock) for moment in (start, end))
            shown = f"{low:%Y-%m-%d %H:%M:%S}"
            if end > start:
                shown += f" to {high:%H:%M:%S}" if low.date() == high.date() else f" to {high:%Y-%m-%d %H:%M:%S}"
            words.append(f"{shown} {low:%Z}")
    return ", ".join(words)


def _every_day(text: str, first: float, last: float, zone: str | None) -> list[Interval]:
    """The hours of ``text`` on all days between two moments; those past midnight belong to the day they begin."""
    begins, ends = _clock_times("daily", text)
    clock = time_zone(zone) or UTC
    day = datetime.fromtimestamp(first, clock).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=1)
    found = []
    while day.timestamp() <= last:
        start = day.replace(hour=begins.hour, minute=begins.minute)
        end = day.replace(hour=ends.hour, minute=ends.minute) + timedelta(days=int(ends <= begins))
        if end.timestamp() >= first and start.timestamp() <= last:
            found.append((start.timestamp(), end.timestamp()))
        day += timedelta(days=1)
    return found


def _clock_times(name: str, text: str) -> tuple[datetime, datetime]:
    parts = text.split("-")
    try:
        times = [datetime.strptime(part.strip(), "%H:%M") for part in parts]
        first, second = (times[0], times[0]) if len(times) == 1 and name == "secret" else times
    except ValueError:
        raise bad_input(name, text, "an interval such as 12:00-12:30") from None
    return first, second
