"""Intervals hold the truth, and lazily drawn reals decide like infinitely many bits."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.noise.interval import Interval, Undecided, exact
from sfumato.noise.lazy_uniform import LazyUniform, decide, geometric, uniform_below

doubles = st.floats(-1e10, 1e10, allow_subnormal=False)


def holds(interval: Interval, value: object) -> bool:
    with mpmath.workdps(80):
        return mpmath.mpf(str(interval.low)) <= value <= mpmath.mpf(str(interval.high))


@given(a=doubles, b=doubles, c=st.floats(1e-8, 1e8), digits=st.integers(3, 30))
def test_intervals_hold_the_exact_value(a, b, c, digits):
    x, y, z = exact(a, digits), exact(b, digits), exact(c, digits)
    with mpmath.workdps(80):
        am, bm, cm = mpmath.mpf(a), mpmath.mpf(b), mpmath.mpf(c)
        assert holds(x + y, am + bm)
        assert holds(x - y, am - bm)
        assert holds(x * y, am * bm)
        assert holds(x / z, am / cm)
        assert holds((x / z) * y - 1, am / cm * bm - 1)
        assert holds(z.log(), mpmath.log(cm))
        assert holds(z.sqrt(), mpmath.sqrt(cm))
        assert holds((-z / 1e8).exp(), mpmath.exp(-cm / mpmath.mpf(10) ** 8))


def test_intervals_know_when_they_do_not_know():
    third = exact(1, 5) / 3
    with pytest.raises(Undecided):
        (third - third).log()
    with pytest.raises(Undecided):
        exact(1, 5) / (third - third)
    with pytest.raises(Undecided):
        (third * 3).floor()
    with pytest.raises(Undecided):
        third.below(third)
    with pytest.raises(Undecided):
        (third - third - 1e-7).sqrt()
    assert third.below(1)
    assert not third.below(0)


class Scripted:
    """A generator that gives the listed words, then goes on with a real one."""

    def __init__(self, words):
        self.words = list(words)
        self.rng = np.random.default_rng(0)

    def integers(self, low, high, size, dtype, endpoint):
        scripted = [self.words.pop(0) for _ in range(min(size, len(self.words)))]
        rest = self.rng.integers(low, high, size=size - len(scripted), dtype=dtype, endpoint=endpoint)
        return np.concatenate([np.array(scripted, np.uint64), rest])


def test_a_comparison_that_64_bits_leave_open_is_decided_by_the_next():
    third = [0x5555555555555555] * 3  # the binary digits of 1/3
    for word, below in ((0x5555555555555554, True), (0x5555555555555556, False)):
        uniform = LazyUniform(Scripted([*third, word]))
        assert uniform_below(uniform, lambda digits: exact(1, digits) / 3) is below
        assert uniform._bits >= 256


def test_tiny_probabilities_are_met(rng):
    """exp(−100) needs 145 zero bits."""
    tiny = lambda digits: exact(-100, digits).exp()  # noqa: E731
    assert uniform_below(LazyUniform(Scripted([0, 0, 0, 0])), tiny)
    assert not uniform_below(LazyUniform(Scripted([0, 1])), tiny)


@settings(max_examples=20, deadline=None)
@given(scale=st.floats(0.1, 100.0), word=st.integers(1, 2**64 - 1))
def test_geometric_is_the_floor_of_an_exponential(scale, word):
    drawn = geometric(Scripted([word]), lambda digits: exact(1, digits) / scale)
    with mpmath.workdps(60):
        low = -mpmath.log(mpmath.mpf(word + 1) / 2**64) * scale
        high = -mpmath.log(mpmath.mpf(word) / 2**64) * scale
        assert mpmath.floor(low) <= drawn <= mpmath.floor(high)


def test_decide_asks_again():
    asked = []

    def formula(digits):
        asked.append(digits)
        if len(asked) < 3:
            raise Undecided
        return "decided"

    assert decide(formula, []) == "decided"
    assert asked == sorted(set(asked))
