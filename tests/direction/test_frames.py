"""GeoDataFrames and arrays in and out, the words of a promise, and what one person's records add up to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from helpers.door_contract import run
from sfumato.direction import metres_to_radians
from sfumato.direction.core.coordinates import arc_words
from sfumato.direction.core.frame_columns import matching_columns
from sfumato.errors import InputError
from sfumato.noise import seeded_rng
from sfumato.release import Card, Terms
from sfumato.release.card import card_path


@pytest.mark.parametrize("system", ["EPSG:4326", "EPSG:32633"])
def test_points_of_a_geo_frame_come_back_in_their_own_system(system: str) -> None:
    """Each is moved, by no more than 5 km (at 200 m noise a draw in 10⁹ is farther), and lies in the same system."""
    geopandas = pytest.importorskip("geopandas", reason="pip install geopandas")
    rng = seeded_rng(1)
    points = geopandas.points_from_xy(rng.normal(13.4, 0.05, 50), rng.normal(52.5, 0.05, 50))
    frame = geopandas.GeoDataFrame({"who": ["a"] * 20 + ["b"] * 30}, geometry=points, crs="EPSG:4326").to_crs(system)
    terms = Terms(person="who", keep_order=True)
    release = sf.direction.protect(frame, "geometry", kind="latlon", level=1.0, radius=200.0, keep=["who"], terms=terms)
    assert isinstance(release.data, geopandas.GeoDataFrame)
    assert release.data.crs == frame.crs
    metres = release.data.to_crs("EPSG:32633").distance(frame.to_crs("EPSG:32633"))
    assert metres.min() > 0
    assert metres.max() < 5_000
    assert release.card.promise["per_person"]["totals"]["records"] == 30
    assert "home found within 100 m" in {found.name for found in release.attack(frame, person="who")}


def test_arrays_in_and_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vectors = seeded_rng(2).standard_normal((30, 6))
    np.save(tmp_path / "in.npy", vectors)
    words = ["-c", "x*", "--kind", "vector", "--normalise", "--epsilon", 5, "-o", tmp_path / "out.npy"]
    assert run("direction", "protect", tmp_path / "in.npy", *words) == 0
    released = np.load(tmp_path / "out.npy")
    assert released.shape == (30, 6)
    assert np.linalg.norm(released, axis=1) == pytest.approx(np.ones(30))
    assert "for every 0.2 of angle distance" in capsys.readouterr().err
    with pytest.raises(InputError, match="a pattern"):
        matching_columns(["x0"], ["y*"])


@pytest.mark.parametrize(
    ("kind", "radians", "words"),
    [("latlon", metres_to_radians(200), "200 m"), ("latlon", metres_to_radians(2500), "2.5 km"),
     ("hour", np.pi / 4, "3 h"), ("hour", np.pi / 48, "15 min"), ("week", np.pi / 7, "12 h"), ("hour", 1e-3, "14 s")],
)  # fmt: skip
def test_distances_in_words(kind: Any, radians: float, words: str) -> None:
    assert arc_words(kind, radians) == words


def test_the_total_of_a_person_is_on_the_card_and_is_charged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Thirty check-ins of one person: thirty times ε, stated, said and paid; nothing is paid from a smaller budget."""
    table = pa.table({"who": ["a"] * 30 + ["b"] * 3, "lat": [48.1] * 33, "lon": [11.5] * 33})
    from sfumato.io.files import write_table

    visits, out, ledger = tmp_path / "visits.csv", tmp_path / "out.csv", tmp_path / "budget.db"
    write_table(table, visits)
    each = 1 / metres_to_radians(200)
    for subject, factor in (("enough", 31), ("little", 29)):
        budget = ("--epsilon", factor * each, "--metric", "great-circle", "--unit", "person", "--ledger", ledger)
        assert run("budget", "set", subject, *budget) == 0
    words = ["-c", "lat", "-c", "lon", "--kind", "latlon", "--level", 1, "--radius", 200, "--person", "who", "-o", out]
    assert run("direction", "protect", visits, *words, "--ledger", ledger, "--subject", "little") == 2
    assert not out.exists()
    assert run("direction", "protect", visits, *words, "--ledger", ledger, "--subject", "enough") == 0
    total = Card.read(card_path(out)).promise["per_person"]
    assert total["parameters"]["epsilon"] == pytest.approx(30 * each)
    said = "30 records of one person: if each were another one within 200 m, a factor of at most e^30."
    assert total["totals"] == {"records": 30, "words": said}
    told = capsys.readouterr().err
    assert said in told
    assert "by a factor of at most e for every 200 m between them" in told
