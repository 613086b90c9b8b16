"""The private p-value: privacy by enumeration, its law, level and power, refusals."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sfumato.errors import InputError
from sfumato.noise import seeded_rng
from sfumato.noise.discrete import discrete_laplace_log_prob
from sfumato.statistic import LocalTest, PrivatePValue, welch


def vote_law(a: Any, b: Any, parts: int) -> Any:
    """The exact law of the votes: every way to deal the records, ties by a fair coin."""
    records = [(value, True) for value in a] + [(value, False) for value in b]
    law = np.zeros(parts + 1)
    for dealt in itertools.permutations(records):
        sure, ties = 0, 0
        for part in range(parts):
            mine = dealt[part::parts]
            first, second = ([value for value, side in mine if side is wanted] for wanted in (True, False))
            gap = sum(first) * len(second) - sum(second) * len(first) if first and second else 0
            sure, ties = sure + (gap > 0), ties + (gap == 0)
        for more in range(ties + 1):
            law[sure + more] += math.comb(ties, more) / 2**ties
    return law / math.factorial(len(records))


@pytest.mark.parametrize("epsilon", [0.3, 2.0])
@pytest.mark.parametrize("parts", [2, 3])
def test_promise_by_enumeration(epsilon: float, parts: int) -> None:
    """All neighbours of small data, a value or a group changed: no released number tells them apart by more than ε."""
    data = [1.0, 3.0, 4.0, 9.0, -50.0, 80.0]
    told = np.arange(-40, 44)
    noise = np.exp(discrete_laplace_log_prob(told[:, None] - np.arange(parts + 1), 1 / epsilon))
    worst = 0.0
    base = (data[:3], data[3:5])
    others = [([data[0], data[1], value], data[3:5]) for value in data] + [(data[:2], [*data[3:5], v]) for v in data]
    laws = [noise @ vote_law(a, b, parts) for a, b in (base, *others)]
    for law in laws[1:]:
        worst = max(worst, float(np.abs(np.log(law / laws[0])).max()))
    assert worst <= epsilon + 1e-9
    assert worst > 0.2 * epsilon


def test_draws_have_the_law() -> None:
    """Votes of 4 000 releases against the enumerated law: within 5 standard deviations each."""
    a, b = [1.0, 3.0, 80.0], [9.0, -50.0]
    test = PrivatePValue(epsilon=20.0, parts=2)  # hardly any noise
    answers = test.sample((np.array(a), np.array(b)), 4000, seeded_rng(3))
    votes = np.rint([(answer.statistic * math.sqrt(2) + 2) / 2 for answer in answers]).astype(int)
    law = vote_law(a, b, 2)
    share = np.bincount(np.clip(votes, 0, 2), minlength=3) / 4000
    assert np.abs(share - law).max() < 5 * 0.5 / math.sqrt(4000)


def test_p_values_are_the_tail_of_the_law() -> None:
    test = PrivatePValue(epsilon=0.5)
    tail = test.tail(30)
    assert tail[0] == 1
    assert (np.diff(tail) <= 1e-15).all()
    rng = seeded_rng(1)
    noise = rng.geometric(1 - math.exp(-0.5), (2, 200_000))
    drawn = 2 * (rng.binomial(30, 0.5, 200_000) + noise[0] - noise[1]) - 30
    for level in (0, 4, 8, 14, 20):
        assert tail[level] == pytest.approx(np.mean(np.abs(drawn) >= level), abs=0.006)


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize("law", ["normal", "lognormal", "few values"])
def test_level(epsilon: float, law: str) -> None:
    """Under one law for both groups at most 5 % are rejected: 600 studies, 3 standard deviations of allowance."""
    rng = seeded_rng(5)
    draw = {
        "normal": lambda: rng.normal(100, 14, 300),
        "lognormal": lambda: rng.lognormal(0, 1.5, 300),
        "few values": lambda: rng.integers(0, 2, 300).astype(float),
    }[law]
    test = PrivatePValue(epsilon=epsilon)
    rejected = [test.release((draw(), draw()), rng=rng).rejects(0.05) for _ in range(600)]
    assert np.mean(rejected) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 600)


def rejections(test: Any, effect: float, size: int, rng: Any, repeats: int = 60) -> float:
    data = [rng.normal([[100.0], [100.0 + effect]], 14.0, (2, size)) for _ in range(repeats)]
    return float(np.mean([test.release((a, b), rng=rng).rejects(0.05) for a, b in data]))


def test_power_beside_the_exact_and_the_local_test() -> None:
    """5 000 and 5 000 records, ε = 1, a tenth of a deviation: the exact test 1.00, this .9, the local one .06."""
    rng = seeded_rng(8)
    exact = np.mean([welch(*rng.normal([[100.0], [101.4]], 14.0, (2, 5000))).p_value <= 0.05 for _ in range(60)])
    private = rejections(PrivatePValue(epsilon=1.0), 1.4, 5000, rng)
    local = rejections(LocalTest(epsilon=1.0, upper=200.0), 1.4, 5000, rng)
    assert exact > 0.95
    assert 0.75 < private <= 1
    assert local < 0.35
    assert rejections(PrivatePValue(epsilon=1.0), 7.0, 5000, rng, 20) == 1
    assert rejections(PrivatePValue(epsilon=0.1), 1.4, 50, rng, 40) < 0.3


def test_frames_and_parts() -> None:
    rng = seeded_rng(2)
    table = pa.table({"group": ["A", "B"] * 200, "value": (rng.normal(0, 1, 400) + np.tile([0.0, 9.0], 200)).tolist()})
    test = PrivatePValue(epsilon=3.0)
    assert test.release(table, rng=rng).statistic < 0
    assert (test.number_of_parts(400), test.number_of_parts(30)) == (8, 3)
    assert PrivatePValue(epsilon=0.1).number_of_parts(10**6) == 3200


@pytest.mark.parametrize("data", [(np.zeros(0), np.zeros(0)), (np.array([np.nan]), np.array([1.0])), 5.0])
def test_refused(data: Any) -> None:
    with pytest.raises(InputError):
        PrivatePValue(epsilon=1.0).release(data)
    with pytest.raises(InputError):
        PrivatePValue(epsilon=1.0, parts=1)
