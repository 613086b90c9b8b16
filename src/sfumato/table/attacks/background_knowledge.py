"""Classes in which one value is left after the attacker excludes others."""

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
from sfumato.validate import integer

__all__ = ["BackgroundKnowledgeAttack"]


@dataclass(frozen=True, kw_only=True, eq=False)
class BackgroundKnowledgeAttack:
    """Share of victims whose sensitive value is certain once ``excluded`` other values can be ruled out [P3]."""

    criterion: ClassVar[Criterion] = "inference"

    schema: Schema
    column: str
    excluded: int = 1

    def __post_init__(self) -> None:
        integer("excluded", self.excluded, least=0)

    @property
    def name(self) -> str:
        return f"background knowledge: {self.column} known after ruling out {self.excluded}"

    @property
    def knows(self) -> str:
        return f"{KNOWS}; can rule out {self.excluded} of the values of {self.column}"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        view = view_of(data, release, self.schema, mechanism=mechanism, column=self.column)
        return certain_share(view, self.excluded)
