"""The maximum of several attacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from numpy.typing import ArrayLike

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.release.card import Criterion
from sfumato.study import Attack, Score

__all__ = ["StrongestAttack"]


@dataclass(frozen=True, kw_only=True)
class StrongestAttack:
    """Runs several attacks with the same goal and reports the strongest.

    The value is the largest of their values, the reference the largest of their references.

    Parameters
    ----------
    attacks : sequence of Attack
    name : str
    """

    attacks: Sequence[Attack]
    name: str = "best adversary"

    def __post_init__(self) -> None:
        if len(self.attacks) == 0:
            raise bad_input("attacks", self.attacks, "at least one attack")

    @property
    def criterion(self) -> Criterion | None:
        """That of its attacks."""
        return getattr(self.attacks[0], "criterion", None)

    @property
    def knows(self) -> str:
        """What any of its attackers knows."""
        return "; ".join(dict.fromkeys(getattr(one, "knows", "") for one in self.attacks))

    def attack(
        self, data: ArrayLike, release: ArrayLike, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        scores = [one.attack(data, release, mechanism=mechanism, rng=rng) for one in self.attacks]
        best = max(scores, key=lambda score: score.value)
        return replace(best, reference=max(score.reference for score in scores))
