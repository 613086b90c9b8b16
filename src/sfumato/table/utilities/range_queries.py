"""Error of count queries over ranges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sfumato.noise import Rng, resolve_rng
from sfumato.study import Score
from sfumato.table.core.label_column import label_columns
from sfumato.table.core.lineage import Lineage, arrow_of, lineage_of
from sfumato.table.core.schema import Schema
from sfumato.validate import integer, probability

__all__ = ["RangeQueries"]


@dataclass(frozen=True, kw_only=True, eq=False)
class RangeQueries:
    """Median relative error of random counting queries, "how many have these values in these columns".

    Labels are spread evenly over what they cover, and the records of a sample stand for as many as its rate says. The
    error is relative to the true count, or to 1 % of the rows
    where that is more.

    Parameters
    ----------
    schema : Schema
    queries : int
    columns : int
        How many columns a query restricts.
    share : float
        Which share of the values of each is asked for.
    """

    schema: Schema
    queries: int = 200
    columns: int = 2
    share: float = 0.3
    better: Literal["higher", "lower"] = "lower"

    def __post_init__(self) -> None:
        integer("queries", self.queries)
        integer("columns", self.columns, most=max(len(self.schema.quasi), 1))
        probability("share", self.share, one=True)

    @property
    def name(self) -> str:
        return f"error of {self.columns}-column range queries"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        generator = resolve_rng(rng)
        before = label_columns(arrow_of(data), self.schema)
        after = label_columns(lineage_of(data, release)[0], self.schema)
        names = list(self.schema.quasi)
        errors = []
        rows = arrow_of(data).num_rows
        rates = [1.0, release.rate if isinstance(release, Lineage) else 1.0]
        for _ in range(self.queries):
            asked = {}
            for j in generator.choice(len(names), self.columns, replace=False):
                size = self.schema.quasi[names[j]].size
                width = max(1, round(self.share * size))
                start = int(generator.integers(size - width + 1))
                asked[names[j]] = slice(start, start + width)
            counts = []
            for table, rate in zip((before, after), rates, strict=True):
                weight = np.ones(len(next(iter(table.values())).codes))
                for name, part in asked.items():
                    weight = (
                        weight * np.asarray(table[name].weights[:, part].sum(axis=1)).reshape(-1)[table[name].codes]
                    )
                counts.append(float(weight.sum()) / rate)
            errors.append(abs(counts[1] - counts[0]) / max(counts[0], 0.01 * rows))
        return Score(float(np.median(errors)), reference=0.0)
