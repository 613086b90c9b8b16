"""Who is behind each released number?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.study.score import Score
from sfumato.validate import finite_array

__all__ = ["LinkageAttack"]


@dataclass(frozen=True, kw_only=True)
class LinkageAttack:
    """Links each released number to a person whose number is known: the share linked rightly.

    The attacker knows all numbers and the order of the noise is symmetric, so that linking by rank is the assignment of
    least total distance. Persons with the same number are not told apart: any of them counts. Chance is the share that
    a random assignment links rightly.

    Examples
    --------
    >>> ages = np.array([31.0, 47.0, 62.0])
    >>> LinkageAttack().attack(ages, ages + 0.5).value
    1.0
    """

    criterion: ClassVar[str] = "linkability"
    knows: ClassVar[str] = "the number of everybody, but not whose release is whose"

    name: str = "people linked"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The share of released numbers that are linked to their person."""
        true, seen = finite_array("data", data, ndim=1), finite_array("release", release, ndim=1)
        if len(true) != len(seen) or not len(true):
            raise bad_input("release", len(seen), f"{max(len(true), 1)} numbers, row by row those of the data")
        guess = np.empty(len(true))
        ties = resolve_rng(rng).permutation(len(seen))  # equal releases are linked in a random order
        guess[np.lexsort((ties, seen))] = np.sort(true)
        counts = np.unique(true, return_counts=True)[1] / len(true)
        return Score.of_share(guess == true, float((counts**2).sum()))
