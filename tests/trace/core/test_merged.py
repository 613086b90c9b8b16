"""Two people in one trace."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import InputError
from sfumato.trace.core.merged import check_one_person, split_in_two


def walk(seed: int, start: float = 0.0) -> np.ndarray:
    return start + np.cumsum(np.random.default_rng(seed).normal(0, 40, (80, 2)), axis=0)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("apart", [1500.0, 8000.0])
def test_two_people_are_told_in_any_order(seed: int, apart: float) -> None:
    rng = np.random.default_rng(seed)
    times = np.sort(rng.uniform(0, 4800, 160))
    whose = rng.permutation(np.repeat([False, True], 80))
    path = np.empty((160, 2))
    path[whose], path[~whose] = walk(seed), walk(seed + 100, apart)
    assert split_in_two(times, path).two_people
    with pytest.raises(InputError, match=r"looks like two people: .* km together"):
        check_one_person(times, path)


def test_one_person_may_walk_fly_lose_the_signal_and_err() -> None:
    times = 60.0 * np.arange(80)
    check_one_person(times, walk(1))
    east = np.concatenate([np.zeros(30), 15_000.0 * np.arange(20), np.full(30, 285_000.0)])
    flight = np.stack([east, np.zeros(80)], axis=1)
    check_one_person(times, flight)
    noisy = walk(2)
    noisy[[20, 50]] += 9000.0  # two points from a tunnel
    check_one_person(times, noisy)
    check_one_person(np.concatenate([times[:40], 1e6 + times[40:]]), np.concatenate([walk(3)[:40], walk(3)[40:] + 1e5]))
