"""Bounds, data and ε at the edge of what doubles hold: refused, or released as promised."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sfumato.errors import InputError
from sfumato.statistic import Count, Histogram, Mean, PrivateWelch, Quantile, Sum, Variance

BOUNDED = [Sum, Mean, Variance, Quantile]
NEIGHBOURS = ["replace-one", "add-remove"]


@pytest.mark.parametrize("kind", BOUNDED)
@pytest.mark.parametrize(
    "bounds",
    [
        (0.0, 5e-324),
        (0.0, 1e-308),
        (0.0, 1e-200),  # its square is no normal double
        (0.0, 1e200),
        (-1e308, 1e308),  # their distance is infinite
        (1e300, 1.1e300),
        (0.0, math.inf),
        (0.0, 10**400),
        (math.nan, 1.0),
    ],
)
def test_bounds_whose_distance_leaves_the_normal_doubles_are_refused(kind: Any, bounds: Any) -> None:
    with pytest.raises(InputError, match="bounds"):
        kind(epsilon=1.0, bounds=bounds)


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize("kind", BOUNDED)
@pytest.mark.parametrize(
    "bounds", [(0.0, 2.0**-450), (-(2.0**449), 2.0**449), (2.0**449, 2.0**450), (1.0, 1 + 2.0**-52)]
)
def test_the_widest_and_the_narrowest_bounds_work(kind: Any, bounds: tuple[float, float], neighbours: Any) -> None:
    """Every answer is a number; it was NaN, or −2⁶³ steps, under a printed ε."""
    data = np.array([bounds[0], bounds[1], bounds[1]])
    for _ in range(10):
        released = kind(epsilon=1.0, bounds=bounds, neighbours=neighbours).release(data)
        assert math.isfinite(released)


@pytest.mark.parametrize("kind", BOUNDED)
@pytest.mark.parametrize(
    "data",
    [
        [2**60 + 1],
        np.array([2**60 + 1]),
        [2**60 + 1, 0.5],
        [Decimal("0.5")],
        np.array([np.longdouble(0.5)]),
        pd.Series([2**60 + 1]),
        np.ma.MaskedArray([0.5, 0.5], mask=[False, True]),
    ],
    ids=["list", "array", "mixed list", "decimal", "longdouble", "series", "masked"],
)
def test_numbers_that_no_double_holds_are_refused(kind: Any, data: Any) -> None:
    with pytest.raises(InputError, match=r"doubles hold exactly|masked|missing"):
        kind(epsilon=1.0, bounds=(0.0, 2.0**61)).release(data)


@pytest.mark.parametrize(
    "mechanism", [Count(epsilon=1.0), Count(epsilon=1.0, within=(0, 1)), Histogram(epsilon=1.0, edges=(0.0, 1.0))]
)
def test_masked_entries_are_refused(mechanism: Any) -> None:
    for data in ([True, True], [0.5, 0.5]):
        with pytest.raises(InputError, match="masked"):
            mechanism.release(np.ma.MaskedArray(data, mask=[False, True]))


@pytest.mark.parametrize("upper", [1e200, 1e-200, 5e-324])
def test_a_welch_test_refuses_such_bounds(upper: float) -> None:
    with pytest.raises(InputError, match="bounds"):
        PrivateWelch(epsilon=1.0, delta=1e-5, upper=upper, dummies=(0.0, upper))


def test_a_welch_test_refuses_dummies_without_a_distance() -> None:
    with pytest.raises(InputError, match="bounds"):
        PrivateWelch(epsilon=1.0, delta=1e-5, upper=1.0, dummies=(0.0, 1e-200))


@pytest.mark.parametrize(("kind", "least"), [(Sum, 2.0**-16), (Mean, 2.0**-16)])
def test_an_epsilon_too_small_for_the_sampler_says_so(kind: Any, least: float) -> None:
    """No word of a grid: there is none that the caller could change."""
    with pytest.raises(InputError, match=r"epsilon = .* expected ε of at least"):
        kind(epsilon=least / 2, bounds=(0.0, 1.0)).release([0.5])
    assert math.isfinite(kind(epsilon=least * 2, bounds=(0.0, 1.0)).release([0.5]))
