"""What is asked of a table of directions: from options, or from a card, to a mechanism and its data."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.core.clock import as_clock, is_clock, is_timestamp
from sfumato.direction.core.coordinates import CIRCLES, Kind, arc_words, metres_to_radians, period_of, wrap_into
from sfumato.direction.core.frame_columns import check_ins_of_columns, label_codes, read_columns, survey_of_columns
from sfumato.direction.data.directions import Directions
from sfumato.direction.mechanisms.bayesian_remap import BayesianRemap
from sfumato.direction.mechanisms.directional_trace import DirectionalTrace
from sfumato.direction.mechanisms.naive_central_survey import NaiveCentralSurvey
from sfumato.direction.mechanisms.protected_check_ins import ProtectedCheckIns
from sfumato.direction.mechanisms.protected_survey import ProtectedSurvey
from sfumato.direction.promise import records_words
from sfumato.errors import bad_input
from sfumato.promise import Assumption, Guarantee
from sfumato.study.settings import build
from sfumato.validate import choice

__all__ = ["Question", "kinds", "known_directions", "noises", "noises_in"]


@functools.cache
def kinds() -> dict[str, type]:
    """Every mechanism of this kind of data by its name on the command line."""
    from sfumato.direction.room import ROOM

    return ROOM.mechanisms()


@functools.cache
def noises() -> dict[str, type]:
    """Those that perturb directions themselves; the others work with one of these inside."""
    return {name: kind for name, kind in kinds().items() if "kind" in _parameters(kind)}


def _parameters(kind: type) -> set[str]:
    return {one.name for one in dataclasses.fields(kind)}


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked, as ``protect`` takes it and as the card keeps it.

    Parameters
    ----------
    mechanism : str
        Its name on the command line.
    columns : sequence of str
    kind, epsilon, level, radius, pure, noise, hour, hours, group, trace, zone, wrap, normalise
        As in :func:`~sfumato.direction.protect`.
    known : mapping, optional
        Public directions: ``directions`` without repetition, and how often each one is there (``counts``).
    settings : mapping
        Parameters of the mechanism that have no option of their own; they win over the options.
    """

    mechanism: str
    columns: Sequence[str]
    kind: Kind = "hour"
    epsilon: float | None = None
    level: float | None = None
    radius: float | None = None
    pure: float | None = None
    noise: str = "purkayastha"
    hour: str | None = None
    hours: float = 3.0
    group: str | None = None
    trace: str | None = None
    zone: str | None = None
    known: Mapping[str, Any] | None = None
    wrap: bool = False
    normalise: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        choice("mechanism", self.mechanism, list(kinds()))
        choice("kind", self.kind, get_args(Kind))
        if issubclass(self.made_by, ProtectedCheckIns):
            object.__setattr__(self, "kind", "latlon")
        if not self.columns or len(set(self.columns)) < len(self.columns):
            raise bad_input("--column", list(self.columns), "different columns, at least one")
        if self.kind == "latlon" and len(self.columns) != 2:
            raise bad_input("--column", list(self.columns), "latitude and longitude")
        if self.kind == "vector" and len(self.columns) < 2:
            raise bad_input("--column", list(self.columns), "one column for each coordinate, at least two")
        self._check_uses()

    def _check_uses(self) -> None:
        """Refuse options that the mechanism has no use for, and miss those that it needs."""
        check_ins = issubclass(self.made_by, ProtectedCheckIns)
        uses = {
            "group": self.row_is_person,
            "hour": check_ins,
            "trace": self.of_traces,
            "known": check_ins or issubclass(self.made_by, BayesianRemap),
        }
        for name, used in uses.items():
            value = getattr(self, name)
            if value is not None and not used:
                shown = value if isinstance(value, str) else "a table"
                raise bad_input(f"--{name}", shown, f"nothing: {self.mechanism} does not use it", "leave it out")
        if check_ins and (self.hour is None or self.known is None):
            raise bad_input("--hour, --known", (self.hour, None), "a column of hours and a table of public places")
        if uses["known"] and self.known is None:
            wanted = f"a table of public directions with the columns {', '.join(self.columns)}"
            raise bad_input("--known", None, wanted)
        if self.of_traces and (self.trace is None or (self.kind in CIRCLES and len(self.columns) > 1)):
            raise bad_input("--trace", self.trace, "the column that says whose trace it is, and one of hours or angles")
        if self.gives_means and self.group is None:
            raise bad_input("--group", None, "the column of the group that each person belongs to")

    @property
    def made_by(self) -> type:
        """The class of the mechanism."""
        return kinds()[self.mechanism]

    @property
    def gives_means(self) -> bool:
        """Whether only means leave, not records."""
        return issubclass(self.made_by, NaiveCentralSurvey)

    @property
    def of_traces(self) -> bool:
        """Whether the promise is for a trace of several rows."""
        return issubclass(self.made_by, DirectionalTrace)

    @property
    def noun(self) -> str:
        """What the promise is about."""
        if self.of_traces:
            return "trace"
        return "check-in" if issubclass(self.made_by, ProtectedCheckIns) else "record"

    @property
    def row_is_person(self) -> bool:
        """Whether a row is all that one person answered."""
        return issubclass(self.made_by, (ProtectedSurvey, NaiveCentralSurvey))

    @property
    def protected(self) -> list[str]:
        """The columns that are protected."""
        return [*self.columns, *([self.hour] if self.hour is not None else [])]

    @property
    def in_a_row(self) -> int:
        """How many directions with a promise of their own a row has."""
        return len(self.columns) if self.kind in CIRCLES and not self.gives_means else 1

    # ── mechanism ─────────────────────────────────────────────────────────────────────────────────────────────────

    def build(self) -> Any:
        """The mechanism; what a mechanism with noise inside does not have goes to the noise."""
        options = {"epsilon": self.epsilon, "level": self.level, "pure": self.pure}
        options |= {"wrap": self.wrap or None, "normalise": self.normalise or None}
        given = {name: value for name, value in options.items() if value is not None} | dict(self.settings)
        if self.mechanism in noises():
            return build(kinds(), self.mechanism, self._within(given, self.kind, self.radius), kind=self.kind)
        own = _parameters(self.made_by)
        inside = {name: value for name, value in given.items() if name not in own}
        outside = {name: value for name, value in given.items() if name in own}
        if issubclass(self.made_by, ProtectedCheckIns):
            time = None if self.radius is None else self.hours
            parts = {"place": self._part("latlon", self.radius, inside), "time": self._part("hour", time, inside)}
        else:
            parts = {"noise": self._part(self.kind, self.radius, inside)}
        made = build(kinds(), self.mechanism, outside, **parts)
        if isinstance(made, BayesianRemap):
            rows, counts = self.known_rows, np.asarray((self.known or {})["counts"])
            made.fit(np.repeat(rows, counts, axis=0))
        return made

    def _part(self, kind: Kind, radius: float | None, inside: Mapping[str, Any]) -> Any:
        return build(noises(), self.noise, self._within(inside, kind, radius), what="noise", kind=kind)

    @staticmethod
    def _within(options: Mapping[str, Any], kind: Kind, radius: float | None) -> dict[str, Any]:
        """The options with the radius in radians, from metres on the ground, hours of the day or radians."""
        if radius is None:
            return dict(options)
        if kind == "latlon":
            radius = metres_to_radians(radius)
        elif kind in ("hour", "week"):
            radius = radius * 2 * np.pi / period_of(kind)
        return {**options, "radius": radius}

    @property
    def known_rows(self) -> NDArray[np.float64]:
        """The public directions, each once."""
        return np.asarray((self.known or {})["directions"], dtype=np.float64)

    @property
    def candidates(self) -> NDArray[np.float64]:
        """All that can be released, where it is one of the public directions; one a row."""
        if not issubclass(self.made_by, BayesianRemap):
            return self.known_rows
        listed = np.asarray(self.build().candidates_, dtype=np.float64)
        return listed[:, None] if listed.ndim == 1 else listed

    def promise(self, mechanism: Any) -> Guarantee:
        """What the mechanism promises, and what that takes as public."""
        promise: Guarantee = mechanism.guarantee
        taken = [("known directions", self.known), ("groups", self.group if self.gives_means else None)]
        return promise.assuming(*(Assumption(what) for what, given in taken if given is not None))

    def within(self, mechanism: Any) -> dict[str, tuple[str, float]]:
        """The radius of each part of the promise, in words and in the distance of the part, where one was asked for."""
        return {
            name: (arc_words(noise.kind, noise.radius), noise.reach)
            for name, noise in noises_in(mechanism).items()
            if getattr(noise, "radius", None) is not None
        }

    def totals(self, mechanism: Any, total: Guarantee | None, records: int) -> dict[str, Any] | None:
        """What the records of one person lose together, in words; None if no promise is about several records."""
        if total is None:
            return None
        words = records_words(records, total, self.within(mechanism), noun=self.noun)
        return {"records": records, "words": words}

    # ── data ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def data(self, table: Any) -> Any:
        """The part of the table that the mechanism takes."""
        if issubclass(self.made_by, ProtectedCheckIns):
            return check_ins_of_columns(table, self.columns, self.known_rows, hour=self.hour, zone=self.zone)
        if self.row_is_person:
            return survey_of_columns(table, self.columns, self.group, zone=self.zone)
        values = self.directions(table).values
        if not self.of_traces:
            return values
        return [values[rows, 0] if self.kind in CIRCLES else values[rows] for rows in self.trace_rows(table)]

    def trace_rows(self, table: Any) -> list[NDArray[np.int64]]:
        """The rows of each trace."""
        codes = label_codes(table, str(self.trace))[1]
        order = np.argsort(codes, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)

    def directions(self, table: Any) -> Directions:
        """The directions in the columns."""
        values = read_columns(table, self.columns, self.kind, self.zone)
        if self.wrap and self.kind in CIRCLES:
            values = wrap_into(values, period_of(self.kind))
        return Directions(values=values, kind=self.kind)

    def released(self, given: Any, table: Any) -> dict[str, Any]:
        """What the mechanism gave, as columns."""
        if issubclass(self.made_by, ProtectedCheckIns):
            latitude, longitude = given.places[given.place].T
            hour = self._as_written(str(self.hour), given.hour, table)
            return {self.columns[0]: latitude, self.columns[1]: longitude, str(self.hour): hour}
        if self.gives_means:
            labels = [str(label) for label in label_codes(table, str(self.group))[0]]
            return {str(self.group): [*labels, "all"], "mean_hour": [*given.group, given.overall]}
        values = given.hour if issubclass(self.made_by, ProtectedSurvey) else given
        if self.of_traces:
            values = np.empty((table.num_rows, len(self.columns)))
            for rows, trace in zip(self.trace_rows(table), given, strict=True):
                values[rows] = trace.reshape(len(rows), -1)
        return {name: self._as_written(name, values[:, i], table) for i, name in enumerate(self.columns)}

    def _as_written(self, name: str, values: NDArray[np.float64], table: Any) -> Any:
        """Clock times where the input has clock times or timestamps; the date of a timestamp does not leave."""
        kind: Kind = "hour" if name == self.hour else self.kind
        return as_clock(values, kind) if kind in ("hour", "week") and is_clock(table, name) else values

    def check_zone(self, table: Any) -> None:
        """Refuse a zone that no column needs."""
        if self.zone is not None and not any(is_timestamp(table, name) for name in self.protected):
            raise bad_input("--zone", self.zone, "nothing: no protected column holds timestamps", "leave it out")

    def public(self) -> dict[str, Any]:
        """The options as plain values; with the name of the mechanism they make the question again."""
        values = {one.name: getattr(self, one.name) for one in dataclasses.fields(self) if one.name != "mechanism"}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def noises_in(mechanism: Any) -> dict[str, Any]:
    """The noise in a mechanism, or the two in one that protects place and time."""
    if isinstance(mechanism, ProtectedCheckIns):
        return {"place": mechanism.place, "time": mechanism.time}
    return {"": getattr(mechanism, "noise", mechanism)}


def known_directions(frame: Any, columns: Sequence[str], kind: Kind = "latlon") -> dict[str, Any]:
    """The directions of a public table, each once, and how often each is there."""
    rows, counts = np.unique(read_columns(frame, columns, kind), axis=0, return_counts=True)
    return {"directions": rows.tolist(), "counts": counts.tolist()}
