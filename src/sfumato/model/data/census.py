"""Made-up people for synthetic tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.noise import seeded_rng
from sfumato.validate import integer

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CENSUS_DOMAINS", "make_census"]

_JOBS = ("clerk", "cook", "driver", "farmer", "nurse", "painter", "teacher", "weaver")
_TOWNS = ("Graz", "Linz", "Steyr", "Wels", "Wien")
CENSUS_DOMAINS: dict[str, list[Any]] = {
    "age": [18, 90, 12],
    "income": [0, 200_000, 20],
    "hours": [0, 80, 16],
    "sex": ["f", "m"],
    "job": list(_JOBS),
    "town": list(_TOWNS),
}
"""Public domains of the columns of :func:`make_census`."""


def make_census(count: int = 1_000, *, seed: int = 0) -> pa.Table:
    """A table of made-up people with related numbers and categories; nobody in it exists.

    >>> make_census(3).column_names
    ['age', 'income', 'hours', 'sex', 'job', 'town']
    """
    import pyarrow as pa

    count, rng = integer("count", count), seeded_rng(seed)
    age = np.clip(rng.normal(45, 15, count), 18, 90).round().astype(np.int64)
    job = (rng.integers(0, 4, count) + 4 * (age > 45)) % len(_JOBS)
    hours = np.clip(rng.normal(30 + 2 * job, 6), 0, 80).round().astype(np.int64)
    income = np.clip(np.exp(rng.normal(9.8 + 0.01 * age + 0.05 * job, 0.4)), 0, 200_000).round().astype(np.int64)
    return pa.table(
        {
            "age": age,
            "income": income,
            "hours": hours,
            "sex": np.array(["f", "m"])[rng.integers(0, 2, count)].tolist(),
            "job": np.array(_JOBS)[job].tolist(),
            "town": np.array(_TOWNS)[rng.integers(0, len(_TOWNS), count)].tolist(),
        }
    )
