"""Attack on check-ins: infer where users live."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.attacks.likelihood import (
    hour_noise,
    log_likelihood_of_hours,
    log_likelihood_of_places,
    place_noise,
)
from sfumato.direction.attacks.scoring import Floats, require_check_ins, smooth
from sfumato.direction.core.coordinates import latlon_to_vector
from sfumato.direction.core.sphere import angle_between
from sfumato.direction.data.check_ins import CheckIns
from sfumato.errors import InfeasibleError, bad_input
from sfumato.io.geography import EARTH_RADIUS
from sfumato.mechanism.base import Mechanism
from sfumato.noise import Rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.validate import positive

__all__ = ["HomeAttack"]

_MOST_PLACES = 5_000  # all distances between them are held


@dataclass(frozen=True, kw_only=True)
class HomeAttack:
    """Infers where a user lives (the place they are at by night) from all their protected check-ins.

    Parameters
    ----------
    tolerance : float
        A guess within so many metres of the true home counts.
    night : tuple of float
        The hours at which people are taken to be at home.
    """

    tolerance: float = 100.0
    night: tuple[float, float] = (22.0, 6.0)

    criterion: ClassVar[Criterion] = "inference"
    knows: ClassVar[str] = (
        "whose record each one is, the map of places and how popular they are, how common each home is and how often "
        "people are there by night, and the law of the noise"
    )
    needs: ClassVar[frozenset[str]] = frozenset({"place", "user"})

    def __post_init__(self) -> None:
        positive("tolerance", self.tolerance)
        if len(self.night) != 2 or not all(0 <= hour < 24 for hour in self.night):
            raise bad_input("night", self.night, "two hours in [0, 24)")

    @property
    def name(self) -> str:
        return f"home found within {self.tolerance:.0f} m"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The share of users whose home is found; the reference is the best place guessed for everyone."""
        require_check_ins(data, release)
        if len(data.places) > _MOST_PLACES:
            raise InfeasibleError(f"{len(data.places)} different places: expected at most {_MOST_PLACES}; round them")
        home = self._most_visited(data)
        known = home >= 0
        if not known.any():
            raise InfeasibleError("no user has a check-in by night: expected some between the hours of 'night'")
        far = (
            angle_between(*(latlon_to_vector(data.places)[axis] for axis in (np.s_[:, None], np.s_[None])))
            * EARTH_RADIUS
        )
        near = far <= self.tolerance
        share = smooth(np.bincount(home[known], minlength=len(data.places)))
        chance = float(near[np.argmax(near @ share), home[known]].mean())
        noise = place_noise(mechanism)
        if noise is None:
            guess = self._most_visited(release)
        else:
            belief = self._belief(data, home, release, mechanism, noise, share)
            guess = (near @ belief.T).argmax(axis=0)  # the place with the most probability within the tolerance
        return Score.of_share(near[np.maximum(guess[known], 0), home[known]] & (guess[known] >= 0), chance)

    def _by_night(self, hour: Floats) -> NDArray[np.bool_]:
        start, end = self.night
        return (hour >= start) & (hour < end) if start < end else (hour >= start) | (hour < end)

    def _most_visited(self, data: CheckIns) -> NDArray[np.int64]:
        """The place visited most by night, by user; −1 for a user never seen by night."""
        count = np.zeros((data.users, len(data.places)))
        by_night = self._by_night(data.hour)
        np.add.at(count, (data.user[by_night], data.place[by_night]), 1)
        return np.where(count.sum(axis=1) > 0, count.argmax(axis=1), -1)

    def _belief(
        self, data: CheckIns, home: NDArray[np.int64], release: CheckIns, mechanism: Any, noise: Any, share: Floats
    ) -> Floats:
        """P(home | all check-ins of the user), of shape (users, places).

        By night a check-in is at home as often as by night people are; otherwise it is where this user goes at any
        hour, which is estimated first. A favourite place of the day is then no evidence for a home.
        """
        by_night = self._by_night(data.hour)
        at_home = float((data.place[by_night] == home[data.user[by_night]]).mean())
        weight = self._night_share(release, mechanism)
        popular = smooth(np.bincount(data.place, minlength=len(data.places)))
        habit = np.tile(popular, (release.users, 1))
        for part, density in _densities(noise, release):
            where = density * popular
            np.add.at(habit, release.user[part], where / where.sum(axis=1, keepdims=True))
        habit /= habit.sum(axis=1, keepdims=True)
        score = np.tile(np.log(share), (release.users, 1))
        for part, density in _densities(noise, release):
            away = (density * habit[release.user[part]]).sum(axis=1, keepdims=True)
            evidence = np.log(at_home * density + (1 - at_home) * away + 1e-300)
            np.add.at(score, release.user[part], weight[part, None] * evidence)
        belief = np.exp(score - score.max(axis=1, keepdims=True))
        return belief / belief.sum(axis=1, keepdims=True)

    def _night_share(self, release: CheckIns, mechanism: Any) -> Floats:
        """How likely each check-in was by night."""
        clock = hour_noise(mechanism)
        if clock is None:
            return self._by_night(release.hour).astype(float)
        grid = np.arange(0.25, 24, 0.5)
        likelihood = log_likelihood_of_hours(clock, release.hour, grid)
        posterior = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
        return np.asarray(posterior @ self._by_night(grid) / posterior.sum(axis=1))


def _densities(noise: Any, release: CheckIns) -> Iterator[tuple[slice, Floats]]:
    """The likelihood of blocks of check-ins at every place, up to a factor for each check-in."""
    block = max(1, 4_000_000 // len(release.places))
    for start in range(0, len(release), block):
        part = slice(start, start + block)
        likelihood = log_likelihood_of_places(noise, release.latlon[part], release.places)
        yield part, np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
