"""Random reals whose bits are drawn when somebody asks for them.

A double holds 53 bits of a uniform number, and a sampler that compares it with a rounded probability draws from a law
that is slightly wrong. Our samplers first try in floating point with a proved margin; only when the margin does not
decide (about once in 2⁴⁰ draws) more bits are drawn, and the formula is evaluated in interval arithmetic of growing
precision until it does. The answer is the one that infinitely many bits would have given: the distance to the ideal law
is zero.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.noise.entropy import Rng
from sfumato.noise.interval import Interval, Undecided

__all__ = ["LazyUniform", "decide", "geometric", "random_words", "uniform_below"]

T = TypeVar("T")
_WORD = 1 << 64


def random_words(rng: Rng, count: int) -> NDArray[np.uint64]:
    """Uniform 64-bit words."""
    return rng.integers(0, _WORD - 1, size=count, dtype=np.uint64, endpoint=True)


class LazyUniform:
    """A uniform number in [0, 1), known to as many bits as have been asked for.

    Parameters
    ----------
    rng : numpy Generator
        Gives further bits.
    word : int, optional
        The first 64 bits if they are drawn already.
    """

    def __init__(self, rng: Rng, word: int | None = None) -> None:
        self._rng = rng
        self._numerator = int(random_words(rng, 1)[0]) if word is None else int(word)
        self._bits = 64

    def extend(self) -> None:
        """Draw 64 more bits."""
        self._numerator = self._numerator * _WORD + int(random_words(self._rng, 1)[0])
        self._bits += 64

    @property
    def leading_bit(self) -> int:
        """The first bit."""
        return self._numerator >> (self._bits - 1)

    def interval(self, digits: int) -> Interval:
        """Where the number is known to lie."""
        known = Interval(Decimal(self._numerator), Decimal(self._numerator + 1), digits)
        return known / (1 << self._bits)


def decide(formula: Callable[[int], T], uniforms: list[LazyUniform]) -> T:
    """The value of ``formula(digits)``, with more digits and more bits of the uniforms while it is undecided."""
    digits = 40
    while True:
        try:
            return formula(digits)
        except Undecided:
            for uniform in uniforms:
                uniform.extend()
            digits += 30


def uniform_below(uniform: LazyUniform, bound: Callable[[int], Interval]) -> bool:
    """Whether the uniform number is below the real number that ``bound(digits)`` encloses.

    True with exactly that probability:

    >>> from sfumato.noise.interval import exact
    >>> rng = np.random.default_rng(7)
    >>> hits = sum(uniform_below(LazyUniform(rng), lambda digits: exact(1, digits) / 3) for _ in range(1000))
    >>> 280 < hits < 390
    True
    """
    return decide(lambda digits: uniform.interval(digits).below(bound(digits)), [uniform])


def geometric(rng: Rng, rate: Callable[[int], Interval]) -> int:
    """A geometric number, P(m) = (1 − e^{−λ})·e^{−λm} for m ≥ 0, drawn exactly as ⌊−ln U/λ⌋."""
    uniform = LazyUniform(rng)
    return decide(lambda digits: (-uniform.interval(digits).log() / rate(digits)).floor(), [uniform])
