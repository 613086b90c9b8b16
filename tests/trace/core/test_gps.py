"""GPS files and the projection to metres."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.trace import (
    GpsTrace,
    Projection,
    read_gps,
    write_gps,
)


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
