"""Circular means of the groups of a survey, as data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.core.statistics import circular_mean
from sfumato.direction.data.sleep import SleepSurvey

__all__ = ["GroupMeans", "group_means"]


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupMeans:
    """The circular mean of each group and of all answers, in hours."""

    group: NDArray[np.float64]
    overall: float


def group_means(survey: SleepSurvey | GroupMeans) -> GroupMeans:
    """The circular means of a survey by group; means are returned as they are."""
    if isinstance(survey, GroupMeans):
        return survey
    groups = [circular_mean(survey.hour[survey.group == g]) for g in range(int(survey.group.max()) + 1)]
    return GroupMeans(group=np.array(groups), overall=float(circular_mean(survey.hour)))
