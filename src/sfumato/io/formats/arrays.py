"""Arrays of numpy as tables, and tables as arrays of numpy. Nothing is unpickled."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from sfumato.errors import InputError, bad_input
from sfumato.io.formats.archives import check_archive

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["parse_array", "print_array"]


def parse_array(shown: str, content: bytes) -> pa.Table:
    """The table of a file of numpy.

    In a ``.npy`` file a vector is a column ``x0``, a matrix columns ``x0, x1, …``, and an array with named fields has
    their names. In a ``.npz`` file every array is a column, or the columns ``name0, name1, …`` of a matrix.
    """
    import pyarrow as pa

    packed = content.startswith(b"PK")
    if packed:
        check_archive(shown, content, "file of numpy")
    try:
        loaded = np.load(io.BytesIO(content), allow_pickle=False)
        arrays = {name: loaded[name] for name in loaded.files} if packed else {"x": loaded}
    except (ValueError, EOFError, OSError, MemoryError, zipfile.BadZipFile, SyntaxError) as error:
        raise InputError(
            f"{shown} is not a plain file of numpy: save arrays of numbers or texts, no objects"
        ) from error
    columns: dict[str, Any] = {}
    for name, array in arrays.items():
        for title, values in _columns(shown, name, array, packed):
            if title in columns:
                raise InputError(f"{shown} has more than one column named {title!r}; rename them first")
            columns[title] = values
    if len({len(values) for values in columns.values()}) > 1:
        raise InputError(f"{shown} has arrays of different lengths: expected one value for each row")
    if not columns or not len(next(iter(columns.values()))):
        raise InputError(f"{shown} has no records: expected at least one row")
    try:
        return pa.table({title: pa.array(values) for title, values in columns.items()})
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise InputError(f"{shown} has values that no table holds: expected numbers, texts or dates") from error


def _columns(shown: str, name: str, array: Any, packed: bool) -> list[tuple[str, Any]]:
    if array.dtype.names is not None and array.ndim == 1:
        return [(field, _values(array[field])) for field in array.dtype.names]
    if array.ndim == 1:
        return [(name if packed else f"{name}0", _values(array))]
    if array.ndim == 2 and array.dtype.names is None:
        return [(f"{name}{place}", _values(array[:, place])) for place in range(array.shape[1])]
    raise InputError(f"{shown} has an array of {array.ndim} dimensions: expected rows, or rows and columns")


def _values(array: Any) -> Any:
    if array.dtype.kind in "US":
        return array.astype(str).tolist()
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return np.ascontiguousarray(array)


def print_array(kind: str, table: pa.Table, stream: BinaryIO) -> None:
    """Columns ``x0, x1, …`` of one type as a matrix, others as an array with named fields; ``.npz``: an array each."""
    columns = {name: _plain(table, name) for name in table.column_names}
    if kind == "npz":
        with zipfile.ZipFile(stream, "w") as archive:  # savez takes no array called file
            for name, values in columns.items():
                with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as part:
                    np.lib.format.write_array(part, values, allow_pickle=False)
        return
    types = {values.dtype for values in columns.values()}
    if len(types) == 1 and types.pop().kind in "iuf" and list(columns) == [f"x{i}" for i in range(len(columns))]:
        np.save(stream, np.stack(list(columns.values()), axis=1), allow_pickle=False)
        return
    records = np.empty(table.num_rows, [(name, values.dtype) for name, values in columns.items()])
    for name, values in columns.items():
        records[name] = values
    np.save(stream, records, allow_pickle=False)


def _plain(table: pa.Table, name: str) -> Any:
    """A column as an array without objects."""
    import pyarrow as pa

    column = table[name]
    if column.null_count:
        raise bad_input(f"column {name!r}", None, "no missing values", "numpy has none: use .csv or .parquet")
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        texts = column.to_pylist()
        if any(text.endswith("\0") for text in texts):
            raise bad_input(f"column {name!r}", "\0", "no text that ends in a zero byte", "use .parquet")
        return np.array(texts, dtype=str)
    values = column.to_numpy()
    if values.dtype.kind not in "iufbM":
        raise bad_input(f"column {name!r}", str(column.type), "numbers, texts or dates", "use .jsonl or .parquet")
    return values
