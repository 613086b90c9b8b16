"""Error of the marginal distributions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sfumato.noise import Rng
from sfumato.study import Score
from sfumato.table.core.label_column import label_columns
from sfumato.table.core.lineage import arrow_of, lineage_of
from sfumato.table.core.schema import Schema

__all__ = ["Marginals"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Marginals:
    """Mean total variation distance between the columns before and after."""

    schema: Schema
    name: str = "error of marginals"
    better: Literal["higher", "lower"] = "lower"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        before = label_columns(arrow_of(data), self.schema)
        after = label_columns(lineage_of(data, release)[0], self.schema)
        far = []
        for name, column in before.items():
            p, q = column.histogram, after[name].histogram
            far.append(0.5 * np.abs(p / p.sum() - q / max(q.sum(), 1e-300)).sum())
        return Score(float(np.mean(far)), reference=0.0)
