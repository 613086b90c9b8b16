"""The classes of a table by the labels it shows, raw or released by anyone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError
from sfumato.table.core.hierarchy import STAR
from sfumato.table.core.lineage import arrow_of
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import Summary, distinct, labels_of, sensitive_counts

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["as_it_is", "as_it_is_rows"]


def as_it_is_rows(table: pa.Table, schema: Schema) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The class of each row by its labels, and the size of each class."""
    _, member, counts, _ = _labelled(table, schema)
    return member, counts


def _labelled(
    table: pa.Table, schema: Schema
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    schema.require(table.column_names)
    if table.num_rows == 0:
        raise InputError("table without rows: expected at least one record")
    columns, sizes, star = [], [], np.full(table.num_rows, bool(schema.quasi))
    for name in schema.quasi:
        codes, labels = labels_of(table[name], schema.missing_values, name)
        gaps = np.array([label is None for label in labels])
        if gaps[codes].any():
            schema.missing_label(name)  # refused, or one and the same value
            codes = np.where(gaps[codes], int(np.flatnonzero(gaps)[0]), codes)
        star &= codes == (labels.index(STAR) if STAR in labels else -1)
        columns.append(codes)
        sizes.append(len(labels))
    matrix = np.stack(columns, axis=1) if columns else np.zeros((table.num_rows, 0), np.int64)
    codes, member = distinct(matrix, sizes)
    return codes, member, np.bincount(member, minlength=len(codes)).astype(np.int64), star


def as_it_is(frame: Any, schema: Schema) -> tuple[Summary, int]:
    """The summary of any table by its labels, raw or released, and how many of its rows are all ``*``."""
    table = arrow_of(frame)
    codes, member, counts, star = _labelled(table, schema)
    sensitive = sensitive_counts(table, schema, member)
    return Summary(tuple(schema.quasi), (), codes, counts, sensitive), int(star.sum())
