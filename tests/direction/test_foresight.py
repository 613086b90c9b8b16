"""How far directions will be moved is said before they are, and holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from helpers.door_contract import run
from sfumato.direction import Purkayastha, VonMisesFisher, circular_distance, preview
from sfumato.io.files import write_table
from sfumato.noise import seeded_rng


def poll(size: int = 50) -> pa.Table:
    rng = np.random.default_rng(3)
    places = {"lat": rng.uniform(30, 31, size), "lon": rng.uniform(-98, -97, size)}
    return pa.table({"wakes": rng.uniform(0, 24, size), "who": ["A", "B"] * (size // 2), **places})


@pytest.mark.parametrize(("name", "kind"), [("purkayastha", Purkayastha), ("von-mises-fisher", VonMisesFisher)])
def test_hours_move_as_far_as_was_said(name: str, kind: Any) -> None:
    """The mean of 20 000 moves, whose standard error is below .03 h."""
    said = preview(poll(), "wakes", mechanism=name, pure=2.0).figure("error").value
    hours = np.full(20_000, 7.5)
    for seed in range(3):
        moved = circular_distance(kind(pure=2.0, kind="hour").release(hours, rng=seeded_rng(seed)), hours, 24.0)
        assert np.mean(moved) == pytest.approx(said, abs=0.1)


def words(*columns: str, **asked: Any) -> list[str]:
    return [str(one) for one in preview(poll(), columns, **asked).figures if not one.risk]


def test_words() -> None:
    within: dict[str, Any] = {"level": 1.0, "radius": 200.0, "kind": "latlon"}
    places = pa.table({name: poll()[name] for name in ("lat", "lon")})
    assert "moved by 400 m in the mean" in words("lat", "lon", **within)[0]
    assert " km in the mean" in words("lat", "lon", mechanism="von-mises-fisher", **within)[0]
    both = words("lat", "lon", mechanism="protected-check-ins", hour="wakes", known=places, **within)
    assert [one.split(" on average")[0] for one in both] == ["error of each place", "error of each time"]
    assert words("lat", "lon", mechanism="bayesian-remap", known=places, **within) == []
    assert "error of each mean" in words("wakes", mechanism="naive-central-survey", group="who", pure=1.0)[0]


def test_the_command_says_it_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "poll.csv", tmp_path / "out.csv"
    write_table(poll(), file)
    assert run("direction", "protect", file, "-c", "wakes", "--pure", "1", "-o", out) == 0
    said = capsys.readouterr().err
    assert said.index("Each is moved by 5.02 h") < said.index("promise:")
