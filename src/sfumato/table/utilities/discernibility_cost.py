"""Discernibility cost of the classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sfumato.noise import Rng
from sfumato.study import Score
from sfumato.table.core.label_classes import as_it_is_rows
from sfumato.table.core.lineage import arrow_of, lineage_of
from sfumato.table.core.schema import Schema

__all__ = ["DiscernibilityCost"]


@dataclass(frozen=True, kw_only=True, eq=False)
class DiscernibilityCost:
    """Σ|class|² over released classes plus rows for each missing record, divided by rows²: 1/rows … 1."""

    schema: Schema
    name: str = "discernibility"
    better: Literal["higher", "lower"] = "lower"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        before, (after, _) = arrow_of(data), lineage_of(data, release)
        rows = before.num_rows
        cost = [float((as_it_is_rows(t, self.schema)[1].astype(np.float64) ** 2).sum()) for t in (before, after)]
        return Score((cost[1] + rows * (rows - after.num_rows)) / rows**2, reference=cost[0] / rows**2)
