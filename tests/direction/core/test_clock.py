"""Clock times, timestamps and weekdays as hours, and back: zones, summer time, what is refused."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.direction.core.clock import as_clock, clock_hours, is_clock
from sfumato.errors import InputError
from sfumato.io.files import read_table
from sfumato.release import verify


def stamps(*texts: str, zone: str | None = None) -> pa.Table:
    values = [datetime.datetime.fromisoformat(text) for text in texts]
    return pa.table({"t": pa.array(values, pa.timestamp("us", zone))})


@pytest.mark.parametrize(
    ("text", "hour"),
    [("07:30", 7.5), ("7:30", 7.5), ("00:00", 0.0), ("23:59:59", 24 - 1 / 3600), ("12:15 am", 0.25),
     ("12:15 PM", 12.25), ("11:00 p.m.", 23.0), ("06:30:36.5", 6.5 + 36.5 / 3600)],
)  # fmt: skip
def test_texts(text: str, hour: float) -> None:
    assert clock_hours(pa.table({"t": [text]}), "t") == pytest.approx([hour], abs=1e-14)


def test_every_second_of_the_day_and_of_the_week_comes_back() -> None:
    day = np.arange(86_400) / 3600
    assert np.array_equal(clock_hours(pa.table({"t": as_clock(day)}), "t"), day)
    week = np.arange(0, 7 * 86_400, 61) / 3600
    assert np.array_equal(clock_hours(pa.table({"t": as_clock(week, "week")}), "t", "week"), week)


def test_the_end_of_the_period_is_its_start() -> None:
    assert as_clock(np.array([23.99999])).to_pylist() == [datetime.time(0, 0)]
    assert as_clock(np.array([167.99999]), "week").to_pylist() == ["Mon 00:00:00"]


def test_zones_and_summer_time() -> None:
    """10:00 UTC is noon in Berlin in July and 11:00 in January; 18 November 2024 is a Monday."""
    table = stamps("2024-07-01T10:00:00+00:00", "2024-01-01T10:00:00+00:00", zone="UTC")
    assert clock_hours(table, "t", zone="Europe/Berlin").tolist() == [12.0, 11.0]
    assert clock_hours(table, "t", zone="UTC").tolist() == [10.0, 10.0]
    local = stamps("2024-11-18T07:30:00", "2024-11-24T23:00:00")
    assert clock_hours(local, "t").tolist() == [7.5, 23.0]
    assert clock_hours(local, "t", "week").tolist() == [7.5, 167.0]
    before = stamps("1969-12-31T23:00:00")
    assert clock_hours(before, "t").tolist() == [23.0]
    assert clock_hours(before, "t", "week").tolist() == [2 * 24 + 23.0]
    berlin = pa.table({"t": table["t"].cast(pa.timestamp("us", "Europe/Berlin"))})
    assert clock_hours(berlin, "t").tolist() == [12.0, 11.0]


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (stamps("2024-07-01T10:00:00+00:00", zone="UTC"), {}, "--zone"),
        (stamps("2024-07-01T10:00:00+00:00", zone="UTC"), {"zone": "Mars/Olympus"}, "time zone"),
        (stamps("2024-07-01T10:00:00"), {"zone": "Europe/Berlin"}, "no zone"),
        (pa.table({"t": ["07:30", "late"]}), {}, "row 2"),
        (pa.table({"t": ["07:30", "24:10"]}), {}, "row 2"),
        (pa.table({"t": ["13:00 pm"]}), {}, "row 1"),
        (pa.table({"t": ["07:30", None]}), {}, "row 2"),
        (pa.table({"t": ["07:30"]}), {"kind": "week"}, "Tue 07:30"),
        (pa.table({"t": ["Tue 07:30"]}), {}, "07:30"),
        (pa.table({"t": as_clock(np.array([1.0]))}), {"kind": "week"}, "times of the day"),
    ],
)
def test_refused(table: pa.Table, options: Any, message: str) -> None:
    assert is_clock(table, "t")
    with pytest.raises(InputError, match=message) as error:
        clock_hours(table, "t", **options)
    assert "late" not in str(error.value)  # a value of a record


def test_numbers_are_no_clock_times() -> None:
    assert not is_clock(pa.table({"t": [7.5]}), "t")
    assert not is_clock(pa.table({"t": ["seven"]}), "t")


@pytest.mark.parametrize("kind", ["hour", "week"])
def test_a_release_of_timestamps_holds_no_date(kind: Any, tmp_path: Path) -> None:
    table = stamps(*(f"2024-05-{1 + i % 28:02d}T{i % 24:02d}:30:00+00:00" for i in range(40)), zone="UTC")
    release = sf.direction.protect(table, "t", kind=kind, level=1.0, radius=3.0, zone="Europe/Berlin")
    written = release.data["t"].to_pylist()
    assert all("2024" not in str(value) for value in written)
    hours = clock_hours(release.data, "t", kind)
    assert ((hours >= 0) & (hours < (24 if kind == "hour" else 168))).all()
    release.write(tmp_path / "out.csv")
    assert verify(tmp_path / "out.csv").holds
    assert clock_hours(read_table(tmp_path / "out.csv"), "t", kind).tolist() == hours.tolist()
    assert {found.name for found in release.measure(table)} >= {"mean error (h)", "histogram error (h)"}
    assert "records linked" in {found.name for found in release.attack(table)}


def test_noise_of_clock_times_has_its_law() -> None:
    """The mean error of 4000 releases is E[θ] of the law, within 6 standard errors: it fails once in 10⁸ runs."""
    table = pa.table({"t": ["23:50"] * 4000})
    release = sf.direction.protect(table, "t", level=2.0, radius=3.0)
    hours = clock_hours(release.data, "t")
    away = np.abs(np.mod(hours - (23 + 5 / 6) + 12, 24) - 12)
    law = sf.direction.Purkayastha(level=2.0, radius=np.pi / 4).law(2)
    expected, spread = law.mean_angle * 24 / (2 * np.pi), float(np.std(away)) / np.sqrt(4000)
    assert abs(away.mean() - expected) < 6 * spread


def test_a_zone_that_nobody_needs_is_refused() -> None:
    with pytest.raises(InputError, match="no protected column holds timestamps"):
        sf.direction.protect(pa.table({"t": ["07:30"]}), "t", pure=1.0, zone="UTC")
