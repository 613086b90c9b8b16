"""Points and ranges as nodes of a binary tree: a point lies in a range iff they share exactly one node."""

from __future__ import annotations

from sfumato.errors import bad_input
from sfumato.validate import integer

__all__ = ["MOST_BITS", "bits_of_domain", "point_nodes", "range_nodes"]

MOST_BITS = 256
"""The longest numbers that are compared."""

Node = tuple[int, int]
"""A layer, from the leaves (0) to the root (ℓ), and a place in it, from 1."""


def bits_of_domain(size: int) -> int:
    """ℓ of a domain of n = 2^ℓ numbers; another size is refused.

    >>> bits_of_domain(16)
    4
    """
    size = integer("domain", size, least=2)
    if size & (size - 1) or size.bit_length() - 1 > MOST_BITS:
        raise bad_input("domain", size, f"a power of two up to 2^{MOST_BITS}", "take the next power of two above")
    return size.bit_length() - 1


def point_nodes(point: int, bits: int) -> list[Node]:
    """The nodes above the leaf ``point``, one a layer, for leaves 1 … 2^ℓ (layers 0 … ℓ; the print leaves out 0).

    >>> point_nodes(6, 3)
    [(0, 6), (1, 3), (2, 2), (3, 1)]
    """
    if not 1 <= point <= 1 << bits:
        raise bad_input("point", "a number outside", f"1 … 2^{bits}")
    return [(layer, ((point - 1) >> layer) + 1) for layer in range(bits + 1)]


def range_nodes(low: int, high: int, bits: int) -> list[Node]:
    """The largest nodes that lie inside [low, high]; none for an empty range, the root for the whole.

    A range that begins at 1 or ends at 2^ℓ has at most one node a layer, any other at most two.

    >>> range_nodes(4, 8, 3), range_nodes(1, 3, 3), range_nodes(1, 0, 3)
    ([(0, 4), (2, 2)], [(0, 3), (1, 1)], [])
    """
    if not (1 <= low <= (1 << bits) + 1 and low - 1 <= high <= 1 << bits):
        raise bad_input("range", "numbers outside", f"1 ≤ low ≤ high + 1 ≤ 2^{bits} + 1")
    first, last, nodes = low - 1, high, []  # [first, last) in the leaves of the layer
    for layer in range(bits + 1):
        if first >= last:
            break
        if layer == bits:
            nodes.append((layer, 1))
            break
        if first & 1:
            first += 1
            nodes.append((layer, first))
        if last & 1:
            nodes.append((layer, last))
            last -= 1
        first, last = first >> 1, last >> 1
    return nodes
