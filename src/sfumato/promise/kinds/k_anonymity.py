"""k-anonymity."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.promise.guarantee import Guarantee
from sfumato.validate import integer

__all__ = ["KAnonymity"]


@dataclass(frozen=True)
class KAnonymity(Guarantee):
    """Every released record shares its quasi-identifiers with at least k − 1 others. Says nothing about inference.

    >>> print(KAnonymity(5))
    k = 5 per record (syntactic: each record hides among 5)
    """

    k: int

    def __post_init__(self) -> None:
        super().__post_init__()
        integer("k", self.k)

    @property
    def statement(self) -> str:
        return f"k = {self.k}"

    @property
    def meaning(self) -> str:
        return f"To the attacker assumed, every released {self.unit} looks like at least {self.k - 1} others."

    @property
    def syntactic(self) -> bool:
        return True

    @property
    def obstacle(self) -> str:
        return f"k-anonymity ({self.statement}) does not compose: two releases together can single out a record"

    @property
    def level(self) -> tuple[str, float]:
        return "k", float(self.k)

    @property
    def scoped(self) -> str:
        return f"{self.statement} per {self.unit} (syntactic: each {self.unit} hides among {self.k})"
