"""Exact sums of ε, δ and ρ.

An amount is the decimal number that a float prints as: 0.1 means one tenth, as whoever wrote it meant, so ten spends of
0.1 are exactly 1. (The double 0.1 is larger by 5.6e-18; promises are stated in decimals, and the noise of a mechanism
is rounded up by more than that.) Sums and products are exact; as a float, what is spent is rounded up and what is left
is rounded down.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Context, Decimal, Inexact

__all__ = ["EXACT", "add_up", "exact", "less", "multiply_up", "round_down", "round_up", "share_down"]

# Doubles lie between 5e-324 and 2e308 with 17 digits, so sums need about 650 digits and products twice that; an inexact
# operation would raise instead of rounding.
EXACT = Context(prec=4000, Emin=-999999, Emax=999999, traps=[Inexact])


def exact(value: float) -> Decimal:
    """The decimal that the float prints as.

    >>> exact(0.1) * 10 == 1
    True
    """
    return Decimal(repr(float(value)))


def round_up(value: Decimal) -> float:
    """The least float that is not below the amount."""
    nearest = float(value)
    return nearest if exact(nearest) >= value else math.nextafter(nearest, math.inf)


def round_down(value: Decimal) -> float:
    """The greatest float that is not above the amount."""
    nearest = float(value)
    return nearest if exact(nearest) <= value else math.nextafter(nearest, -math.inf)


def add_up(values: Iterable[float]) -> float:
    """The exact sum of the amounts, rounded up.

    >>> add_up([0.1] * 3), sum([0.1] * 3)
    (0.3, 0.30000000000000004)
    """
    total = Decimal(0)
    for value in values:
        total = EXACT.add(total, exact(value))
    return round_up(total)


def share_down(value: float, parts: int) -> float:
    """The amount that each of ``parts`` equal shares may have, rounded down: together they are no more than the whole.

    >>> share_down(1.0, 10), share_down(0.7, 7) <= 0.1
    (0.1, True)
    """
    share = value / parts
    while EXACT.multiply(exact(share), Decimal(parts)) > exact(value):
        share = math.nextafter(share, 0.0)
    return share


def less(value: float, part: float) -> float:
    """What is left of an amount when a part of it is taken away, rounded down.

    >>> less(0.3, 0.1), 0.3 - 0.1
    (0.2, 0.19999999999999998)
    """
    return round_down(EXACT.subtract(exact(value), exact(part)))


def multiply_up(*values: float) -> float:
    """The exact product of the amounts, rounded up.

    >>> multiply_up(0.1, 3)
    0.3
    """
    product = Decimal(1)
    for value in values:
        product = EXACT.multiply(product, exact(value))
    return round_up(product)
