"""Tables and jobs on which engines are tried: awkward texts, types at their ends, people, paths."""

from __future__ import annotations

import csv as plain
import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa

import sfumato as sf
from sfumato.release import Release
from sfumato.table import Hierarchy, Schema

__all__ = ["AWKWARD", "JOBS", "PEOPLE", "ROWS", "STRANGE", "WORDS", "awkward", "paths", "people", "strange", "typed"]

ROWS, PEOPLE = 3000, 30
WORDS = sf.text.Vocabulary(words=("cat", "dog", "stock"), vectors=[[1.0, 0.1], [0.9, 0.3], [0.0, 1.0]])
AWKWARD = ["plain", "semi;colon", 'quo"te', "line\nbreak", "comma, too", " space ", "ümläut"]


def awkward(count: int = 60) -> tuple[pa.Table, Schema]:
    """Texts that need quotes in CSV, with their roles."""
    rng = np.random.default_rng(5)
    schema = Schema(
        quasi={"word; 1": Hierarchy.flat(AWKWARD), "n": Hierarchy.intervals(0, 9, [5])},
        sensitive=["s"],
        insensitive=["note"],
        identifiers=["id"],
    )
    return pa.table(
        {
            "id": np.arange(count),
            "word; 1": rng.choice(AWKWARD, count).tolist(),
            "n": rng.integers(0, 10, count),
            "s": rng.choice(["x", "y"], count).tolist(),
            "note": [AWKWARD[i % 7] if i % 5 else None for i in range(count)],
        }
    ), schema


STRANGE = ["x", "漢字 😀", 'a"b', "a\nb", "a\r\nb", "a,b", " lead", "007", "7", "1e3", "9223372036854775807", "NULL",
           "NaN", "\\N", "a\\b", "'q'", "#c", "TRUE", "1994-05-17", "-0", "\t"]  # fmt: skip


def strange(file: Path, line_end: str) -> Schema:
    """Texts that readers like to take for something else, quoted and bare gaps, any line end; a blank line."""
    with file.open("w", newline="", encoding="utf-8-sig" if line_end == "\r\n" else "utf-8") as stream:
        out = plain.writer(stream, lineterminator=line_end)
        out.writerow(["q", "n", "note"])
        out.writerows([word, str(1 + i % 2), STRANGE[-1 - i % 20]] for i, word in enumerate(STRANGE * 2) if i < 30)
        stream.write(f'"",1,""{line_end}x,,{line_end}{line_end}x,2,z')
    return Schema(
        quasi={"q": Hierarchy.flat(STRANGE), "n": Hierarchy.flat("12")}, insensitive=["note"], missing="category"
    )


def typed() -> tuple[pa.Table, Schema]:
    """Parquet types with gaps, and numbers at their ends."""
    day, moment = dt.date(1582, 10, 10), dt.datetime(2020, 6, 1, 12, 30, 1, 5, tzinfo=dt.UTC)
    table = pa.table(
        {
            "i": pa.array([1, 2**53 + 1, 2**63 - 1, None] * 3, pa.int64()),
            "f": pa.array([1.0, float("nan"), 2.5, None] * 3),
            "d": pa.array([dt.date(1994, 5, 17), day, dt.date(9999, 12, 31), None] * 3),
            "b": pa.array([True, False, True, None] * 3),
            "t": pa.array([moment, None] * 6, pa.timestamp("us", tz="Europe/Berlin")),
            "u": pa.array([2**32 - 1, None] * 6, pa.uint32()),
            "u64": pa.array([2**64 - 1, None] * 6, pa.uint64()),
            "f32": pa.array([0.1, None] * 6, pa.float32()),
            "dec": pa.array([Decimal("1.50"), None] * 6, pa.decimal128(10, 2)),
            "word": pa.array(["é", None] * 6).dictionary_encode(),
            "list": pa.array([[1, 2], None] * 6),
        }
    )
    quasi = {
        "i": Hierarchy.flat(["1", str(2**53 + 1), str(2**63 - 1)]),
        "f": Hierarchy.flat(["1", "2.5"]),
        "d": Hierarchy.dates(["1994-05-17", "1582-10-10", "9999-12-31"]),
        "b": Hierarchy.flat(["true", "false"]),
        "t": Hierarchy.flat([moment.isoformat()]),
    }
    rest = [name for name in table.column_names if name not in quasi]
    return table, Schema(quasi=quasi, insensitive=rest, missing="category")


def people() -> pa.Table:
    """Records of four hundred people."""
    rng = np.random.default_rng(1)
    return pa.table(
        {
            "number": np.arange(ROWS),
            "who": [f"user {i % 400}" for i in range(ROWS)],
            "hour": rng.uniform(0, 24, ROWS),
            "lat": rng.uniform(40, 50, ROWS),
            "lon": rng.uniform(0, 10, ROWS),
            "answer": rng.choice(["x", "y", "z"], ROWS).tolist(),
            "text": rng.choice(["cat dog", "the dog", "stock", "a cat sat"], ROWS).tolist(),
        }
    )


def paths() -> pa.Table:
    """Thirty people who stand still for three hours, their points in no order."""
    minutes = [60.0 * k for k in range(180)]
    table = pa.table(
        {
            "who": [f"person {i}" for i in range(PEOPLE) for _ in minutes],
            "time": minutes * PEOPLE,
            "latitude": np.repeat(52.5 + 0.01 * np.arange(PEOPLE), len(minutes)),
            "longitude": np.full(PEOPLE * len(minutes), 13.4),
        }
    )
    return table.take(np.random.default_rng(2).permutation(table.num_rows))


JOBS: dict[str, Callable[..., Release]] = {
    "hours": lambda data, **more: sf.direction.protect(data, "hour", pure=1.0, keep=["number"], **more),
    "places": lambda data, **more: sf.direction.protect(
        data, ["lat", "lon"], kind="latlon", level=1.0, radius=200, **more
    ),
    "laplace": lambda data, **more: sf.statistic.protect(
        data, "hour", mechanism="laplace", low=0, high=24, epsilon=1.0, **more
    ),
    "unary": lambda data, **more: sf.survey.protect(
        data, mechanism="unary-encoding", epsilon=1.0, categories=["x", "y", "z"], keep=["number"], **more
    ),
    "hadamard": lambda data, **more: sf.survey.protect(
        data, mechanism="hadamard-response", epsilon=1.0, categories=["x", "y", "z"], **more
    ),
    "words": lambda data, **more: sf.text.protect(
        data, mechanism="word-exponential", epsilon=2.0, vocabulary=WORDS, keep=["number"], **more
    ),
}
