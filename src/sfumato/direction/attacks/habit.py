"""Attack on repeated reports of a time of day: infer the usual hour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.attacks.likelihood import (
    hour_noise,
    log_likelihood_of_hours,
)
from sfumato.direction.attacks.scoring import Floats, smooth
from sfumato.direction.core.group_means import GroupMeans
from sfumato.direction.core.statistics import circular_distance
from sfumato.direction.data.check_ins import CheckIns
from sfumato.direction.data.sleep import SleepSurvey
from sfumato.errors import bad_input
from sfumato.mechanism.base import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.validate import positive

__all__ = ["HabitAttack"]


@dataclass(frozen=True, kw_only=True)
class HabitAttack:
    """Infers the hour at which a person usually does something, from all their protected answers.

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

    criterion: ClassVar[Criterion] = "inference"
    knows: ClassVar[str] = "whose record each one is, how common each habit is, and the law of the noise"
    needs: ClassVar[frozenset[str]] = frozenset({"hour", "user"})

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
        prior = smooth(np.bincount((truth * 8).astype(np.int64) % len(grid), minlength=len(grid)))
        common = grid[np.argmax(near @ prior)]
        chance = float((circular_distance(truth, common) <= self.tolerance).mean())
        noise = hour_noise(mechanism) if self.adaptive else None
        if isinstance(release, GroupMeans):
            guess = np.full(len(truth), common)
            if noise is not None:
                told = _told_by_means(noise, data.group, release.group, grid, prior, resolve_rng(rng))
                guess = grid[np.argmax((prior * told) @ near, axis=1)][data.group]
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
        return Score.of_share(circular_distance(guess, truth) <= self.tolerance, chance)


def _told_by_means(
    noise: Any, group: NDArray[np.int64], means: Floats, grid: Floats, prior: Floats, rng: Rng, *, draws: int = 100
) -> Floats:
    """Pr[released mean of a group | the habit of one member] by simulating the other members, shape (groups, grid).

    A large group tells next to nothing about one member, a group of one everything that the noise leaves.
    """
    turn = np.exp(2j * np.pi / 24 * grid)
    told = np.ones((len(means), len(grid)))
    for number, size in enumerate(np.bincount(group, minlength=len(means))):
        # habits are drawn by how often each is drawn, so that a group of a million costs what a group of ten does
        others = rng.multinomial(max(int(size) - 1, 0), prior, size=draws) @ turn
        mean = np.mod(np.angle(others[:, None] + turn[None]) * (24 / (2 * np.pi)), 24)
        at = np.rint(mean * (len(grid) / 24)).astype(np.int64) % len(grid)
        law = log_likelihood_of_hours(noise, means[[number]], grid)[0]
        told[number] = np.exp(law - law.max())[at].mean(axis=0) + 1e-300
    return told


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
