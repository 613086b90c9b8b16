"""Means and profiles that the utilities of directions share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.core.group_means import GroupMeans, group_means
from sfumato.direction.data.check_ins import CheckIns
from sfumato.direction.data.directions import Directions
from sfumato.direction.data.sleep import SleepSurvey
from sfumato.errors import bad_input

__all__ = ["aligned", "group_hours", "profiles"]


def aligned(data: Any, release: Any, kind: str) -> tuple[Directions, Directions]:
    """Directions of one kind and their release, row by row."""
    for value in (data, release):
        if not isinstance(value, Directions) or value.kind != kind:
            raise bad_input("data", type(value).__name__, f"Directions of kind {kind}")
    if data.values.shape != release.values.shape:
        raise bad_input("release", release.values.shape, f"shape {data.values.shape}, row by row the data")
    return data, release


def group_hours(value: Any) -> GroupMeans:
    """The group means of a survey, or group means that were released."""
    if not isinstance(value, SleepSurvey | GroupMeans):
        raise bad_input("data", type(value).__name__, "a SleepSurvey or GroupMeans")
    return group_means(value)


def profiles(value: Any, bins: int) -> NDArray[np.int64]:
    """Counts by place and part of the day; a survey is one place."""
    if isinstance(value, SleepSurvey):
        place, hour, places = np.zeros(value.hour.size, dtype=np.int64), value.hour.ravel(), 1
    elif isinstance(value, CheckIns):
        place, hour, places = value.place, value.hour, len(value.places)
    else:
        raise bad_input("data", type(value).__name__, "CheckIns or a SleepSurvey")
    part = np.minimum((hour * (bins / 24)).astype(np.int64), bins - 1)
    return np.bincount(place * bins + part, minlength=places * bins).reshape(places, bins)
