"""The ε that an accuracy needs, from public things alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from sfumato.errors import InfeasibleError
from sfumato.validate import positive

__all__ = ["epsilon_for_margin"]

SMALLEST, LARGEST = 1e-6, 1e4


def epsilon_for_margin(
    make: Callable[[float], Any], size: int, margin: float, *, level: float = 0.95, digits: int = 3
) -> float:
    """The smallest ε, rounded up to ``digits``, at which the answer is within ``margin`` of the truth with ``level``.

    Parameters
    ----------
    make : callable
        Gives the mechanism for an ε; it has ``margin_for(size, level)``, which falls as ε grows.
    size : int
        The public number of records.

    Examples
    --------
    >>> from sfumato.statistic import Mean
    >>> epsilon_for_margin(lambda epsilon: Mean(epsilon=epsilon, bounds=(0, 100)), 1000, margin=0.5)
    0.6
    """
    positive("margin", margin)

    def enough(epsilon: float) -> bool:
        return bool(make(epsilon).margin_for(size, level) <= margin)

    if not enough(LARGEST):
        raise InfeasibleError(f"no ε up to {LARGEST:g} is accurate to {margin:g}: allow a larger margin")
    low, high = math.log(SMALLEST), math.log(LARGEST)
    if enough(SMALLEST):
        return SMALLEST
    for _ in range(60):  # the logarithm of ε is between low and high; at high the margin is kept
        middle = (low + high) / 2
        low, high = (low, middle) if enough(math.exp(middle)) else (middle, high)
    step = 10.0 ** (math.floor(math.log10(math.exp(high))) - digits + 1)
    rounded = float(f"{math.ceil(math.exp(high) / step - 1e-9) * step:.{digits}g}")
    return rounded if enough(rounded) else float(f"{rounded + step:.{digits}g}")
