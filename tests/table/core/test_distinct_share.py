"""How different values are, counted batch by batch, and said of a release that streams past."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

from sfumato.table import Flat, Schema, protect_file
from sfumato.table.core.proposal.distinct_share import DistinctShare
from sfumato.table.protection import recoder


def test_shares_of_different_values() -> None:
    rng = np.random.default_rng(0)
    rows = 60_000
    table = pa.table(
        {"all": np.arange(rows), "some": rng.integers(0, rows // 2, rows), "two": ["a", None] * (rows // 2)}
    )
    counter = pickle.loads(pickle.dumps(DistinctShare(("all", "some", "two"), rows)))
    shares = counter.shares(sum(counter(batch) for batch in table.to_batches(max_chunksize=7_000)))
    assert shares["all"] == pytest.approx(1.0, abs=0.03)
    assert shares["some"] == pytest.approx(len(table["some"].unique()) / rows, abs=0.03)
    assert shares["two"] < 0.01


def test_a_streamed_release_names_columns_that_tell_people_apart(tmp_path: Path) -> None:
    table = pa.table({"town": ["Linz", "Graz"] * 50, "visit": [f"v{i}" for i in range(100)], "ward": ["a"] * 100})
    csv.write_csv(table, tmp_path / "people.csv")
    schema = Schema(quasi={"town": Flat()}, insensitive=["visit", "ward"])
    release = protect_file(tmp_path / "people.csv", tmp_path / "out.csv", recoder(schema, k=5))
    assert [words for words in release.card.not_covered if words.startswith("whoever is known by visit:")]
