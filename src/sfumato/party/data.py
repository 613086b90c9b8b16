"""Made-up bids of two parties, from a seeded generator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.noise import seeded_rng
from sfumato.validate import integer

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["make_bids"]


def make_bids(count: int = 1_000, *, bits: int = 16, seed: int = 0) -> pa.Table:
    """Made-up bids: a lot, what each of two parties bids for it, and whether the first bids at least as much.

    No party sees such a table; it is here to try protocols and to study answers. The same seed makes the same bids.

    >>> make_bids(3).column_names
    ['lot', 'mine', 'yours', 'at_least']
    """
    import pyarrow as pa

    count, top = integer("count", count), 1 << integer("bits", bits, most=48)
    rng = seeded_rng(seed)
    worth = rng.lognormal(0.0, 0.6, count) * top / 6
    mine, yours = (np.clip(worth * rng.lognormal(0.0, 0.3, count), 0, top - 1).astype(np.int64) for _ in range(2))
    return pa.table(
        {
            "lot": np.arange(1, count + 1),
            "mine": mine,
            "yours": yours,
            "at_least": (mine >= yours).astype(np.int64),
        }
    )
