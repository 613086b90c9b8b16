"""What every design of noise has: a covariance, the loss it reaches, and a budget with an even part."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sfumato.trace.core.conditional import Conditional
from sfumato.trace.core.kernel import Matrix
from sfumato.validate import positive, probability

__all__ = ["FLOOR", "Design", "with_floor"]

FLOOR = 1e-6
"""Share of the budget spread evenly in every optimal design, so that the certificate rests on a regular matrix."""


@dataclass(frozen=True)
class Design:
    """A noise covariance, the loss κ it reaches, and a proved lower bound on κ for any noise of that trace and floor.

    The bound is NaN where no proof was asked for.
    """

    noise: Matrix
    kappa: float
    bound: float = math.nan

    @property
    def gap(self) -> float:
        """Relative distance from the optimum, at most."""
        return self.kappa / self.bound - 1


def with_floor(split: Conditional, budget: float, floor: float) -> tuple[Matrix, Matrix, float]:
    """The even part of the noise, M with it, and what is left of the budget."""
    share = probability("floor", floor, zero=True)
    even = positive("budget", budget) * share / len(split.rest) * np.eye(len(split.rest))
    return even, split.rest + even, budget * (1 - share)
