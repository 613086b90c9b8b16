"""A track from a watch: one point a second, with heart rate and cadence in Garmin's extensions, the whole way."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from sfumato.cli.app import app
from sfumato.io.files import read_table
from sfumato.ledger import Ledger
from sfumato.release import verify
from sfumato.trace import Projection, read_gps

pytest.importorskip("gpxpy", reason="reading GPX needs the gpx extra")
START = 1_600_000_200 - 1_600_000_200 % 86_400 + 12 * 3600
SECONDS = 3600
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<gpx creator="Watch 7" version="1.1" xmlns="http://www.topografix.com/GPX/1/1"
  xmlns:ns3="http://www.garmin.com/xmlschemas/TrackPointExtension/v1">
  <metadata><name>Ann's run</name><time>2020-09-13T12:00:00.000Z</time></metadata>
  <trk><name>Run to the clinic</name><type>running</type><trkseg>
"""
POINT = """<trkpt lat="{lat:.9f}" lon="{lon:.9f}"><ele>{ele:.1f}</ele><time>{time}.000Z</time><extensions>
<ns3:TrackPointExtension><ns3:atemp>21.0</ns3:atemp><ns3:hr>{hr}</ns3:hr><ns3:cad>{cad}</ns3:cad>
</ns3:TrackPointExtension></extensions></trkpt>
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """From home 4.5 km to a clinic, ten minutes there (12:25 to 12:35), and on: an hour."""
    seconds = np.arange(SECONDS)
    along = np.interp(seconds, [0, 1500, 2100, SECONDS], [0.0, 4500.0, 4500.0, 9000.0])
    rng = np.random.default_rng(1)
    metres = np.stack([along, 300 * np.sin(along / 700)], axis=1) + rng.normal(0, 2, (SECONDS, 2))
    latitude, longitude = Projection(52.5, 13.4).to_degrees(metres)
    points = [
        POINT.format(
            lat=latitude[k], lon=longitude[k], ele=30 + k / 100, hr=90 + k % 60, cad=80 + k % 9,
            time=datetime.fromtimestamp(START + k, UTC).strftime("%Y-%m-%dT%H:%M:%S"),
        )
        for k in seconds
    ]  # fmt: skip
    path = tmp_path_factory.mktemp("watch") / "run.gpx"
    path.write_text(HEAD + "".join(points) + "</trkseg></trk></gpx>")
    return path


def sfumato(*words: Any) -> Any:
    done = CliRunner().invoke(app, ["trace", *(str(word) for word in words)])
    assert done.exit_code == 0, f"{done.output} {done.exception}"
    return done


def test_what_a_watch_adds_is_read(run: Path) -> None:
    table = read_table(run)
    assert table.num_rows == SECONDS
    assert {"hr", "cad", "atemp", "elevation"} <= set(table.column_names)
    assert table["hr"][59].as_py() == 149.0


@pytest.mark.parametrize(
    ("way", "least"),
    [
        (["--home", "52.5,13.4"], 2000),
        (["--secret", "12:25-12:35", "--margin", "12"], 1000),
        (["--secret", "12:25-12:35", "--keep-times"], SECONDS),
    ],
)
def test_the_whole_way(run: Path, tmp_path: Path, way: list[str], least: int) -> None:
    out, key = tmp_path / "out.gpx", tmp_path / "key"
    Ledger(tmp_path / "book").close()
    done = sfumato("protect", run, "-o", out, "--key", key, *way, "--ledger", tmp_path / "book", "--subject", "ann")
    assert "left out of the release: elevation, atemp, hr, cad" in " ".join(done.stderr.split())
    released = out.read_bytes()
    for word in (b"<ele>", b"hr>", b"cad>", b"atemp", b"Ann", b"clinic", b"Watch", b"extensions"):
        assert word not in released
    after = read_gps(out)
    assert least <= len(after.times) <= SECONDS
    assert (len(after.times) == SECONDS) == ("--keep-times" in way)
    assert verify(out).holds
    attacked = sfumato("attack", run, out, "--key", key)
    assert "strongest (" in attacked.stdout
    sfumato("map", run, out, "--key", key, "-o", tmp_path / "map.html")
    assert 100_000 < (tmp_path / "map.html").stat().st_size < 2_800_000
