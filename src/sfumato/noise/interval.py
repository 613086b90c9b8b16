"""Interval arithmetic of any precision, on the standard library's decimals.

An interval surely holds the real number that a formula stands for: every operation rounds its lower end down and its
upper end up. The samplers fall back on it in the rare case that floating point cannot decide.
"""

from __future__ import annotations

import decimal
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

__all__ = ["Interval", "Undecided", "at_least", "at_most", "exact"]


class Undecided(Exception):
    """More digits are needed, say because a divisor's interval still holds zero."""


@lru_cache(maxsize=64)
def _contexts(digits: int) -> tuple[decimal.Context, decimal.Context]:
    def context(rounding: str) -> decimal.Context:
        return decimal.Context(prec=digits, rounding=rounding, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX)

    return context(decimal.ROUND_FLOOR), context(decimal.ROUND_CEILING)


def exact(value: int | float, digits: int) -> Interval:
    """The interval of one point: an integer or a double, taken as the real number that it is."""
    point = Decimal(value)
    return Interval(point, point, digits)


def at_most(value: float, digits: int) -> Interval:
    """A double that a promise names, as the smaller of the number that it is and the decimal that it prints as.

    Budgets count decimals: an ε of 0.1 is one tenth, and the double 0.1 is a little more.

    >>> at_most(0.1, 30).high, at_most(0.7, 30).high < Decimal("0.7")
    (Decimal('0.1'), True)
    """
    point = min(Decimal(float(value)), Decimal(repr(float(value))))
    return Interval(point, point, digits)


def at_least(value: float, digits: int) -> Interval:
    """The larger of the two.

    >>> at_least(0.7, 30).low
    Decimal('0.7')
    """
    point = max(Decimal(float(value)), Decimal(repr(float(value))))
    return Interval(point, point, digits)


@dataclass(frozen=True, slots=True)
class Interval:
    """All reals from ``low`` to ``high``, computed with ``digits`` significant digits.

    >>> third = exact(1, 5) / 3
    >>> third.low, third.high
    (Decimal('0.33333'), Decimal('0.33334'))
    >>> (-exact(2, 5)).exp().high > third.exp().low - 1
    False
    """

    low: Decimal
    high: Decimal
    digits: int

    def _other(self, value: Interval | int | float) -> Interval:
        return value if isinstance(value, Interval) else exact(value, self.digits)

    def __neg__(self) -> Interval:
        return Interval(self.high.copy_negate(), self.low.copy_negate(), self.digits)

    def __add__(self, value: Interval | int | float) -> Interval:
        other = self._other(value)
        down, up = _contexts(self.digits)
        return Interval(down.add(self.low, other.low), up.add(self.high, other.high), self.digits)

    def __sub__(self, value: Interval | int | float) -> Interval:
        return self + -self._other(value)

    def __mul__(self, value: Interval | int | float) -> Interval:
        other = self._other(value)
        down, up = _contexts(self.digits)
        corners = [(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        low = min(down.multiply(a, b) for a, b in corners)
        high = max(up.multiply(a, b) for a, b in corners)
        return Interval(low, high, self.digits)

    def __truediv__(self, value: Interval | int | float) -> Interval:
        other = self._other(value)
        if other.low <= 0 <= other.high:
            raise Undecided
        down, up = _contexts(self.digits)
        corners = [(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        low = min(down.divide(a, b) for a, b in corners)
        high = max(up.divide(a, b) for a, b in corners)
        return Interval(low, high, self.digits)

    def exp(self) -> Interval:
        """e to the interval. (Decimals round exp, ln and sqrt to nearest, so the ends move one place outwards.)"""
        down, up = _contexts(self.digits)
        return Interval(down.next_minus(down.exp(self.low)), up.next_plus(up.exp(self.high)), self.digits)

    def log(self) -> Interval:
        """The natural logarithm."""
        if self.low <= 0:
            raise Undecided
        down, up = _contexts(self.digits)
        return Interval(down.next_minus(down.ln(self.low)), up.next_plus(up.ln(self.high)), self.digits)

    def sqrt(self) -> Interval:
        """The square root."""
        if self.low < 0:
            raise Undecided
        down, up = _contexts(self.digits)
        return Interval(down.next_minus(down.sqrt(self.low)), up.next_plus(up.sqrt(self.high)), self.digits)

    def below(self, value: Interval | int | float) -> bool:
        """Whether every number here is less than every number there; undecided if they overlap."""
        other = self._other(value)
        if self.high < other.low:
            return True
        if self.low >= other.high:
            return False
        raise Undecided

    def floor(self) -> int:
        """The integer part, if all numbers in the interval share it."""
        low = int(self.low.to_integral_value(decimal.ROUND_FLOOR))
        if low != int(self.high.to_integral_value(decimal.ROUND_FLOOR)):
            raise Undecided
        return low
