"""Pictures of a release for its owner."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sfumato.trace import HiddenPlace, PlaceNoise
from sfumato.trace.attacks.evidence import Belief
from sfumato.trace.release_pictures import cost_picture, covariance_picture, release_picture, write_pictures

pytest.importorskip("plotly")
TIMES = 60.0 * np.arange(40)
PATH = np.stack([100.0 * np.arange(40), np.zeros(40)], axis=1)


def test_a_map_shows_path_release_gap_and_region(tmp_path: Path) -> None:
    seen = PATH.copy()
    seen[15:25] = np.nan
    belief = Belief(np.array([1900.0, 50.0]), 200.0**2)
    picture = release_picture(TIMES, PATH, seen, [(1080.0, 1200.0)], [belief])
    names = [trace.name for trace in picture.figure.data]
    assert names == ["where the attacker looks (95 %)", "true path", "released", "hidden place"]
    ring = picture.figure.data[0]
    assert max(ring.x) - 1900 == pytest.approx(200 * 5.991**0.5)
    assert picture.figure.data[3].x[0] == pytest.approx(1900)
    assert "10 of 40 points were left out" in picture.caption
    assert not picture.public
    noise = PlaceNoise(places=[HiddenPlace(((1080.0, 1200.0),))], times=TIMES)
    heat = covariance_picture(TIMES, noise.covariance)
    assert np.max(heat.figure.data[0].z) == pytest.approx(noise.covariance.max() ** 0.5)
    cost = cost_picture(TIMES, [HiddenPlace(((1080.0, 1200.0),))], radii=(100.0, 200.0), epsilons=(1.0, 4.0))
    errors = np.array([trace.y for trace in cost.figure.data])
    assert (np.diff(errors, axis=0) > 0).all()  # a larger radius costs more
    assert (np.diff(errors, axis=1) < 0).all()  # a larger ε costs less
    write_pictures([picture, heat], tmp_path / "map.html", title="Day <1>")
    page = (tmp_path / "map.html").read_text()
    assert "Day &lt;1&gt;" in page
    assert 'src="http' not in page
    assert len(page) < 2_500_000  # the library is packed: written out it alone is 4.8 MB


def test_a_day_of_seconds_is_drawn_thinly(tmp_path: Path) -> None:
    times = np.arange(86_400.0)
    path = np.stack([0.5 * times, np.sin(times / 900) * 900], axis=1)
    seen = path.copy()
    seen[40_000:44_000] = np.nan
    picture = release_picture(times, path, seen, [(41_000.0, 42_000.0)])
    assert max(len(trace.x) for trace in picture.figure.data) <= 5000
    assert "4000 of 86400 points were left out" in picture.caption
    write_pictures([picture], tmp_path / "map.html", title="A day")
    assert (tmp_path / "map.html").stat().st_size < 2_500_000
