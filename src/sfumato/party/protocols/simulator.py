"""What each side of the tree comparator sees, made without the other's number: if nobody can tell the two apart, the
side has learned nothing but its output.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

from sfumato.party.core.paillier import PublicKey
from sfumato.party.core.randomiser import Pool
from sfumato.party.protocols.base import shuffled

__all__ = ["simulate_helper_view", "simulate_holder_view", "simulate_sums"]


def simulate_holder_view(key: PublicKey, seen: Sequence[int], bits: int) -> list[list[int]]:
    """The numbers that the holder of the key decrypts, from its output bits alone: units, and a zero where it saw one.

    The real ones have exactly this law: the difference of two places is a unit of Z_N if both primes of N are larger
    than n, and a unit times a uniform unit is a uniform unit.

    >>> [view.count(0) for view in simulate_holder_view(PublicKey(77), [0, 1], 4)]
    [0, 1]
    """
    views = []
    for bit in seen:
        units = [key.random_unit() for _ in range(bits)]
        views.append(shuffled([0, *units[1:]] if bit else units))
    return views


def simulate_sums(key: PublicKey, count: int) -> list[int]:
    """The z = n + x − y + b of Conversion 5: uniform modulo N, exactly with uniform masks, up to 2n/N with bounded."""
    return [secrets.randbelow(key.n) for _ in range(count)]


def simulate_helper_view(pool: Pool, bits: int, count: int) -> list[Any]:
    """The ciphertexts that the helper gets: encryptions of zero, which look like any others under IND-CPA."""
    return pool.take(bits * count)
