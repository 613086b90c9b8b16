"""Classes in which all sensitive values agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.release.card import Criterion
from sfumato.study import Score
from sfumato.table.attacks.deanonymiser import view_of
from sfumato.table.attacks.scoring import KNOWS, certain_share
from sfumato.table.core.schema import Schema

__all__ = ["HomogeneityAttack"]


@dataclass(frozen=True, kw_only=True, eq=False)
class HomogeneityAttack:
    """Share of victims whose candidates all have the same sensitive value [P3]."""

    criterion: ClassVar[Criterion] = "inference"

    schema: Schema
    column: str

    @property
    def name(self) -> str:
        return f"homogeneity: {self.column} known for certain"

    @property
    def knows(self) -> str:
        return KNOWS

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        view = view_of(data, release, self.schema, mechanism=mechanism, column=self.column)
        return certain_share(view, 0)
