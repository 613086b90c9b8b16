"""The public series that the dissertation's chapter uses, cut as it cuts them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.data.frames import column, numbers
from sfumato.data.geolife import load_geolife, load_geolife_dense
from sfumato.data.packed import read_packed_csv
from sfumato.data.source import data_file
from sfumato.errors import InputError
from sfumato.trace.gps import GpsTrace, Projection
from sfumato.trace.stops import find_stops

__all__ = ["five_minute_traces", "geolife_day", "temperature_window", "temperature_windows"]

Vector = NDArray[np.float64]


def five_minute_traces(
    *, most: int = 50, shortest: float = 240.0, longest: float = 320.0
) -> list[tuple[Vector, Vector]]:
    """GeoLife traces of about five minutes as (seconds, metres).

    Cut to ``longest``, thinned to at most ``most`` points, kept if they last ``shortest`` and move in both directions.
    """
    table = load_geolife_dense()
    label, times = column(table, "traj"), numbers(table, "t")
    latitude, longitude = numbers(table, "lat"), numbers(table, "lon")
    order = np.lexsort((times, label))
    traces = []
    for rows in np.split(order, np.flatnonzero(np.diff(label[order])) + 1):
        _, first = np.unique(times[rows], return_index=True)
        rows = rows[first]
        rows = rows[times[rows] - times[rows[0]] <= longest]
        if len(rows) > most:
            rows = rows[np.linspace(0, len(rows) - 1, most).astype(int)]
        if len(rows) < 10 or times[rows[-1]] - times[rows[0]] < shortest:
            continue
        trace = GpsTrace(times[rows], latitude[rows], longitude[rows])
        path = Projection.about(trace).to_metres(trace.latitude, trace.longitude)
        if (path.std(0) > 0).all():
            traces.append((trace.times - trace.times[0], path))
    return traces


def geolife_day(length: int) -> tuple[Vector, Vector, list[tuple[float, float]]]:
    """Minutes, metres and three stops of the first GeoLife trajectory that has them within ``length`` points."""
    table = load_geolife()
    label, times = column(table, "traj"), numbers(table, "t")
    latitude, longitude = numbers(table, "lat"), numbers(table, "lon")
    order = np.lexsort((times, label))
    for rows in np.split(order, np.flatnonzero(np.diff(label[order])) + 1):
        if len(rows) < length:
            continue
        rows = rows[:length]
        trace = GpsTrace(times[rows], latitude[rows], longitude[rows])
        path = Projection.about(trace).to_metres(trace.latitude, trace.longitude)
        minutes = (trace.times - trace.times[0]) / 60
        stops = find_stops(minutes, path, radius=150.0, duration=8.0)
        if len(stops) >= 3 and np.ptp(path, axis=0).max() < 20_000:
            longest = np.sort(np.argsort(stops.durations)[-3:])
            return minutes, path, [(minutes[stops.first[k]], minutes[stops.last[k]]) for k in longest]
    raise InputError(f"no GeoLife trajectory of {length} points has three stops; ask for a longer one")


def temperature_windows(count: int = 10) -> list[tuple[Vector, Vector]]:
    """Two-day windows of the SML2010 room temperature, hourly: (hours, degrees)."""
    path = data_file("sml2010", "sml2010.csv.xz", origin="UCI Machine Learning Repository, SML2010 (CC BY 4.0)")
    table = read_packed_csv(path)
    name = next(name for name in table.column_names if "Temperature_Habitacion" in name)
    hourly = numbers(table, name)[::4]
    starts = np.linspace(0, len(hourly) - 48, count).astype(int)
    return [(np.arange(48.0), hourly[start : start + 48]) for start in starts]


def temperature_window() -> Vector:
    """The first two-day window of SML2010."""
    return temperature_windows(1)[0][1]
