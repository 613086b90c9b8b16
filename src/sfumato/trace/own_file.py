"""The study of a trace of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from sfumato.errors import bad_input
from sfumato.study.study import Study

__all__ = ["own_study"]

_MOST_POINTS = 1500


def own_study(
    data: Path,
    *,
    secret: Sequence[str],
    zone: str | None = None,
    errors: Iterable[float] = (30.0, 100.0, 300.0, 1000.0),
) -> Study:
    """A path with secret stops under noise of several sizes. No map is drawn: it would show where somebody was.

    Parameters
    ----------
    data : path
        GPX, GeoJSON, or a table with columns time, latitude and longitude (or t, lat and lon).
    secret : sequence of str
        Intervals of the first day at which the place is secret, such as ``"12:00-12:30"``.
    zone : str
        Their time zone, and that of times which do not say theirs.
    errors : iterable of float
        Standard errors of the noise per coordinate, in metres.
    """
    from sfumato.trace import Projection, read_gps
    from sfumato.trace.core.hidden_times import parse_interval
    from sfumato.trace.room import path_study

    if isinstance(secret, str) or not secret:
        raise bad_input("secret", secret, 'a list of intervals such as ["12:00-12:30"]')
    trace = read_gps(data, zone=zone)
    if len(trace.times) > _MOST_POINTS:
        raise bad_input(
            "points", len(trace.times), f"at most {_MOST_POINTS}", "thin the trace: the work grows with the cube"
        )
    stops = [parse_interval(text, float(trace.times[0]), zone) for text in secret]
    for text, (start, end) in zip(secret, stops, strict=True):
        if not ((trace.times >= start) & (trace.times <= end)).any():
            raise bad_input("secret", text, "an interval in which the trace has a point", "check the time zone")
    path = Projection.about(trace).to_metres(trace.latitude, trace.longitude)
    title = f"A path of {len(trace.times):,} points, secret at {len(stops)} times"
    return path_study("own-trace", title, trace.times, path, stops, list(errors))
