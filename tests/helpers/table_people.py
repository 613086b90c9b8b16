"""Made-up people with a schema, for tests of files and commands on tables."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from sfumato.table import Hierarchy, Schema

SCHEMA = Schema(
    quasi={"age": Hierarchy.intervals(0, 99, [10, 50]), "town": Hierarchy.flat("abcd")},
    sensitive=["illness"],
    identifiers=["name"],
)


def make_people(count: int = 120) -> pa.Table:
    rng = np.random.default_rng(5)
    return pa.table(
        {
            "name": [f"person {i}" for i in range(count)],
            "age": rng.integers(20, 80, count),
            "town": rng.choice(list("abcd"), count).tolist(),
            "illness": rng.choice(["flu", "cold", "gout"], count).tolist(),
        }
    )
