"""Made-up people: a seeded generator of numbers as surveys and trials have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng, seeded_rng
from sfumato.validate import integer, number, positive

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["REGIONS", "make_people", "make_trial"]

REGIONS = ("coast", "hills", "plain", "city")

Floats = NDArray[np.float64]


def make_people(count: int = 2_000, *, seed: int = 0) -> pa.Table:
    """A table of made-up people: age (18–100), yearly income (0–250 000, skewed) and region.

    Nobody in it exists; the same seed makes the same people.

    >>> make_people(3).column_names
    ['age', 'income', 'region']
    """
    import pyarrow as pa

    rng = seeded_rng(seed)
    count = integer("count", count)
    age = np.clip(np.rint(rng.normal(47, 17, count)), 18, 100).astype(np.int64)
    middle = 26_000 + 900 * np.minimum(age - 18, 35)
    income = np.round(np.minimum(middle * rng.lognormal(0.0, 0.55, count), 250_000.0), -1)
    region = rng.choice(REGIONS, count, p=(0.15, 0.1, 0.3, 0.45))
    return pa.table({"age": age, "income": income, "region": region.tolist()})


def make_trial(
    size: int, *, effect: float = 0.0, mean: float = 100.0, deviation: float = 14.0, upper: float = 200.0, rng: Rng
) -> tuple[Floats, Floats]:
    """Two groups of size/2 measurements in [0, upper], normal and cut at the bounds; B is ``effect`` higher.

    >>> a, b = make_trial(10, rng=seeded_rng(0))
    >>> len(a), len(b)
    (5, 5)
    """
    half = integer("size", size, least=2) // 2
    positive("deviation", deviation)
    centre = np.array([[number("mean", mean)], [mean + number("effect", effect)]])
    a, b = np.clip(rng.normal(centre, deviation, (2, half)), 0.0, positive("upper", upper))
    return a, b
