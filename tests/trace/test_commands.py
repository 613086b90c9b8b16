"""The commands of traces, from a file to a file with its papers, and back."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from helpers.commands import listed_as
from sfumato.cli import main
from sfumato.cli.app import app
from sfumato.errors import BudgetError, InputError
from sfumato.io.files import read_table, write_table
from sfumato.ledger import Ledger
from sfumato.promise import PureDP
from sfumato.release import Card, Key, verify
from sfumato.trace import GpsTrace, Projection, find_stops, read_gps, write_gps
from sfumato.trace.core.hidden_times import parse_interval
from sfumato.trace.data.day import make_day
from sfumato.trace.mechanisms.remapped_planar import RemappedPlanar
from sfumato.trace.room import ROOM

ONE_KERNEL = {"kind": "SumKernel", "parts": [{"kind": "Matern", "length": 3600.0, "variance": 1e6}]}
ONE_KERNEL["parts"].append({"kind": "White", "variance": 25.0})
PRIOR = ["--prior", json.dumps({"name": "slow", "kernels": [ONE_KERNEL]})]
MADE = make_day(every=30.0)
HOME = ",".join(f"{float(part[0]):.5f}" for part in Projection(52.5, 13.4).to_degrees(MADE.path[:1]))
COMMANDS = {
    "trace-noise": ["--secret", "12:15-12:45", "--radius", "200", "--set", "floor=0.1", *PRIOR],
    "place-noise": ["--secret", "12:15-12:45", "--radius", "200"],
    "lasting-noise": ["--secret", "12:15-12:45"],
    "time-cut": ["--secret", "12:15-12:45", "--margin", "30"],
    "sticky-zone": ["--home", HOME, "--radius", "100"],
    "remapped-planar": ["--radius", "200", "--epsilon", "2"],
}
NOISE = ["--keep-times", *COMMANDS["place-noise"]]
MIDNIGHT = 1.6e9 - 1.6e9 % 86400


def run(*words: Any) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])


def said(result: Any) -> str:
    return " ".join(result.stderr.split())


def words_of(name: str) -> list[str]:
    return COMMANDS[listed_as(ROOM.mechanisms()[name], COMMANDS)]


@pytest.fixture
def day(tmp_path):
    latitude, longitude = Projection(52.5, 13.4).to_degrees(MADE.path)
    write_gps(GpsTrace(MIDNIGHT + 60 * MADE.times, latitude, longitude), tmp_path / "day.csv")
    return tmp_path / "day.csv"


def test_stops_and_intervals():
    path = np.vstack([np.zeros((10, 2)), np.linspace([0, 0], [5000, 0], 10), np.tile([5000.0, 0], (10, 1))])
    stops = find_stops(np.arange(30.0), path, radius=50.0, duration=5.0)
    assert len(stops) == 2
    assert parse_interval("12:00-12:30", 0.0) == (43200.0, 45000.0)
    summer = MIDNIGHT + 36000  # September: two hours ahead of UTC
    assert parse_interval("12:00-12:30", summer, "Europe/Berlin") == (summer, summer + 1800)
    winter = MIDNIGHT + 90 * 86400 + 39600  # in December it is one hour
    date = f"{np.datetime64(int(winter), 's').astype('datetime64[D]')}"
    assert parse_interval(f"{date} 12:00-12:30", summer, "Europe/Berlin") == (winter, winter + 1800)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "geojson", "gpx"])
@pytest.mark.parametrize("name", ROOM.mechanisms())
def test_the_whole_way_with_every_mechanism(name, ending, day, tmp_path):
    out, key = tmp_path / f"out.{ending}", tmp_path / "key"
    Ledger(tmp_path / "book").close()
    words = [*words_of(name), "--ledger", tmp_path / "book", "--subject", "ann"]
    if issubclass(ROOM.mechanisms()[name], RemappedPlanar):
        words = words_of(name)
    done = run("trace", "protect", day, "-m", name, *words, "-o", out, "--key", key)
    assert done.exit_code == 0, done.output
    assert "promise: " in done.stderr
    if ending == "gpx":
        pytest.importorskip("gpxpy", reason="reading GPX needs the gpx extra")
    before, after = read_gps(day), read_gps(out)
    if name in ("time-cut", "sticky-zone"):
        assert 2 <= len(after.times) < len(before.times)
    else:
        np.testing.assert_allclose(after.times, before.times, atol=1e-6)
        assert (after.latitude != before.latitude).any()
    attacked = run("trace", "attack", day, out, "--key", key)
    assert attacked.exit_code == 0, attacked.output
    for one, *_ in ROOM.attacks():
        assert one.name in attacked.stdout
    assert "traces of several people" in said(attacked)  # one trace cannot be linked to its user
    measured = run("trace", "measure", day, out)
    assert measured.exit_code == 0, measured.output
    for one, *_ in ROOM.utilities():
        assert one.name in measured.stdout
    assert verify(out).holds


def test_gpx_in_and_out_leaves_elevation_and_tracks_behind(day, tmp_path):
    pytest.importorskip("gpxpy", reason="reading GPX needs the gpx extra")
    table = read_table(day)
    halves = pa.array([1 + (k >= 15) for k in range(len(table))])
    write_table(
        table.append_column("elevation", pa.array(np.arange(29.0))).append_column("track", halves), tmp_path / "day.gpx"
    )
    out = tmp_path / "out.gpx"
    done = run("trace", "protect", tmp_path / "day.gpx", *NOISE, "-o", out)
    assert done.exit_code == 0, done.output
    assert "left out of the release: elevation, where one track ends and the next begins" in said(done)
    assert b"<ele>" not in out.read_bytes()
    assert out.read_bytes().count(b"<trk>") == 1
    assert len(read_gps(out).times) == 29


def test_the_secret_times_are_in_the_key_only(day, tmp_path):
    out, key = tmp_path / "out.csv", tmp_path / "key"
    done = run("trace", "protect", day, *NOISE, "-o", out, "--key", key)
    assert done.exit_code == 0, done.output
    assert "hidden: 2020-09-13 12:15:00 to 12:45:00 UTC" in said(done)
    visit = [MIDNIGHT + 12.25 * 3600, MIDNIGHT + 12.75 * 3600]
    assert Key.read(key).secrets["places"] == [[visit]]
    assert key.stat().st_mode & 0o777 == 0o600
    card = Card.read(f"{out}.card.json")
    assert card.promise["parameters"]["epsilon"] == 1.0  # as asked: the certified ε depends on the secret times
    assert not {"secrets", "places"} & set(card.mechanism.parameters)
    assert card.mechanism.parameters["settings"]["floor"] == 0.05
    assert card.mechanism.parameters["prior"]["name"] == "walking-2026"
    assert "the times, which are released as they are" in card.not_covered
    with pytest.raises(InputError, match="which times were secret"):
        raise run("trace", "attack", day, out).exception
    assert run("trace", "measure", day, out).exit_code == 0


@pytest.mark.parametrize("way", [[], ["--keep-times"]])
def test_whoever_is_at_the_place_at_other_times_is_told(way, tmp_path):
    """Six hours at one place of which two minutes are hidden: the owner is told, and the card says the same."""
    times = MIDNIGHT + np.arange(6 * 3600.0, 12 * 3600.0, 60.0)
    for name, after in (("stays", 0.0), ("leaves", 6000.0)):
        east = np.interp(times - MIDNIGHT, [32_400.0, 34_200.0, 36_000.0], [after, 0.0, after]) if after else 0 * times
        latitude, longitude = Projection(52.5, 13.4).to_degrees(np.stack([east, 0 * east], axis=1))
        write_gps(GpsTrace(times, latitude, longitude), tmp_path / f"{name}.csv")
        out = tmp_path / f"{name}.out.csv"
        done = run("trace", "protect", tmp_path / f"{name}.csv", "--secret", "09:29-09:31", *way, "-o", out)
        assert done.exit_code == 0, done.output
        assert ("released points this person was near the hidden place" in said(done)) == (name == "stays")
        card = Card.read(f"{out}.card.json")
        assert any("stayed longer than was said" in words for words in card.not_covered)
        assert "near the hidden place" not in card.to_json()


def test_what_has_no_role_does_not_leave(day, tmp_path):
    table = read_table(day).append_column("pulse", pa.array(np.arange(29)))
    write_table(table, day)
    out = tmp_path / "out.parquet"
    done = run("trace", "protect", day, *NOISE, "-o", out)
    assert done.exit_code == 0, done.output
    assert read_table(out).column_names == ["time", "latitude", "longitude"]
    assert "left out of the release: pulse" in said(done)


def test_other_names_and_ways_to_write_times(day, tmp_path):
    table = read_table(day)
    moments = pa.array(table["time"].to_numpy().astype("datetime64[s]")).cast(pa.string())
    other = pa.table({"lon": table["longitude"], "lat": table["latitude"], "t": moments})
    write_table(other, tmp_path / "other.csv")
    for ending in ("csv", "gpx", "geojson"):
        out = tmp_path / f"out.{ending}"
        words = ["trace", "protect", tmp_path / "other.csv", *NOISE, "-o", out]
        with pytest.raises(InputError, match="time of point 1 = 'no time zone'"):
            raise run(*words).exception
        done = run(*words, "--zone", "UTC")
        assert done.exit_code == 0, done.output
        np.testing.assert_allclose(read_gps(out, zone="UTC").times, read_gps(day).times)
    assert read_table(tmp_path / "out.csv").column_names == ["lon", "lat", "t"]


def test_epsilon_is_the_loss_between_places_the_radius_apart(day, tmp_path):
    words = ["trace", "protect", day, "-m", "remapped-planar", *COMMANDS["remapped-planar"]]
    done = run(*words, "-o", tmp_path / "out.csv")
    assert "ε = 0.01 per unit of euclidean distance per point" in done.output  # 2 within 200 m
    assert "for one path within 200 m as a whole: ε = 58." in said(done)  # 29 points


def test_noise_may_be_asked_for_by_its_error(day, tmp_path):
    out, key = tmp_path / "out.csv", tmp_path / "key"
    words = ["trace", "protect", day, "-m", "trace-noise", *PRIOR, "--secret", "12:15-12:45", "--set", "error=300.0"]
    done = run(*words, "-o", out, "--key", key)
    assert done.exit_code == 0, done.output
    assert "root mean square error 424 m" in done.output  # √2 · 300 m in the plane
    epsilon = Card.read(f"{out}.card.json").promise["parameters"]["epsilon"]
    assert float(f"{epsilon:.2g}") == epsilon  # no more digits, which would tell about the secret times
    assert run("trace", "attack", day, out, "--key", key).exit_code == 0


def test_attackers_are_named_to_the_owner_alone(day, tmp_path):
    out = tmp_path / "out.csv"
    done = run("trace", "protect", day, *NOISE, "-o", out, "--attack")
    assert done.exit_code == 0, done.output
    assert Card.read(f"{out}.card.json").risk == ()  # measured on the raw path, which the promise does not cover
    for name in ("best adversary", "posterior localisation", "users recognised"):
        assert name in done.output


# ── paying ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "book.ledger"
    with Ledger(path) as ledger:
        scope: dict[str, Any] = {"unit": "path within 200 m", "neighbours": "within-radius", "model": "local"}
        ledger.set("ann", PureDP(100.0, reach=200.0, **scope))
    return path


def test_every_point_of_a_path_is_paid_for(day, book, tmp_path):
    out, again = tmp_path / "out.csv", tmp_path / "again.csv"
    words = ["trace", "protect", day, "-m", "remapped-planar", *COMMANDS["remapped-planar"], "--ledger", book]
    done = run(*words, "--subject", "ann", "-o", out)
    assert done.exit_code == 0, done.output
    with Ledger(book) as ledger:
        assert ledger.spent("ann").epsilon == pytest.approx(58.0)
    assert verify(out, ledger=book).holds
    assert isinstance(run(*words, "--subject", "ann", "-o", again).exception, BudgetError)
    assert not again.exists()
    assert not Path(f"{again}.card.json").exists()
    seeded = run(*words, "--subject", "ann", "-o", again, "--seed", "1")
    assert seeded.exit_code == 0, seeded.output
    assert Card.read(f"{again}.card.json").promise["kind"] == "NoGuarantee"
    with Ledger(book) as ledger:
        assert ledger.spent("ann").epsilon == pytest.approx(58.0)


def test_what_does_not_add_up_is_recorded(day, book, tmp_path):
    out = tmp_path / "out.csv"
    words = ["trace", "protect", day, *NOISE, "--ledger", book, "--subject", "bob", "-o", out]
    first = run(*words)
    assert "without a budget" in said(first)
    before = out.read_bytes()
    assert "the same release is handed out again" in said(run(*words))
    assert out.read_bytes() == before
    with pytest.raises(InputError, match="points that were released before"):
        raise run(*words, "--epsilon", "0.5").exception
    with Ledger(book) as ledger:
        assert len(ledger.releases("bob")) == 1
    assert verify(out, ledger=book).holds


def test_a_subject_alone_is_refused(day, tmp_path):
    out = tmp_path / "out.csv"
    with pytest.raises(InputError, match="a ledger with it"):
        raise run("trace", "protect", day, *NOISE, "--subject", "ann", "-o", out).exception
    assert not out.exists()


@pytest.mark.parametrize("name", ["day.csv", "link.csv", "hard.csv"])
def test_the_input_is_never_overwritten(day, tmp_path, name):
    os.symlink(day, tmp_path / "link.csv")
    os.link(day, tmp_path / "hard.csv")
    before = day.read_bytes()
    with pytest.raises(InputError, match="it is the input"):
        raise run("trace", "protect", day, *NOISE, "-o", tmp_path / name).exception
    assert day.read_bytes() == before


# ── what is refused ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-m", "magic"], "'trace-noise', 'place-noise'"),
        ([], "what is secret"),
        (["--home", "52.5,13.4"], "a ledger and a subject"),
        (["--home", "52.5"], "latitude and longitude"),
        (["--home", "52.5,13.4", "--secret", "12:15-12:45"], "one way to hide at a time"),
        (["--secret", "12:15-12:45", "--for-ever"], "--keep-times beside it"),
        (["--secret", "12:15-12:45", "--keep-times", "--for-ever"], "a ledger and a subject"),
        (["--secret", "12:15-12:45", "--keep-times", "--max-error", "20"], "more than the 20 m allowed"),
        (["--secret", "12:15-12:45", "--margin", "1", "--epsilon", "0.1"], "widen the margin"),
        (["--secret", "12:15-12:45", "--prior", "{}"], "family of priors cannot be read"),
        (["-m", "remapped-planar", "--secret", "12:15-12:45"], "--secret"),
        (["-m", "remapped-planar", "--order", "3"], "order"),
        (["-m", "remapped-planar", "--person", "latitude"], "a trace is of one person"),
        (["--secret", "12:15-12:45", "--set", "colour=red"], "colour"),
        (["-m", "trace-noise", "--secret", "12:15-12:45", "--set", "error=1.0", "--epsilon", "1"], "exactly one"),
        (["--secret", "12:15-12:45", "--zone", "Middle-earth"], "a time zone such as UTC"),
        (["--secret", "12:45-12:15"], "begins before it ends"),
    ],
)
def test_requests_are_refused_with_a_reason(day, tmp_path, words, says):
    out = tmp_path / "never.csv"
    done = run("trace", "protect", day, *words, "-o", out)
    assert done.exit_code != 0
    assert says in f"{done.output} {done.exception}"
    assert not out.exists()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("x,y\n1,2\n", "latitude and longitude"),
        ("lat,lon\n1,2\n", "time, latitude"),
        ("t,lat,lon\nsoon,1,2\nlater,1,2\n", "ISO 8601"),
        ("t,lat,lon\n0,1,2\n,1,2\n", "point 2 has no time"),
        ("t,lat,lon\n1,1,2\n0,1,2\n", "times that increase"),
        ("t,lat,lon\n1,1,2\n1,1,2\n", "--dedupe keeps the first"),
        ("t,lat,lon\n0,1,2\n1,91,2\n", "latitude of point 2"),
        ("t,lat,lon\n0,1,2\n1,,2\n", "point 2 has no latitude"),
        ("t,lat,lon\n0,1,2\n1,north,2\n", "latitude of point 2"),
        ("t,lat,lon\n2024-05-01T12:00:00Z,1,2\n2024-13-01T12:00:00Z,1,2\n", "time of point 2"),
        ("t,lat,lon\n1714564800000,1,2\n1714564801000,1,2\n", "divide milliseconds by 1000"),
        ("t,lat,lon\n2024-05-01T12:00:00,1,2\n2024-05-01T12:01:00,1,2\n", "no time zone"),
        ("t,lat,lon\n" + "".join(f"{k},{1 + k % 2},2\n" for k in range(40)), "looks like two people"),
    ],
)
def test_bad_files_give_one_line_and_write_nothing(tmp_path, capsys, content, says):
    (tmp_path / "day.csv").write_text(content)
    out = tmp_path / "out.csv"
    with pytest.raises(SystemExit) as ended:
        main(["trace", "protect", str(tmp_path / "day.csv"), "--secret", "00:00-00:01", "-o", str(out)])
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert says in line
    assert not out.exists()


def test_a_trace_is_compared_with_its_own_release(day, tmp_path):
    out = tmp_path / "out.csv"
    assert run("trace", "protect", day, *NOISE, "-o", out).exit_code == 0
    table = read_table(day)
    write_table(table.slice(1), day)
    assert run("trace", "measure", day, out).exception is not None
    write_table(table.set_column(0, "time", pa.array(table["time"].to_numpy() + 60)), day)
    with pytest.raises(InputError, match="the times of the original"):
        raise run("trace", "measure", day, out).exception
