"""Error of the correlations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.study import Score
from sfumato.table.core.label_column import label_columns
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
        tables = (arrow_of(data), lineage_of(data, release)[0])
        matrices, owner = [], []
        for table in tables:
            columns = label_columns(table, self.schema)
            features = [column.features for column in columns.values()]
            owner = [j for j, feature in enumerate(features) for _ in range(feature.shape[1])]
            joint = np.concatenate(features, axis=1)
            centred = joint - joint.mean(0)
            scale = np.sqrt((centred**2).mean(0))
            centred /= np.where(scale > 1e-12, scale, np.inf)
            matrices.append(centred.T @ centred / len(joint))
        across = np.array(owner)[:, None] != np.array(owner)[None, :]
        if not across.any():
            raise bad_input("schema.quasi", list(self.schema.quasi), "at least two columns for correlations")
        return Score(float(np.abs(matrices[0] - matrices[1])[across].mean()), reference=0.0)
