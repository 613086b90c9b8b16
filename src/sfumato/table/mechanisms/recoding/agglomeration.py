"""Merging the classes of a partition until all are t-close, where that costs least for the distance it removes."""

from __future__ import annotations

import heapq

import numpy as np
from numba import njit

from sfumato.table.mechanisms.recoding.partition import absorb, pair_cost
from sfumato.table.mechanisms.recoding.trimming import uniform
from sfumato.table.promise.compiled import class_holds
from sfumato.table.promise.excess import excess

__all__ = ["agglomerate"]


# True before every turn: the living classes partition the tuples, `parent` leads from every class to the living one
# that holds its tuples, codes, level, bits, size, people, hist, price and over describe each of them, and the heap
# holds every living class that breaks a promise, with its present version. Every turn takes one class away or finds an
# entry out of date, so it ends.
@njit(cache=True)
def agglomerate(codes, level, bits, size, people, hist, price, prices, limits, partners, state):  # type: ignore[no-untyped-def]
    """Merge the class with the largest excess of distance with the partner that costs least information loss per excess
    removed: Δloss / [n_a·e_a + n_b·e_b − n_ab·e_ab], e the distance beyond t. At most ``partners`` are looked at, drawn
    at random if there are more. Returns the living class of each class."""
    number = size.shape[0]
    parent, living = np.arange(number), np.arange(number)
    where, alive = np.arange(number), number
    version = np.zeros(number, np.int64)
    over = np.empty(number)
    heap = [(0.0, 0, -1)]
    for c in range(number):
        over[c] = excess(hist[c], size[c], limits)
        if over[c] > 0 or not class_holds(hist[c], size[c], people[c], limits):
            heapq.heappush(heap, (-over[c], c, 0))
    joint = np.empty(hist.shape[1], np.int64)
    while len(heap) > 0 and alive > 1:
        _, a, stamp = heapq.heappop(heap)
        if stamp < 0 or parent[a] != a or version[a] != stamp:
            continue
        best, partner, cheapest, nearest = np.inf, -1, np.inf, -1
        looks = min(partners, alive)
        for look in range(looks):
            b = living[look] if looks == alive else living[int(uniform(state) * alive)]
            if b == a:
                continue
            both, paid = size[a] + size[b], size[a] * price[a] + size[b] * price[b]
            reach = size[a] * over[a] + size[b] * over[b]
            bound = (max(best * reach, 0.0 if partner >= 0 else cheapest) + paid) / both if both > 0 else np.inf
            cost = pair_cost(codes[a], level[a], bits[a], codes[b], level[b], bits[b], prices, bound)
            if cost > bound:
                continue
            rise = both * cost - paid
            if rise < cheapest:
                cheapest, nearest = rise, b
            if rise >= best * reach:
                continue
            for v in range(joint.shape[0]):
                joint[v] = hist[a, v] + hist[b, v]
            removed = reach - both * excess(joint, both, limits)
            if removed > 1e-9 and rise < best * removed:
                best, partner = rise / removed, b
        b = partner if partner >= 0 else nearest
        if b < 0:
            b = living[0] if living[0] != a else living[1]
        absorb(codes[a], level[a], bits[a], codes[b], level[b], bits[b], prices)
        size[b] += size[a]
        people[b] += people[a]
        hist[b] += hist[a]
        price[b] = pair_cost(codes[b], level[b], bits[b], codes[b], level[b], bits[b], prices, np.inf)
        parent[a] = b
        alive -= 1
        living[where[a]], where[living[alive]] = living[alive], where[a]
        version[b] += 1
        over[b] = excess(hist[b], size[b], limits)
        if over[b] > 0 or not class_holds(hist[b], size[b], people[b], limits):
            heapq.heappush(heap, (-over[b], b, version[b]))
    for c in range(number):
        root = c
        while parent[root] != root:
            root = parent[root]
        parent[c] = root
    return parent
