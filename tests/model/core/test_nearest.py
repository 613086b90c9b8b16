"""Nearest neighbours against all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.model.core.mixed_rows import closest_records, code_together
from sfumato.model.core.nearest import nearest


@pytest.mark.parametrize("dimension", [1, 5, 40])
@pytest.mark.parametrize("count", [1, 3])
def test_all_pairs(dimension: int, count: int) -> None:
    rng = np.random.default_rng(dimension)
    known, queries = rng.normal(size=(500, dimension)) + 1e4, rng.normal(size=(200, dimension)) + 1e4
    queries[:5] = known[:5]
    gaps = np.sqrt(((queries[:, None] - known[None]) ** 2).sum(-1))
    found = nearest(known, queries, count=count)
    assert np.allclose(found.distance, np.sort(gaps, axis=1)[:, :count], rtol=1e-9, atol=0)
    assert (found.which[:, 0] == gaps.argmin(1)).all()
    assert (found.distance[:5, 0] == 0).all()  # an exact copy is at distance 0


@pytest.mark.parametrize("columns", [(3, 0), (0, 3), (2, 4)])
@pytest.mark.parametrize("itself", [True, False])
def test_closest_records_are_those_of_all_pairs(columns: tuple[int, int], itself: bool) -> None:
    import pyarrow as pa

    rng = np.random.default_rng(1)

    def people(count: int) -> pa.Table:
        made = {f"n{c}": rng.normal(size=count) for c in range(columns[0])}
        return pa.table(made | {f"c{c}": rng.integers(0, 3, count).astype(str) for c in range(columns[1])})

    known, queries = code_together(people(1500), people(60))
    gaps = np.abs(queries.numbers[:, None] - known.numbers[None]).sum(-1)
    gaps = (gaps + (queries.codes[:, None] != known.codes[None]).sum(-1)) / sum(columns)
    if not itself:
        gaps[np.arange(60), np.arange(60)] = np.inf
    found = closest_records(known, queries, count=2, itself=itself)
    assert np.allclose(found.distance, np.sort(gaps, axis=1)[:, :2])
    assert (found.which[:, 0] == gaps.argmin(1)).all()  # of equal ones the first


def test_categories_that_only_one_table_has() -> None:
    import pyarrow as pa

    known, queries = code_together(pa.table({"c": ["a", "b"]}), pa.table({"c": ["z", "b"]}))
    assert closest_records(known, queries).distance.ravel().tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    "tables",
    [
        ([[1.0, 2.0]], [[1.0]]),
        ([[np.inf]], [[1.0]]),
        ([[1.0]], []),
    ],
)
def test_tables_that_do_not_fit_are_refused(tables: tuple[object, object]) -> None:
    with pytest.raises(InputError):
        code_together(*tables)


def test_missing_values_are_refused() -> None:
    import pyarrow as pa

    with pytest.raises(InputError, match="no value in row 2"):
        code_together(pa.table({"c": ["a", None]}))
