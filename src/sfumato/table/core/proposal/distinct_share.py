"""How different the values of columns are, counted while records stream past."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DistinctShare"]

BUCKETS = 1 << 16


@dataclass(frozen=True)
class DistinctShare:
    """Counts hashed values of some columns; applied to a batch it gives whole numbers that add up, and it pickles.

    Values are taken by their hash, all records of a value or none, so that about a quarter as many records as there
    are buckets are counted; their number of different values follows from the buckets that stay empty (linear
    counting: Whang et al. 1990) to about one in a hundred.

    Parameters
    ----------
    columns : tuple of str
    rows : int
        How many records there will be.
    """

    columns: tuple[str, ...]
    rows: int

    def __call__(self, batch: pa.RecordBatch) -> NDArray[np.int64]:
        """How many counted records of the batch fall into each bucket, column by column."""
        import pyarrow as pa

        taken = min(1.0, BUCKETS / (4 * max(self.rows, 1)))
        found = np.zeros((len(self.columns), BUCKETS), np.int64)
        for place, name in enumerate(self.columns):
            texts = _texts(batch.column(name)).fill_null("")
            if isinstance(texts, pa.ChunkedArray):
                texts = texts.combine_chunks()
            _, ends, data = texts.buffers()
            offsets = np.frombuffer(ends, np.int64)[texts.offset : texts.offset + len(texts) + 1]
            letters = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(1, np.uint8)
            _count(offsets, letters, int(taken * 2**31), found[place])
        return found.ravel()

    def shares(self, counted: NDArray[np.int64]) -> dict[str, float]:
        """The share of different values of each column, from the sum over all batches."""
        found = {}
        for name, buckets in zip(self.columns, counted.reshape(len(self.columns), BUCKETS), strict=True):
            empty, seen = int((buckets == 0).sum()), int(buckets.sum())
            different = -BUCKETS * math.log(max(empty, 1) / BUCKETS)
            found[name] = min(different / seen, 1.0) if seen else 0.0
        return found


def _texts(values: Any) -> Any:
    import pyarrow as pa

    try:
        return values.cast(pa.large_string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # lists, records, bytes
        return pa.array([None if one is None else repr(one) for one in values.to_pylist()], pa.large_string())


# FNV-1a of 64 bits, its bits mixed at the end: the upper ones say whether a value is counted, the lower ones where.
@njit(cache=True)
def _count(offsets, letters, limit, buckets):  # type: ignore[no-untyped-def]
    for i in range(offsets.shape[0] - 1):
        mark = np.uint64(14695981039346656037)
        for at in range(offsets[i], offsets[i + 1]):
            mark = (mark ^ np.uint64(letters[at])) * np.uint64(1099511628211)
        mark ^= mark >> np.uint64(33)
        mark *= np.uint64(18397679294719823053)
        mark ^= mark >> np.uint64(33)
        if np.int64(mark >> np.uint64(33)) < limit:
            buckets[np.int64(mark & np.uint64(65535))] += 1
