"""Traces of directions: the promise for a whole trace by brute force, its price, lists of traces, refusals."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.direction import DirectionalTrace, Purkayastha, metres_to_radians
from sfumato.errors import InputError
from sfumato.noise import seeded_rng
from sfumato.promise.metric import distance
from sfumato.release import Terms


def test_promise_by_brute_force() -> None:
    """All losses between traces of three hours stay below ε times the farthest distance, which equal shifts attain."""
    trace = DirectionalTrace(epsilon=3.0, length=3, kind="hour")
    outputs = np.array(list(itertools.product(range(0, 24, 3), repeat=3)), float)
    rng = seeded_rng(2)
    for _ in range(40):
        x, y = rng.integers(0, 24, (2, 3)).astype(float)
        if rng.random() < 0.5:
            y = np.mod(x + 5, 24)
        seen = np.concatenate([outputs, [x, y]])
        loss = trace.log_density(seen, x) - trace.log_density(seen, y)
        assert np.abs(loss).max() <= trace.guarantee.loss_bound(x, y) + 1e-9
        arcs = np.minimum(np.abs(x - y), 24 - np.abs(x - y)) * math.pi / 12
        assert trace.guarantee.loss_bound(x, y) == pytest.approx(3 * arcs.max())
        if np.ptp(arcs) == 0:
            assert loss[-2] == pytest.approx(trace.guarantee.loss_bound(x, y), abs=1e-9)


def test_noise_is_that_of_a_share() -> None:
    radius = metres_to_radians(200)
    trace = DirectionalTrace(level=3.0, radius=radius, length=30, kind="latlon")
    assert trace.kappa == pytest.approx(Purkayastha(level=0.1, radius=radius).kappa)
    assert trace.kappa * 30 <= trace.guarantee.epsilon  # type: ignore[attr-defined]
    assert trace.guarantee.unit == "trace"
    assert DirectionalTrace(pure=3.0, length=30, kind="hour").kappa == pytest.approx(0.1 / math.pi)
    assert distance("farthest great-circle", [[0, 0], [1, 1]], [[0, 0], [1, 1]]) == 0


def test_lists_of_traces_keep_their_shapes() -> None:
    trace = DirectionalTrace(epsilon=1e7, length=3, kind="latlon")
    data = [np.array([[48.0, 11.0]]), np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])]
    released = trace.release(data, rng=seeded_rng(0))
    assert [np.shape(one) for one in released] == [(1, 2), (3, 2)]
    assert all(np.abs(one - other).max() < 1e-3 for one, other in zip(released, data, strict=True))


@pytest.mark.parametrize(
    ("parameters", "data"),
    [
        ({"length": 2}, [1.0, 2.0, 3.0]),
        ({"length": 2}, 5.0),
        ({"length": 2}, [[1.0], [2.0, 3.0, 4.0]]),
        ({"length": 0}, None),
        ({"length": 2, "sensitivity": 0.5}, None),
    ],
)
def test_refused(parameters: Any, data: Any) -> None:
    with pytest.raises(InputError):
        DirectionalTrace(pure=1.0, kind="hour", **parameters).release(data)


def table(traces: int, each: int) -> pa.Table:
    rng = seeded_rng(1)
    count = traces * each
    return pa.table(
        {
            "person": [f"p{i % 2}" for i in range(traces) for _ in range(each)],
            "day": [f"d{i}" for i in range(traces) for _ in range(each)],
            "lat": rng.normal(48, 0.01, count),
            "lon": rng.normal(11, 0.01, count),
        }
    )


def protect(frame: pa.Table, **more: Any) -> Any:
    options: dict[str, Any] = {
        "kind": "latlon",
        "level": 2.0,
        "radius": 200.0,
        "settings": {"length": 6},
        "trace": "day",
    }
    return sf.direction.protect(frame, ["lat", "lon"], mechanism="directional-trace", **options | more)


def test_a_person_pays_for_all_their_traces() -> None:
    """Five traces, three of them of one person: each counts once, however many rows it has."""
    release = protect(table(5, 4), terms=Terms(person="person"))
    total = release.card.promise["per_person"]
    assert total["parameters"]["epsilon"] == pytest.approx(3 * 2 / metres_to_radians(200))
    assert total["totals"]["records"] == 3
    assert total["totals"]["words"].startswith(
        "3 traces of one person: if each were another one within 200 m, a factor"
    )
    assert total["totals"]["words"].endswith("e^6.")
    assert protect(table(5, 4)).card.promise["unit"] == "trace"


def test_traces_that_are_too_long_or_have_no_name_are_refused() -> None:
    with pytest.raises(InputError, match="7 directions"):
        protect(table(2, 7))
    with pytest.raises(InputError, match="--trace"):
        protect(table(2, 3), trace=None)
    with pytest.raises(InputError, match="--trace"):
        sf.direction.protect(table(2, 3), ["lat", "lon"], kind="latlon", pure=1.0, trace="day")
