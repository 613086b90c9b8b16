"""GPS files and the projection to metres."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.trace import (
    GpsTrace,
    Projection,
    read_gps,
    write_gps,
)
from sfumato.trace.core.gps import without_repeats
from sfumato.trace.core.merged import check_one_person


@pytest.mark.parametrize("name", ["day.gpx", "day.csv", "day.parquet"])
def test_gps_files_round_trip(tmp_path, name):
    trace = GpsTrace(1.6e9 + 60 * np.arange(5.0), 48.1 + 0.001 * np.arange(5), 11.5 + 0.002 * np.arange(5))
    write_gps(trace, tmp_path / name)
    back = read_gps(tmp_path / name)
    np.testing.assert_allclose(back.times, trace.times)
    np.testing.assert_allclose(back.latitude, trace.latitude, atol=6e-6)


@pytest.mark.parametrize("centre", [(0.0, 0.0), (52.0, 13.0), (-33.0, 179.95), (89.0, 0.0)])
def test_projection_round_trip(centre):
    plane = Projection(*centre)
    points = np.random.default_rng(1).uniform(-20_000, 20_000, (100, 2))
    latitude, longitude = plane.to_degrees(points)
    np.testing.assert_allclose(plane.to_metres(latitude, longitude), points, atol=1e-5)


def test_clock_times_need_a_zone_in_gpx_as_in_csv(tmp_path):
    pytest.importorskip("gpxpy", reason="reading GPX needs the gpx extra")
    points = "".join(f'<trkpt lat="52.5" lon="13.4"><time>2024-05-01T12:0{k}:00</time></trkpt>' for k in range(3))
    body = f"<trk><trkseg>{points}</trkseg></trk>"
    (tmp_path / "day.gpx").write_text(f'<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">{body}</gpx>')
    (tmp_path / "day.csv").write_text("time,lat,lon\n2024-05-01T12:00:00,52.5,13.4\n2024-05-01T12:01:00,52.5,13.4\n")
    for name in ("day.gpx", "day.csv"):
        with pytest.raises(InputError, match="or --zone"):
            read_gps(tmp_path / name)
        there, utc = (read_gps(tmp_path / name, zone=zone).times[0] for zone in ("Europe/Berlin", "UTC"))
        assert utc - there == 7200.0
    with pytest.raises(InputError, match="a time zone such as"):
        read_gps(tmp_path / "day.csv", zone="Nowhere")


def test_two_people_in_one_trace_are_noticed_and_one_who_jumps_is_not():
    times = np.arange(40.0) * 30
    walk = np.stack([times, np.zeros(40)], axis=1)
    check_one_person(times, walk)
    glitch = walk.copy()
    glitch[7] += 9000.0  # one bad fix
    check_one_person(times, glitch)
    merged = walk.copy()
    merged[1::2] += 6000.0
    with pytest.raises(InputError, match="two people"):
        check_one_person(times, merged)


def test_points_are_dropped_only_on_request():
    times = np.array([0.0, 0.0, 5.0, 59.0, 60.0, 200.0])
    assert without_repeats(times, dedupe=False, thin=None).tolist() == [0, 1, 2, 3, 4, 5]
    assert without_repeats(times, dedupe=True, thin=None).tolist() == [0, 2, 3, 4, 5]
    assert without_repeats(times, dedupe=False, thin=60.0).tolist() == [0, 4, 5]
