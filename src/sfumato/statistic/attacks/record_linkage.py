"""Link a noisy record to the person it belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.statistic.attacks.record_law import likelihoods, several
from sfumato.study.score import Score

__all__ = ["RecordLinkageAttack"]


@dataclass(frozen=True, kw_only=True)
class RecordLinkageAttack:
    """Holds the raw records of everybody and links each released one to the likeliest of them.

    Of a thousand people at most. Equal raw records share a hit. Chance is one in the number of people.

    Examples
    --------
    >>> from sfumato.mechanism import Laplace
    >>> from sfumato.noise import seeded_rng
    >>> ages = np.linspace(0.0, 100.0, 101)
    >>> noise = Laplace(epsilon=1000.0, sensitivity=100.0)
    >>> released = noise.release(ages, rng=seeded_rng(0))
    >>> RecordLinkageAttack().attack(ages, released, mechanism=noise, rng=seeded_rng(0)).value > 0.9
    True
    """

    criterion: ClassVar[str] = "linkability"
    knows: ClassVar[str] = "the law of the noise and the raw records of everybody, but not whose release is whose"

    name: str = "record linked to its person"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        generator = resolve_rng(rng)
        truth, released = np.asarray(data), np.asarray(release)
        chosen = several(len(truth), generator)
        values, owner, sizes = np.unique(truth[chosen], axis=0, return_inverse=True, return_counts=True)
        scores = likelihoods(mechanism, released[chosen], values)
        hits = np.argmax(scores, axis=1) == owner.reshape(-1)
        return Score.of_share(hits / sizes[owner.reshape(-1)], 1 / len(chosen))
