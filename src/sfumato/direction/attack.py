"""Attacks on protected directions: find a home, find a habit, tell who is who.

The attackers know the mechanism (an *adaptive* attacker) and how places and habits are spread in the population; they
combine all releases of one user by Bayes' rule. What they achieve without the release is their reference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.attacks.likelihood import (
    hour_noise,
    log_likelihood_of_hours,
    log_likelihood_of_places,
    place_noise,
)
from sfumato.direction.core.coordinates import EARTH_RADIUS, latlon_to_vector
from sfumato.direction.core.sphere import angle_between
from sfumato.direction.core.statistics import circular_distance
from sfumato.direction.data.check_ins import CheckIns
from sfumato.direction.data.sleep import SleepSurvey
from sfumato.direction.mechanisms.hour_survey import GroupMeans
from sfumato.errors import InfeasibleError, bad_input
from sfumato.mechanism.base import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.study.shapes import Score
from sfumato.validate import integer, positive

__all__ = ["HabitAttack", "HistogramLinkageAttack", "HomeAttack"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class HabitAttack:
    """Finds the hour at which a person usually does something, from all their protected answers.

    Parameters
    ----------
    tolerance : float
        A guess within so many hours of the person's true circular mean counts.
    spread : float
        What the attacker assumes of the standard deviation between the true answers of one person, in hours.
    adaptive : bool
        Use the law of the noise; a static attacker averages the answers as if they were true.
    """

    tolerance: float = 0.5
    spread: float = 0.75
    adaptive: bool = True

    def __post_init__(self) -> None:
        positive("tolerance", self.tolerance)
        positive("spread", self.spread)

    @property
    def name(self) -> str:
        return f"habit found within {60 * self.tolerance:.0f} min"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The share of people whose habit is found; the reference is the best guess made for everyone."""
        truth = _habits(*_answers(data))
        grid = np.arange(0, 24, 0.125)
        near = circular_distance(grid[:, None], grid[None]) <= self.tolerance
        prior = _smooth(np.bincount((truth * 8).astype(np.int64) % len(grid), minlength=len(grid)))
        common = grid[np.argmax(near @ prior)]
        chance = float((circular_distance(truth, common) <= self.tolerance).mean())
        noise = hour_noise(mechanism) if self.adaptive else None
        if isinstance(release, GroupMeans):
            guess = np.full(len(truth), common)  # the mean of a group says nothing about one member
        elif noise is None:
            guess = _habits(*_answers(release))
        else:
            user, hour = _answers(release)
            blur = np.exp(-0.5 * (circular_distance(grid[:, None], grid[None]) / self.spread) ** 2)
            score = np.tile(np.log(prior), (len(truth), 1))
            likelihood = log_likelihood_of_hours(noise, hour, grid)
            top = likelihood.max(axis=1, keepdims=True)
            np.add.at(score, user, np.log(np.exp(likelihood - top) @ (blur / blur.sum(axis=0)) + 1e-300))
            posterior = np.exp(score - score.max(axis=1, keepdims=True))
            guess = grid[np.argmax(posterior @ near, axis=1)]
        return _rate(circular_distance(guess, truth) <= self.tolerance, chance)


