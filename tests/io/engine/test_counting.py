"""Counts made in parts and added up: by their definition, whatever the types and wherever the parts are cut."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import sfumato.io.engine.counting as module
from sfumato.io.engine import COUNT
from sfumato.io.engine.counting import add_counts, count_parts


def mixed(rows: int, seed: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    days = [dt.date(2020, 1, 1), dt.date(2021, 5, 17), None]
    return pa.table(
        {
            "word": pa.array([*rng.choice(["x", "y", "", "ü"], rows).tolist(), None]),
            "number": pa.array([*rng.choice([0.5, -1.0, 2000000000.0], rows).tolist(), None]),
            "whole": pa.array([*rng.integers(0, 3, rows).tolist(), None], pa.uint8()),
            "truth": pa.array([*(rng.random(rows) < 0.5).tolist(), None]),
            "day": pa.array([days[i] for i in rng.integers(0, 3, rows)] + [None]),
            "price": pa.array([Decimal("1.20"), Decimal("7.00")] * (rows // 2) + [None]),
            "bytes": pa.array([b"q", None] * (rows // 2) + [b""]),
            "unused": pa.array(range(rows + 1)),
        }
    )


@pytest.mark.parametrize("at_once", [1, 7, 10_000])
def test_counts_are_those_of_the_definition(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AT_ONCE", at_once)
    tables = [mixed(40, 0), mixed(60, 1)]
    columns = [name for name in tables[0].column_names if name != "unused"]
    parts = [part for table in tables for part in count_parts(table.to_batches(max_chunksize=11), columns)]
    assert len(parts) > 2 or at_once == 10_000
    found = add_counts(parts, columns, dict)  # type: ignore[arg-type]
    assert found.column_names == [*columns, COUNT]
    assert found.select(columns).schema == tables[0].select(columns).schema
    said = {tuple(row[name] for name in columns): row[COUNT] for row in found.to_pylist()}
    rows = [row for table in tables for row in table.to_pylist()]
    assert said == Counter(tuple(row[name] for name in columns) for row in rows)
    assert len(said) == found.num_rows


def test_nothing_at_all_has_columns() -> None:
    none = pa.table({"a": pa.array([], pa.string())})
    assert list(count_parts([none.to_batches()[0]] if none.to_batches() else [], ["a"])) == []
    assert add_counts([], ["a"], lambda: none).schema.names == ["a", COUNT]
