"""Sampling and noise of private training."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from sfumato.mechanism.noisy_steps import NoisySteps
from sfumato.promise import ApproxDP

TARGET = ApproxDP(1.0, 1e-5, neighbours="add-remove")


class _Edge:
    """In place of a generator: the largest uniform double below a rate, and the one above it."""

    def __init__(self, rate):
        self.cell = int(Fraction(rate) * 2**53)

    def random(self, count):
        return np.array([self.cell - 1, self.cell, self.cell + 1][:count]) * 2.0**-53


@pytest.mark.parametrize("rate", [0.02, 0.1, 1 / 3, 0.5, 1.0, 2.0**-60])
def test_nobody_is_sampled_more_often_than_is_paid_for(rate):
    """Exactly: of the 2⁵³ uniform doubles, those that take a unit are at most a share q."""
    steps = NoisySteps(target=TARGET, steps=1, rate=rate, clip=1.0)
    taken = steps.sampled(3, _Edge(rate))
    assert taken.tolist() == [True, False, False]
    assert Fraction(_Edge(rate).cell, 2**53) <= Fraction(rate)
