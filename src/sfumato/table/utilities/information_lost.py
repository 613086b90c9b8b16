"""Share of information lost by generalisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sfumato.noise import Rng
from sfumato.study import Score
from sfumato.table.core.label_column import label_columns
from sfumato.table.core.lineage import arrow_of, lineage_of
from sfumato.table.core.schema import Schema

__all__ = ["InformationLost"]


@dataclass(frozen=True, kw_only=True, eq=False)
class InformationLost:
    """Generalised information loss of a release: mean of (values covered − 1)/(domain − 1), 1 for a missing record."""

    schema: Schema
    name: str = "information lost"
    better: Literal["higher", "lower"] = "lower"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        rows = arrow_of(data).num_rows
        after, _ = lineage_of(data, release)
        lost = np.mean([column.information_loss.sum() for column in label_columns(after, self.schema).values()])
        return Score(float((lost + rows - after.num_rows) / rows), reference=0.0)
