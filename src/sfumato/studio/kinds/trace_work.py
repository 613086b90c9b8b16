"""What was decided about a trace: which hours are secret, and whether they are cut out or covered by noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.study.own.decisions import Decisions
from sfumato.trace.core.gps import Projection, time_zone
from sfumato.trace.core.hidden_place import HiddenPlace
from sfumato.trace.core.hidden_times import hidden_places
from sfumato.trace.core.trace_points import TracePoints
from sfumato.trace.trace_method import TraceMethod
from sfumato.validate import integer, positive

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DAY", "LivePath", "TraceWork", "clock_words"]

DAY = 1440
"""Minutes of a day."""
MOST_BANDS = 12
_DEAREST = 5.0


@dataclass(frozen=True, kw_only=True)
class TraceWork:
    """How a trace is protected.

    Parameters
    ----------
    bands : tuple of (int, int)
        Secret hours, in minutes since the midnight before the first point by the clock on the wall, each within a day
        and apart from each other.
    daily : bool
        They are secret on every day, always at the same place; then they are hours of the first one.
    first_day : str
        The date of the first point, for commands that name a later one.
    keep_times : bool
        All points leave, with noise; otherwise the points around the secret hours are cut out.
    radius : float
        Two places this many metres apart must not be told apart.
    epsilon : float
        With noise: the loss between two such places.
    margin : int
        With a cut: minutes that are left out on either side.
    zone : str
        The time zone of the hours, and of times that do not say theirs.
    """

    kind = "trace"

    bands: tuple[tuple[int, int], ...] = ((720, 750),)
    daily: bool = False
    keep_times: bool = False
    radius: float = 200.0
    epsilon: float = 1.0
    margin: int = 20
    zone: str = "UTC"
    first_day: str = ""

    def __post_init__(self) -> None:
        if not 1 <= len(self.bands) <= MOST_BANDS:
            raise bad_input("secret hours", len(self.bands), f"1 to {MOST_BANDS} of them")
        last = -1
        for start, end in self.bands:
            if not last < start <= end or start // DAY != end // DAY or (self.daily and end >= DAY):
                raise bad_input("secret hours", clock_words(start, end), "hours of one day, in order and apart")
            last = end
        positive("radius", self.radius)
        positive("epsilon", self.epsilon)
        integer("margin", self.margin, least=0, most=DAY)
        time_zone(self.zone)

    @classmethod
    def of(cls, table: pa.Table) -> TraceWork:
        """What is proposed: half an hour in the middle of the first day, to be moved. The path is not looked at."""
        live = LivePath.read(table, "UTC")
        low, high = live.first_minute, live.last_minute
        start = max(low, min((low + high) // 2 - 15, DAY - 31))
        return cls(bands=((start, min(start + 30, DAY - 1)),), first_day=live.first_day)

    @property
    def hours(self) -> list[str]:
        """The secret hours as commands name them: those of later days with their date."""
        return [self._date(start // DAY) + clock_words(start, end) for start, end in self.bands]

    def _date(self, day: int) -> str:
        return "" if day == 0 else f"{date.fromisoformat(self.first_day) + timedelta(days=day)} "

    def on_day(self, day: int) -> list[tuple[int, int]]:
        """The secret hours of a day, in minutes since its midnight."""
        return [
            (start % DAY, end % DAY) for start, end in self.bands if self.daily or start // DAY == day
        ]  # fmt: skip

    def with_day(self, day: int, hours: Sequence[tuple[int, int]], *, daily: bool) -> TraceWork:
        """The same with other hours on one day. Hours that become daily are those of all days taken together."""
        others = [] if self.daily else [band for band in self.bands if band[0] // DAY != day]
        if daily:
            return replace(
                self, bands=_joined([*hours, *((low % DAY, high % DAY) for low, high in others)]), daily=True
            )
        own = [(day * DAY + low, day * DAY + high) for low, high in hours]
        return replace(self, bands=tuple(sorted([*others, *own])), daily=False)

    @property
    def words(self) -> str:
        """The settings in a few words."""
        way = f"noise of ε = {self.epsilon:g}" if self.keep_times else f"{self.margin} minutes cut on either side"
        return f"secret {', '.join(self.hours)}{' every day' if self.daily else ''}, {self.radius:g} m, {way}"

    @property
    def settings(self) -> dict[str, Any]:
        """Arguments of :func:`sfumato.trace.protect`."""
        found: dict[str, Any] = {"daily" if self.daily else "secrets": self.hours, "radius": self.radius}
        if self.keep_times:
            found |= {"keep_times": True, "epsilon": self.epsilon}
        else:
            found["margin"] = 60.0 * self.margin
        return found if self.zone == "UTC" else found | {"zone": self.zone}

    @property
    def decisions(self) -> Decisions:
        """As ``decisions.toml`` holds it."""
        return Decisions(kind="trace", protect=self.settings)

    def places(self, times: NDArray[np.float64]) -> list[HiddenPlace]:
        """What is hidden."""
        given: dict[str, Any] = {"daily": self.hours} if self.daily else {}
        return hidden_places([] if self.daily else self.hours, times, **given, zone=self.zone)

    def mechanism(self, times: NDArray[np.float64]) -> Any:
        """The mechanism for a path at these times, as :func:`sfumato.trace.protect` makes it."""
        own: dict[str, Any] = {"margin": 60.0 * self.margin}
        if self.keep_times:
            own = {"max_error": _DEAREST * self.radius}
        method = TraceMethod(
            mechanism="place-noise" if self.keep_times else "time-cut",
            radius=self.radius,
            epsilon=self.epsilon if self.keep_times else None,
            settings=own,
        )
        return method.build(times, self.places(times))


@dataclass(frozen=True, eq=False)
class LivePath:
    """The true path for the owner's eyes: times, metres, and the minutes of the day that is shown.

    Parameters
    ----------
    minutes : ndarray
        Since the midnight of that day; points of other days are below 0, or a day and more.
    day, days : int
        Which day is shown, the first is 0, and how many there are.
    first_day : str
        Its date.
    """

    times: NDArray[np.float64]
    path: NDArray[np.float64]
    minutes: NDArray[np.float64]
    midnight: float
    day: int
    days: int
    first_day: str

    @classmethod
    def read(cls, table: pa.Table, zone: str, day: int = 0) -> LivePath:
        """The path in a table, and one of its days."""
        trace = TracePoints.read(table, {"zone": zone}).trace
        path = Projection.about(trace).to_metres(trace.latitude, trace.longitude)
        clock = time_zone(zone) or UTC
        start, end = (datetime.fromtimestamp(float(trace.times[at]), clock) for at in (0, -1))
        days = (end.date() - start.date()).days + 1
        if not 0 <= day < days:
            raise bad_input("day", day + 1, f"1 to {days}")
        first = start.replace(hour=0, minute=0, second=0, microsecond=0)
        midnight = (first + timedelta(days=day)).timestamp()
        minutes = (trace.times - midnight) / 60
        return cls(trace.times, path, minutes, midnight, day, days, first.date().isoformat())

    @property
    def date(self) -> str:
        """The day that is shown."""
        return (date.fromisoformat(self.first_day) + timedelta(days=self.day)).isoformat()

    @property
    def _of_day(self) -> NDArray[np.float64]:
        return self.minutes[(self.minutes >= 0) & (self.minutes < DAY)]

    @property
    def first_minute(self) -> int:
        """Where the time line begins: with the first point of the day."""
        return int(self._of_day[0]) if self._of_day.size else 0

    @property
    def last_minute(self) -> int:
        """Where it ends: with the last point of the day."""
        return min(int(np.ceil(self._of_day[-1])), DAY - 1) if self._of_day.size else DAY - 1

    def shown_minutes(self, count: int) -> NDArray[np.float64]:
        """Evenly spread minutes of the time line, moved to the point nearest by: between points less is told."""
        wanted = np.linspace(self.first_minute, self.last_minute, count)
        after = np.clip(np.searchsorted(self.minutes, wanted), 1, len(self.minutes) - 1)
        before = after - 1
        nearest = np.where(wanted - self.minutes[before] < self.minutes[after] - wanted, before, after)
        moved = self.minutes[nearest]
        return np.unique(np.where(np.abs(moved - wanted) <= (wanted[1] - wanted[0]) / 2, moved, wanted))


def clock_words(start: int, end: int) -> str:
    """An interval of a day as commands take it.

    >>> clock_words(720, 750)
    '12:00-12:30'
    """
    return "-".join(f"{minute // 60 % 24:02d}:{minute % 60:02d}" for minute in (start, end))


def _joined(bands: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Bands that meet become one.

    >>> _joined([(700, 720), (60, 90), (710, 730)])
    ((60, 90), (700, 730))
    """
    found: list[tuple[int, int]] = []
    for low, high in sorted(bands):
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return tuple(found)
