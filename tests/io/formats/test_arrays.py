"""Files of numpy as tables."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sfumato.errors import InputError
from sfumato.io import read_table, write_table


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.array([1, 2]), {"x0": [1, 2]}),
        (np.array([[1.5, 2.0], [3.0, 4.0]]), {"x0": [1.5, 3.0], "x1": [2.0, 4.0]}),
        (np.array([[1.5, 2.0]], ">f8"), {"x0": [1.5], "x1": [2.0]}),
        (np.asfortranarray([[1, 2], [3, 4]]), {"x0": [1, 3], "x1": [2, 4]}),
        (np.array(["é", "b"]), {"x0": ["é", "b"]}),
        (np.array([(1, "x")], [("n", "i4"), ("t", "U3")]), {"n": [1], "t": ["x"]}),
    ],
)
def test_one_array(tmp_path: Path, array: Any, expected: dict[str, list[Any]]) -> None:
    np.save(tmp_path / "t.npy", array)
    assert read_table(tmp_path / "t.npy").to_pydict() == expected


def test_many_arrays(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "t.npz", n=[1, 2], x=[[1.0, 2.0], [3.0, 4.0]])
    assert read_table(tmp_path / "t.npz").to_pydict() == {"n": [1, 2], "x0": [1.0, 3.0], "x1": [2.0, 4.0]}


@pytest.mark.parametrize("ending", ["npy", "npz"])
@pytest.mark.parametrize(
    "table",
    [
        pa.table({"x0": [1.5, 2.5], "x1": [3.5, 4.5]}),
        pa.table({"file": [1, 2], "allow_pickle": ["é", ""], "yes": [True, False]}),
        pa.table({"day": pa.array([0, 1], pa.timestamp("s"))}),
    ],
)
def test_what_is_written_is_read(tmp_path: Path, ending: str, table: pa.Table) -> None:
    write_table(table, tmp_path / f"t.{ending}")
    assert read_table(tmp_path / f"t.{ending}").to_pydict() == table.to_pydict()


def test_numbers_in_columns_without_names_are_a_matrix(tmp_path: Path) -> None:
    write_table(pa.table({"x0": [1.5, 2.5], "x1": [3.5, 4.5]}), tmp_path / "t.npy")
    assert np.load(tmp_path / "t.npy").tolist() == [[1.5, 3.5], [2.5, 4.5]]


def _saved(value: Any, **more: Any) -> bytes:
    content = io.BytesIO()
    np.save(content, value, **more)
    return content.getvalue()


def _packed(**arrays: Any) -> bytes:
    content = io.BytesIO()
    np.savez(content, **arrays)
    return content.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.npy", b"secret", "is not a plain file of numpy"),
        ("t.npy", _saved(np.arange(9))[:-9], "is not a plain file of numpy"),
        ("t.npy", _saved(np.array([{"a": "secret"}]), allow_pickle=True), "is not a plain file of numpy"),
        ("t.npy", _saved(np.zeros((2, 2, 2))), "an array of 3 dimensions"),
        ("t.npy", _saved(np.float64(1)), "an array of 0 dimensions"),
        ("t.npy", _saved(np.zeros((0, 2))), "has no records"),
        ("t.npy", _saved(np.array([1j])), "values that no table holds"),
        ("t.npz", _packed(a=[1], b=[1, 2]), "arrays of different lengths"),
        ("t.npz", _packed(a=[[1, 2]], a0=[1]), "more than one column named 'a0'"),
        ("t.npz", _packed(a=[1])[:-30], "is not a whole file of numpy"),
    ],
)
def test_bad_files(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_table(tmp_path / name)
    assert "secret" not in str(caught.value).replace(str(tmp_path), "")


@pytest.mark.parametrize(
    ("values", "message"),
    [([1, None], "no missing values"), ([[1]], "numbers, texts or dates"), (["a\0"], "ends in a zero byte")],
)
def test_what_an_array_cannot_hold(tmp_path: Path, values: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        write_table(pa.table({"a": values}), tmp_path / "t.npz")
    assert list(tmp_path.iterdir()) == []
