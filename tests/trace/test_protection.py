"""``sf.trace.protect``: frames in, releases out, what they say of themselves, and what edits are found."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import InputError
from sfumato.io.files import write_table
from sfumato.release import Card, verify
from sfumato.release.issuance import write_card
from sfumato.trace import RBF, HiddenPlace, Linear, Matern, Periodic, White
from sfumato.trace.core.kernel import Kernel
from sfumato.trace.core.kernel_record import kernel_of, kernel_record
from sfumato.trace.data.day import make_day
from sfumato.trace.trace_method import TraceMethod

DAY = make_day(every=60.0)
COLUMNS = {
    "time": 60 * DAY.times,
    "latitude": 52.5 + DAY.path[:, 1] / 111_000,
    "longitude": 13.4 + DAY.path[:, 0] / 68_000,
    "elevation": np.arange(len(DAY.times), dtype=float),
}
OPTIONS: dict[str, Any] = {"secrets": ["12:00-13:00"], "keep_times": True, "epsilon": 1.0}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "Polars", "Arrow"])
def test_the_same_kind_of_frame_comes_out(make):
    frame = make(COLUMNS)
    release = sf.trace.protect(frame, **OPTIONS)
    assert type(release.data) is type(frame)
    assert release.arrow.column_names == ["time", "latitude", "longitude"]
    np.testing.assert_array_equal(release.arrow["time"].to_numpy(), COLUMNS["time"])
    np.testing.assert_array_equal(release.arrow["latitude"].to_numpy().round(5), release.arrow["latitude"].to_numpy())


def test_an_index_does_not_leave(tmp_path):
    frame = pd.DataFrame(COLUMNS).set_index("elevation")
    sf.trace.protect(frame, **OPTIONS).write(tmp_path / "out.parquet")
    assert b"elevation" not in (tmp_path / "out.parquet").read_bytes()


@pytest.mark.parametrize(
    "options",
    [
        OPTIONS,
        {"secrets": ["10:00", "12:00"], "mechanism": "trace-noise", "settings": {"error": 200.0}, "design": "uniform"},
        {"mechanism": "remapped-planar", "epsilon": 2.0, "radius": 100.0},
        {"secrets": ["12:00-13:00"], "margin": 3600.0},
    ],
)
def test_the_mechanism_is_made_again_from_the_card(options):
    release = sf.trace.protect(pa.table(COLUMNS), **options)
    method = TraceMethod.of_card(Card.from_json(release.card.to_json()))
    places = [HiddenPlace(tuple(map(tuple, visits))) for visits in release.key.secrets.get("places", [])]
    again = method.build(COLUMNS["time"], places)
    assert method.promise(again) == release.guarantee
    assert method.public(again) | {"decimals": 5} == release.card.mechanism.parameters
    assert getattr(again, "design", "uniform") == "uniform"


def test_every_attacker_says_what_they_know_and_needs_the_secret_times():
    options = {"secrets": OPTIONS["secrets"], "mechanism": "trace-noise", "design": "uniform"}
    options |= {"settings": {"error": 150.0}}
    release = sf.trace.protect(pa.table(COLUMNS), **options)
    found = {one.name: one for one in release.attack(pa.table(COLUMNS))}
    assert found["best adversary"].score.value >= found["posterior localisation"].score.value
    metres = {name for name in found if name.endswith("median error, m")}  # no share, so it stands for no criterion
    assert len(metres) == 1
    assert all(one.knows and (one.criterion or one.name in metres) for one in found.values())
    with pytest.raises(InputError, match="which times were secret"):
        replace(release, key=replace(release.key, secrets={})).attack(pa.table(COLUMNS))


@pytest.mark.parametrize(
    "kernel",
    [
        RBF(length=60.0, variance=9.0) + White(variance=25.0),
        Periodic(length=1.0, period=24.0),
        Matern(length=5.0, nu=2.5) + (Linear(length=2.0, centre=1.0) + White(variance=1.0)),
    ],
)
def test_kernels_are_written_down_and_read(kernel):
    assert kernel_of(kernel_record(kernel)) == kernel


def test_other_kernels_are_refused():
    class Own(Kernel):
        summary = "my own"

        def __call__(self, s, t):
            return np.exp(-np.abs(s - t))

    with pytest.raises(InputError, match="one of RBF"):
        kernel_record(Own())
    for record in ({"kind": "Own"}, {"kind": "RBF", "speed": 3}, {"kind": "SumKernel"}, {}):
        with pytest.raises(InputError, match="prior cannot be read"):
            kernel_of(record)


def test_one_secret_is_a_list_of_one():
    with pytest.raises(InputError, match="intervals such as"):
        sf.trace.protect(pa.table(COLUMNS), secrets="12:00-13:00")
    with pytest.raises(InputError, match="what is secret"):
        sf.trace.protect(pa.table(COLUMNS))


def edited(path: Path, table: pa.Table) -> list[str]:
    """What fails in a release with other data, whose card was given their hash."""
    card = Card.read(f"{path}.card.json")
    write_table(table, path)
    content = replace(card.release, sha256=hashlib.sha256(path.read_bytes()).hexdigest())
    write_card(replace(card, release=content), f"{path}.card.json")
    return [check.name for check in verify(path).checks if check.result == "fails"]


def test_edits_are_found(tmp_path):
    out = tmp_path / "out.csv"
    release = sf.trace.protect(pa.table(COLUMNS), **OPTIONS)
    release.write(out)
    assert verify(out).holds
    table = release.arrow
    moved = table["latitude"].to_numpy() + np.where(np.arange(len(table)) == 3, 1e-7, 0.0)
    assert edited(out, table.set_column(1, "latitude", pa.array(moved))) == ["grid"]
    assert edited(out, table.append_column("elevation", pa.array(COLUMNS["elevation"]))) == ["columns"]
    assert edited(out, table.slice(1)) == ["columns"]
    assert edited(out, table.drop_columns(["longitude"])) == ["columns"]
    assert edited(out, table) == []
