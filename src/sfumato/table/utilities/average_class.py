"""Average class size relative to k."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sfumato.noise import Rng
from sfumato.study import Score
from sfumato.table.core.label_classes import as_it_is_rows
from sfumato.table.core.lineage import arrow_of, lineage_of
from sfumato.table.core.schema import Schema

__all__ = ["AverageClass"]


@dataclass(frozen=True, kw_only=True, eq=False)
class AverageClass:
    """Mean number of records in a released class."""

    schema: Schema
    name: str = "average class size"
    better: Literal["higher", "lower"] = "lower"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        before, (after, _) = arrow_of(data), lineage_of(data, release)
        sizes = [float(as_it_is_rows(table, self.schema)[1].mean()) for table in (before, after)]
        return Score(sizes[1], reference=sizes[0])
