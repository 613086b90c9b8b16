"""What a victim's class tells beyond what the whole table tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.study import Score
from sfumato.table.attacks.deanonymiser import view_of
from sfumato.table.attacks.simulated_attack import SimulatedAttack

__all__ = ["SkewAttack"]


@dataclass(frozen=True, kw_only=True, eq=False)
class SkewAttack(SimulatedAttack):
    """How much more often the victim's sensitive value occurs among the candidates than in the whole table.

    A class of ten in which five have a disease that one in a hundred has keeps l-diversity and tells a lot (the
    skewness attack of Li, Li and Venkatasubramanian 2007). 0 is what the table tells anyway.
    """

    column: str

    criterion = "inference"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.column not in self.schema.secrets:
            raise bad_input("column", self.column, "a sensitive column of the schema")

    @property
    def name(self) -> str:
        return f"{self._which} gain in belief in {self.column}"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        view = view_of(data, release, self.schema, mechanism=mechanism, column=self.column)
        attacked = self._run(view)
        shown = view.shown
        before = (shown / max(shown.sum(), 1.0))[view.secret]
        gain = np.where(np.isfinite(attacked.sizes), attacked.share - before, 0.0)
        value, low, high = attacked.statistic(np.maximum(gain, 0.0), self.statistic, self.quantile)
        return Score(value, low, high, reference=0.0)
