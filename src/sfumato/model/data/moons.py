"""Points on two half circles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng, seeded_rng
from sfumato.validate import integer, positive

__all__ = ["make_half_moons"]


def make_half_moons(
    count: int = 1_000, *, noise: float = 0.2, rng: Rng | None = None, seed: int = 0
) -> NDArray[np.float64]:
    """Points on two interleaving half circles of radius 1 with normal noise, half of them on each.

    >>> make_half_moons(4).shape
    (4, 2)
    """
    count, generator = integer("count", count), seeded_rng(seed) if rng is None else rng
    positive("noise", noise, zero=True)
    angle = generator.uniform(0, np.pi, count)
    lower = np.arange(count) % 2 == 1
    x = np.where(lower, 1 - np.cos(angle), np.cos(angle))
    y = np.where(lower, 0.5 - np.sin(angle), np.sin(angle))
    return np.column_stack([x, y]) + noise * generator.standard_normal((count, 2))
