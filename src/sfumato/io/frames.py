"""Data frames of any kind in, the same kind out: pandas, Polars and Arrow through narwhals."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.validate import finite_array

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["column", "is_arrow", "is_frame", "missing_columns", "numbers", "to_arrow", "to_native_like", "with_columns"]

FrameT = TypeVar("FrameT")


def is_frame(value: object) -> bool:
    """Whether ``value`` is a data frame (not an array, a list or a lazy frame)."""
    if isinstance(value, np.ndarray | list | tuple | int | float):  # asking narwhals takes a tenth of a millisecond
        return False
    if is_arrow(value):
        return True
    import narwhals as nw

    return isinstance(nw.from_native(value, eager_only=True, pass_through=True), nw.DataFrame)


def is_arrow(value: object) -> bool:
    """Whether ``value`` is an Arrow table, which narwhals need not be asked; one with two columns of a name it refuses.

    >>> import pyarrow as pa
    >>> is_arrow(pa.table({"age": [31]})), is_arrow([31])
    (True, False)
    """
    arrow = sys.modules.get("pyarrow")
    if arrow is None or not isinstance(value, arrow.Table):
        return False
    names = value.column_names
    return len(set(names)) == len(names)


def missing_columns(wanted: Sequence[str], present: Sequence[str], where: str) -> None:
    """Raise an error if a wanted column is missing; it names the column that looks like it.

    >>> missing_columns(["agee"], ["age", "income"], "people.csv")
    Traceback (most recent call last):
    sfumato.errors.InputError: people.csv has no column 'agee': did you mean 'age'?
    """
    for name in wanted:
        if name not in present:
            near = difflib.get_close_matches(name, present, n=1)
            shown = ", ".join(map(repr, present[:8])) + (", …" if len(present) > 8 else "")
            hint = f"did you mean {near[0]!r}?" if near else f"expected one of {shown}"
            raise InputError(f"{where} has no column {name!r}: {hint}")


def column(frame: Any, name: str, *, missing: bool = False) -> NDArray[Any]:
    """One column of a frame as a numpy array.

    Parameters
    ----------
    missing : bool
        Whether missing values may be in it. By default the first one is an error that names its row.

    >>> import pyarrow as pa
    >>> column(pa.table({"age": [31, 47]}), "age")
    array([31, 47])
    """
    data = _frame(frame)
    missing_columns([name], data.columns, "the table")
    series = data.get_column(name)
    if not missing:
        gaps = series.is_null().to_numpy()
        if gaps.any():
            row = int(np.flatnonzero(gaps)[0]) + 1
            raise InputError(f"column {name!r} has no value in row {row}: remove or impute missing values first")
    values = series.to_numpy()
    if not missing and values.dtype.kind == "f" and np.isnan(values).any():
        row = int(np.flatnonzero(np.isnan(values))[0]) + 1
        raise InputError(f"column {name!r} is NaN in row {row}: remove or impute missing values first")
    return values


def numbers(frame: Any, name: str) -> NDArray[np.float64]:
    """One column as finite float64 numbers."""
    return finite_array(f"column {name!r}", column(frame, name), ndim=1)


def with_columns(frame: FrameT, columns: Mapping[str, Any]) -> FrameT:
    """The frame with columns replaced or added; the same kind of frame as came in.

    >>> import pyarrow as pa
    >>> with_columns(pa.table({"age": [31, 47]}), {"age": np.array([30.5, 49.0])}).to_pydict()
    {'age': [30.5, 49.0]}
    """
    data = _frame(frame)
    for name, values in columns.items():
        if len(values) != len(data):
            raise bad_input(f"column {name!r}", len(values), f"{len(data)} values, one for each row")
    import narwhals as nw

    new = [nw.new_series(name, _plain(values), backend=data.implementation) for name, values in columns.items()]
    if data.implementation.is_pandas_like():  # pandas matches rows by index, ours match by place
        index = nw.maybe_get_index(data)
        new = [nw.maybe_set_index(series, index=index) for series in new]
    return data.with_columns(*new).to_native()


def to_arrow(frame: Any) -> pa.Table:
    """Any eager frame as an Arrow table; the points of a GeoDataFrame become columns of degrees.

    An index of pandas is no column: it stays behind, and so do the notes that pandas attaches to a frame.
    ``reset_index()`` makes a column of it.

    >>> import pandas as pd
    >>> to_arrow(pd.DataFrame({"age": [31]}, index=["Ada"])).to_pydict()
    {'age': [31]}
    """
    if is_arrow(frame):
        return frame
    if hasattr(frame, "to_wkb") and hasattr(frame, "geometry"):
        return _points(frame)
    data = _frame(frame)
    if not data.implementation.is_pandas_like():
        return data.to_arrow()
    import narwhals as nw

    table = nw.maybe_reset_index(data).to_arrow()
    kept = {key: value for key, value in (table.schema.metadata or {}).items() if key != b"pandas"}
    return table.replace_schema_metadata(kept or None)


def _points(frame: Any) -> pa.Table:
    """A frame of geopandas, whose geometries are points: in degrees of WGS 84, whatever system they are written in."""
    from sfumato.io.formats.places import points_to_columns

    if frame.crs is not None and frame.crs.to_epsg() not in (4326, 4979) and frame.crs.to_string() != "OGC:CRS84":
        frame = frame.to_crs("OGC:CRS84")
    name = frame.geometry.name
    return points_to_columns("the table", to_arrow(frame.to_wkb()), name)


def to_native_like(table: Any, like: FrameT) -> FrameT:
    """An Arrow table (or any frame) as the same kind of frame as ``like``.

    For a GeoDataFrame the longitudes and latitudes become its points again.
    """
    if is_arrow(like):
        return cast(FrameT, to_arrow(table))
    if hasattr(like, "to_wkb") and hasattr(like, "geometry"):
        return _geo_frame(to_arrow(table), like)
    import narwhals as nw

    backend = _frame(like).implementation
    return nw.from_arrow(to_arrow(table), backend=backend).to_native()


def _geo_frame(table: pa.Table, like: Any) -> Any:
    """A frame of geopandas whose points are the places of the table."""
    from sfumato.io.formats.places import coordinate_names, with_geometry

    coordinate_names(table)
    name = like.geometry.name
    frame = with_geometry(table).to_pandas()
    points = type(like.geometry).from_wkb(frame.pop("geometry"), crs="OGC:CRS84")
    if like.crs is not None:
        points = points.to_crs(like.crs)  # the system of the input; degrees stay as they are
    return type(like)(frame.assign(**{name: points}), geometry=name)


def _frame(frame: Any) -> Any:
    import narwhals as nw

    data = nw.from_native(frame, eager_only=True, pass_through=True)
    if not isinstance(data, nw.DataFrame):
        raise bad_input("data", type(frame).__name__, "a pandas, Polars or Arrow table", "read_table(path) gives one")
    return data


def _plain(values: Any) -> Any:
    """An object array as a list: Arrow and Polars infer text from it, and stumble over numpy's object type."""
    array = np.asarray(values)
    return array.tolist() if array.dtype.kind in "OUS" else array
