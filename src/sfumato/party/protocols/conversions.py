"""From one holding to another: the conversions 1 to 5 of the dissertation, as arithmetic without messages."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any, Literal

from sfumato.party.core.paillier import PublicKey
from sfumato.validate import choice

__all__ = ["Masks", "add_share", "complete", "draw_masks", "join_bits", "mask_difference", "split", "xor_encrypted"]

Masks = Literal["bounded", "uniform"]
"""How Conversion 5 hides a + b: b below N − 2n, so that the sum never wraps, or b uniform in Z_N, as printed."""


def split(key: PublicKey, value: int) -> tuple[int, int]:
    """Conversion 1: a number as two shares that add up to it modulo N, each uniform.

    >>> key = PublicKey(17 * 19)
    >>> sum(split(key, 7)) % key.n
    7
    """
    first = secrets.randbelow(key.n)
    return first, (value - first) % key.n


def add_share(key: PublicKey, ciphertext: Any, share: int) -> Any:
    """Conversion 3 at the helper: the encryption of a share, and the other share, make an encryption of the number."""
    return key.add(ciphertext, key.plain(share))


def join_bits(key: PublicKey, ciphertexts: Sequence[Any]) -> Any:
    """Σ 2ⁱ·Enc(xᵢ), lowest bit first: a number that was encrypted bit by bit (Type 8), by Horner's rule."""
    total = ciphertexts[-1]
    for one in reversed(ciphertexts[:-1]):
        total = key.add(total, total, one)
    return total


def draw_masks(key: PublicKey, bits: int, count: int, masks: Masks = "bounded") -> list[int]:
    """The b of Conversion 5, one for each comparison.

    ``bounded``: uniform in [0, N − 2n). a + b < N never wraps and the answer is always right; the sum differs from
    uniform by at most 2n/N in statistical distance (2^−1983 at 2048 bits and ℓ = 64). ``uniform``: as printed; the sum
    is perfectly hidden and the answer wrong with probability exactly n/N over uniform x, y and b.
    """
    choice("masks", masks, ("bounded", "uniform"))
    size = key.n - (2 << bits) if masks == "bounded" else key.n
    return [secrets.randbelow(size) for _ in range(count)]


def mask_difference(key: PublicKey, x: Any, y: Any, mask: int, bits: int) -> Any:
    """Enc(n + x − y + b): the first message of Conversion 5, to be re-randomised."""
    return key.add(x, key.negative(y), key.plain((1 << bits) + mask))


def complete(quotient: int, mask: int, smaller: int, bits: int) -> int:
    """δ = z div n − b div n − 1 + δ′ (Conversion 5), for numbers as the proof has them.

    >>> complete((16 + 9 - 4 + 100) // 16, 100, int((16 + 9 - 4 + 100) % 16 >= 100 % 16), 4)
    1
    """
    return quotient - (mask >> bits) - 1 + smaller


def xor_encrypted(key: PublicKey, ciphertext: Any, bit: int) -> Any:
    """Enc(s ⊕ bit) from Enc(s): Enc(s) or Enc(1 − s). Both are computed, so that the time tells nothing."""
    other = key.add(key.plain(1), key.negative(ciphertext))
    return other if bit else ciphertext
