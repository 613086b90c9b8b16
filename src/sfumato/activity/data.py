"""Made-up people with one number each, from a seeded generator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.noise import seeded_rng
from sfumato.validate import integer

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["make_activity"]


def make_activity(count: int = 1_000, *, seed: int = 0) -> pa.Table:
    """A table of made-up people: a number for each and a value between 0 and 100.

    Nobody in it exists; the same seed makes the same people.

    >>> make_activity(3).column_names
    ['person', 'value']
    """
    import pyarrow as pa

    count = integer("count", count)
    value = np.clip(seeded_rng(seed).normal(40.0, 15.0, count), 0.0, 100.0)
    return pa.table({"person": np.arange(1, count + 1), "value": np.round(value, 1)})
