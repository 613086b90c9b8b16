"""Mean times of day of a survey, protected after averaging (central model; the naive comparison of E9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.core.coordinates import check_period, wrap_into
from sfumato.direction.core.group_means import GroupMeans, group_means
from sfumato.direction.data.sleep import SleepSurvey
from sfumato.direction.mechanisms.protected_survey import check_hour_noise, check_survey
from sfumato.errors import bad_input
from sfumato.mechanism.base import Mechanism
from sfumato.noise import Rng
from sfumato.promise import PureDP

__all__ = ["NaiveCentralSurvey"]


@dataclass(frozen=True, kw_only=True, eq=False)
class NaiveCentralSurvey(Mechanism):
    """Perturbs the circular mean of each group, with noise as large as for a single answer.

    One record can turn a circular mean by half a circle (take answers that cancel but for it), so the sensitivity of
    the mean is the whole circle, and the noise as large as for a single answer. Group membership is public; a person
    is in one group, so the group means together cost what one of them costs, and the overall mean is made from the
    noisy ones.

    Parameters
    ----------
    noise : Mechanism
        A mechanism with ``kind="hour"`` and a pure promise over the whole circle.

    Examples
    --------
    >>> from sfumato.direction.data.sleep import make_sleep_survey
    >>> from sfumato.direction import Purkayastha
    >>> survey = make_sleep_survey(people=100)
    >>> NaiveCentralSurvey(noise=Purkayastha(pure=1.0, kind="hour")).release(survey).group.shape
    (4,)
    """

    noise: Any

    def __post_init__(self) -> None:
        check_hour_noise(self.noise)
        # Noise for a bounded query is too small: a mean may turn by half a circle.
        if getattr(self.noise, "pure", None) is None or getattr(self.noise, "sensitivity", None) is not None:
            raise bad_input("noise", self.noise, "a pure promise over the whole circle", "give pure=, no sensitivity=")

    @property
    def pure(self) -> float | None:
        """The ε of the noise, for the axis of a study."""
        return self.noise.pure

    @property
    def guarantee(self) -> PureDP:
        promise = PureDP(self.noise.pure, unit="person", neighbours="replace-one", model="central")
        return promise.assuming(*self.noise.guarantee.assumptions)

    def release(self, data: Any, *, rng: Rng | None = None) -> GroupMeans:
        """The perturbed mean of each group, and the overall mean made of them."""
        check_period("data", check_survey(data).hour, 24.0, wrap=False)
        means = self.noise.release(group_means(data).group, rng=rng)
        people = np.bincount(data.group, minlength=len(means))
        turn = 2 * np.pi / 24 * means
        overall = np.arctan2(people @ np.sin(turn), people @ np.cos(turn)) * 24 / (2 * np.pi)
        return GroupMeans(group=means, overall=float(wrap_into(overall, 24.0)))

    def log_density(self, output: Any, data: SleepSurvey) -> NDArray[np.float64]:
        """Log-density of the group means of each output (a sequence of :class:`GroupMeans`) given the input."""
        return np.asarray(self.noise.log_density(np.stack([means.group for means in output]), group_means(data).group))