@dataclass(frozen=True, kw_only=True)
class HomeAttack:
    """Finds where a user lives: the place they are at by night, from all their protected check-ins.

    Parameters
    ----------
    tolerance : float
        A guess within so many metres of the true home counts.
    night : tuple of float
        The hours at which people are taken to be at home.
    """

    tolerance: float = 100.0
    night: tuple[float, float] = (22.0, 6.0)

    def __post_init__(self) -> None:
        positive("tolerance", self.tolerance)
        if len(self.night) != 2 or not all(0 <= hour < 24 for hour in self.night):
            raise bad_input("night", self.night, "two hours in [0, 24)")

    @property
    def name(self) -> str:
        return f"home found within {self.tolerance:.0f} m"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The share of users whose home is found; the reference is the best place guessed for everyone."""
        _require_checkins(data, release)
        home = self._most_visited(data)
        known = home >= 0
        if not known.any():
            raise InfeasibleError("no user has a check-in by night: expected some between the hours of 'night'")
        far = (
            angle_between(*(latlon_to_vector(data.places)[axis] for axis in (np.s_[:, None], np.s_[None])))
            * EARTH_RADIUS
        )
        near = far <= self.tolerance
        share = _smooth(np.bincount(home[known], minlength=len(data.places)))
        chance = float(near[np.argmax(near @ share), home[known]].mean())
        noise = place_noise(mechanism)
        guess = self._most_visited(release) if noise is None else self._most_likely(release, mechanism, noise, share)
        return _rate(near[np.maximum(guess[known], 0), home[known]] & (guess[known] >= 0), chance)

    def _by_night(self, hour: Floats) -> NDArray[np.bool_]:
        start, end = self.night
        return (hour >= start) & (hour < end) if start < end else (hour >= start) | (hour < end)

    def _most_visited(self, data: CheckIns) -> NDArray[np.int64]:
        """The place visited most by night, by user; −1 for a user never seen by night."""
        count = np.zeros((data.users, len(data.places)))
        by_night = self._by_night(data.hour)
        np.add.at(count, (data.user[by_night], data.place[by_night]), 1)
        return np.where(count.sum(axis=1) > 0, count.argmax(axis=1), -1)

    def _most_likely(self, release: CheckIns, mechanism: Any, noise: Any, share: Floats) -> NDArray[np.int64]:
        """MAP over homes: by night a check-in is at home nine times in ten, by day one time in ten."""
        grid = np.arange(0.25, 24, 0.5)
        at_home = np.where(self._by_night(grid), 0.9, 0.1)
        clock = hour_noise(mechanism)
        if clock is None:
            weight = np.where(self._by_night(release.hour), 0.9, 0.1)
        else:
            likelihood = log_likelihood_of_hours(clock, release.hour, grid)
            posterior = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
            weight = posterior @ at_home / posterior.sum(axis=1)
        score = np.tile(np.log(share), (release.users, 1))
        block = max(1, 4_000_000 // len(release.places))
        for start in range(0, len(release), block):
            part = slice(start, start + block)
            likelihood = log_likelihood_of_places(noise, release.latlon[part], release.places)
            density = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
            elsewhere = density @ share
            mixed = weight[part, None] * density + (1 - weight[part, None]) * elsewhere[:, None]
            np.add.at(score, release.user[part], np.log(mixed + 1e-300))
        return np.asarray(score.argmax(axis=1))


@dataclass(frozen=True, kw_only=True)
class HistogramLinkageAttack:
    """Tells who is who: links protected histograms of users to the histograms that an attacker knows them by.

    Every other record of a user is the attacker's background knowledge, the rest is what was released. Users are
    matched by the k nearest histograms (Hellinger distance) of hours and, where there are any, places.

    Parameters
    ----------
    k : int
        A user counts as linked when the true one is among the k nearest.
    adaptive : bool
        Protect the background with the same mechanism before comparing.
    """

    k: int = 1
    adaptive: bool = True

    def __post_init__(self) -> None:
        integer("k", self.k)

    @property
    def name(self) -> str:
        return "users linked" if self.k == 1 else f"users linked, top {self.k}"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        """The share of users linked; the reference is k out of all."""
        rng = resolve_rng(rng)
        _require_checkins(data, release)
        order = np.argsort(data.user, kind="stable")
        turn = np.empty(len(data), dtype=np.int64)
        turn[order] = np.arange(len(data))
        known = data.select(turn % 2 == 0)
        if self.adaptive and mechanism is not None:
            known = mechanism.release(known, rng=rng)
        users = data.users
        background, target = self._profiles(known, users), self._profiles(release.select(turn % 2 == 1), users)
        present = (background.sum(axis=1) > 0) & (target.sum(axis=1) > 0)
        closeness = target[present] @ background[present].T
        own = np.diag(closeness)
        # ties are broken at random: a profile equal to many others links to none of them
        ahead = (closeness > own[:, None]).sum(axis=1)
        level = (closeness == own[:, None]).sum(axis=1) - 1
        rank = ahead + rng.integers(level + 1)
        return _rate(rank < self.k, min(1.0, self.k / int(present.sum())))

    def _profiles(self, data: CheckIns, users: int) -> Floats:
        hours = np.zeros((users, 24))
        np.add.at(hours, (data.user, data.hour.astype(np.int64) % 24), 1)
        places = np.zeros((users, len(data.places)))
        np.add.at(places, (data.user, data.place), 1)
        total = np.maximum(hours.sum(axis=1, keepdims=True), 1)
        return np.concatenate((np.sqrt(hours / total), np.sqrt(places / total)), axis=1)


def _answers(data: Any) -> tuple[NDArray[np.int64], Floats]:
    """Who, and at what hour, for every answer or check-in."""
    if isinstance(data, SleepSurvey | CheckIns):
        return data.user, data.hour.ravel()
    raise bad_input("data", type(data).__name__, "a SleepSurvey or CheckIns")


def _habits(user: NDArray[np.int64], hour: Floats) -> Floats:
    turn = hour * (2 * np.pi / 24)
    x = np.bincount(user, np.cos(turn))
    y = np.bincount(user, np.sin(turn))
    return np.mod(np.arctan2(y, x) * (24 / (2 * np.pi)), 24)


def _smooth(counts: NDArray[Any]) -> Floats:
    return (counts + 0.5) / (counts + 0.5).sum()


def _rate(hit: NDArray[np.bool_], chance: float) -> Score:
    """A share with its Wilson interval."""
    n, z = len(hit), 1.959964
    share = float(hit.mean())
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low, high = min(share, float(middle - half)), max(share, float(middle + half))
    return Score(share, low=low, high=high, reference=chance)


def _require_checkins(*values: Any) -> None:
    for value in values:
        if not isinstance(value, CheckIns):
            raise bad_input("data", type(value).__name__, "CheckIns", "make_check_ins() makes some")
