"""Local recoding under t-closeness: agglomeration, then pools of classes that are taken apart and split again."""

from __future__ import annotations

import numpy as np
from numba import njit

from sfumato.table.core.summary import Summary
from sfumato.table.mechanisms.recoding.agglomeration import agglomerate
from sfumato.table.mechanisms.recoding.partition import Partition, Shape
from sfumato.table.mechanisms.recoding.trimming import split_with_trim, uniform
from sfumato.table.promise.compiled import CompiledPromises, class_holds
from sfumato.table.promise.excess import is_distance
from sfumato.table.promise.rule import Kind

__all__ = ["close_classes", "pool_classes", "split_whole"]

NOISE = 0.3
"""How much the gains of a pool's splits are shaken (standard deviation of their logarithm)."""

NEIGHBOURS = 600
"""How many classes are looked at, at most, for the neighbours of one."""

LOOKS = 16
"""How many such looks take as long as one look at a tuple in a split."""

PAIRS = 15_000_000
"""Pairs of classes that the agglomeration compares, at most: a second or two."""

CELLS = 1 << 25
"""Largest class × value histogram of the agglomeration."""

EFFORT = 5_500_000
"""Tuples looked at, over all splits tried and weighed by what a look takes, when the number of sweeps is not given:
two to three seconds."""

SWEEPS, PATIENCE = 100, 5
"""How many sweeps there are at most, and how many in a row without less loss end them."""


@njit(cache=True)
def _spread(codes, level, rep, a, b, nodes, cost, weights, bound):  # type: ignore[no-untyped-def]
    """Weighted cost of the common ancestors of two classes; stops early at ``bound``."""
    total = 0.0
    for j in range(weights.shape[0]):
        at, one, other = max(level[a, j], level[b, j]), codes[rep[a], j], codes[rep[b], j]
        while nodes[j, at, one] != nodes[j, at, other]:
            at += 1
        total += weights[j] * cost[j, at, one]
        if total >= bound:
            return total
    return total


# True before every turn of the outer loop: a class that is not free has its new classes in `result`, numbered below
# `found`, each keeping the promises, at a cost no higher than before.
@njit(cache=True)
def _sweep(codes, member, number, rep, level, price, size, prices, limits, held, state):  # type: ignore[no-untyped-def]
    """Go once through all classes in random order; each takes one to five near ones that are still free, and the pool
    is split again in a random order of its tuples. What lowers the cost is kept; a pool is t-close by convexity."""
    tuples, width = codes.shape
    nodes, cost = prices.nodes, prices.cost
    begin = np.zeros(number + 1, np.int64)
    for t in range(tuples):
        begin[member[t] + 1] += 1
    for c in range(number):
        begin[c + 1] += begin[c]
    fill, listed = begin[:number].copy(), np.empty(tuples, np.int64)
    for t in range(tuples):
        listed[fill[member[t]]] = t
        fill[member[t]] += 1
    free, order = np.ones(number, np.bool_), np.arange(number)
    for i in range(number - 1, 0, -1):
        other = int(uniform(state) * (i + 1))
        order[i], order[other] = order[other], order[i]
    result, found, work = np.empty(tuples, np.int64), 0, 0
    weights, pool, scale = np.empty(width), np.empty(6, np.int64), codes.max() + 1.0
    for c in order:
        if not free[c]:
            continue
        for j in range(width):
            weights[j] = uniform(state)
        pool[0], count = c, 1
        wanted = 2 + int(uniform(state) * 5)
        near = np.full(6, np.inf)
        looks = min(number, NEIGHBOURS)
        work += looks // LOOKS
        start = int(uniform(state) * number) if looks < number else 0
        free[c] = False
        for look in range(looks):
            b = order[(start + look) % number]
            if not free[b]:
                continue
            bound = np.inf if count < wanted else near[count - 1]
            far = _spread(codes, level, rep, c, b, nodes, cost, weights, bound)
            if far < bound:
                at = count if count < wanted else count - 1
                while at > 1 and near[at - 1] > far:
                    near[at], pool[at] = near[at - 1], pool[at - 1]
                    at -= 1
                near[at], pool[at] = far, b
                count = min(count + 1, wanted)
        length, before = 0, 0.0
        for i in range(count):
            free[pool[i]] = False
            length += begin[pool[i] + 1] - begin[pool[i]]
            before += price[pool[i]] * size[pool[i]]
        given = np.empty(length, np.int64)
        length = 0
        for i in range(count):
            for q in range(begin[pool[i]], begin[pool[i] + 1]):
                given[length] = listed[q]
                length += 1
        after = np.inf
        if count > 1 or length > 1:
            given = given[_shuffled(codes, given, scale, state)]
            part, classes, after, effort = split_with_trim(codes, given, prices, limits, held, state, NOISE)
            work += effort
        if after < before - 1e-9:
            for i in range(length):
                result[given[i]] = found + part[i]
            found += classes
        else:
            for i in range(count):
                for q in range(begin[pool[i]], begin[pool[i] + 1]):
                    result[listed[q]] = found
                found += 1
    return result, found, work


