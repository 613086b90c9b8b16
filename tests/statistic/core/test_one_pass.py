"""Sums and counts in one pass are those of the plain way, to the bit; what cannot be used is left to that way."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.statistic.core.column import on_grid
from sfumato.statistic.core.one_pass import bin_counts, grid_total

BOUNDS = [(0.0, 100.0), (-3.7, 11.3), (1e-9, 3e-9), (-1e12, 1e12)]


@pytest.mark.parametrize("bounds", BOUNDS)
def test_the_same_as_step_by_step(bounds: tuple[float, float]) -> None:
    values = np.random.default_rng(0).uniform(*bounds, 5000)
    values[:2] = bounds
    assert grid_total(values, bounds, "reject") == on_grid(values.copy(), bounds).sum()
    for bins in (1, 7, 10, 333):
        edges = np.linspace(*bounds, bins + 1)
        on_edges = np.concatenate([values, edges, np.nextafter(edges, -np.inf)[1:], np.nextafter(edges, np.inf)[:-1]])
        place = np.minimum(np.searchsorted(edges, on_edges, side="right") - 1, bins - 1)
        assert np.array_equal(bin_counts(on_edges, edges, "reject"), np.bincount(place, minlength=bins))


def test_clipping() -> None:
    assert grid_total(np.array([-5.0, 0.5, 7.0]), (0.0, 1.0), "clip") == 2**29 + 2**30
    assert bin_counts(np.array([-5.0, 2.0, 7.0]), np.array([0.0, 1.0, 2.0, 3.0]), "clip").tolist() == [1, 0, 2]


@pytest.mark.parametrize("outside", ["reject", "clip"])
@pytest.mark.parametrize("bad", [[0.5, np.nan], [np.inf], [], [1, 2], [[0.5]]])
def test_what_is_left_to_the_plain_way(outside: str, bad: list[float]) -> None:
    for data in (np.array(bad), bad, np.ma.array([0.5], mask=[True])):
        assert grid_total(data, (0.0, 1.0), outside) is None  # type: ignore[arg-type]
        assert bin_counts(data, np.array([0.0, 1.0]), outside) is None  # type: ignore[arg-type]
    assert grid_total(np.array([2.0]), (0.0, 1.0), "reject") is None
    assert bin_counts(np.array([0.5]), np.array([0.0, 1.0, 100.0]), outside) is None  # type: ignore[arg-type]
