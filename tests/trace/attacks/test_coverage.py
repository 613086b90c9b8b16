"""The circle of an attacker who looks for a place holds it as often as it says."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.noise import seeded_rng
from sfumato.trace.attacks.evidence import place_belief
from sfumato.trace.attacks.sighting import Sighting
from sfumato.trace.data.day import make_day

NINETY_FIVE = -2 * math.log(0.05)
DAYS = 20


def held(seen: Sighting, visit: tuple[float, float], truth: np.ndarray) -> bool:
    belief = place_belief(seen, visit)
    return float(((belief.mean - truth) ** 2).sum()) <= NINETY_FIVE * belief.variance


@pytest.mark.parametrize("margin", [10.0, 20.0])
def test_stays_that_are_cut_out_of_many_days(margin: float) -> None:
    """40 stays; if 95 % are held, fewer than 34 are in one run of 300. Before they were widened, 17 to 67 % were."""
    found = []
    for seed in range(100, 100 + DAYS):
        day = make_day(seed=seed, every=1.0)
        for stop in ("clinic", "shop"):
            start, end = day.stops[stop]
            inside = (day.times >= start) & (day.times <= end)
            kept = (day.times < start - margin) | (day.times > end + margin)
            seen = Sighting(times=60 * day.times[kept], path=day.path[kept])
            found.append(held(seen, (60 * start, 60 * end), np.median(day.path[inside], axis=0)))
    assert sum(found) >= 0.85 * len(found)


def test_stays_that_are_seen_through_noise() -> None:
    """30 stays; if 95 % are held, fewer than 24 are in one run of 5 000."""
    found = []
    for seed in range(15):
        day, rng = make_day(seed=seed, every=5.0), seeded_rng(seed)
        noise = 300.0**2 * np.eye(len(day.times))
        seen = Sighting(times=60 * day.times, path=day.path + 300.0 * rng.normal(size=day.path.shape), noise=noise)
        for stop in ("clinic", "shop"):
            start, end = day.stops[stop]
            inside = (day.times >= start) & (day.times <= end)
            found.append(held(seen, (60 * start, 60 * end), day.path[inside].mean(axis=0)))
    assert sum(found) >= 0.8 * len(found)


def test_a_stay_of_which_points_are_seen_is_as_sharp_as_before() -> None:
    path = np.concatenate([np.linspace([-900, 0], [0, 0], 20), np.zeros((20, 2)), np.linspace([0, 0], [900, 0], 20)])
    times = np.arange(60) * 60.0
    everything = place_belief(Sighting(times=times, path=path), (times[20], times[39]))
    without = np.r_[:20, 40:60]
    hidden = place_belief(Sighting(times=times[without], path=path[without]), (times[20], times[39]))
    assert everything.variance < 30**2
    assert hidden.variance > 100**2
