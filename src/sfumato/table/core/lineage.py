"""A released table and where its rows came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.io.frames import is_arrow, to_arrow
from sfumato.release import Release

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Lineage", "arrow_of", "lineage_of", "plain_table", "rows_of"]


def plain_table(frame: Any) -> pa.Table:
    """The columns of a frame and nothing else: no index, no metadata of a file, no category that no row has.

    >>> import pandas as pd
    >>> plain_table(pd.DataFrame({"age": [31]}, index=pd.Index(["Ada"], name="name"))).column_names
    ['age']
    """
    import pyarrow as pa

    if not is_arrow(frame):
        import narwhals as nw

        native = nw.from_native(frame, eager_only=True, pass_through=True)
        if isinstance(native, nw.DataFrame) and native.implementation.is_pandas_like():
            frame = native.to_native().reset_index(drop=True)
    table = to_arrow(frame)
    columns = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    return pa.table(columns, names=table.column_names)


@dataclass(frozen=True, eq=False)
class Lineage:
    """A release together with the private knowledge of which input row each of its rows came from.

    An attack is scored with it; it must not leave the house.

    Parameters
    ----------
    data : frame
        What is released.
    rows : ndarray
        The row of the input, for each row of ``data``; −1 for a made-up one.
    rate : float
        The chance of a record to be in the release, where that is public: each row stands for 1/rate of them.
    """

    data: Any
    rows: NDArray[np.int64] = field(repr=False)
    rate: float = 1.0

    def __post_init__(self) -> None:
        rows = np.asarray(self.rows)
        if rows.ndim != 1 or len(rows) != to_arrow(self.data).num_rows:
            raise bad_input("rows", rows.shape, "one row number for each released row")
        object.__setattr__(self, "rows", rows.astype(np.int64))


def lineage_of(data: Any, release: Any) -> tuple[pa.Table, NDArray[np.int64]]:
    """The released table and its lineage. A bare frame must have a row for each row of the input, in its order."""
    count = arrow_of(data).num_rows
    if isinstance(release, Release):
        return release.arrow, release.input_rows(count)
    if isinstance(release, Lineage):
        return to_arrow(release.data), release.rows
    table = to_arrow(release)
    if table.num_rows != count:
        raise bad_input(
            "release",
            f"{table.num_rows} rows without lineage",
            f"{count} rows as in the input, or a Lineage that says where each row came from",
            "protect(...) gives a release that knows its rows",
        )
    return table, np.arange(count)


def arrow_of(data: Any) -> pa.Table:
    """The table inside a frame, a :class:`Lineage` or a release."""
    if isinstance(data, Release):
        return data.arrow
    return plain_table(data.data if isinstance(data, Lineage) else data)


def rows_of(data: Any) -> NDArray[np.int64]:
    """The private row numbers of a table."""
    return data.rows if isinstance(data, Lineage) else np.arange(arrow_of(data).num_rows)
