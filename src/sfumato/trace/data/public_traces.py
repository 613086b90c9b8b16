"""Traces, stays and homes of real people from the public sets, in metres, for experiments. Never print their points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.io.datasets.cabspotting import load_cab_points
from sfumato.io.datasets.geolife import load_geolife, load_geolife_dense
from sfumato.io.frames import column, numbers
from sfumato.trace.core.gps import GpsTrace, Projection
from sfumato.trace.core.stops import find_stops

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Piece", "geolife_homes", "moving_pieces", "stay_pieces"]

Vector = NDArray[np.float64]
Source = Literal["geolife", "geolife-dense", "cabs"]


@dataclass(frozen=True, eq=False)
class Piece:
    """A piece of a path: whose it is, seconds from its start, metres about a centre in degrees, the hidden interval."""

    user: str
    times: Vector
    path: Vector
    hidden: tuple[float, float]
    centre: tuple[float, float]


def _runs(source: Source, every: float) -> Iterator[tuple[str, Vector, Vector, tuple[float, float]]]:
    """Uninterrupted runs of one user at about one point in ``every`` seconds, as (user, Unix seconds, metres,
    centre in degrees)."""
    table, who, label = _table(source)
    user, part, times = column(table, who), column(table, label), numbers(table, "t")
    latitude, longitude = numbers(table, "lat"), numbers(table, "lon")
    order = np.lexsort((times, part))
    for rows in np.split(order, np.flatnonzero(part[order][1:] != part[order][:-1]) + 1):
        rows = rows[np.concatenate([[True], np.diff(times[rows]) > 0])]
        if len(rows) < 3:
            continue
        kept = _thinned(times[rows], every)
        rows = rows[kept]
        for run in np.split(rows, np.flatnonzero(np.diff(times[rows]) > 3 * every) + 1):
            if len(run) < 10:
                continue
            trace = GpsTrace(times[run], latitude[run], longitude[run])
            plane = Projection.about(trace)
            path = plane.to_metres(trace.latitude, trace.longitude)
            yield str(user[run[0]]), trace.times, path, (plane.latitude, plane.longitude)


def _table(source: Source) -> tuple[pa.Table, str, str]:
    if source == "cabs":
        return load_cab_points(), "cab", "cab"
    return (load_geolife() if source == "geolife" else load_geolife_dense()), "user", "traj"


def _thinned(times: Vector, every: float) -> NDArray[np.intp]:
    """The first point, and then each that is at least ``every`` seconds (less a tenth) after the one before."""
    kept, last = [0], times[0]
    for row, moment in enumerate(times[1:], 1):
        if moment - last >= 0.9 * every:
            kept.append(row)
            last = moment
    return np.array(kept, np.intp)


def moving_pieces(source: Source, *, every: float, span: float, most: int = 60, each: int = 2) -> list[Piece]:
    """Pieces of ``span`` seconds in which somebody moves, with the moment in the middle hidden.

    ``each`` of one user at most; the speed in the minute around the hidden moment is above half a metre a second.
    """
    found: list[Piece] = []
    count: dict[str, int] = {}
    for user, times, path, centre in _runs(source, every):
        if len(found) == most:
            break
        if count.get(user, 0) == each or np.ptp(times) < span:
            continue
        start = int(np.searchsorted(times, times[0] + (np.ptp(times) - span) / 2))
        inside = np.flatnonzero((times >= times[start]) & (times <= times[start] + span))
        moments, places = times[inside] - times[start], path[inside]
        middle = len(inside) // 2
        near = np.abs(moments - moments[middle]) <= max(60.0, every)
        steps = np.linalg.norm(np.diff(places[near], axis=0), axis=1)
        moved = float(steps.sum()) / max(float(np.ptp(moments[near])), 1)
        if len(inside) < 0.7 * span / every or len(inside) < 10 or not 0.5 < moved < 60:
            continue
        count[user] = count.get(user, 0) + 1
        found.append(Piece(user, moments, places, (float(moments[middle]),) * 2, centre))
    return found


def stay_pieces(
    source: Source,
    *,
    every: float,
    shortest: float = 900.0,
    beside: float = 3600.0,
    most: int = 60,
    each: int = 2,
    whole: bool = True,
) -> list[Piece]:
    """Pieces with a stay of at least ``shortest`` seconds within 100 m of its first point, and the way there and on.

    ``whole`` hides it with all points before and after that are within 250 m of its middle; else those within 100 m
    alone are hidden, and the last steps to the place are not.
    """
    found: list[Piece] = []
    count: dict[str, int] = {}
    for user, times, path, centre in _runs(source, every):
        if len(found) == most:
            break
        if count.get(user, 0) == each:
            continue
        stops = find_stops(times, path, radius=100.0, duration=shortest)
        for first, last in zip(stops.first, stops.last, strict=True):
            first, last = _whole_stay(path, int(first), int(last)) if whole else (int(first), int(last))
            inside = np.flatnonzero((times >= times[first] - beside) & (times <= times[last] + beside))
            before, after = int((inside < first).sum()), int((inside > last).sum())
            if before < 5 or after < 5 or np.ptp(path[inside], axis=0).max() < 1000:
                continue
            moments = times[inside] - times[inside[0]]
            hidden = (float(times[first] - times[inside[0]]), float(times[last] - times[inside[0]]))
            count[user] = count.get(user, 0) + 1
            found.append(Piece(user, moments, path[inside], hidden, centre))
            break
    return found


def _whole_stay(path: Vector, first: int, last: int) -> tuple[int, int]:
    """The stay with all points before and after it that are within 250 m of its middle: nobody hides half a stay."""
    near = np.linalg.norm(path - path[first : last + 1].mean(0), axis=1) < 250
    while first > 0 and near[first - 1]:
        first -= 1
    while last + 1 < len(path) and near[last + 1]:
        last += 1
    return first, last


def geolife_homes(*, most: int = 100, visits: int = 5) -> list[tuple[str, Vector, list[tuple[Vector, Vector]]]]:
    """People with a place where most of their trips begin or end: (user, place, trips as (seconds, metres)).

    The place is the densest 200 m disc of first and last points; ``visits`` trips begin or end there at least.
    """
    table = load_geolife()
    user, label, times = column(table, "user"), column(table, "traj"), numbers(table, "t")
    latitude, longitude = numbers(table, "lat"), numbers(table, "lon")
    order = np.lexsort((times, label))
    trips: dict[str, list[NDArray[np.intp]]] = {}
    for rows in np.split(order, np.flatnonzero(np.diff(label[order])) + 1):
        if len(rows) >= 5:
            trips.setdefault(str(user[rows[0]]), []).append(rows)
    found: list[tuple[str, Vector, list[tuple[Vector, Vector]]]] = []
    for name, own in trips.items():
        if len(found) == most:
            break
        middle = Projection(round(float(np.median(latitude[own[0]])), 1), round(float(np.median(longitude[own[0]])), 1))
        paths = [(times[rows], middle.to_metres(latitude[rows], longitude[rows])) for rows in own]
        ends = np.concatenate([np.stack([path[0], path[-1]]) for _, path in paths])
        near = (np.linalg.norm(ends[:, None] - ends[None], axis=2) < 200).sum(1)
        home = ends[np.linalg.norm(ends - ends[near.argmax()], axis=1) < 200].mean(0)
        close = [trip for trip in paths if np.linalg.norm(trip[1] - home, axis=1).min() < 200]
        if near.max() >= visits:
            found.append((name, home, close[:100]))
    return found
