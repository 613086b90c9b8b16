"""Slow and obvious versions of what the room computes fast."""

from __future__ import annotations

import itertools

import numpy as np

from sfumato.survey import Groups
from sfumato.survey.permutation.mallows import hamming_distance, kendall_distance


def random_groups(n: int, rng: np.random.Generator) -> Groups:
    """Each owner with up to three others, not symmetric."""
    return Groups.from_lists([sorted({i, *rng.choice(n, size=rng.integers(0, 4)).tolist()}) for i in range(n)])


def sensitivity(groups: Groups, order: np.ndarray, metric: str) -> int:
    """The largest distance between two lists that agree outside the places of one group."""
    distance = {"kendall": kendall_distance, "hamming": hamming_distance}[metric]
    largest = 0
    place = np.argsort(order)
    for owner in range(groups.n):
        places = place[groups.members(owner)]
        rows = []
        for moved in itertools.permutations(places):
            row = np.array(order)
            row[places] = order[list(moved)]
            rows.append(row)
        largest = max(largest, int(np.max(distance(np.array(rows), order))))
        # The centre is itself one of the lists, and both distances are invariant: comparing with it reaches every pair.
    return largest
