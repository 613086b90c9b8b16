"""The shape of a comparator: one number in each home, two bits whose exclusive or is the answer."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from sfumato.errors import InputError, bad_input
from sfumato.party.core.machine import Steps
from sfumato.party.core.range_tree import MOST_BITS
from sfumato.party.core.side import Side
from sfumato.validate import integer

__all__ = ["Comparator", "check_values", "random_bits", "shuffled"]

T = TypeVar("T")


class Comparator(Protocol):
    """Compares a number p of the holder of the key with a number v of the other party, the helper.

    The holder ends with s, the helper with the choice it made before: s ⊕ choice = [p ≥ v], or [p ≤ v] with
    ``at_most``. A choice of random bits makes shares (Protocol 2), a choice of zeros tells the holder (Protocol 1).
    """

    @property
    def name(self) -> str: ...

    def ciphertexts(self, bits: int, count: int = 1) -> int:
        """How many ciphertexts travel for ``count`` comparisons."""

    def messages(self, bits: int) -> list[str]:
        """Who sends each message: ``"holder"`` or ``"helper"``; the holder sends the first."""

    def holder(self, side: Side, points: Sequence[int], bits: int, *, at_most: bool = False) -> Steps[list[int]]: ...

    def helper(
        self, side: Side, values: Sequence[int], choices: Sequence[int], bits: int, *, at_most: bool = False
    ) -> Steps[list[int]]: ...


def check_values(name: str, values: Iterable[int], bits: int) -> list[int]:
    """Whole numbers in [0, 2^ℓ); the error names no value, because these are secrets."""
    integer("bits", bits, most=MOST_BITS)
    given = list(values)
    for place, value in enumerate(given):
        if isinstance(value, bool) or not isinstance(value, int):
            raise InputError(f"{name}[{place}]: expected a whole number from 0 to 2^{bits} − 1")
        if not 0 <= value < 1 << bits:
            raise bad_input(f"{name}[{place}]", "a number outside", f"0 to 2^{bits} − 1", "agree on more bits")
    return given


def random_bits(count: int) -> list[int]:
    """Independent fair bits from the operating system."""
    drawn = secrets.randbits(count) if count else 0
    return [drawn >> place & 1 for place in range(count)]


def shuffled(items: Iterable[T]) -> list[T]:
    """The items in a uniformly random order, from the operating system's randomness."""
    order = list(items)
    secrets.SystemRandom().shuffle(order)
    return order
