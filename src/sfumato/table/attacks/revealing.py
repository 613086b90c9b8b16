"""Attribute disclosure: the sensitive value of a victim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.study import Score
from sfumato.table.attacks.deanonymiser import view_of
from sfumato.table.attacks.scoring import best_guess
from sfumato.table.attacks.simulated_attack import SimulatedAttack
from sfumato.validate import choice

__all__ = ["RevealingAttack"]


@dataclass(frozen=True, kw_only=True, eq=False)
class RevealingAttack(SimulatedAttack):
    """Risk that a victim's sensitive value is learned [S4].

    Parameters
    ----------
    column : str
    variant : {"values", "share"}
        1 over the number of different values among the candidates, or the share of candidates with the true value.
    """

    criterion = "inference"

    column: str
    variant: Literal["values", "share"] = "share"

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("variant", self.variant, ("values", "share"))
        if self.column not in self.schema.secrets:
            raise bad_input("column", self.column, "a sensitive column of the schema")

    @property
    def name(self) -> str:
        return f"{self._which} revealing risk of {self.column} ({self.variant})"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        view = view_of(data, release, self.schema, mechanism=mechanism, column=self.column)
        attacked = self._run(view)
        per_victim = attacked.share
        if self.variant == "values":
            per_victim = np.where(np.isfinite(attacked.kinds), 1 / np.maximum(attacked.kinds, 1), 0.0)
        value, low, high = attacked.statistic(per_victim, self.statistic, self.quantile)
        return Score(value, low, high, reference=best_guess(view.secret))
