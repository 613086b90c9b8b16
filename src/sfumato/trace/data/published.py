"""The public series of the dissertation's experiments, cut as its authors cut them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError
from sfumato.io.datasets.catalogue import load_packed_csv
from sfumato.io.datasets.geolife import load_geolife, load_geolife_dense
from sfumato.io.frames import column, numbers
from sfumato.io.geography import EARTH_RADIUS
from sfumato.trace.core.gps import GpsTrace, Projection
from sfumato.trace.core.stops import find_stops

__all__ = ["five_minute_traces", "geolife_day", "temperature_window", "temperature_windows"]

Vector = NDArray[np.float64]


def five_minute_traces(
    *, most: int = 50, shortest: float = 240.0, longest: float = 320.0, traces_each: int = 10
) -> list[tuple[Vector, Vector]]:
    """GeoLife traces of about five minutes as (seconds, metres), cut as the authors' published code cuts them.

    Each is cut after ``longest`` seconds and thinned to ``most`` points by taking every k-th of the first k·``most``,
    k the whole part of its points over ``most``; it is kept if it then still lasts ``shortest`` from its beginning and
    moves in both directions, and if its user has ``traces_each`` such traces. The axes are those of the globe seen from
    above the pole, R cos φ (cos λ, sin λ): oblique to the streets of Beijing, which run north and east.
    """
    table = load_geolife_dense()
    user, label, times = column(table, "user"), column(table, "traj"), numbers(table, "t")
    latitude, longitude = np.radians(numbers(table, "lat")), np.radians(numbers(table, "lon"))
    order = np.lexsort((times, label))
    by_user: dict[str, list[tuple[Vector, Vector]]] = {}
    for rows in np.split(order, np.flatnonzero(np.diff(label[order])) + 1):
        _, first = np.unique(times[rows], return_index=True)
        rows = rows[first]
        begin = times[rows[0]]
        rows = rows[times[rows] - begin <= longest]
        if len(rows) > most:
            rows = rows[np.arange(1, most + 1) * (len(rows) // most) - 1]
        if len(rows) < 3 or times[rows[-1]] - begin < shortest:
            continue
        angle = longitude[rows]
        path = EARTH_RADIUS * np.cos(latitude[rows])[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        if (np.ptp(path, axis=0) > 0).all():
            by_user.setdefault(str(user[rows[0]]), []).append((times[rows] - times[rows[0]], path))
    return [trace for traces in by_user.values() if len(traces) >= traces_each for trace in traces]


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


def _quarter_hours(sensor: str) -> Vector:
    """One sensor of the first SML2010 file, a value every fifteen minutes."""
    table = load_packed_csv("sml2010/sml2010.csv.xz")
    return numbers(table, sensor)[numbers(table, "part") == 1]


def temperature_windows(sensor: str = "Weather_Temperature") -> list[tuple[Vector, Vector]]:
    """Ten standardised two-day windows of an SML2010 temperature as (hours, deviations), cut as the authors' code does.

    It leaves out the first 800 values and the first of each window, and decimates by four behind a low-pass filter. It
    names the dining room; the published quartiles are those of the temperature outdoors.
    """
    from scipy.signal import decimate

    series = _quarter_hours(sensor)[800:]
    days = [series[start + 1 : start + 192] for start in range(0, 1920, 192)]
    return [(np.arange(48.0), decimate((day - day.mean()) / day.std(), 4, ftype="iir")) for day in days]


def temperature_window() -> Vector:
    """The first two days of the bedroom of SML2010, hourly, in degrees."""
    return _quarter_hours("Temperature_Habitacion_Sensor")[:192:4]
