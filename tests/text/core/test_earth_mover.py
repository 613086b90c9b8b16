"""Distances of bags of words (Fischer B8)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import InputError
from sfumato.text import (
    centroid_distance,
    earth_mover_distance,
    positional_distance,
    relaxed_emd,
)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_assignment_equals_linear_programme(size, seed):
    """B8: for equal sizes the permutation is optimal; bounds lie on their sides."""
    pytest.importorskip("ot")
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, size, 3))
    exact = earth_mover_distance(x, y)
    weights = np.ones(size)
    assert exact == pytest.approx(earth_mover_distance(x, y, first_weights=weights, second_weights=weights), abs=1e-9)
    assert max(relaxed_emd(x, y), centroid_distance(x, y)) <= exact + 1e-9
    assert exact <= positional_distance(x, y) + 1e-9
    assert earth_mover_distance(x, rng.permutation(x)) == pytest.approx(0, abs=1e-12)


def test_positional_distance_is_not_the_earth_movers():
    """Fischer prints the identity flow: two bags equal up to order and 1 % noise."""
    rng = np.random.default_rng(0)
    x = rng.normal(0, 6, (5, 5))
    y = np.roll(x, 1, axis=0) + rng.normal(0, 0.06, (5, 5))
    assert positional_distance(x, y) > 50 * earth_mover_distance(x, y)


def test_bad_bags():
    with pytest.raises(InputError, match="at least one word"):
        earth_mover_distance(np.empty((0, 2)), [[1.0, 2.0]])
    with pytest.raises(InputError, match="one dimension"):
        earth_mover_distance([[1.0]], [[1.0, 2.0]])
    with pytest.raises(InputError, match="one size"):
        positional_distance([[1.0]], [[1.0], [2.0]])
    with pytest.raises(InputError, match="counts"):
        earth_mover_distance([[1.0], [2.0]], [[1.0]], first_weights=[-1.0, 2.0])
