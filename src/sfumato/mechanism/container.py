"""The numbers in a scalar, an array, a column or a frame, and results put back into the same kind of container."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.validate import finite_array

__all__ = ["unpack"]

Repack = Callable[[NDArray[Any]], Any]


def unpack(data: Any, name: str = "data") -> tuple[NDArray[np.float64], Repack]:
    """The finite numbers in ``data`` as a float64 array, and how to put results of the same shape back.

    >>> array, repack = unpack(3)
    >>> repack(array + 1)
    4.0
    """
    raw, repack = unpack_any(data, name)
    return finite_array(name, raw), repack


def unpack_any(data: Any, name: str = "data") -> tuple[NDArray[Any], Repack]:
    """As :func:`unpack`, whatever the values are."""
    if isinstance(data, (Real, str, np.generic)):
        return np.asarray(data), lambda result: result.item()
    if isinstance(data, (np.ndarray, list, tuple)):
        try:
            return np.asarray(data), lambda result: result
        except ValueError as error:
            raise bad_input(name, data, "a rectangular array", "pad or split it") from error
    return _unpack_native(data, name)


def _unpack_native(data: Any, name: str) -> tuple[NDArray[Any], Repack]:
    import narwhals as nw

    frame = nw.from_native(data, allow_series=True, eager_only=True, pass_through=True)
    if isinstance(frame, nw.Series):
        if frame.is_null().any():
            raise bad_input(name, "a missing value", "no missing values", "remove or impute missing values first")

        def series(result: NDArray[Any]) -> Any:
            return _indexed(nw.new_series(frame.name, result, backend=frame.implementation).to_native(), data)

        return frame.to_numpy(), series
    if isinstance(frame, nw.DataFrame):
        if any(frame[column].is_null().any() for column in frame.columns):
            raise bad_input(name, "a missing value", "no missing values", "remove or impute missing values first")

        def table(result: NDArray[Any]) -> Any:
            columns = {column: result[:, k] for k, column in enumerate(frame.columns)}
            return _indexed(nw.from_dict(columns, backend=frame.implementation).to_native(), data)

        return frame.to_numpy(), table
    if hasattr(data, "__array__"):
        return np.asarray(data), lambda result: result
    raise bad_input(name, type(data).__name__, "a number, an array, a column or a frame", "convert it to an array")


def _indexed(fresh: Any, data: Any) -> Any:
    """With the index of ``data``, where its library has one."""
    if hasattr(data, "index") and hasattr(data, "set_axis"):
        fresh.index = data.index
    return fresh
