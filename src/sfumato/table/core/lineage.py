"""A released table and where its rows came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.io.frames import to_arrow, to_native_like

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Lineage", "arrow_of", "lineage_of", "native", "rows_of"]


def native(table: pa.Table, like: Any, rows: NDArray[np.int64]) -> Any:
    """``table`` as the kind of frame that ``like`` is; a pandas frame keeps the index of the rows it came from."""
    result = to_native_like(table, like)
    if hasattr(result, "index") and hasattr(like, "index") and len(result) == len(rows):
        result.index = like.index[rows]
    return result


@dataclass(frozen=True, eq=False)
class Lineage:
    """A release together with the private knowledge of which input row each of its rows came from.

    An attack is scored with it; it must not leave the house.

    Parameters
    ----------
    data : frame
        What is released.
    rows : ndarray
        The row of the input, for each row of ``data``.
    """

    data: Any
    rows: NDArray[np.int64] = field(repr=False)

    def __post_init__(self) -> None:
        rows = np.asarray(self.rows)
        if rows.ndim != 1 or len(rows) != to_arrow(self.data).num_rows:
            raise bad_input("rows", rows.shape, "one row number for each released row")
        object.__setattr__(self, "rows", rows.astype(np.int64))


def lineage_of(data: Any, release: Any) -> tuple[pa.Table, NDArray[np.int64]]:
    """The released table and its lineage. A bare frame must have a row for each row of the input, in its order."""
    source = data.data if isinstance(data, Lineage) else data
    if isinstance(release, Lineage) or hasattr(release, "decision"):  # a Protected knows its rows as well
        return to_arrow(release.data), release.rows
    table, count = to_arrow(release), to_arrow(source).num_rows
    if table.num_rows != count:
        raise bad_input(
            "release",
            f"{table.num_rows} rows without lineage",
            f"{count} rows as in the input, or a Lineage that says where each row came from",
            "protect(...) gives one, and --lineage writes it",
        )
    return table, np.arange(count)


def arrow_of(data: Any) -> pa.Table:
    """The table inside a frame, a :class:`Lineage` or a protected table."""
    return to_arrow(data.data if isinstance(data, Lineage) or hasattr(data, "decision") else data)


def rows_of(data: Any) -> NDArray[np.int64]:
    """The private row numbers of a table."""
    return data.rows if isinstance(data, Lineage) else np.arange(arrow_of(data).num_rows)
