"""Brute-force sensitivities on tiny domains (P8) against hand-made formulas."""

from __future__ import annotations

import math
from collections import Counter
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import InputError
from sfumato.promise import global_sensitivity, local_sensitivity, smooth_sensitivity

DOMAIN = range(5)


def histogram(data: tuple[int, ...]) -> list[int]:
    counts = Counter(data)
    return [counts[value] for value in DOMAIN]


def test_global_sensitivity_of_textbook_queries() -> None:
    assert global_sensitivity(sum, DOMAIN, 4) == 4.0
    assert global_sensitivity(len, DOMAIN, 4) == 0.0  # replace-one: the size is public
    assert global_sensitivity(len, DOMAIN, 4, neighbours="add-remove") == 1.0
    assert global_sensitivity(lambda d: sum(d) / len(d), DOMAIN, 4) == 1.0
    assert global_sensitivity(median, DOMAIN, 3) == 4.0


def test_norms_and_neighbours_of_a_histogram() -> None:
    assert global_sensitivity(histogram, DOMAIN, 3) == 2.0
    assert global_sensitivity(histogram, DOMAIN, 3, norm=2) == pytest.approx(math.sqrt(2))
    assert global_sensitivity(histogram, DOMAIN, 3, norm=math.inf) == 1.0
    assert global_sensitivity(histogram, DOMAIN, 3, neighbours="add-remove") == 1.0


def test_local_sensitivity_of_the_median() -> None:
    assert local_sensitivity(median, [2, 2, 2], DOMAIN) == 0.0
    assert local_sensitivity(median, [0, 2, 3], DOMAIN) == 2.0
    assert local_sensitivity(median, [0, 4], DOMAIN, neighbours="add-remove") == 2.0


@given(st.lists(st.sampled_from(DOMAIN), min_size=3, max_size=3), st.floats(0.05, 2))
@settings(deadline=None, max_examples=30)
def test_smooth_sensitivity_is_smooth_and_bounds_the_local_one(data: list[int], beta: float) -> None:
    here = smooth_sensitivity(median, data, DOMAIN, beta)
    assert here >= local_sensitivity(median, data, DOMAIN)
    for value in DOMAIN:
        there = smooth_sensitivity(median, [value, *data[1:]], DOMAIN, beta)
        assert there <= math.exp(beta) * here * (1 + 1e-12)
    assert here <= global_sensitivity(median, DOMAIN, 3)


def test_smooth_sensitivity_of_the_median_by_its_formula() -> None:
    """Nissim, Raskhodnikova and Smith 2007, Claim 3.3: max over k, t of e^{−βk}(x_{m+t} − x_{m+t−k−1})."""
    data, beta, low, high = [0, 1, 1, 3, 4], 0.4, 0, 4
    padded = dict.fromkeys(range(-5, 0), low) | dict(enumerate(data)) | dict.fromkeys(range(5, 12), high)
    middle = 2
    formula = max(
        math.exp(-beta * k) * (padded[middle + t] - padded[middle + t - k - 1]) for k in range(6) for t in range(k + 2)
    )
    assert smooth_sensitivity(median, data, DOMAIN, beta) == pytest.approx(formula)


def test_smooth_sensitivity_under_add_remove() -> None:
    found = smooth_sensitivity(sum, [1], range(4), 0.5, neighbours="add-remove", largest=3)
    assert found == 3.0  # adding a record moves a sum by at most 3, from every data set


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: global_sensitivity(sum, [], 2), "domain"),
        (lambda: global_sensitivity(sum, DOMAIN, 0), "size"),
        (lambda: global_sensitivity(sum, DOMAIN, 2, norm=3), "norm"),
        (lambda: global_sensitivity(sum, DOMAIN, 2, neighbours="any-pair"), "neighbours"),  # type: ignore[arg-type]
        (lambda: global_sensitivity(lambda d: math.nan, DOMAIN, 2), "finite"),
        (lambda: global_sensitivity(lambda d: list(d)[: d[0]], DOMAIN, 2), "one shape"),
        (lambda: local_sensitivity(sum, [9], DOMAIN), "domain"),
        (lambda: smooth_sensitivity(sum, [1], DOMAIN, -1.0), "beta"),
        (lambda: smooth_sensitivity(sum, [1], DOMAIN, 1.0, neighbours="add-remove"), "largest"),
    ],
)
def test_rejects(call: object, named: str) -> None:
    with pytest.raises(InputError, match=named):
        call()  # type: ignore[operator]
