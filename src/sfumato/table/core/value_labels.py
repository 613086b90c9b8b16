"""The labels of the values of a column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.table.core.hierarchy import text

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["labels_of", "number_of"]

Ints = NDArray[np.int64]


def labels_of(
    column: pa.ChunkedArray | pa.Array, missing: Sequence[str], name: str = ""
) -> tuple[Ints, list[str | None]]:
    """Codes and distinct labels of a column; null, NaN and the ``missing`` texts all become the label ``None``."""
    import pyarrow as pa

    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):  # a table without rows
        array = pa.array([], array.type)
    if not pa.types.is_dictionary(array.type):
        try:
            array = array.dictionary_encode(null_encoding="encode")
        except pa.ArrowNotImplementedError as error:
            raise bad_input(
                f"column {name!r}: type", str(array.type), "text, numbers, dates or truth values"
            ) from error
    raw = array.dictionary.to_pylist()
    codes = array.indices.fill_null(len(raw)).to_numpy(zero_copy_only=False).astype(np.int64)
    labels: list[str | None] = [None if value is None or value != value else text(value) for value in raw] + [None]
    return codes, [None if label in missing else label for label in labels]


def number_of(word: str) -> float | None:
    """The finite number that a label is, if it is one."""
    try:
        value = float(word)
    except ValueError:
        return None
    return value if np.isfinite(value) else None
