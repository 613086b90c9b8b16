"""Interval arithmetic of any precision, on the standard library's decimals.

An interval surely holds the real number that a formula stands for: every operation rounds its lower end down and its
upper end up. The samplers fall back on it in the rare case that floating point cannot decide.
"""

from __future__ import annotations

import decimal
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

__all__ = ["Interval", "Undecided", "at_least", "at_most", "exact", "pi"]

_GUARD = 12
"""Digits that the series of sine and cosine carry beyond those asked for."""


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


@lru_cache(maxsize=64)
def pi(digits: int) -> Interval:
    """π by Machin's formula, 16 arctan(1/5) − 4 arctan(1/239), in whole numbers.

    Every term is cut off by less than one unit of its last place and the series by less than its next term, in all by
    less than 100·digits units, of which there are 10¹² in the last digit that is asked for.

    >>> pi(20).low < Decimal("3.14159265358979323846264338") < pi(20).high
    True
    """
    unit = 10 ** (digits + _GUARD)

    def arctan(inverse: int) -> int:
        power, total, odd, square = unit // inverse, 0, 1, inverse * inverse
        while power:
            total += power // odd if odd % 4 == 1 else -(power // odd)
            power //= square
            odd += 2
        return total

    middle = 16 * arctan(5) - 4 * arctan(239)
    down, up = _contexts(digits)
    error = 100 * digits
    return Interval(down.divide(middle - error, unit), up.divide(middle + error, unit), digits)


@lru_cache(maxsize=64)
def _series_context(digits: int) -> decimal.Context:
    return decimal.Context(
        prec=digits + 2 * _GUARD, rounding=decimal.ROUND_HALF_EVEN, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX
    )


def _circular(x: Decimal, digits: int, *, odd: bool) -> Decimal:
    """sin x or cos x for |x| < 7 by the Taylor series, wrong by less than 10^−(digits + 12).

    Terms are at most 7⁷/7! < 170, each of them is rounded fewer than 3·(its number) times to digits + 24 places, and
    the series ends at a term below 10^−(digits + 24), after which what is left out is smaller still; there are fewer
    than 20 + digits terms.
    """
    context = _series_context(digits)
    square = context.multiply(x, x)
    term = total = x if odd else Decimal(1)
    number, least = (1 if odd else 0), Decimal(10) ** -(digits + 2 * _GUARD)
    while abs(term) >= least or number < 8:
        number += 2
        term = context.divide(context.multiply(term, square).copy_negate(), Decimal(number * (number - 1)))
        total = context.add(total, term)
    return total


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

    def _turn(self, *, odd: bool) -> Interval:
        """Sine or cosine: the value in the middle, give or take the half width, as neither is steeper than 1."""
        if not (self.low > -7 and self.high < 7):
            raise Undecided
        context = _series_context(self.digits)
        middle = context.multiply(context.add(self.low, self.high), Decimal("0.5"))
        down, up = _contexts(self.digits)
        around = up.add(up.subtract(self.high, self.low), Decimal(10) ** -(self.digits + _GUARD))
        value = _circular(middle, self.digits, odd=odd)
        return Interval(down.subtract(value, around), up.add(value, around), self.digits)

    def sin(self) -> Interval:
        """The sine of an interval within (−7, 7).

        >>> (pi(30) / 6).sin().low < Decimal("0.5") < (pi(30) / 6).sin().high
        True
        """
        return self._turn(odd=True)

    def cos(self) -> Interval:
        """The cosine of an interval within (−7, 7)."""
        return self._turn(odd=False)

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
