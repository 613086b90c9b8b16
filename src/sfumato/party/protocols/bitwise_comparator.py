"""Comparison bit by bit, after Damgård, Geisler and Krøigaard: a comparator to measure the tree against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.party.core.dgk import DgkPublicKey
from sfumato.party.core.machine import Steps, expect, send
from sfumato.party.core.paillier import PublicKey
from sfumato.party.core.side import Side
from sfumato.party.core.wire import Ciphertexts
from sfumato.party.protocols.base import shuffled
from sfumato.party.protocols.tree_comparator import decide

__all__ = ["BitwiseComparator", "encrypted_sums"]


@dataclass(frozen=True)
class BitwiseComparator:
    """Compares encrypted bits with known ones (DGK 2007, blinded as by Veugen 2012): 2ℓ + 1 ciphertexts.

    With bits pᵢ, vᵢ and a direction t = ±1, cᵢ = pᵢ − vᵢ + t + 3·Σ_{j>i} pⱼ ⊕ vⱼ is zero for exactly one i if the first
    difference is −t, for none otherwise; one more number is zero iff p = v, where equality counts. The helper chooses t
    at random, multiplies by random units, re-randomises and shuffles. It is their protocol over Paillier's encryption:
    a comparison of protocols on equal terms. :class:`~sfumato.party.DgkComparator` has their own encryption.
    """

    @property
    def name(self) -> str:
        return "bitwise"

    def ciphertexts(self, bits: int, count: int = 1) -> int:
        """2ℓ + 1 each."""
        return (2 * bits + 1) * count

    def messages(self, bits: int) -> list[str]:
        """Bits there, blinded sums back."""
        return ["holder", "helper"]

    def holder(self, side: Side, points: Sequence[int], bits: int, *, at_most: bool = False) -> Steps[list[int]]:
        """The side of the key."""
        private = side.private()
        own = [point >> place & 1 for point in points for place in range(bits)]
        yield from send("bits", Ciphertexts(private.public, len(own)), side.encrypt(side.role, own))
        blinded = yield from expect("sums", Ciphertexts(private.public, len(points) * (bits + 1)))
        return decide(private.decrypt(blinded), bits + 1)

    def helper(
        self, side: Side, values: Sequence[int], choices: Sequence[int], bits: int, *, at_most: bool = False
    ) -> Steps[list[int]]:
        """The other side."""
        key = side.public(side.other)
        own = yield from expect("bits", Ciphertexts(key, len(values) * bits))
        sums: list[Any] = []
        for place, (value, choice) in enumerate(zip(values, choices, strict=True)):
            sums += encrypted_sums(key, own[place * bits : (place + 1) * bits], value, choice, at_most=at_most)
        units = [key.random_unit() for _ in sums]
        powers = key.multiply_all(sums, units)
        fresh = side.refresh(side.other, powers)
        width = bits + 1
        mixed = [one for at in range(0, len(fresh), width) for one in shuffled(fresh[at : at + width])]
        yield from send("sums", Ciphertexts(key, len(mixed)), mixed)
        return list(choices)


def encrypted_sums(
    key: PublicKey | DgkPublicKey, own: Sequence[Any], value: int, choice: int, *, at_most: bool
) -> list[Any]:
    """The ℓ + 1 encrypted sums, from the highest bit down."""
    # With choice 0 the holder is to see a zero iff p ≥ v (p > v or equal: t = −1), or iff p ≤ v (t = +1); with choice 1
    # iff the contrary holds, which equality never does.
    sign = 1 if at_most != bool(choice) else -1
    differing, found = key.plain(0), []
    for place in reversed(range(len(own))):
        bit = value >> place & 1
        found.append(key.add(own[place], key.plain(sign - bit), key.multiply(differing, 3)))
        other = key.add(key.plain(1), key.negative(own[place]))
        differing = key.add(differing, other if bit else own[place])
    return [*found, key.add(differing, key.plain(1 if choice else 0))]
