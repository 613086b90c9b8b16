"""The absence of a promise."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.errors import bad_input
from sfumato.promise.guarantee import Guarantee
from sfumato.promise.yardstick import LogRatio, Yardstick

__all__ = ["NoGuarantee"]


@dataclass(frozen=True)
class NoGuarantee(Guarantee):
    """Nothing is proved, and why.

    >>> print(NoGuarantee("name lists miss names"))
    no guarantee: name lists miss names
    """

    reason: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.reason, str) or not self.reason.strip():
            raise bad_input("reason", self.reason, "why nothing is promised")

    @property
    def statement(self) -> str:
        return f"no guarantee: {self.reason}"

    @property
    def meaning(self) -> str:
        return "Nothing bounds what can be found out: what attacks find is all that is known."

    @property
    def vacuous(self) -> bool:
        return True

    @property
    def obstacle(self) -> str:
        return self.reason

    def yardsticks(self) -> list[Yardstick]:
        return [LogRatio(self.loss_bound)]  # measured for information

    @property
    def scoped(self) -> str:
        return self.statement
