"""The local test: the law of the bits by enumeration, level, refusals."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.noise import seeded_rng
from sfumato.statistic import LocalTest


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_bits_have_the_published_law_and_keep_the_promise(epsilon: float) -> None:
    """Pr[1] = (1 + (x/m)(e^ε − 1))/(e^ε + 1) (Ding et al. 2018); any two values lead to any bit within e^ε."""
    local = LocalTest(epsilon=epsilon, upper=4.0)
    one = {}
    for value in (0.0, 1.0, 4.0):
        a, _ = local.bits((np.full(40_000, value), np.zeros(0)), rng=seeded_rng(1))
        one[value] = (1 + value / 4 * math.expm1(epsilon)) / (math.exp(epsilon) + 1)
        assert a.mean() == pytest.approx(one[value], abs=5 * 0.5 / 200)
    for x, y in itertools.permutations(one, 2):
        assert one[x] / one[y] <= math.exp(epsilon) * (1 + 1e-12)
        assert (1 - one[x]) / (1 - one[y]) <= math.exp(epsilon) * (1 + 1e-12)


def test_level_and_power() -> None:
    """Equal means with other spreads: 5 % of 600, within 3 standard deviations; a large effect is seen."""
    local, rng = LocalTest(epsilon=2.0, upper=200.0), seeded_rng(4)
    rejected = []
    for _ in range(600):
        a, b = rng.normal(100, 5, 200), np.clip(rng.normal(100, 30, 300), 0, 200)
        rejected.append(local.release((a, b), rng=rng).rejects(0.05))
    assert np.mean(rejected) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 600)
    a, b = rng.normal(60, 5, 2000), rng.normal(140, 5, 2000)
    assert local.release((a, b), rng=rng).rejects(0.01)


def test_no_answer_without_two_people_a_group() -> None:
    answer = LocalTest(epsilon=1.0, upper=1.0).release((np.array([0.5]), np.array([0.5, 0.2])), rng=seeded_rng(0))
    assert (answer.answered, answer.p_value) == (False, 1.0)


@pytest.mark.parametrize("data", [(np.array([-1.0]), np.array([1.0])), (np.array([9.0]), np.array([1.0])),
                                  (np.zeros(0), np.zeros(0)), 3.0])  # fmt: skip
def test_refused(data: Any) -> None:
    with pytest.raises(InputError):
        LocalTest(epsilon=1.0, upper=4.0).release(data)
