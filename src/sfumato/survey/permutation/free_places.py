"""From insertion depths to permutations: taking the k-th free place, again and again, in O(log n) each."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["fill_places"]

Order = NDArray[np.int64]


def _rank_table() -> NDArray[np.uint8]:
    """Entry (byte, k): the place of the k-th set bit of the byte."""
    table = np.zeros((256, 8), np.uint8)
    for byte in range(256):
        set_bits = [bit for bit in range(8) if byte >> bit & 1]
        table[byte, : len(set_bits)] = set_bits
    return table


_RANKS = _rank_table()


@njit(cache=True)
def _take(
    free: NDArray[np.uint64], left: NDArray[np.uint32], first_leaf: np.uint64, k: np.uint64
) -> np.uint64:  # pragma: no cover - compiled
    """Take the k-th of the places that are still free.

    The free places are bits of 64-bit words; a heap-ordered tree holds for each inner node how many are free on its
    left. Indices are unsigned, which spares the compiled code Python's rule for negative ones.

    On the way down, the place that is looked for is the k-th free one (counted from 0) under node ``at``, and every
    count above it is already lowered by the place that is about to be taken.
    """
    one, byte_bits, last = np.uint64(1), np.uint64(3), np.uint64(0xFF)
    ones, high = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
    odd, pairs, nibbles = (
        np.uint64(0x5555555555555555),
        np.uint64(0x3333333333333333),
        np.uint64(0x0F0F0F0F0F0F0F0F),
    )
    at = one
    while at < first_leaf:
        count = np.uint64(left[at])
        right = np.uint64(k >= count)  # arithmetic instead of a branch that no processor can predict
        left[at] = np.uint32(count - one + right)
        k -= count * right
        at = at + at + right
    word = at - first_leaf
    bits = free[word]
    # Select the k-th set bit: prefix sums of the bytes' bit counts, then a table for the byte that holds it.
    sums = bits - ((bits >> one) & odd)
    sums = (sums & pairs) + ((sums >> np.uint64(2)) & pairs)
    sums = ((sums + (sums >> np.uint64(4))) & nibbles) * ones
    beyond = (((sums | high) - (k + one) * ones) & high) >> np.uint64(7)
    shift = np.uint64(64) - (((beyond * ones) >> np.uint64(56)) << byte_bits)
    before = ((sums << np.uint64(8)) >> shift) & last
    place = shift + np.uint64(_RANKS[(bits >> shift) & last, k - before])
    free[word] = bits & ~(one << place)
    return (word << np.uint64(6)) + place


@njit(cache=True)
def fill_places(depths: NDArray[np.int64], reference: Order, out: Order) -> None:  # pragma: no cover - compiled
    """Turn insertion depths into permutations: item i takes the (i − d)-th of the places that are still free.

    From the last item to the first: before item i exactly i + 1 places are free, and they will hold items 0 … i in the
    order in which repeated insertion has them. Item i stands d places from the end of these, whatever comes later.

    Every step waits for the one before it, so two permutations are made at a time: the processor works on one while
    the other waits.
    """
    n, rows = reference.size, depths.shape[0]
    words = (n + 63) // 64
    leaves = 1
    while leaves < words:
        leaves *= 2
    full = np.zeros(leaves, np.uint32)
    level, span = 1, leaves * 64  # the nodes of a level start at index `level` and cover `span` places each
    while level < leaves:
        for node in range(level, 2 * level):
            full[node] = max(0, min(n - (node - level) * span, span // 2))
        level, span = 2 * level, span // 2
    first_leaf = np.uint64(leaves)
    free, other_free = np.empty(words, np.uint64), np.empty(words, np.uint64)
    left, other_left = np.empty_like(full), np.empty_like(full)
    for row in range(0, rows, 2):
        free[:] = ~np.uint64(0)
        left[:] = full
        if row + 1 == rows:
            for i in range(n - 1, -1, -1):
                out[row, _take(free, left, first_leaf, np.uint64(i - depths[row, i]))] = reference[i]
            break
        other_free[:] = ~np.uint64(0)
        other_left[:] = full
        for i in range(n - 1, -1, -1):
            place = _take(free, left, first_leaf, np.uint64(i - depths[row, i]))
            other_place = _take(other_free, other_left, first_leaf, np.uint64(i - depths[row + 1, i]))
            out[row, place] = reference[i]
            out[row + 1, other_place] = reference[i]
