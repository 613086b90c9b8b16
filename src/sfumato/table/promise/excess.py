"""How far a class is from t-closeness, what brings it closer, and how much of it could be t-close at all.

All three distances of t-closeness are means of total variations: the equal distance of one, over the values; the
hierarchical one of one for each level below the root, over its nodes; the ordered one of v − 1, each over the values up
to a cut and those after it. Hence the distance is convex, and a union of t-close classes is t-close.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from sfumato.table.promise.closeness import equal_distance, hierarchical_distance, ordered_distance
from sfumato.table.promise.rule import Kind

__all__ = ["add_slopes", "closest_parts", "excess", "is_distance", "most_close", "rule_excess"]


@njit(cache=True)
def is_distance(kind):  # type: ignore[no-untyped-def]
    """Whether a rule bounds a distance to the whole table."""
    return kind == Kind.EQUAL_DISTANCE or kind == Kind.ORDERED_DISTANCE or kind == Kind.TREE_DISTANCE


@njit(cache=True)
def rule_excess(histogram, size, limits, r):  # type: ignore[no-untyped-def]
    """By how much a class exceeds the distance that rule r allows; negative inside."""
    first, last = limits.first[r], limits.last[r]
    counts, reference = histogram[first:last], limits.reference[first:last]
    if limits.kind[r] == Kind.EQUAL_DISTANCE:
        return equal_distance(counts, size, reference) - limits.bound[r]
    if limits.kind[r] == Kind.ORDERED_DISTANCE:
        return ordered_distance(counts, size, reference) - limits.bound[r]
    nodes = limits.tree[: limits.height[r], first:last]
    return hierarchical_distance(counts, size, reference, nodes) - limits.bound[r]


@njit(cache=True)
def excess(histogram, size, limits):  # type: ignore[no-untyped-def]
    """The sum over the rules of the distance beyond what they allow; 0 for a class that is close enough."""
    total = 0.0
    if size > 0:
        for r in range(limits.kind.shape[0]):
            if is_distance(limits.kind[r]):
                total += max(0.0, rule_excess(histogram, size, limits, r) - 1e-12)
    return total


@njit(cache=True)
def add_slopes(histogram, size, limits, r, step, slopes):  # type: ignore[no-untyped-def]
    """Add to ``slopes`` the change of rule r's distance per record of each value, when ``step`` records of it come
    (or go, if negative). With x and y the terms of a part without and with the step, each value costs one pass."""
    first, last = limits.first[r], limits.last[r]
    values, after = last - first, size + step
    now = rule_excess(histogram, size, limits, r) + limits.bound[r]
    if limits.kind[r] == Kind.ORDERED_DISTANCE:
        cuts = max(values - 1, 1)
        run = share = come = 0.0
        stay = np.zeros(values + 1)  # Σ of x over the cuts before each value
        moved = np.zeros(values)  # y of each cut
        for v in range(values):
            run += histogram[first + v] / after
            share += limits.reference[first + v]
            x = abs(run - share) if v < values - 1 else 0.0
            moved[v] = abs(run + step / after - share) if v < values - 1 else 0.0
            stay[v + 1] = stay[v] + x
        for v in range(values - 1, -1, -1):
            come += moved[v]
            slopes[first + v] += ((stay[v] + come) / cuts - now) / abs(step)
        return
    levels = limits.height[r] - 1 if limits.kind[r] == Kind.TREE_DISTANCE else 1
    mass, share_of = np.empty(values), np.empty(values)
    for v in range(values):
        slopes[first + v] -= now / abs(step)
    for level in range(levels):
        mass[:] = 0.0
        share_of[:] = 0.0
        for v in range(values):
            node = limits.tree[level, first + v] if limits.kind[r] == Kind.TREE_DISTANCE else v
            mass[node] += histogram[first + v] / after
            share_of[node] += limits.reference[first + v]
        total = 0.0
        for node in range(values):
            total += abs(mass[node] - share_of[node])
        for v in range(values):
            node = limits.tree[level, first + v] if limits.kind[r] == Kind.TREE_DISTANCE else v
            gap = mass[node] - share_of[node]
            slopes[first + v] += 0.5 * (total - abs(gap) + abs(gap + step / after)) / levels / abs(step)


@njit(cache=True)
def _parts(limits, r):  # type: ignore[no-untyped-def]
    """How many parts all total variations of a rule have together, and how many total variations there are."""
    values = limits.last[r] - limits.first[r]
    if limits.kind[r] == Kind.ORDERED_DISTANCE:
        return 2 * max(values - 1, 0), max(values - 1, 0)
    levels = limits.height[r] - 1 if limits.kind[r] == Kind.TREE_DISTANCE else 1
    return levels * values, levels


@njit(cache=True)
def _fill(weights, limits, r, mass):  # type: ignore[no-untyped-def]
    """Write the mass of every part of every total variation of a rule."""
    first, last = limits.first[r], limits.last[r]
    values = last - first
    if limits.kind[r] == Kind.ORDERED_DISTANCE:
        total = weights[first:last].sum()
        run = 0.0
        for v in range(values - 1):
            run += weights[first + v]
            mass[2 * v], mass[2 * v + 1] = run, max(total - run, 0.0)
    elif limits.kind[r] == Kind.EQUAL_DISTANCE:
        for v in range(values):
            mass[v] = weights[first + v]
    else:
        levels = limits.height[r] - 1
        mass[: levels * values] = 0.0
        for level in range(levels):
            for v in range(values):
                mass[level * values + limits.tree[level, first + v]] += weights[first + v]


# A part of m records holds at most min(H_N, m·P_N) of the mass that the table has in N, in every total variation, so
# its distance is at least 1 − Σ min(H_N, m·P_N)/(L·m). Hence g(m) = Σ min(H_N, m·P_N) − (1 − t)·L·m ≥ 0 for a t-close
# part. g is concave and g(0) = 0. True before every turn: every m with g(m) ≥ 0 is at most `most`, because tangents of
# a concave function lie above it; each turn moves `most` to the zero of the tangent there. On a tree the caps are
# nested and the bound is reached; on an order it is a bound from above, which is all that is needed.
@njit(cache=True)
def _largest(mass, shares, parts, wanted, size):  # type: ignore[no-untyped-def]
    most = float(size)
    while True:
        fixed, slope = 0.0, 0.0
        for part in range(parts):
            if mass[part] < most * shares[part]:
                fixed += mass[part]
            else:
                slope += shares[part]
        if slope >= wanted or fixed >= (wanted - slope) * most * (1 - 1e-12):
            return most
        most = fixed / (wanted - slope)


@njit(cache=True)
def _room(limits):  # type: ignore[no-untyped-def]
    room = 1
    for r in range(limits.kind.shape[0]):
        if is_distance(limits.kind[r]):
            room = max(room, _parts(limits, r)[0])
    return room


@njit(cache=True)
def most_close(histogram, size, limits):  # type: ignore[no-untyped-def]
    """How many records of one class can at most be in parts of it that keep the distances and the least size."""
    room = _room(limits)
    mass, shares = np.empty(room), np.empty(room)
    most = size
    for r in range(limits.kind.shape[0]):
        if is_distance(limits.kind[r]) and most >= limits.least:
            _fill(histogram, limits, r, mass)
            _fill(limits.reference, limits, r, shares)
            parts, variations = _parts(limits, r)
            wanted = (1.0 - limits.bound[r] - 1e-9) * variations
            most = min(most, int(_largest(mass, shares, parts, wanted, size) + 1e-6))
    return most if most >= limits.least else 0


@njit(cache=True)
def closest_parts(held, sizes, limits, close, most):  # type: ignore[no-untyped-def]
    """Whether each class keeps the distances, and how many of its records at most can be in parts of it that do.

    ``most`` is 0 where no such part has the least size.
    """
    rules, room = limits.kind.shape[0], _room(limits)
    shares = np.zeros((rules, room))
    for r in range(rules):
        if is_distance(limits.kind[r]):
            _fill(limits.reference, limits, r, shares[r])
    mass = np.empty(room)
    for i in range(sizes.shape[0]):
        close[i], most[i] = True, sizes[i]
        if sizes[i] < limits.least:
            most[i] = 0
            continue
        for r in range(rules):
            if not is_distance(limits.kind[r]):
                continue
            _fill(held[i], limits, r, mass)
            parts, variations = _parts(limits, r)
            far, scale = 0.0, 1.0 / sizes[i]
            for part in range(parts):
                far += abs(mass[part] * scale - shares[r, part])
            if 0.5 * far > (limits.bound[r] + 1e-12) * variations:
                close[i] = False
                wanted = (1.0 - limits.bound[r] - 1e-9) * variations
                most[i] = min(most[i], int(_largest(mass, shares[r], parts, wanted, sizes[i]) + 1e-6))
        if most[i] < limits.least:
            most[i] = 0
