"""Rows of a stream in random order: all of them, every order alike, nothing left behind."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from sfumato.errors import InputError
from sfumato.io.engine import Shuffler
from sfumato.io.engine.source import write_batches
from sfumato.noise import seeded_rng


def _batches(rows: int, size: int) -> list[pa.RecordBatch]:
    table = pa.table({"n": np.arange(rows), "word": [f"w{i % 7}" if i % 5 else None for i in range(rows)]})
    return table.to_batches(max_chunksize=size)


@pytest.mark.parametrize("at_once", [3, 50, 10_000])
def test_every_row_comes_once_with_its_cells(tmp_path: Path, at_once: int) -> None:
    batches = _batches(500, 64)
    shuffled = Shuffler(folder=tmp_path, rows=500, at_once=at_once)(batches, batches[0].schema)
    found = pa.Table.from_batches(list(shuffled))
    order = found["n"].to_numpy()
    assert order.tolist() != list(range(500))
    assert found.take(np.argsort(order)).equals(pa.Table.from_batches(batches))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("at_once", [1, 2, 4])
def test_every_order_is_equally_likely(tmp_path: Path, at_once: int) -> None:
    """χ² over the 24 orders of four rows in two batches, with 1, 2 and 4 files; false alarms below 10⁻⁶ for each."""
    batches, rng, repeats = _batches(4, 2), seeded_rng(at_once), 2400
    seen: Counter[tuple[int, ...]] = Counter()
    for _ in range(repeats):
        shuffled = Shuffler(folder=tmp_path, rows=4, rng=rng, at_once=at_once)(batches, batches[0].schema)
        seen[tuple(n for batch in shuffled for n in batch["n"].to_pylist())] += 1
    expected = repeats / 24
    assert sum((seen[order] - expected) ** 2 / expected for order in permutations(range(4))) < 75


def test_nothing_stays_when_it_fails_or_stops(tmp_path: Path) -> None:
    batches = _batches(10, 5)

    def broken():  # type: ignore[no-untyped-def]
        yield batches[0]
        raise InputError("the source broke")

    with pytest.raises(InputError, match="broke"):
        list(Shuffler(folder=tmp_path, rows=10, at_once=3)(broken(), batches[0].schema))
    half = Shuffler(folder=tmp_path, rows=10, at_once=3)(batches, batches[0].schema)
    next(half)
    half.close()  # type: ignore[attr-defined]
    assert list(tmp_path.iterdir()) == []
    empty = Shuffler(folder=tmp_path, rows=0)([], batches[0].schema)
    assert sum(batch.num_rows for batch in empty) == 0


def test_texts_as_numbers_of_a_dictionary_are_shuffled_and_written_as_texts(tmp_path: Path) -> None:
    plain = pa.schema([("n", pa.int64()), ("word", pa.string())])
    words = pa.array(["ä", 'x"y', "*"])
    batches = [
        pa.record_batch(
            {"n": np.arange(50) + 50 * part, "word": pa.DictionaryArray.from_arrays(np.arange(50) % 3, words)}
        )
        for part in range(4)
    ]
    for name in ("out.parquet", "out.csv"):
        shuffled = Shuffler(folder=tmp_path, rows=200, at_once=64)(batches, batches[0].schema)
        assert write_batches(shuffled, plain, tmp_path / name) == 200
    found = parquet.read_table(tmp_path / "out.parquet")
    assert found.schema.equals(plain)
    assert sorted(found.to_pylist(), key=lambda row: row["n"]) == [
        {"n": n, "word": words[n % 50 % 3].as_py()} for n in range(200)
    ]
    assert sorted(line for line in (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()[1:]) == sorted(
        f"{n}," + ("ä", '"x""y"', "*")[n % 50 % 3] for n in range(200)
    )
