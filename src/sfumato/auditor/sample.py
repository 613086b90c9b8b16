"""Releases of one input, and the numbers that they are turned into."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.auditor.features import whole_codes
from sfumato.noise import Rng
from sfumato.promise.divergence import Floats

__all__ = ["BY_LOSS", "BY_PROBABILITY", "BY_SPREAD", "Sample", "Uniforms", "has_atoms", "randomised"]

BY_PROBABILITY = ("more often at likely outputs than the law says", "less often at likely outputs than the law says")
BY_SPREAD = ("too often near the middle of their law: too little noise", "too often far out")
BY_LOSS = ("too often on the side of the other input", "too often on their own side")


@dataclass(frozen=True, eq=False)
class Sample:
    """Releases of one input, and its partner in the pair that it comes from."""

    data: Any
    partner: Any
    outputs: Any

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """A number for each output, the same for equal ones."""
        return whole_codes(self.outputs)


@dataclass(frozen=True, eq=False)
class Uniforms:
    """Numbers that should be uniform, from which input they come, and what they say where they are not.

    ``low`` and ``high`` finish the sentence “the releases are …” for numbers that are too low or too high.
    """

    values: Floats
    way: str
    input: int
    low: str
    high: str


def randomised(p: Floats, order: Floats, at: Any, rng: Rng) -> Floats:
    """The distribution function in the given order, randomised inside each jump (Rosenblatt 1952).

    >>> u = randomised(np.array([0.25, 0.75]), np.array([1.0, 0.0]), np.array([0, 1]), np.random.default_rng(0))
    >>> bool(0.75 <= u[0] <= 1 and 0 <= u[1] <= 0.75)
    True
    """
    rank = np.argsort(order, kind="stable")
    before = np.empty(len(p))
    before[rank] = np.concatenate([[0.0], np.cumsum(p[rank])[:-1]])
    return np.clip(before[at] + rng.random(len(at)) * p[at], 0.0, 1.0)


def has_atoms(drawn: Any) -> bool:
    """Whether one value comes so often that this is no density: clipping, for instance."""
    _, counts = np.unique(drawn, return_counts=True)
    return bool(counts.max() > 5 + 0.01 * len(drawn))
