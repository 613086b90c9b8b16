"""Frames of any kind in, the same kind out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sfumato.errors import InputError
from sfumato.io import column, is_frame, numbers, to_arrow, to_native_like, with_columns

DATA = {"n": [1, 2, 3], "word": ["a", "b", "c"]}
FRAMES = [pd.DataFrame(DATA), pd.DataFrame(DATA, index=[7, 5, 3]), pl.DataFrame(DATA), pa.table(DATA)]
KINDS = ["pandas", "pandas with an index", "polars", "arrow"]


@pytest.mark.parametrize("frame", FRAMES, ids=KINDS)
def test_columns_in_and_out(frame: Any) -> None:
    assert is_frame(frame)
    assert column(frame, "word").tolist() == ["a", "b", "c"]
    assert numbers(frame, "n").dtype == np.float64
    changed = with_columns(frame, {"n": np.array([0.5, 1.5, 2.5]), "new": ["x", "y", "z"]})
    assert type(changed) is type(frame)
    assert to_arrow(changed).select(["n", "word", "new"]).to_pydict() == {
        "n": [0.5, 1.5, 2.5],
        "word": ["a", "b", "c"],
        "new": ["x", "y", "z"],
    }
    assert type(to_native_like(pa.table(DATA), frame)) is type(frame)
    assert column(frame, "n").tolist() == [1, 2, 3]  # the input is not changed
    if isinstance(frame, pd.DataFrame):
        assert list(changed.index) == list(frame.index)


@pytest.mark.parametrize("frame", FRAMES, ids=KINDS)
def test_refusals(frame: Any) -> None:
    with pytest.raises(InputError, match="no column 'wrod': did you mean 'word'"):
        column(frame, "wrod")
    with pytest.raises(InputError, match="expected numbers"):
        numbers(frame, "word")
    with pytest.raises(InputError, match="3 values, one for each row"):
        with_columns(frame, {"n": [1.0]})


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame({"x": [1.0, np.nan]}), pl.DataFrame({"x": [1, None]}), pa.table({"x": pa.array([1, None])})],
    ids=["pandas", "polars", "arrow"],
)
def test_missing_values_are_named(frame: Any) -> None:
    with pytest.raises(InputError, match="column 'x' has no value in row 2"):
        column(frame, "x")
    assert len(column(frame, "x", missing=True)) == 2


def test_nan_is_named() -> None:
    with pytest.raises(InputError, match="column 'x' is NaN in row 2"):
        numbers(pa.table({"x": [1.0, float("nan")]}), "x")
    with pytest.raises(InputError, match="expected finite numbers"):
        numbers(pa.table({"x": [1.0, float("inf")]}), "x")


@pytest.mark.parametrize("value", [np.ones(3), [1, 2], {"a": [1]}, pl.LazyFrame(DATA), None])
def test_what_is_no_frame(value: Any) -> None:
    assert not is_frame(value)
    with pytest.raises(InputError, match="a pandas, Polars or Arrow table"):
        column(value, "a")
