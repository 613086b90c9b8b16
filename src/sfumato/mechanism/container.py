"""The numbers in a scalar, an array, a column or a frame, and results put back into the same kind of container."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.validate import exact_array, finite_array, unmasked_array

__all__ = ["unpack", "unpack_any", "unpack_exact"]

Repack = Callable[[NDArray[Any]], Any]


def unpack(data: Any, name: str = "data") -> tuple[NDArray[np.float64], Repack]:
    """The finite numbers in ``data`` as a float64 array, and how to put results of the same shape back.

    Numbers that no double holds are refused; :func:`unpack_exact` keeps them.

    >>> array, repack = unpack(3)
    >>> repack(array + 1)
    4.0
    """
    raw, repack = unpack_any(data, name)
    return finite_array(name, raw), repack


def unpack_exact(data: Any, name: str = "data") -> tuple[NDArray[Any], Repack]:
    """As :func:`unpack`, with integers, decimals and long floats exactly as they came (:func:`exact_array`)."""
    raw, repack = unpack_any(data, name)
    return exact_array(name, raw), repack


def unpack_any(data: Any, name: str = "data") -> tuple[Any, Repack]:
    """As :func:`unpack`, whatever the values are: an array, or a list of what must not become one unchecked."""
    if isinstance(data, Real | Decimal | str | np.generic):
        return np.asarray(data), lambda result: result.item()
    if isinstance(data, list | tuple):
        unmasked_array(name, data)  # refuses what is ragged
        return data, lambda result: result
    if isinstance(data, np.ndarray):
        return unmasked_array(name, data), lambda result: result
    return _unpack_native(data, name)


def _unpack_native(data: Any, name: str) -> tuple[Any, Repack]:
    import narwhals as nw

    frame = nw.from_native(data, allow_series=True, eager_only=True, pass_through=True)
    if isinstance(frame, nw.Series):
        if frame.is_null().any():
            raise bad_input(name, "a missing value", "no missing values", "remove or impute missing values first")

        def series(result: NDArray[Any]) -> Any:
            return _indexed(nw.new_series(frame.name, result, backend=frame.implementation).to_native(), data)

        return frame.to_numpy(), series
    if isinstance(frame, nw.DataFrame):
        if not frame.columns:
            raise bad_input(name, "a frame without columns", "at least one column")
        if any(frame[column].is_null().any() for column in frame.columns):
            raise bad_input(name, "a missing value", "no missing values", "remove or impute missing values first")

        def table(result: NDArray[Any]) -> Any:
            columns = {column: result[:, k] for k, column in enumerate(frame.columns)}
            return _indexed(nw.from_dict(columns, backend=frame.implementation).to_native(), data)

        return _side_by_side(name, [frame[column].to_numpy() for column in frame.columns]), table
    if hasattr(data, "__array__"):
        return unmasked_array(name, data), lambda result: result
    raise bad_input(name, type(data).__name__, "a number, an array, a column or a frame", "convert it to an array")


def _side_by_side(name: str, columns: list[NDArray[Any]]) -> NDArray[Any]:
    """Columns as one array; as objects where integers beside floats would become other numbers."""
    if len({column.dtype for column in columns}) > 1:
        if all(column.dtype.kind in "iuf" for column in columns):
            columns = [exact_array(name, column) for column in columns]
        if len({column.dtype for column in columns}) > 1:
            columns = [column.astype(object) for column in columns]
    return np.column_stack(columns)


def _indexed(fresh: Any, data: Any) -> Any:
    """With the index of ``data``, where its library has one."""
    if hasattr(data, "index") and hasattr(data, "set_axis"):
        fresh.index = data.index
    return fresh
