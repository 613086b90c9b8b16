"""Numbers that are no doubles go to the grid as what they are, or are refused."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import InputError
from sfumato.mechanism import (
    BoundedNumber,
    Exponential,
    Gaussian,
    Laplace,
    MultivariateGaussian,
    PlanarLaplace,
    RandomizedResponse,
)
from sfumato.mechanism.container import unpack_exact
from sfumato.noise.grid import add_on_grid
from sfumato.promise import PureDP
from sfumato.validate import exact_array, finite_array

COUNTS = Laplace(epsilon=1.0, sensitivity=1, grid=1)
BIG = 2**60


@pytest.mark.parametrize(
    "mechanism", [COUNTS, Laplace(epsilon=2.0**-40, sensitivity=1), Gaussian(sigma=2.0**45, sensitivity=1.0)]
)
def test_neighbours_at_large_integers_stay_neighbours(mechanism: Any) -> None:
    """With the same noise, two inputs 1 apart come out at most 1 apart before the result is rounded to a double.

    As doubles 2⁶⁰ + 128 and 2⁶⁰ + 129 are 256 apart. The noise brings both to where doubles are whole numbers.
    """
    pair = np.array([BIG + 128, BIG + 129])
    shift = np.array([-BIG, -BIG])
    for seed in range(20):
        noise = np.random.default_rng(seed).integers(-1000, 1000) + shift
        first, second = add_on_grid(pair, noise, 1.0, rounding=False)
        assert second - first == 1
    assert exact_array("x", pair).dtype == np.int64
    assert np.isfinite(mechanism.release(pair)).all()


INTEGERS = st.integers(-(2**63), 2**63 - 1) | st.integers(-(2**56), 2**56)
EXPONENTS = st.integers(-70, 70)
NOISE = st.integers(-(2**50), 2**50)


@given(INTEGERS, EXPONENTS, NOISE)
def test_integers_are_rounded_as_fractions_are(value: int, exponent: int, noise: int) -> None:
    """Whatever lane a number takes, it is the nearest grid point plus the noise, up to the last rounding."""
    grid = Fraction(2) ** exponent
    exact = ((value / grid + Fraction(1, 2)).__floor__() + noise) * grid
    array = exact_array("x", np.array([value]))
    for lane in (array, np.array([value], dtype=object)):
        released = add_on_grid(lane, np.array([noise]), float(grid), rounding=True)[0]
        assert abs(Fraction(released) - exact) <= abs(exact) * Fraction(1, 2**52) + Fraction(1, 2**1074)


@given(st.integers(-(2**62), 2**62), st.integers(-40, 0), st.integers(-(2**40), 2**40), st.integers(-3, 3))
def test_only_the_exact_sum_decides(value: int, exponent: int, noise: int, shift: int) -> None:
    """Two inputs whose exact noisy sums agree give the same double, so that the double tells no more than the sum."""
    other = value + shift
    if not -(2**62) <= other <= 2**62:
        return
    moved = noise - shift * 2**-exponent
    grid = 2.0**exponent
    one = add_on_grid(np.array([value]), np.array([noise]), grid, rounding=True)
    two = add_on_grid(np.array([other]), np.array([moved]), grid, rounding=True)
    assert one[0] == two[0]


def test_numpy_rounds_integers_in_lists_and_we_do_not() -> None:
    assert exact_array("x", [BIG + 1, 0.5])[0] == BIG + 1
    assert exact_array("x", [2**63, -1]).tolist() == [2**63, -1]
    assert exact_array("x", [2**70])[0] == 2**70
    assert exact_array("x", np.array([2**64 - 1], np.uint64))[0] == 2**64 - 1
    assert exact_array("x", [1e300, 1.0]).dtype == np.float64
    assert exact_array("x", [2**53, 0.5]).dtype == np.float64


@pytest.mark.parametrize(
    "data",
    [
        Decimal("0.1"),
        Fraction(1, 3),
        2**70,
        [Decimal("0.1"), Decimal(2) ** 70],
        [2**63, -1],
        np.array([2**64 - 1], np.uint64),
        np.array([np.longdouble(1) / 3]),
        np.array([BIG + 1]),
        pd.Series([BIG + 1, BIG + 3]),
        pd.Series([Decimal("1.1"), Decimal("2.2")]),
        pd.DataFrame({"stamp": [BIG + 1], "share": [0.5]}),
        pl.Series("stamp", [BIG + 1]),
        pl.DataFrame({"stamp": [BIG + 1], "share": [0.5]}),
        pa.table({"stamp": [BIG + 1], "price": [Decimal("1.25")]}),
    ],
    ids=lambda data: f"{type(data).__name__}",
)
def test_every_number_finds_its_way(data: Any) -> None:
    released = Laplace(epsilon=1.0, sensitivity=1.0).release(data)
    assert type(released) is (float if isinstance(data, Decimal | Fraction | int) else type(data)) or isinstance(
        released, np.ndarray
    )


def test_short_floats_are_exact() -> None:
    for kind in (np.float16, np.float32):
        values = np.array([0.1, 1 / 3, -2.5], kind)
        assert exact_array("x", values).tolist() == [float(value) for value in values]
        assert finite_array("x", values).dtype == np.float64


def test_a_frame_of_integers_and_floats_keeps_its_integers() -> None:
    """A frame as one array of doubles would have rounded the stamps."""
    frame = pd.DataFrame({"stamp": [BIG + 1], "share": [0.5]})
    assert unpack_exact(frame)[0].tolist() == [[BIG + 1, Fraction(1, 2)]]


@pytest.mark.parametrize(
    "number", [Decimal("NaN"), Decimal("Infinity"), np.longdouble("inf"), float("nan"), float("inf")]
)
def test_what_is_no_number_is_refused(number: Any) -> None:
    with pytest.raises(InputError):
        COUNTS.release([number])


@pytest.mark.parametrize("values", [[True, 2**70], [None, 1], ["1", "2"], [1j]])
def test_other_things_are_refused(values: list[Any]) -> None:
    with pytest.raises(InputError, match="numbers"):
        exact_array("x", values)


FLOATS_ONLY = [
    BoundedNumber(epsilon=1.0, low=0.0, high=2.0**62),
    PlanarLaplace(epsilon=1.0, dimension=1),
    MultivariateGaussian(covariance=[[1.0]], sensitivity=1.0),
    Exponential(epsilon=1.0, sensitivity=1.0),
    Laplace(epsilon=1.0, sensitivity=1.0, exact=False),
]


@pytest.mark.parametrize("mechanism", FLOATS_ONLY, ids=lambda mechanism: type(mechanism).__name__)
@pytest.mark.parametrize(
    "values", [[BIG + 1], [Decimal("0.5")], np.array([np.longdouble(0.5)])], ids=["int", "decimal", "long"]
)
def test_where_doubles_are_needed_others_are_refused(mechanism: Any, values: Any) -> None:
    with pytest.raises(InputError, match="doubles hold exactly"):
        mechanism.release(values)


MASKED = np.ma.MaskedArray([1.0, 2.0, 3.0], mask=[False, True, False])


@pytest.mark.parametrize(
    ("mechanism", "data"),
    [
        (COUNTS, MASKED),
        (PlanarLaplace(epsilon=1.0, dimension=3), MASKED),
        (BoundedNumber(epsilon=1.0, low=0.0, high=5.0), MASKED),
        (Exponential(epsilon=1.0, sensitivity=1.0), MASKED),
        (RandomizedResponse(epsilon=1.0, categories=4), MASKED.astype(int)),
    ],
    ids=lambda one: type(one).__name__,
)
def test_masked_entries_are_refused(mechanism: Any, data: Any) -> None:
    with pytest.raises(InputError, match="masked"):
        mechanism.release(data)


def test_a_masked_array_without_masked_entries_is_an_array() -> None:
    for values in (np.ma.MaskedArray([1.0, 2.0]), np.ma.MaskedArray([1.0, 2.0], mask=[False, False])):
        assert COUNTS.release(values).shape == (2,)


@pytest.mark.parametrize("epsilon", [10**400, float("inf"), float("nan"), 0, -1, True, "1"])
def test_an_epsilon_that_is_no_positive_double_is_refused(epsilon: Any) -> None:
    for make in (
        lambda: Laplace(epsilon=epsilon, sensitivity=1.0),
        lambda: Laplace(epsilon=1.0, sensitivity=epsilon),
        lambda: Gaussian(epsilon=epsilon, delta=1e-5, sensitivity=1.0),
        lambda: Gaussian(sigma=epsilon, sensitivity=1.0),
        lambda: Exponential(epsilon=epsilon, sensitivity=1.0),
        lambda: RandomizedResponse(epsilon=epsilon, categories=2),
        lambda: BoundedNumber(epsilon=1.0, low=0.0, high=epsilon) if epsilon != 0 else PureDP(-1.0),
        lambda: PlanarLaplace(epsilon=epsilon),
    ):
        with pytest.raises(InputError, match="expected"):
            make()


@pytest.mark.parametrize(
    ("epsilon", "sensitivity"), [(2.0**901, 1.0), (1.0, 2.0**-901), (1e308, 1e-308), (1e-308, 1e308)]
)
def test_a_choice_too_sharp_for_doubles_is_refused(epsilon: float, sensitivity: float) -> None:
    """The factor was infinite and no proposal was ever kept: the release did not end."""
    with pytest.raises(InputError, match="ε/Δ"):
        Exponential(epsilon=epsilon, sensitivity=sensitivity)


@pytest.mark.parametrize("monotonic", [True, False])
def test_the_sharpest_choice_ends(monotonic: bool) -> None:
    sharp = Exponential(epsilon=2.0**900, sensitivity=1.0, monotonic=monotonic)
    assert sharp.release([0.0, 2.0**-800, 1.0, -1e300]) == 2
    assert {sharp.release([0.0, 0.0]) for _ in range(64)} == {0, 1}
    blunt = Exponential(epsilon=2.0**-899, sensitivity=1.0, monotonic=monotonic)
    assert {blunt.release([0.0, 1e260]) for _ in range(64)} == {0, 1}


def test_scores_farther_apart_than_doubles_are_refused() -> None:
    with pytest.raises(InputError, match="range"):
        Exponential(epsilon=1.0, sensitivity=1.0).release([-1.7e308, 1.7e308])


@pytest.mark.parametrize(
    ("kind", "settings"), [(Laplace, {"epsilon": 2.0**-50}), (Gaussian, {"sigma": 2.0**60})], ids=lambda one: str(one)
)
def test_no_coarser_grid_is_asked_for_where_none_would_help(kind: Any, settings: dict[str, float]) -> None:
    """A tiny ε without a grid: what helps is a weaker promise, and so says the error."""
    with pytest.raises(InputError, match="weaker promise"):
        kind(sensitivity=1.0, **settings)


def test_a_coarser_grid_is_asked_for_where_there_is_one() -> None:
    with pytest.raises(InputError, match="make it coarser"):
        Laplace(epsilon=2.0**-20, sensitivity=1.0, grid=2.0**-40)
