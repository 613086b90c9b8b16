"""Re-identification: which released record is the victim's?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.study import Score
from sfumato.table.attacks.deanonymiser import view_of
from sfumato.table.attacks.simulated_attack import SimulatedAttack

__all__ = ["ReidentificationAttack"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ReidentificationAttack(SimulatedAttack):
    """Risk that a victim's record is found: 1/|C_i| by Algorithm 2 [S3]; for generalisation exactly 1/k."""

    criterion = "singling out"

    @property
    def name(self) -> str:
        return f"{self._which} re-identification risk"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        view = view_of(data, release, self.schema, mechanism=mechanism)
        attacked = self._run(view)
        value, low, high = attacked.statistic(attacked.risks, self.statistic, self.quantile)
        return Score(value, low, high, reference=1 / len(view.victim))
