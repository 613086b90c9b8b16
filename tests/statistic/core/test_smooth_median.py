"""The smooth bound of the median against brute force over all neighbours."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InputError
from sfumato.statistic import median_and_bound

GRID = (0.0, 1.0, 2.0, 5.0, 9.0)
BOUNDS = (0.0, 9.0)


def median(records: tuple[float, ...]) -> float:
    return sorted(records)[math.ceil(len(records) / 2) - 1]


def local(records: tuple[float, ...]) -> float:
    """The largest change of the median by replacing one record; the extremes are bounds and so in the grid."""
    changes = [(*records[:i], value, *records[i + 1 :]) for i in range(len(records)) for value in GRID]
    return max(abs(median(one) - median(records)) for one in changes)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("beta", [0.1, 0.7])
def test_it_bounds_and_is_smooth(size: int, beta: float) -> None:
    """S ≥ the local sensitivity, and S ≤ e^β·S′ for every pair of neighbours, over all data sets on a grid."""
    bound = {one: median_and_bound(one, BOUNDS, beta)[1] for one in itertools.product(GRID, repeat=size)}
    for records, smooth in bound.items():
        assert smooth >= local(records)
        for i, value in itertools.product(range(size), GRID):
            near = (*records[:i], value, *records[i + 1 :])
            assert smooth <= math.exp(beta) * bound[near] * (1 + 1e-9)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_it_is_the_smallest(size: int) -> None:
    """S is the definition itself: the maximum over all data sets of e^{−kβ} times their local sensitivity."""
    beta = 0.4
    everything = list(itertools.product(GRID, repeat=size))
    for records in everything:
        best = max(math.exp(-beta * min_changes(records, other)) * local(other) for other in everything)
        assert median_and_bound(records, BOUNDS, beta)[1] == pytest.approx(best, rel=1e-9)


def min_changes(one: tuple[float, ...], other: tuple[float, ...]) -> int:
    """Records to replace, whatever their order."""
    left = list(other)
    for value in one:
        if value in left:
            left.remove(value)
    return len(left)


@given(st.lists(st.floats(0, 9), min_size=1, max_size=40))
def test_the_median_is_a_record(records: list[float]) -> None:
    found, smooth = median_and_bound(records, BOUNDS, 0.3)
    assert found == median(tuple(records))
    assert 0 < smooth <= 9 * (1 + 1e-9)


@pytest.mark.parametrize("records", [[], [-1.0], [np.nan]])
def test_bad_records(records: list[float]) -> None:
    with pytest.raises(InputError):
        median_and_bound(records, BOUNDS, 0.3)