@njit(cache=True)
def _shuffled(codes, given, scale, state):  # type: ignore[no-untyped-def]
    """An order of tuples: by three random columns, forwards or backwards; or, one time in five, by chance alone.
    ``scale`` is above every code."""
    key = np.empty(given.shape[0])
    for i in range(given.shape[0]):
        key[i] = uniform(state)
    if uniform(state) < 0.8:
        for _ in range(3):
            j = int(uniform(state) * codes.shape[1])
            for i in range(given.shape[0]):
                key[i] = key[i] / scale + codes[given[i], j]
    ranks = np.argsort(key)
    return ranks[::-1].copy() if uniform(state) < 0.5 else ranks


def _time_of_a_look(promises: CompiledPromises) -> float:
    """Relative time of a look at a tuple: it grows with the total variations that a distance sums up."""
    time = 0.0
    for kind, height in zip(promises.limits.kind, promises.limits.height, strict=True):
        if kind == Kind.TREE_DISTANCE:
            time += (1.0 + height) / 4
        elif is_distance(int(kind)):
            time += 0.75 if kind == Kind.EQUAL_DISTANCE else 1.25
    return time


def split_whole(table: Summary, shape: Shape, promises: CompiledPromises) -> Partition:
    """The whole table, split with trim."""
    state = np.zeros(1, np.uint64)
    given = np.arange(len(table.codes))
    member, number, _, _ = split_with_trim(
        table.codes, given, shape.prices, promises.limits, promises.holdings, state, 0.0
    )
    return Partition(table, shape, member, int(number))


def close_classes(
    table: Summary, shape: Shape, promises: CompiledPromises, partition: Partition, *, seed: int = 0
) -> Partition | None:
    """Classes of a partition, merged until all keep the promises; ``None`` if they do not in the end (a promise that
    merging can break) or if their histograms do not fit."""
    limits, held = promises.limits, promises.holdings
    if partition.number * len(limits.reference) > CELLS:
        return None
    hist = np.zeros((partition.number, len(limits.reference)), np.int64)
    tuples = np.repeat(np.arange(len(table.codes)), np.diff(held.starts))
    np.add.at(hist, (partition.member[tuples], held.values), held.counts)
    people = np.bincount(partition.member, held.population, partition.number).astype(np.int64)
    reps, level, union, size, price = (array.copy() for array in partition.described)
    state = np.array([seed], np.uint64)
    looks = max(PAIRS // max(partition.number, 1), 60)
    root = agglomerate(table.codes[reps], level, union, size, people, hist, price, shape.prices, limits, looks, state)
    kept, member = np.unique(root[partition.member], return_inverse=True)
    if not all(class_holds(hist[c], size[c], people[c], limits) for c in kept):
        return None
    return Partition(table, shape, member.astype(np.int64), len(kept))


def pool_classes(
    table: Summary,
    shape: Shape,
    promises: CompiledPromises,
    partition: Partition,
    *,
    sweeps: int | None = None,
    seed: int = 0,
) -> Partition:
    """Sweeps over all classes until ``EFFORT`` is spent, or as many as said: counted in tuples and not in seconds, so
    that the result depends on table and seed alone."""
    state = np.array([seed], np.uint64)
    spent, done = 0.0, 0
    price_of_one = _time_of_a_look(promises)
    best, since = partition.information_loss, 0  # sweeps since the loss last fell
    while (spent < EFFORT and done < SWEEPS and since < PATIENCE) if sweeps is None else (done < sweeps):
        reps, level, _, size, price = partition.described
        member, number, work = _sweep(
            table.codes,
            partition.member,
            partition.number,
            reps,
            level,
            price,
            size,
            shape.prices,
            promises.limits,
            promises.holdings,
            state,
        )
        partition = Partition(table, shape, member, int(number))
        spent += price_of_one * (work + len(table.codes))
        done += 1
        since = 0 if partition.information_loss < best - 1e-12 else since + 1
        best = partition.information_loss
    return partition
