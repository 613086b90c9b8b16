"""Splits that keep t-closeness: a child that breaks a promise gives up the tuples that make it so."""

from __future__ import annotations

import numpy as np
from numba import njit

from sfumato.table.mechanisms.recoding.partition import HIERARCHY
from sfumato.table.mechanisms.recoding.top_down import cell_cost, common_levels, deal
from sfumato.table.promise.compiled import class_holds
from sfumato.table.promise.excess import add_slopes, excess, is_distance, most_close, rule_excess

__all__ = ["split_with_trim", "uniform"]

TRIM, FILL = 0.8, 0.6  # a tuple moves if its slope is at least this share of the best one
TRIM_STEP, FILL_STEP = 24, 16  # at most one record in so many moves before slopes are computed again


@njit(cache=True)
def uniform(state):  # type: ignore[no-untyped-def]
    """The next number in [0, 1) of a SplitMix64 generator, the same on every processor."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return (z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(cache=True)
def _slopes(histogram, size, limits, sign, slopes):  # type: ignore[no-untyped-def]
    """Change of the broken distances (of all, if none is broken) per record of each value that comes or goes."""
    slopes[:] = 0.0
    step = sign * max(1, size // 200)
    broken = excess(histogram, size, limits) > 0
    for r in range(limits.kind.shape[0]):
        if is_distance(limits.kind[r]) and (not broken or rule_excess(histogram, size, limits, r) > 1e-12):
            add_slopes(histogram, size, limits, r, step, slopes)


# The kernels below take the arrays of a namedtuple into names of their own first: reading one in a loop would count
# its references in every turn, which took a third of the time.
@njit(cache=True)
def _steepest(part, split, child, held, slopes, score):  # type: ignore[no-untyped-def]
    """Write the slope per record of each tuple of a child (of all children, if it is 0); the smallest, at most 0."""
    starts, values, counts, weight = held.starts, held.values, held.counts, held.weight
    best = 0.0
    for i in range(part.shape[0]):
        if split[i] == child if child > 0 else split[i] > 0:
            t = part[i]
            total = 0.0
            for q in range(starts[t], starts[t + 1]):
                total += slopes[values[q]] * counts[q]
            score[i] = total / weight[t] if weight[t] > 0 else 0.0
            best = min(best, score[i])
    return best


# Children are numbered from 1, the rest is 0. True before every turn: `split` names the child of each tuple, `hist`,
# `size` and `people` describe the children and the rest. A turn takes some tuples from the child, or all of them.
@njit(cache=True)
def _trim(part, split, child, hist, size, people, limits, held, slopes, score):  # type: ignore[no-untyped-def]
    """Move tuples from a child to the rest until the child keeps the promises; all of them if it cannot."""
    hopeless = size[child] < limits.least or most_close(hist[child], size[child], limits) == 0
    while size[child] > 0:
        if not hopeless and class_holds(hist[child], size[child], people[child], limits):
            return
        best = 0.0
        if not hopeless and size[child] > limits.least and excess(hist[child], size[child], limits) > 0:
            _slopes(hist[child], size[child], limits, -1, slopes)
            best = _steepest(part, split, child, held, slopes, score)
        room = size[child] // TRIM_STEP if best < -1e-15 else size[child]
        moved = 0
        for i in range(part.shape[0]):
            if split[i] == child and (best >= -1e-15 or score[i] <= TRIM * best):
                t = part[i]
                if best < -1e-15 and moved > 0 and moved + held.weight[t] > room:
                    break
                moved += held.weight[t]
                _carry(t, i, child, 0, split, hist, size, people, held)
        if best >= -1e-15:
            return


@njit(cache=True)
def _carry(t, i, source, goal, split, hist, size, people, held):  # type: ignore[no-untyped-def]
    """Move one tuple from one child (or the rest) to another."""
    split[i] = goal
    starts, values, counts = held.starts, held.values, held.counts
    for q in range(starts[t], starts[t + 1]):
        hist[source, values[q]] -= counts[q]
        hist[goal, values[q]] += counts[q]
    size[source] -= held.weight[t]
    size[goal] += held.weight[t]
    people[source] -= held.population[t]
    people[goal] += held.population[t]


@njit(cache=True)
def _fill_rest(part, split, children, hist, size, people, value, limits, held, slopes, score):  # type: ignore[no-untyped-def]
    """Move tuples from the children to the rest until the rest keeps the promises; a child keeps them throughout. Where
    no tuple helps, the child whose split is worth least is given back. ``value`` is what a record of a child gains."""
    weight = held.weight
    while True:
        outside = False
        for i in range(part.shape[0]):
            if split[i] == 0:
                outside = True
                break
        if not outside or (size[0] >= limits.least and class_holds(hist[0], size[0], people[0], limits)):
            return
        best = 0.0
        if size[0] > 0:
            _slopes(hist[0], size[0], limits, 1, slopes)
            best = _steepest(part, split, 0, held, slopes, score)
        moved, room = 0, max(1, size[0] // FILL_STEP)
        if best < -1e-15:
            for i in range(part.shape[0]):
                child = split[i]
                if child > 0 and score[i] <= FILL * best and (moved == 0 or moved + weight[part[i]] <= room):
                    _carry(part[i], i, child, 0, split, hist, size, people, held)
                    if size[child] >= limits.least and class_holds(hist[child], size[child], people[child], limits):
                        moved += weight[part[i]]
                    else:
                        _carry(part[i], i, 0, child, split, hist, size, people, held)
                    if moved >= room:
                        break
        if moved == 0:
            least = -1
            for child in range(1, children):
                if size[child] > 0 and (least < 0 or value[child] * size[child] < value[least] * size[least]):
                    least = child
            if least < 0:
                return
            for i in range(part.shape[0]):
                if split[i] == least:
                    _carry(part[i], i, least, 0, split, hist, size, people, held)


@njit(cache=True)
def _try(codes, part, j, at, prices, limits, held, slot, seen, split):  # type: ignore[no-untyped-def]
    """Gain of refining column j by one level, and in ``split`` the child of each tuple (0 = the rest)."""
    starts, values, counts = held.starts, held.values, held.counts
    weight, population, below = held.weight, held.population, prices.nodes[j, at - 1]
    length = part.shape[0]
    children = 1
    for i in range(length):
        v = below[codes[part[i], j]]
        if slot[v] < 0:
            slot[v] = children
            children += 1
        split[i] = slot[v]
    for i in range(length):
        slot[below[codes[part[i], j]]] = -1
    hist = np.zeros((children, limits.reference.shape[0]), np.int64)
    size, people = np.zeros(children, np.int64), np.zeros(children, np.int64)
    first = np.zeros(children, np.int64)
    for i in range(length):
        t, child = part[i], split[i]
        for q in range(starts[t], starts[t + 1]):
            hist[child, values[q]] += counts[q]
        size[child] += weight[t]
        people[child] += population[t]
        first[child] = t
    before = cell_cost(codes, part, j, at, prices, seen)
    value = np.zeros(children)
    for child in range(1, children):
        value[child] = before - cell_cost(codes, first[child : child + 1], j, at - 1, prices, seen)
    slopes, score = np.empty(limits.reference.shape[0]), np.empty(length)
    for child in range(1, children):
        _trim(part, split, child, hist, size, people, limits, held, slopes, score)
    _fill_rest(part, split, children, hist, size, people, value, limits, held, slopes, score)
    gain = 0.0
    for child in range(1, children):
        if size[child] > 0:
            if prices.kinds[j] != HIERARCHY:
                value[child] = before - cell_cost(codes, part[split[:length] == child], j, at - 1, prices, seen)
            gain += size[child] * value[child]
    return gain, children


@njit(cache=True)
def _most(codes, part, j, at, prices, held, seen):  # type: ignore[no-untyped-def]
    """The largest gain that refining column j could have."""
    if at == 0:
        return 0.0
    weight, total = held.weight, 0.0
    if prices.kinds[j] == HIERARCHY:
        above, below = prices.cost[j, at], prices.cost[j, at - 1]
        for i in range(part.shape[0]):
            c = codes[part[i], j]
            total += weight[part[i]] * (above[c] - below[c])
        return total
    for i in range(part.shape[0]):
        total += weight[part[i]]
    return total * cell_cost(codes, part, j, at, prices, seen)


# True before every turn of the loop: `order` is a permutation of the given tuples; each interval on the stack is a set
# that keeps the promises (the caller has checked the first), and every tuple outside has its final class. A split
# replaces an interval by children and a rest that all keep the promises and are smaller, so the loop ends.
@njit(cache=True)
def split_with_trim(codes, given, prices, limits, held, state, noise):  # type: ignore[no-untyped-def]
    """Split a set of tuples down the hierarchies into classes that keep the promises.

    At each class every column is tried: tuples are grouped by the child of the lowest common ancestor that they are
    under; children give up what makes them break the promises; what is given up is a class of its own. The column with
    the largest gain is refined, gains multiplied by e^(noise·N(0, 1)). Returns the class of each of the given tuples,
    how many classes there are, their cost, and the work it took (tuples looked at, over all columns tried).
    """
    tuples, width = given.shape[0], codes.shape[1]
    place = np.arange(tuples)
    member = np.empty(tuples, np.int64)
    stack = np.empty((tuples + 1, 2), np.int64)
    stack[0, 0], stack[0, 1] = 0, tuples
    waiting, number, cost, work = 1, 0, 0.0, 0
    level, most, factor = np.empty(width, np.int64), np.empty(width), np.empty(width)
    seen = np.zeros(prices.nodes.shape[2], np.bool_)
    slot = np.full(prices.nodes.shape[2], -1, np.int64)
    split, best_split = np.empty(tuples, np.int64), np.empty(tuples, np.int64)
    while waiting > 0:
        waiting -= 1
        a, b = stack[waiting, 0], stack[waiting, 1]
        part = given[place[a:b]]
        size = 0
        for i in range(b - a):
            size += held.weight[part[i]]
        common_levels(codes, part, prices, level)
        best_gain, best_children = 0.0, 0
        if b - a > 1 and size >= 2 * limits.least:
            # no column gains more than if all its children stood: the most promising first, until no other can win
            for j in range(width):
                most[j] = _most(codes, part, j, level[j], prices, held, seen)
                factor[j] = 1.0
                if noise > 0:
                    normal = -6.0
                    for _ in range(12):
                        normal += uniform(state)
                    factor[j] = np.exp(noise * normal)
            for j in np.argsort(-most * factor):
                if level[j] == 0 or most[j] * factor[j] <= best_gain + 1e-12:
                    continue
                gain, children = _try(codes, part, j, level[j], prices, limits, held, slot, seen, split)
                work += b - a
                if gain * factor[j] > best_gain + 1e-12:
                    best_gain, best_children = gain * factor[j], children
                    best_split[: b - a] = split[: b - a]
        if best_children == 0:
            for i in range(a, b):
                member[place[i]] = number
            number += 1
            for j in range(width):
                cost += size * cell_cost(codes, part, j, level[j], prices, seen)
            continue
        waiting = deal(place, a, b, best_split, best_children, stack, waiting)
    return member, number, cost, work
