"""Frames in, frames out: pandas, Polars and Arrow become an Arrow table and go back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["as_arrow", "is_frame", "like"]


def is_frame(frame: Any) -> bool:
    """Whether narwhals takes it for an eager frame."""
    import narwhals as nw

    return isinstance(nw.from_native(frame, eager_only=True, pass_through=True), nw.DataFrame)


def as_arrow(frame: Any, name: str = "frame") -> pa.Table:
    """The frame as an Arrow table, without the index of a pandas frame."""
    import narwhals as nw
    import pyarrow as pa

    if isinstance(frame, pa.Table):
        return frame
    wrapped = nw.from_native(frame, eager_only=True, pass_through=True)
    if not isinstance(wrapped, nw.DataFrame):
        raise bad_input(name, type(frame).__name__, "a pandas, Polars or Arrow frame", "read_table(path) makes one")
    return wrapped.to_arrow()


def like(frame: Any, table: pa.Table, rows: NDArray[np.int64] | None = None) -> Any:
    """``table`` as the kind of frame that ``frame`` is; a pandas frame keeps the index of the ``rows`` it came from."""
    import narwhals as nw
    import pyarrow as pa

    if isinstance(frame, pa.Table):
        return table
    wrapped = nw.from_native(frame, eager_only=True)
    native = nw.from_arrow(table, backend=wrapped.implementation).to_native()
    if wrapped.implementation.is_pandas():
        index = frame.index if rows is None else frame.index[rows]
        if len(index) == len(native):
            native.index = index
    return native
