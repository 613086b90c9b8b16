"""The improvement pass: take neighbouring classes apart and put them together again, better."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.table.core.summary import Summary
from sfumato.table.mechanisms.recoding.partition import Partition, Shape, absorb, pair_cost
from sfumato.table.promise.compiled import CompiledPromises, class_holds

__all__ = ["recluster"]


# True before every turn: the living classes partition the pool, `parent` leads from every tuple to its class, and
# codes, level, bits, weight, population, hist and price describe each class as the union of its tuples. `needy` marks
# classes that break a promise; for a needy class that is not stale, `partner` is the class whose union with it raises
# the cost least, by `rise`. Every turn takes one class away, so there are at most as many turns as tuples.
@njit(cache=True)
def _agglomerate(codes, weight, population, bits, hist, prices, limits, out):  # type: ignore[no-untyped-def]
    """Cluster a pool of tuples: the class in need with the cheapest partner is merged with it until none is in need.

    Returns the cost; infinite if the pool cannot keep the promises. ``out`` gets the class of each tuple.
    """
    pool, width = codes.shape
    level = np.zeros((pool, width), np.int64)
    parent = np.arange(pool)
    alive = np.ones(pool, np.bool_)
    price = np.zeros(pool)
    for a in range(pool):
        price[a] = pair_cost(codes[a], level[a], bits[a], codes[a], level[a], bits[a], prices, np.inf)
    needy = np.empty(pool, np.bool_)
    for a in range(pool):
        needy[a] = not class_holds(hist[a], weight[a], population[a], limits)
        needy[a] |= weight[a] == 0
    partner = np.full(pool, -1, np.int64)
    rise = np.full(pool, np.inf)
    stale = needy.copy()
    while True:
        for a in range(pool):
            if alive[a] and stale[a]:
                stale[a] = False
                rise[a] = np.inf
                for b in range(pool):
                    if b == a or not alive[b]:
                        continue
                    both, paid = weight[a] + weight[b], weight[a] * price[a] + weight[b] * price[b]
                    bound = (rise[a] + paid) / both if both > 0 else np.inf
                    joint = pair_cost(codes[a], level[a], bits[a], codes[b], level[b], bits[b], prices, bound)
                    if both * joint - paid < rise[a]:
                        rise[a], partner[a] = both * joint - paid, b
        a, least_rise = -1, np.inf
        for c in range(pool):
            if alive[c] and needy[c] and rise[c] < least_rise:
                a, least_rise = c, rise[c]
        if a < 0:
            break
        b = partner[a]
        absorb(codes[a], level[a], bits[a], codes[b], level[b], bits[b], prices)
        weight[b] += weight[a]
        population[b] += population[a]
        for v in range(hist.shape[1]):
            hist[b, v] += hist[a, v]
        price[b] = pair_cost(codes[b], level[b], bits[b], codes[b], level[b], bits[b], prices, np.inf)
        alive[a], parent[a] = False, b
        needy[b] = not class_holds(hist[b], weight[b], population[b], limits)
        needy[b] |= weight[b] == 0
        for c in range(pool):
            if not alive[c] or not needy[c]:
                continue
            if c == b or partner[c] == a or partner[c] == b:
                stale[c] = True
                continue
            both, paid = weight[c] + weight[b], weight[c] * price[c] + weight[b] * price[b]
            bound = (rise[c] + paid) / both if both > 0 else np.inf
            joint = pair_cost(codes[c], level[c], bits[c], codes[b], level[b], bits[b], prices, bound)
            if both * joint - paid < rise[c]:
                rise[c], partner[c] = both * joint - paid, b
    total = 0.0
    for a in range(pool):
        root = a
        while parent[root] != root:
            root = parent[root]
        out[a] = root
        if alive[a]:
            if needy[a]:
                return np.inf
            total += price[a] * weight[a]
    return total


# True before every turn of the outer loop: the classes before `at` in the sequence have their new classes in
# `result`, numbered below `found`, each keeping the promises, at a cost no higher than before.
@njit(cache=True)
def _sweep(codes, bits, member, number, sequence, pool_size, prices, limits, held):  # type: ignore[no-untyped-def]
    """Go through the classes in the given sequence, pool by pool, and keep what lowers the information loss."""
    tuples, width = codes.shape
    begin = np.zeros(number + 1, np.int64)
    for t in range(tuples):
        begin[member[t] + 1] += 1
    for c in range(number):
        begin[c + 1] += begin[c]
    fill = begin[:number].copy()
    listed = np.empty(tuples, np.int64)
    for t in range(tuples):
        listed[fill[member[t]]] = t
        fill[member[t]] += 1
    result = np.empty(tuples, np.int64)
    pool = np.empty(tuples, np.int64)
    out = np.empty(tuples, np.int64)
    found, at = 0, 0
    level = np.empty(width, np.int64)
    while at < number:
        first, length, before = at, 0, 0.0
        while at < number:
            c = sequence[at]
            if length > 0 and length + begin[c + 1] - begin[c] > pool_size:
                break
            head = listed[begin[c]]
            level[:] = 0
            union = bits[head].copy()
            size = 0
            for q in range(begin[c], begin[c + 1]):
                t = listed[q]
                pool[length] = t
                length += 1
                size += held.weight[t]
                absorb(codes[t], np.zeros(width, np.int64), bits[t], codes[head], level, union, prices)
            before += size * pair_cost(codes[head], level, union, codes[head], level, union, prices, np.inf)
            at += 1
        after = np.inf
        if at - first > 1 and length <= 2 * pool_size:
            part = pool[:length]
            hist = np.zeros((length, limits.reference.shape[0]), np.int64)
            for i in range(length):
                for q in range(held.starts[part[i]], held.starts[part[i] + 1]):
                    hist[i, held.values[q]] += held.counts[q]
            after = _agglomerate(
                codes[part], held.weight[part], held.population[part], bits[part], hist, prices, limits, out
            )
        if after < before - 1e-9:
            named = np.full(length, -1, np.int64)
            for i in range(length):
                if named[out[i]] < 0:
                    named[out[i]] = found
                    found += 1
                result[pool[i]] = named[out[i]]
        else:
            for k in range(first, at):
                c = sequence[k]
                for q in range(begin[c], begin[c + 1]):
                    result[listed[q]] = found
                found += 1
    return result, found


EFFORT = 4_700_000
"""Tuples × neighbours that are compared when the number of sweeps is not given: about half a second."""


def recluster(
    table: Summary, shape: Shape, promises: CompiledPromises, partition: Partition, *, sweeps: int | None = None
) -> Partition:
    """Several sweeps over the classes, each in another order, so that other neighbours meet.

    A pool is a handful of classes: 6·k tuples. The order is lexicographic down the hierarchies, the columns permuted by
    a generator with a fixed seed: the result depends on the table alone.
    """
    pool = int(np.clip(6 * promises.limits.least, 24, 128))
    if sweeps is None:
        sweeps = int(np.clip(EFFORT // (len(table.codes) * pool), 1, 24))
    bits = shape.singles(table.codes)
    shuffle = np.random.default_rng(20070401)
    member, number = partition.member, partition.number
    for _ in range(sweeps):
        reps = np.full(number, -1, np.int64)
        reps[member[::-1]] = np.arange(len(member))[::-1]
        sequence = _sequence(table, reps, shuffle)
        member, number = _sweep(
            table.codes, bits, member, number, sequence, pool, shape.prices, promises.limits, promises.holdings
        )
    return Partition(table, shape, member, number)


def _sequence(table: Summary, reps: NDArray[np.int64], shuffle: np.random.Generator) -> NDArray[np.int64]:
    """Classes by their first tuple: nodes of the permuted columns from the root down, by column or by level."""
    keys: list[tuple[float, NDArray[np.int32]]] = []
    by_level = bool(shuffle.integers(2))
    for place, j in enumerate(shuffle.permutation(table.width)):
        tree = table.hierarchies[j]
        for level in range(tree.height - 2, -1, -1):
            rank = -level / tree.height + 0.3 * shuffle.random() if by_level else float(place)
            keys.append((rank, tree.codes[level][table.codes[reps, j]]))
    keys.sort(key=lambda key: key[0])
    return np.lexsort([key[1] for key in reversed(keys)]) if keys else np.arange(len(reps))
