"""A survey of times of day, protected at each respondent or at the averages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.core.coordinates import wrap_into
from sfumato.direction.core.statistics import circular_mean
from sfumato.direction.data.sleep import SleepSurvey
from sfumato.errors import bad_input
from sfumato.mechanism.base import Mechanism
from sfumato.noise import Rng
from sfumato.promise.guarantee import Guarantee, PureDP

__all__ = ["GroupMeans", "NaiveCentralSurvey", "ProtectedSurvey", "group_means"]


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupMeans:
    """The circular mean of each group and of all, in hours."""

    group: NDArray[np.float64]
    overall: float


def group_means(survey: SleepSurvey | GroupMeans) -> GroupMeans:
    """The means of a survey; means themselves pass through."""
    if isinstance(survey, GroupMeans):
        return survey
    groups = [circular_mean(survey.hour[survey.group == g]) for g in range(int(survey.group.max()) + 1)]
    return GroupMeans(group=np.array(groups), overall=float(circular_mean(survey.hour)))


@dataclass(frozen=True, kw_only=True, eq=False)
class _OfHours(Mechanism):
    noise: Any

    def __post_init__(self) -> None:
        if not isinstance(self.noise, Mechanism) or getattr(self.noise, "kind", None) != "hour":
            raise bad_input(
                "noise", self.noise, "a mechanism with kind='hour', such as Purkayastha(pure=1, kind='hour')"
            )

    @property
    def pure(self) -> float | None:
        """The ε of the noise, for the axis of a study."""
        return self.noise.pure


@dataclass(frozen=True, kw_only=True, eq=False)
class ProtectedSurvey(_OfHours):
    """Every respondent adds noise before answering; nobody holds the true answers. The promise is for one answer.

    Parameters
    ----------
    noise : Mechanism
        A directional mechanism with ``kind="hour"``.

    Examples
    --------
    >>> from sfumato.direction.data.sleep import make_sleep_survey
    >>> from sfumato.direction import Purkayastha
    >>> survey = make_sleep_survey(people=100)
    >>> ProtectedSurvey(noise=Purkayastha(pure=1.0, kind="hour")).release(survey).hour.shape
    (100, 1)
    """

    @property
    def guarantee(self) -> Guarantee:
        return replace(self.noise.guarantee, unit="answer")

    def release(self, data: Any, *, rng: Rng | None = None) -> SleepSurvey:
        """The survey with protected answers."""
        return _survey(data).with_hours(self.noise.release(data.hour, rng=rng))

    def log_density(self, output: Any, data: SleepSurvey) -> NDArray[np.float64]:
        """Log-density of each output (a sequence of surveys) given the input."""
        return np.asarray(self.noise.log_density(np.stack([survey.hour for survey in output]), data.hour))


@dataclass(frozen=True, kw_only=True, eq=False)
class NaiveCentralSurvey(_OfHours):
    """A trusted aggregator averages, then perturbs each mean once (E9's deliberately naive comparison).

    One record can turn a circular mean by half a circle (take answers that cancel but for it), so the sensitivity of
    the mean is the whole circle, and the noise as large as for a single answer. Group membership is public; a person
    is in one group, so the group means together cost what one of them costs, and the overall mean is made from the
    noisy ones.

    Parameters
    ----------
    noise : Mechanism
        A mechanism with ``kind="hour"`` and a pure promise over the whole circle.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.noise.guarantee, PureDP):
            raise bad_input("noise", self.noise, "a pure promise: a mean may turn by half a circle")

    @property
    def guarantee(self) -> PureDP:
        return PureDP(self.noise.guarantee.epsilon, unit="person", neighbours="replace-one", model="central")

    def release(self, data: Any, *, rng: Rng | None = None) -> GroupMeans:
        """Perturbed means."""
        means = self.noise.release(group_means(_survey(data)).group, rng=rng)
        people = np.bincount(data.group, minlength=len(means))
        turn = 2 * np.pi / 24 * means
        overall = np.arctan2(people @ np.sin(turn), people @ np.cos(turn)) * 24 / (2 * np.pi)
        return GroupMeans(group=means, overall=float(wrap_into(overall, 24.0)))


def _survey(data: Any) -> SleepSurvey:
    if not isinstance(data, SleepSurvey):
        raise bad_input("data", type(data).__name__, "a SleepSurvey", "make_sleep_survey() makes one")
    return data
