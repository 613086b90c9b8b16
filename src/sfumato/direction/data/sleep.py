"""Sleep surveys: the data type, and a generator of wake-up times for four age groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import seeded_rng
from sfumato.validate import integer, positive

__all__ = ["AGE_GROUPS", "SleepSurvey", "make_sleep_survey"]

AGE_GROUPS = ("13–18", "19–29", "30–45", "46–64")


@dataclass(frozen=True, kw_only=True, eq=False)
class SleepSurvey:
    """Wake-up times of people in groups.

    Parameters
    ----------
    hour : ndarray of float, shape (people, nights)
        Time of waking in [0, 24).
    group : ndarray of int, shape (people,)
        Age group.
    """

    hour: NDArray[np.float64]
    group: NDArray[np.int64]

    def __post_init__(self) -> None:
        if np.ndim(self.hour) != 2 or np.shape(self.group) != np.shape(self.hour)[:1]:
            raise bad_input("hour", np.shape(self.hour), f"shape ({len(self.group)}, nights)", "one row a person")

    def __len__(self) -> int:
        return len(self.group)

    @property
    def user(self) -> NDArray[np.int64]:
        """Who gave each answer, in the order of ``hour.ravel()``."""
        return np.repeat(np.arange(len(self.group)), self.hour.shape[1])

    def with_hours(self, hour: Any) -> Self:
        """The same people with other times."""
        return type(self)(hour=hour, group=self.group)


def make_sleep_survey(
    *, people: int = 1508, nights: int = 1, habit: float = 1.9, restless: float = 0.6, seed: int = 0
) -> SleepSurvey:
    """Answers like those of a national poll: mean 7 h, standard deviation 2 h, teenagers earliest on school days.

    Parameters
    ----------
    people, nights : int
    habit, restless : float
        Standard deviation in hours between people, and between the nights of one person.

    >>> make_sleep_survey(people=5, nights=3).hour.shape
    (5, 3)
    """
    rng = seeded_rng(seed)
    people, nights = integer("people", people), integer("nights", nights)
    group = rng.integers(len(AGE_GROUPS), size=people)
    usual = np.array([6.6, 7.5, 7.0, 6.8])[group] + rng.normal(0, positive("habit", habit), people)
    hour = usual[:, None] + rng.normal(0, positive("restless", restless), (people, nights))
    return SleepSurvey(hour=np.mod(hour, 24.0), group=group)
