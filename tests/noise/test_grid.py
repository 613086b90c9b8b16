"""Grids: rounding, exact addition and exact sums."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InputError
from sfumato.noise.grid import (
    add_on_grid,
    add_units,
    check_grid,
    from_units,
    grid_bounds,
    grid_step,
    grid_sum,
    sum_grid,
    to_units,
)

moderate = st.floats(-1e6, 1e6)


@given(scale=st.floats(1e-200, 1e200))
def test_a_scale_has_the_promised_number_of_steps(scale):
    step = grid_step(scale)
    assert math.frexp(step)[0] == 0.5
    assert 2**39 < Fraction(scale) / Fraction(step) <= 2**40


@given(value=moderate, exponent=st.integers(-40, 10))
def test_rounding_goes_to_a_nearest_step(value, exponent):
    grid = 2.0**exponent
    rounded = from_units(to_units(np.array([value]), grid, rounding=True), grid)[0]
    assert (rounded / grid).is_integer()
    assert abs(Fraction(float(rounded)) - Fraction(value)) <= Fraction(grid) / 2


@given(value=moderate, steps=st.integers(-100, 100), exponent=st.integers(-20, 5))
def test_whole_shifts_commute_with_rounding(value, steps, exponent):
    """So neighbours at a whole distance stay at that distance: ties do not go to even."""
    grid = 2.0**exponent
    shifted = Fraction(value) + steps * Fraction(grid)
    if Fraction(float(shifted)) != shifted:
        return
    one, two = to_units(np.array([value, float(shifted)]), grid, rounding=True)
    assert two - one == steps


@given(units=st.integers(-(2**60), 2**60), noise=st.integers(-(2**62), 2**62))
def test_sums_are_rounded_once(units, noise):
    units = int(float(units))
    assert add_units(np.array([float(units)]), np.array([noise]))[0] == float(units + noise)


@given(values=st.lists(st.floats(-3.0, 5.0), max_size=50), exponent=st.integers(-30, 0))
def test_grid_sum_is_exact_and_does_not_depend_on_order(values, exponent):
    grid = 2.0**exponent
    total = grid_sum(np.array(values), low=-3.0, high=5.0, grid=grid)
    rounded = [Fraction(math.floor(Fraction(v) / Fraction(grid) + Fraction(1, 2))) * Fraction(grid) for v in values]
    assert Fraction(total) == sum(rounded)
    assert grid_sum(np.array(values[::-1]), low=-3.0, high=5.0, grid=grid) == total


@given(
    values=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=30),
    other=st.floats(0.0, 1.0),
    exponent=st.integers(-45, -3),
)
def test_one_record_moves_the_sum_by_at_most_the_rounded_range(values, other, exponent):
    grid = 2.0**exponent
    low, high = grid_bounds(0.0, 1.0, grid)
    before = grid_sum(values, low=0.0, high=1.0, grid=grid)
    after = grid_sum([*values[1:], other], low=0.0, high=1.0, grid=grid)
    assert abs(after - before) <= high - low


@given(count=st.integers(1, 10**9), high=st.floats(1e-3, 1e6))
def test_sum_grid_is_the_finest_that_fits(count, high):
    grid = sum_grid(count, -high / 2, high)
    assert Fraction(count) * Fraction(high) <= 2**53 * Fraction(grid)
    assert Fraction(count) * Fraction(high) * (1 + Fraction(1, 2**49)) > 2**52 * Fraction(grid)


def test_what_is_refused():
    for grid in (0.3, 0.0, -1.0, math.nan, math.inf, "1", 3):
        with pytest.raises(InputError):
            check_grid("grid", grid)
    for scale in (0.0, -1.0, math.nan, math.inf, 1e300, 1e-300):
        with pytest.raises(InputError):
            grid_step(scale)
    with pytest.raises(InputError, match=r"values in \[0, 1\]; clip"):
        grid_sum([0.5, 1.5], low=0.0, high=1.0, grid=0.25)
    with pytest.raises(InputError, match="grid of at least"):
        grid_sum(np.ones(1000), low=0.0, high=1.0, grid=2.0**-50)
    for values in ([math.nan], [math.inf], ["a"], [[1.0]]):
        with pytest.raises(InputError):
            grid_sum(values, low=0.0, high=1.0, grid=0.25)
    with pytest.raises(InputError, match="low < high"):
        grid_sum([0.5], low=1.0, high=0.0, grid=0.25)
    with pytest.raises(InputError, match="whole multiples"):
        to_units(np.array([0.3]), 0.25, rounding=False)
    with pytest.raises(InputError, match="change the unit"):
        to_units(np.array([1e300]), 2.0**-100, rounding=True)


_AWKWARD = [0.0, -0.0, 5e-324, 0.5, -0.5, 1.5, 1 / 3, 2.0**53, -(2.0**53) - 2, 2.0**62, -(2.0**64), 1e300]
_SHIFTS = [0, 1, -1, 7, -(2**40), 2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1, 2**60 + 1]


@given(
    pairs=st.lists(st.tuples(st.sampled_from(_AWKWARD), st.sampled_from(_SHIFTS)), max_size=8),
    exponent=st.integers(-60, 60),
    rounding=st.booleans(),
)
def test_one_pass_does_what_the_three_steps_do(pairs, exponent, rounding):
    """Rounding to the grid, adding the noise, and back: bit for bit, and the same refusals."""
    grid = 2.0**exponent
    values = np.array([value for value, _ in pairs], float)
    noise = np.array([shift for _, shift in pairs], np.int64)

    def outcome(work):
        try:
            return work().tolist()
        except InputError as error:
            return str(error)

    steps = outcome(lambda: from_units(add_units(to_units(values, grid, rounding=rounding), noise), grid))
    assert outcome(lambda: add_on_grid(values, noise, grid, rounding=rounding)) == steps
