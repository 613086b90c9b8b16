"""Comparison by a tree: Protocols 1 and 2 of Mimoto's dissertation, without the root."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.errors import PeerError
from sfumato.party.core.machine import Steps, expect, send
from sfumato.party.core.range_tree import point_nodes, range_nodes
from sfumato.party.core.side import Side
from sfumato.party.core.wire import Ciphertexts
from sfumato.party.protocols.base import shuffled

__all__ = ["TreeComparator", "decide", "helper_range"]


@dataclass(frozen=True)
class TreeComparator:
    """Compares by the nodes that a point and a range share in a binary tree: 2ℓ ciphertexts in two messages.

    The holder encrypts the node above its point in each layer below the root. The helper subtracts the node of its
    range in that layer, multiplies by a random unit, re-randomises, shuffles and returns all. Exactly one is zero if
    the point lies in the range, none if not; all others are uniform units. Where the range has no node in a layer,
    0 is subtracted, which is nobody's place, so that each layer costs the same exponentiation whatever the range.

    **The root.** Only the range of all numbers has it. Then one layer, drawn at random, gets an encryption of zero, so
    that nothing tells this range from another. The print says to do so for y = 1; it is right only if the chosen range
    is [1, n], which the complement of y = 1 (the empty range) is not (:doc:`errata`).

    **Security** (semi-honest parties). The helper sees encryptions only. The holder sees ℓ units in random order, or
    ℓ − 1 and a zero: a simulator needs its output bit alone (:mod:`sfumato.party.protocols.simulator`).
    """

    @property
    def name(self) -> str:
        return "tree"

    def ciphertexts(self, bits: int, count: int = 1) -> int:
        """2ℓ each."""
        return 2 * bits * count

    def messages(self, bits: int) -> list[str]:
        """Points there, blinded differences back."""
        return ["holder", "helper"]

    def holder(self, side: Side, points: Sequence[int], bits: int, *, at_most: bool = False) -> Steps[list[int]]:
        """The side of the key."""
        private = side.private()
        form = Ciphertexts(private.public, len(points) * bits)
        nodes = [place for point in points for _, place in point_nodes(point + 1, bits)[:bits]]
        yield from send("points", form, side.encrypt(side.role, nodes))
        blinded = yield from expect("blinded", form)
        return decide(private.decrypt(blinded), bits)

    def helper(
        self, side: Side, values: Sequence[int], choices: Sequence[int], bits: int, *, at_most: bool = False
    ) -> Steps[list[int]]:
        """The other side."""
        key = side.public(side.other)
        form = Ciphertexts(key, len(values) * bits)
        points = yield from expect("points", form)
        hidden = side.pool(side.other).take(len(values))  # for every value: the time tells nothing of its range
        bases: list[Any] = []
        for place, (value, choice) in enumerate(zip(values, choices, strict=True)):
            nodes = dict(helper_range(value, choice, bits, at_most=at_most))
            layers = points[place * bits : (place + 1) * bits]
            bases += [key.add(point, key.plain(-nodes.get(layer, 0))) for layer, point in enumerate(layers)]
            zero = place * bits + secrets.randbelow(bits)
            if bits in nodes:
                bases[zero] = hidden[place]
        units = [key.random_unit() for _ in bases]
        powers = key.multiply_all(bases, units)
        fresh = side.refresh(side.other, powers)
        mixed = [one for at in range(0, len(fresh), bits) for one in shuffled(fresh[at : at + bits])]
        yield from send("blinded", form, mixed)
        return list(choices)


def helper_range(value: int, choice: int, bits: int, *, at_most: bool = False) -> list[tuple[int, int]]:
    """The nodes of the points p ≥ value (or p ≤ value), or with choice 1 of all others; values begin at 0."""
    if at_most:
        return range_nodes(value + 2, 1 << bits, bits) if choice else range_nodes(1, value + 1, bits)
    return range_nodes(1, value, bits) if choice else range_nodes(value + 1, 1 << bits, bits)


def decide(plain: Sequence[int], size: int) -> list[int]:
    """One bit for each group of ``size`` decrypted numbers: whether one of them is zero. Two zeros are a fault."""
    zeros = [sum(value == 0 for value in plain[at : at + size]) for at in range(0, len(plain), size)]
    if any(count > 1 for count in zeros):
        raise PeerError("the peer sent more than one zero: it does not follow the protocol")
    return zeros
