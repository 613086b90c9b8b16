"""Comparison on boolean shares: a circuit of AND gates on multiplication triples made with Paillier's encryption."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sfumato.errors import bad_input
from sfumato.party.core.cores import spread
from sfumato.party.core.machine import Steps, expect, send
from sfumato.party.core.paillier import PublicKey
from sfumato.party.core.side import Side
from sfumato.party.core.wire import Bits, Ciphertexts
from sfumato.party.protocols.base import random_bits
from sfumato.validate import integer

__all__ = ["BooleanComparator"]

_SLOT = 64
"""Bits of a slot; 62 of them mask a sum of two products of bits, which is hidden up to 2⁻⁶¹."""

Node = tuple[list[int], list[int]]
"""Shares, over all comparisons, of “less in these bits” and “equal in these bits”."""

Triples = Iterator[tuple[int, int, int]]


@dataclass(frozen=True)
class BooleanComparator:
    """Compares by a circuit of depth ⌈log₂ ℓ⌉ on shared bits (GMW 1987): few exponentiations, but many rounds.

    Leaves are products of a bit of the holder and a bit of the helper; two neighbours (less, equal) merge to
    (less₁ ⊕ equal₁·less₂, equal₁·equal₂), each AND with a triple of shared bits a, b, ab (Beaver 1991). All products
    are made in the first two messages: the holder encrypts its bits, the helper combines them with its own, masks each
    product in a slot of 64 bits and returns ``slots`` of them in one ciphertext.

    Parameters
    ----------
    slots : int
        Products in one ciphertext; N must have more than 64 bits for each.
    """

    slots: int = 15

    def __post_init__(self) -> None:
        integer("slots", self.slots)

    @property
    def name(self) -> str:
        return "boolean"

    def ciphertexts(self, bits: int, count: int = 1) -> int:
        """One for each leaf, two for each AND gate, one for ``slots`` products."""
        gates = sum(_gates(bits))
        return count * (bits + 2 * gates) - (-count * (bits + gates) // self.slots)

    def messages(self, bits: int) -> list[str]:
        """Encrypted bits, products, then one more for each layer of the circuit, and the helper's correction."""
        turns = ["holder", "helper"]
        for level in range(len(_gates(bits))):
            turns += ["holder", "helper"] if level % 2 else ["helper", "holder"]
        return [turn for turn, _ in groupby([*turns, "helper"])]

    def holder(self, side: Side, points: Sequence[int], bits: int, *, at_most: bool = False) -> Steps[list[int]]:
        """The side of the key."""
        private, count, gates = side.private(), len(points), sum(_gates(bits))
        self._check(private.public)
        leaves = [point >> place & 1 ^ (not at_most) for place in range(bits) for point in points]
        a, b = random_bits(gates * count), random_bits(gates * count)
        own = [*leaves, *a, *b]
        yield from send("bits", Ciphertexts(private.public, len(own)), side.encrypt(side.role, own))
        packed = yield from expect("products", self._form(private.public, len(leaves) + len(a)))
        opened = private.decrypt(packed)
        parts = [value >> _SLOT * slot & 1 for value in opened for slot in range(self.slots)]
        less, cross = parts[: len(leaves)], parts[len(leaves) : len(leaves) + len(a)]
        triples = zip(a, b, [x & y ^ c for x, y, c in zip(a, b, cross, strict=True)], strict=True)
        nodes = [(less[k * count : (k + 1) * count], [point >> k & 1 ^ 1 for point in points]) for k in range(bits)]
        found = yield from _circuit(nodes, triples, holder=True)
        turned = yield from expect("correction", Bits(count))
        return [1 ^ own_bit ^ other for own_bit, other in zip(found, turned, strict=True)]

    def helper(
        self, side: Side, values: Sequence[int], choices: Sequence[int], bits: int, *, at_most: bool = False
    ) -> Steps[list[int]]:
        """The other side."""
        key, count, gates = side.public(side.other), len(values), sum(_gates(bits))
        self._check(key)
        leaves = [value >> place & 1 ^ at_most for place in range(bits) for value in values]
        a, b = random_bits(gates * count), random_bits(gates * count)
        sent = yield from expect("bits", Ciphertexts(key, len(leaves) + 2 * len(a)))
        theirs = sent[: len(leaves)], sent[len(leaves) : len(leaves) + len(a)], sent[len(leaves) + len(a) :]
        # A bit times an encryption is the encryption or nothing; for a triple a·b′ + b·a′, both cross terms at once.
        products = [c if bit else key.plain(0) for c, bit in zip(theirs[0], leaves, strict=True)]
        products += [
            key.add(c if y else key.plain(0), d if x else key.plain(0))
            for c, d, x, y in zip(theirs[1], theirs[2], a, b, strict=True)
        ]
        masks = [secrets.randbits(_SLOT - 2) for _ in products]
        groups = [
            (products[at : at + self.slots], masks[at : at + self.slots]) for at in range(0, len(masks), self.slots)
        ]
        packed = side.refresh(side.other, spread(lambda group: _pack(key, *group), groups, cores=key.cores))
        yield from send("products", self._form(key, len(products)), packed)
        less = [mask & 1 for mask in masks[: len(leaves)]]
        cross = [mask & 1 for mask in masks[len(leaves) :]]
        triples = zip(a, b, [x & y ^ c for x, y, c in zip(a, b, cross, strict=True)], strict=True)
        nodes = [(less[k * count : (k + 1) * count], [value >> k & 1 for value in values]) for k in range(bits)]
        found = yield from _circuit(nodes, triples, holder=False)
        yield from send("correction", Bits(count), [bit ^ own for bit, own in zip(found, choices, strict=True)])
        return list(choices)

    def _form(self, key: PublicKey, products: int) -> Ciphertexts:
        return Ciphertexts(key, -(-products // self.slots))

    def _check(self, key: PublicKey) -> None:
        if key.bits <= _SLOT * self.slots:
            raise bad_input("slots", self.slots, f"at most {(key.bits - 1) // _SLOT} for a key of {key.bits} bits")


def _pack(key: PublicKey, products: Sequence[Any], masks: Sequence[int]) -> Any:
    """Σ 2^{64k}·(productₖ + maskₖ) under encryption, by Horner's rule from the last."""
    total = key.plain(0)
    for product in reversed(products):
        total = key.add(key.multiply(total, 1 << _SLOT), product)
    return key.add(total, key.plain(sum(mask << _SLOT * slot for slot, mask in enumerate(masks))))


def _gates(bits: int) -> list[int]:
    """AND gates of each layer of the circuit, for one comparison: two for each merge, one for the lowest.

    >>> _gates(4), _gates(1)
    ([3, 1], [])
    """
    layers = []
    while bits > 1:
        layers.append(2 * (bits // 2) - 1)
        bits = (bits + 1) // 2
    return layers


def _circuit(nodes: list[Node], triples: Triples, *, holder: bool) -> Steps[list[int]]:
    """This side's share of “less”, after all layers; nodes stand from the lowest bit up."""
    level = 0
    while len(nodes) > 1:
        pairs = [(nodes[k], nodes[k + 1]) for k in range(0, len(nodes) - 1, 2)]
        left = [bit for low, high in pairs for bit in high[1]]
        right = [bit for low, high in pairs for bit in low[0]]
        count = len(nodes[0][0])
        left += [bit for low, high in pairs[1:] for bit in high[1]]  # nobody asks whether the lowest bits are equal
        right += [bit for low, high in pairs[1:] for bit in low[1]]
        found = yield from _and(left, right, triples, holder=holder, first=holder is (level % 2 == 1))
        slices = [found[at : at + count] for at in range(0, len(found), count)]
        merged: list[Node] = []
        for place, (_, high) in enumerate(pairs):
            less = [a ^ b for a, b in zip(high[0], slices[place], strict=True)]
            merged.append((less, slices[len(pairs) + place - 1] if place else []))
        nodes = merged + nodes[2 * len(pairs) :]
        level += 1
    return nodes[0][0]


def _and(left: list[int], right: list[int], triples: Triples, *, holder: bool, first: bool) -> Steps[list[int]]:
    """Shares of the products of shared bits: both open left ⊕ a and right ⊕ b."""
    used = [next(triples) for _ in left]
    own = [x ^ a for x, (a, _, _) in zip(left, used, strict=True)]
    own += [y ^ b for y, (_, b, _) in zip(right, used, strict=True)]
    form = Bits(len(own))
    if first:
        yield from send("opened", form, own)
        other = yield from expect("opened", form)
    else:
        other = yield from expect("opened", form)
        yield from send("opened", form, own)
    both = [x ^ y for x, y in zip(own, other, strict=True)]
    d, e = both[: len(left)], both[len(left) :]
    return [c ^ (x & b) ^ (y & a) ^ (x & y & holder) for x, y, (a, b, c) in zip(d, e, used, strict=True)]
