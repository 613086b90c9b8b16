"""Merging the classes of a partition until each holds enough different people."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np
from numba import njit

from sfumato.table.mechanisms.recoding.partition import Partition, absorb, pair_cost
from sfumato.table.promise.base import TablePromise

__all__ = ["merge_for_people"]


# True at every turn: `best` is the smallest rise in information loss among the living classes looked at so far, `at` is
# the class with that rise, and a dead class or `a` itself is never taken.
@njit(cache=True)
def _nearest(a, codes, level, bits, size, price, alive, prices):  # type: ignore[no-untyped-def]
    best, at = np.inf, -1
    for b in range(size.shape[0]):
        if b == a or not alive[b]:
            continue
        both, paid = size[a] + size[b], size[a] * price[a] + size[b] * price[b]
        bound = (best + paid) / both
        cost = pair_cost(codes[a], level[a], bits[a], codes[b], level[b], bits[b], prices, bound)
        rise = both * cost - paid
        if rise < best:
            best, at = rise, b
    return at


def merge_for_people(partition: Partition, promises: Sequence[TablePromise]) -> Partition:
    """Merge classes with too few people, the smallest first, each with the class that costs least information loss.

    The other promises stay kept: those on classes hold for a union of classes that keep them (sizes and diversity grow,
    the distance of t-closeness is convex).
    """
    table = partition.table
    rep, level, bits, size, price = (part.copy() for part in partition.described)
    codes, prices = table.codes[rep], partition.shape.prices
    people: list[list[set[int]]] = []
    for promise in promises:
        assert promise.counted is not None
        column, sets = table.column(promise.counted), [set[int]() for _ in range(partition.number)]
        pairs = np.unique(np.stack([partition.member[column.tuples], column.codes], axis=1), axis=0)
        for c, person in pairs.tolist():
            sets[c].add(person)
        people.append(sets)
    alive, parent = np.ones(partition.number, np.bool_), np.arange(partition.number)

    def missing(c: int) -> int:
        return max(promise.least_size - len(sets[c]) for promise, sets in zip(promises, people, strict=True))

    heap = [(-missing(c), c) for c in range(partition.number) if missing(c) > 0]
    heapq.heapify(heap)
    while heap:
        lack, a = heapq.heappop(heap)
        if not alive[a] or -lack != missing(a) or missing(a) <= 0:
            continue
        b = int(_nearest(a, codes, level, bits, size, price, alive, prices))
        if b < 0:
            break  # one class is left; whether it is enough was asked before
        absorb(codes[a], level[a], bits[a], codes[b], level[b], bits[b], prices)
        size[b] += size[a]
        price[b] = pair_cost(codes[b], level[b], bits[b], codes[b], level[b], bits[b], prices, np.inf)
        for sets in people:
            sets[b] |= sets[a]
        alive[a], parent[a] = False, b
        if missing(b) > 0:
            heapq.heappush(heap, (-missing(b), b))
    for c in range(partition.number):
        while parent[c] != parent[parent[c]]:
            parent[c] = parent[parent[c]]
    left, member = np.unique(parent[partition.member], return_inverse=True)
    return Partition(table, partition.shape, member.astype(np.int64), len(left))
