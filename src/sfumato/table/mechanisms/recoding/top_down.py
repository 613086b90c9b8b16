"""A first partition: split classes down the hierarchies, or at the best cut of an ordered column (Mondrian)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.table.mechanisms.recoding.partition import HIERARCHY, SET
from sfumato.table.promise.compiled import class_holds

__all__ = ["cell_cost", "common_levels", "cut_down", "deal", "specialise"]


@njit(cache=True)
def _collect(part, held, histogram):  # type: ignore[no-untyped-def]
    """Size, population and joint histogram of a list of tuples."""
    histogram[:] = 0
    size, people = 0, 0
    for i in range(part.shape[0]):
        t = part[i]
        size += held.weight[t]
        people += held.population[t]
        for q in range(held.starts[t], held.starts[t + 1]):
            histogram[held.values[q]] += held.counts[q]
    return size, people


@njit(cache=True)
def common_levels(codes, part, prices, level):  # type: ignore[no-untyped-def]
    """Levels of the lowest common ancestors of a list of tuples."""
    first, nodes = part[0], prices.nodes
    for j in range(codes.shape[1]):
        at = 0
        for i in range(1, part.shape[0]):
            while nodes[j, at, codes[part[i], j]] != nodes[j, at, codes[first, j]]:
                at += 1
        level[j] = at


@njit(cache=True)
def _held(codes, part, j, seen):  # type: ignore[no-untyped-def]
    """How many different values of column j a list of tuples holds."""
    count = 0
    for i in range(part.shape[0]):
        v = codes[part[i], j]
        if not seen[v]:
            seen[v] = True
            count += 1
    for i in range(part.shape[0]):
        seen[codes[part[i], j]] = False
    return count


@njit(cache=True)
def cell_cost(codes, part, j, level, prices, seen):  # type: ignore[no-untyped-def]
    """Cost of column j in a class, by what is published."""
    if prices.kinds[j] == HIERARCHY:
        return prices.cost[j, level, codes[part[0], j]]
    if prices.kinds[j] == SET:
        return prices.unit[j] * (_held(codes, part, j, seen) - 1)
    low, high = codes[part[0], j], codes[part[0], j]
    for i in range(part.shape[0]):
        low, high = min(low, codes[part[i], j]), max(high, codes[part[i], j])
    return prices.unit[j] * (high - low)


class _Scratch(NamedTuple):
    """Memory that is used again for every split: the histogram of a class, values seen, the child of each value, the
    child of each tuple. ``seen`` is all false and ``slot`` all −1 between two uses."""

    histogram: NDArray[np.int64]
    seen: NDArray[np.bool_]
    slot: NDArray[np.int64]
    split: NDArray[np.int64]


@njit(cache=True)
def deal(order, a, b, split, children, stack, waiting):  # type: ignore[no-untyped-def]
    """Put the tuples of an interval in the order of their children, each an interval on the stack; the new height."""
    old = order[a:b].copy()
    at = a
    for child in range(children):
        begin = at
        for i in range(b - a):
            if split[i] == child:
                order[at] = old[i]
                at += 1
        if at > begin:
            stack[waiting, 0], stack[waiting, 1] = begin, at
            waiting += 1
    return waiting


# True before every turn of the loop: `order` is a permutation of the tuples; each interval on the stack is a set of
# tuples that keeps the promises (the whole table does, the caller has checked), and every tuple outside the intervals
# has its final class. A split replaces an interval by children that all keep the promises, so the loop ends with a
# partition into classes that keep them.
@njit(cache=True)
def specialise(codes, prices, limits, held):  # type: ignore[no-untyped-def]
    """Top-down specialisation: split classes down the hierarchies as long as the promises hold.

    At each class the column is refined, by one level below the lowest common ancestor, that removes most information
    loss. Children that keep the promises become classes; the others stay together, joined by
    the smallest good child if they cannot stand alone.
    """
    tuples, width = codes.shape
    order = np.arange(tuples)
    member = np.empty(tuples, np.int64)
    stack = np.empty((tuples + 1, 2), np.int64)
    stack[0, 0], stack[0, 1] = 0, tuples
    waiting, number = 1, 0
    level = np.empty(width, np.int64)
    values = prices.nodes.shape[2]
    scratch = _Scratch(
        np.zeros(limits.reference.shape[0], np.int64),
        np.zeros(values, np.bool_),
        np.full(values, -1, np.int64),
        np.empty(tuples, np.int64),
    )
    best_split = np.empty(tuples, np.int64)
    while waiting > 0:
        waiting -= 1
        a, b = stack[waiting, 0], stack[waiting, 1]
        part = order[a:b]
        size, _ = _collect(part, held, scratch.histogram)
        common_levels(codes, part, prices, level)
        best_gain, best_children = 0.0, 0
        if b - a > 1 and (size >= 2 * limits.least or limits.kind.shape[0] > 0):
            for j in range(width):
                if level[j] == 0:
                    continue
                gain, children = _try(codes, part, j, level[j], prices, limits, held, scratch)
                if gain > best_gain + 1e-12:
                    best_gain, best_children = gain, children
                    best_split[: b - a] = scratch.split[: b - a]
        if best_children == 0:
            for i in range(a, b):
                member[order[i]] = number
            number += 1
            continue
        waiting = deal(order, a, b, best_split, best_children, stack, waiting)
    return member, number


# Children are numbered as they are met. True before every turn of the while loop: every child that is marked good
# keeps the promises by itself, and all others stay together as one class. It ends when that class keeps the promises
# too, or when no good child is left, and then the column is not refined.
@njit(cache=True)
def _try(codes, part, j, at, prices, limits, held, scratch):  # type: ignore[no-untyped-def]
    """Gain of refining column j, and in ``scratch.split`` the child of each tuple (0 = those that stay together)."""
    histogram, seen, slot, split = scratch
    length = part.shape[0]
    children = 0
    sizes = np.zeros(min(length, prices.nodes.shape[2]), np.int64)
    for i in range(length):
        v = prices.nodes[j, at - 1, codes[part[i], j]]
        if slot[v] < 0:
            slot[v] = children
            children += 1
        split[i] = slot[v]
        sizes[slot[v]] += held.weight[part[i]]
    for i in range(length):
        slot[prices.nodes[j, at - 1, codes[part[i], j]]] = -1
    good = np.zeros(children, np.bool_)
    buffer = np.empty(length, np.int64)
    for child in range(children):
        good[child] = sizes[child] >= limits.least
        if good[child] and limits.kind.shape[0] > 0:
            good[child] = _fits(child, split, part, buffer, limits, held, histogram)
    if not good.any():
        return 0.0, 0
    # bad children become child −1; good ones join them, smallest first, until they can stand alone
    while True:
        count = 0
        rest = 0
        for i in range(length):
            if not good[split[i]]:
                buffer[count] = part[i]
                rest += held.weight[part[i]]
                count += 1
        if count == 0:
            break
        enough = rest >= limits.least
        if enough and limits.kind.shape[0] > 0:
            size, people = _collect(buffer[:count], held, histogram)
            enough = class_holds(histogram, size, people, limits)
        if enough:
            break
        smallest = -1
        for child in range(children):
            if good[child] and (smallest < 0 or sizes[child] < sizes[smallest]):
                smallest = child
        if smallest < 0:
            return 0.0, 0
        good[smallest] = False
    if not good.any():
        return 0.0, 0
    before = cell_cost(codes, part, j, at, prices, seen)
    gain = 0.0
    for child in range(children):
        if good[child]:
            count = 0
            for i in range(length):
                if split[i] == child:
                    buffer[count] = part[i]
                    count += 1
            gain += sizes[child] * (before - cell_cost(codes, buffer[:count], j, at - 1, prices, seen))
    named = np.zeros(children, np.int64)
    last = 1
    for child in range(children):
        if good[child]:
            named[child] = last
            last += 1
    for i in range(length):
        split[i] = named[split[i]]
    return gain, last


@njit(cache=True)
def _fits(child, split, part, buffer, limits, held, histogram):  # type: ignore[no-untyped-def]
    count = 0
    for i in range(part.shape[0]):
        if split[i] == child:
            buffer[count] = part[i]
            count += 1
    size, people = _collect(buffer[:count], held, histogram)
    return class_holds(histogram, size, people, limits)


# The invariant is that of specialise: intervals on the stack keep the promises, tuples outside have their class.
# Within a turn, `tried` marks the columns whose median cut would break a promise.
@njit(cache=True)
def cut_down(codes, prices, limits, held):  # type: ignore[no-untyped-def]
    """Mondrian: cut a class in two at the median of a column, until no cut keeps the promises.

    The column is the one with the widest range (by position of the values), or the next widest if that cut breaks a
    promise. Mondrian (LeFevre et al. 2006) cuts at the median; here the more even of the two cuts around it is taken.
    """
    tuples, width = codes.shape
    order = np.arange(tuples)
    member = np.empty(tuples, np.int64)
    stack = np.empty((tuples + 1, 2), np.int64)
    stack[0, 0], stack[0, 1] = 0, tuples
    waiting, number = 1, 0
    histogram = np.zeros(limits.reference.shape[0], np.int64)
    weights = np.zeros(prices.nodes.shape[2], np.int64)
    while waiting > 0:
        waiting -= 1
        a, b = stack[waiting, 0], stack[waiting, 1]
        part = order[a:b].copy()
        low, high = codes[part[0]].copy(), codes[part[0]].copy()
        size = 0
        for i in range(b - a):
            size += held.weight[part[i]]
            for j in range(width):
                low[j], high[j] = min(low[j], codes[part[i], j]), max(high[j], codes[part[i], j])
        tried = np.zeros(width, np.bool_)
        divided = False
        while not divided:
            j, widest = -1, 0.0
            for i in range(width):
                if not tried[i] and prices.unit[i] * (high[i] - low[i]) > widest:
                    j, widest = i, prices.unit[i] * (high[i] - low[i])
            if j < 0:
                break
            tried[j] = True
            weights[:] = 0
            for i in range(b - a):
                weights[codes[part[i], j]] += held.weight[part[i]]
            cut, run = low[j], weights[low[j]]
            while 2 * run < size and cut + 1 < high[j]:
                cut += 1
                run += weights[cut]
            # of the two cuts around the median take the more even one
            if cut > low[j] and abs(2 * (run - weights[cut]) - size) < abs(2 * run - size):
                run -= weights[cut]
                cut -= 1
            left, right = part[codes[part, j] <= cut], part[codes[part, j] > cut]
            divided = True
            for side in range(2):
                half = left if side == 0 else right
                half_size, people = _collect(half, held, histogram)
                if half_size < limits.least or not class_holds(histogram, half_size, people, limits):
                    divided = False
            if divided:
                order[a : a + left.shape[0]] = left
                order[a + left.shape[0] : b] = right
                stack[waiting, 0], stack[waiting, 1] = a, a + left.shape[0]
                stack[waiting + 1, 0], stack[waiting + 1, 1] = a + left.shape[0], b
                waiting += 2
        if not divided:
            for i in range(a, b):
                member[order[i]] = number
            number += 1
    return member, number
