"""A peer who may ask again finds the number itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.party.core.answers import answer_array
from sfumato.study.score import Score
from sfumato.validate import finite_array, integer

__all__ = ["BisectionAttack"]


@dataclass(frozen=True, kw_only=True)
class BisectionAttack:
    """Finds numbers by comparing them with ones of the attacker's choice: the share that is found exactly.

    The peer follows the protocol every time; only its own numbers are chosen. Each answer halves what is left, and ℓ of
    them leave one number. Where answers are turned by a coin, each question is asked ``repeats`` times and the majority
    taken, at ``repeats``·ℓ·ε altogether. Against this no protocol helps, only a budget.

    Parameters
    ----------
    bits : int
    repeats : int
        How often each question is asked; odd.

    Examples
    --------
    >>> secret = np.array([5, 12, 0, 15])
    >>> BisectionAttack(bits=4).attack(secret, (7 >= secret).astype(int)).value
    1.0
    """

    criterion: ClassVar[str] = "inference"
    knows: ClassVar[str] = "how long the numbers are, and asks as often as it likes"
    live: ClassVar[bool] = True
    """Whether it needs a peer that answers, not a file."""

    bits: int = 16
    repeats: int = 1
    name: str = "numbers found by bisection"

    def __post_init__(self) -> None:
        integer("bits", self.bits, most=48)
        if integer("repeats", self.repeats) % 2 == 0:
            raise bad_input("repeats", self.repeats, "an odd number: a majority must exist")

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """Find ``data``, numbers below 2^ℓ; ``release`` is the answer to the first question, 2^(ℓ−1) − 1 ≥ number?"""
        secret = finite_array("data", data, ndim=1).astype(np.int64)
        first = answer_array("release", release, least=1)
        if len(first) != len(secret) or secret.min() < 0 or secret.max() >= 1 << self.bits:
            raise bad_input("data", "other numbers", f"as many below 2^{self.bits} as there are answers")
        generator = resolve_rng(rng)
        low, size = np.zeros(len(secret), np.int64), 1 << self.bits
        while size > 1:
            size //= 2
            asked = low + size - 1
            true = (asked >= secret).astype(np.int64)
            votes = [true if mechanism is None else mechanism.release(true, rng=generator) for _ in range(self.repeats)]
            if 2 * size == 1 << self.bits:
                votes[0] = first
            yes = 2 * np.sum(votes, axis=0) > self.repeats
            low = np.where(yes, low, low + size)
        return Score.of_share(low == secret, 1 / (1 << self.bits))
