"""What an attack or a utility finds, and the shapes of both."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from sfumato.mechanism import Mechanism
from sfumato.noise import Rng

if TYPE_CHECKING:
    pass

__all__ = ["Attack", "Score", "Utility"]


@dataclass(frozen=True)
class Score:
    """One measurement.

    Parameters
    ----------
    value : float
        The measurement itself.
    low, high : float
        A 95 % interval around it where the measure knows one (NaN otherwise).
    reference : float
        What the value means nothing without: for an attack, what guessing without the release achieves (chance);
        for a utility, its value on the raw data.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    reference: float = math.nan


class Attack(Protocol):
    """Tries to undo a protection. A larger value is more risk."""

    @property
    def name(self) -> str: ...

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """What the attacker achieves on ``release``, scored against the truth in ``data``.

        An *adaptive* attacker uses ``mechanism`` to protect training data of its own; a *static* one ignores it.
        """


class Utility(Protocol):
    """Measures what is left of the data."""

    @property
    def name(self) -> str: ...

    @property
    def better(self) -> Literal["higher", "lower"]: ...

    def measure(self, data: Any, release: Any, *, rng: Rng | None = None) -> Score:
        """How well ``release`` serves in place of ``data``."""
