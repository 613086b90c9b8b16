"""Error of the correlations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.study import Score
from sfumato.table.core.label_column import LabelColumn, label_columns
from sfumato.table.core.lineage import arrow_of, lineage_of
from sfumato.table.core.schema import Schema

__all__ = ["Correlations"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Correlations:
    """Mean absolute change of the correlations between features of different columns."""

    schema: Schema
    name: str = "error of correlations"
    better: Literal["higher", "lower"] = "lower"

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        matrices, owner = [], []
        for table in (arrow_of(data), lineage_of(data, release)[0]):
            columns = list(label_columns(table, self.schema).values())
            owner = [j for j, column in enumerate(columns) for _ in range(column.by_label.shape[1])]
            matrices.append(_correlations(columns, table.num_rows))
        across = np.array(owner)[:, None] != np.array(owner)[None, :]
        if not across.any():
            raise bad_input("schema.quasi", list(self.schema.quasi), "at least two columns for correlations")
        return Score(float(np.abs(matrices[0] - matrices[1])[across].mean()), reference=0.0)


def _correlations(columns: Sequence[LabelColumn], rows: int, block: int = 1 << 16) -> NDArray[np.float64]:
    """The correlations of all features, summed up block by block of rows; a feature that never varies has none."""
    middles = [column.by_label.mean(0) for column in columns]  # near the means, so that squares do not cancel
    width = sum(len(middle) for middle in middles)
    total, squares = np.zeros(width), np.zeros((width, width))
    for start in range(0, rows, block):
        part = slice(start, start + block)
        joint = np.concatenate(
            [column.by_label[column.codes[part]] - middle for column, middle in zip(columns, middles, strict=True)],
            axis=1,
        )
        total += joint.sum(0)
        squares += joint.T @ joint
    covariance = squares / rows - np.outer(total, total) / rows**2
    scale = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    scale = np.where(scale > 1e-12, scale, np.inf)
    found: NDArray[np.float64] = covariance / np.outer(scale, scale)
    return found
