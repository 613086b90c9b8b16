"""The labels of two groups: any two that are declared, in the declared order, and no others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sfumato.errors import InputError
from sfumato.statistic import LocalTest, PrivatePValue, PrivateWelch, WelchTest, protect
from sfumato.statistic.core.two_groups import read_two_groups

DAYS = [1.0, 2.0, 3.0, 5.0]
BOUNDS = {"upper": 10.0, "dummies": (0.0, 10.0)}


@pytest.mark.parametrize(
    ("told", "labels"),
    [
        (["drug", "control", "drug", "control"], ("drug", "control")),
        (["f", "m", "f", "m"], ["f", "m"]),
        ([1, 0, 1, 0], (1, 0)),
        ([1, 0, 1, 0], ("1", "0")),
        (["1", "0", "1", "0"], (1, 0)),
        ([1.0, 0.0, 1.0, 0.0], ("1", "0")),
        ([True, False, True, False], (True, False)),
        ([True, False, True, False], ("True", "FALSE")),
        (["true", "false", "true", "false"], (True, False)),
        (pd.Categorical(["drug", "control", "drug", "control"]), ("drug", "control")),
    ],
)
def test_two_labels_of_any_kind(told: Any, labels: Any) -> None:
    frame = pd.DataFrame({"arm": told, "days": DAYS})
    for one, (first, second) in ((labels, ([1, 3], [2, 5])), (labels[::-1], ([2, 5], [1, 3]))):
        a, b = read_two_groups(frame, group="arm", value="days", labels=one)
        assert (a.tolist(), b.tolist()) == (first, second)


@pytest.mark.parametrize("labels", [("drug",), ("drug", "drug"), (1, "1"), ("a", "b", "c"), "ab", None])
@pytest.mark.parametrize("kind", [PrivateWelch, PrivatePValue, LocalTest])
def test_labels_are_two_and_different(kind: Any, labels: Any) -> None:
    needs: dict[Any, Any] = {PrivateWelch: {"delta": 1e-5, **BOUNDS}, LocalTest: {"upper": 10.0}}
    with pytest.raises(InputError, match="label"):
        kind(epsilon=1.0, labels=labels, **needs.get(kind, {}))


@pytest.mark.parametrize("odd", ["placebo", "Drug", "drug ", ""])
def test_another_label_is_refused_and_not_told(odd: str) -> None:
    frame = pa.table({"arm": ["drug", "control", odd, odd], "days": DAYS})
    with pytest.raises(InputError) as refused:
        read_two_groups(frame, group="arm", value="days", labels=("drug", "control"))
    said = str(refused.value)
    assert "'drug' and 'control'" in said
    assert "--label" in said
    assert "placebo" not in said
    assert not any(digit in said for digit in "1234567890")  # nor how many records have it


def test_labels_need_not_occur() -> None:
    """Who is in the data must not decide which label is first: an empty group is a group."""
    frame = pa.table({"arm": ["control"] * 4, "days": DAYS})
    a, b = read_two_groups(frame, group="arm", value="days", labels=("drug", "control"))
    assert (len(a), len(b)) == (0, 4)


def test_the_statistic_grows_with_the_mean_of_the_first() -> None:
    rng = np.random.default_rng(1)
    arms = np.repeat(["drug", "control"], 2000)
    frame = pa.table({"arm": arms, "days": np.clip(rng.normal(np.where(arms == "drug", 6.0, 4.0), 1.0), 0, 10)})
    columns: dict[str, Any] = {"group": "arm", "value": "days", "epsilon": 5.0}
    tests: list[Any] = [
        lambda labels: PrivateWelch(delta=1e-5, labels=labels, **BOUNDS, **columns).release(frame, rng=rng),
        lambda labels: WelchTest.planned(
            size=4000, deviation=1.0, delta=1e-5, labels=labels, **BOUNDS, **columns
        ).release(frame, rng=rng).statistic,
        lambda labels: PrivatePValue(labels=labels, **columns).release(frame, rng=rng).statistic,
        lambda labels: LocalTest(upper=10.0, labels=labels, **columns).release(frame, rng=rng).statistic,
    ]  # fmt: skip
    for test in tests:
        assert test(("drug", "control")) > 1
        assert test(("control", "drug")) < -1


def test_declared_labels_are_taken_as_public() -> None:
    assert "labels" in str(PrivatePValue(epsilon=1.0, labels=("m", "f")).guarantee)
    assert "labels" not in str(PrivatePValue(epsilon=1.0).guarantee)


def test_labels_are_for_tests() -> None:
    with pytest.raises(InputError, match="t-tests"):
        protect(pa.table({"age": [31]}), "age", mechanism="mean", low=0, high=100, epsilon=1, labels=("m", "f"))
