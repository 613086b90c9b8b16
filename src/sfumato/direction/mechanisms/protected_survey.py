"""A survey of times of day, protected by each respondent (local model; Weggenmann §7.4.3)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.data.sleep import SleepSurvey
from sfumato.errors import bad_input
from sfumato.mechanism.base import Mechanism
from sfumato.noise import Rng
from sfumato.promise import Guarantee

__all__ = ["ProtectedSurvey", "check_hour_noise", "check_survey"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ProtectedSurvey(Mechanism):
    """Adds noise to every answer before anybody sees it; the promise is for one answer.

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

    noise: Any

    def __post_init__(self) -> None:
        check_hour_noise(self.noise)

    @property
    def pure(self) -> float | None:
        """The ε of the noise, for the axis of a study."""
        return self.noise.pure

    @property
    def guarantee(self) -> Guarantee:
        return replace(self.noise.guarantee, unit="answer")

    def release(self, data: Any, *, rng: Rng | None = None) -> SleepSurvey:
        """The survey with protected answers."""
        return check_survey(data).with_hours(self.noise.release(data.hour, rng=rng))

    def log_density(self, output: Any, data: SleepSurvey) -> NDArray[np.float64]:
        """Log-density of each output (a sequence of surveys) given the input."""
        return np.asarray(self.noise.log_density(np.stack([survey.hour for survey in output]), data.hour))


def check_hour_noise(noise: Any) -> None:
    """Refuse what does not perturb times of day."""
    if not isinstance(noise, Mechanism) or getattr(noise, "kind", None) != "hour":
        raise bad_input("noise", noise, "a mechanism with kind='hour', such as Purkayastha(pure=1, kind='hour')")


def check_survey(data: Any) -> SleepSurvey:
    """The data if they are a survey of times of day."""
    if not isinstance(data, SleepSurvey):
        raise bad_input("data", type(data).__name__, "a SleepSurvey", "make_sleep_survey() makes one")
    return data
