"""What an assignment achieved, in the dissertation's sense and with an interval."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.activity.core.activity import Activity, Matrix, unpack_windows
from sfumato.activity.core.row_classes import row_classes
from sfumato.errors import bad_input
from sfumato.study.score import Score

__all__ = ["last_two", "score_assignment", "window_pairs"]


def score_assignment(found: NDArray[np.int64], released: Matrix, k: int | None = None) -> Score:
    """The share of people found, where row i of the release is that of person i.

    Rows that are equal to the last bit cannot be told apart: landing on the right class of c equal rows counts 1/c,
    what picking one of them at random achieves. With a promised ``k`` the dissertation counts the right class as 1/k,
    the nominal k and not the size of the class (Def. 5.1); the larger of both is reported.

    Parameters
    ----------
    found : array of int
        The released row that each person was assigned to.
    k : int, optional
        What was promised.

    Examples
    --------
    Figure 5.1: seven users, of whom 2, 3, 4 and 5 are mis-assigned; with k = 2, users 4 and 5 land in their cluster.

    >>> found = np.array([0, 2, 1, 4, 3, 5, 6])
    >>> score_assignment(found, np.eye(7)).value  # 3/7
    0.428...
    >>> clusters = np.eye(3)[[0, 0, 1, 2, 2, 1, 1]]
    >>> score_assignment(found, clusters, k=2).value  # 5/7 · 1/2
    0.357...
    """
    classes = row_classes(released)
    if len(found) != len(classes):
        raise bad_input("release", len(classes), f"{len(found)} rows, one for each user")
    sizes = np.bincount(classes)[classes[found]]
    right = classes[found] == classes
    chance = 1 / len(found)
    share = Score.of_share(right, chance)
    value = float(np.mean(right / sizes))
    if k is not None and sizes.min() >= k:
        value = max(value, share.value / k)
    scale = value / share.value if share.value > 0 else 1.0 / float(sizes.mean())
    return Score(value, min(value, share.low * scale), max(value, share.high * scale), chance)


def last_two(activity: Activity) -> tuple[Matrix, Matrix]:
    """The last two windows, which linkage is about."""
    if activity.count < 2:
        raise bad_input("windows", activity.count, "at least two windows to link", "take shorter windows")
    return activity.windows[-2], activity.windows[-1]


def window_pairs(data: Any, release: Any) -> tuple[Activity, Activity]:
    """The original and its release as activities, checked to be about the same users and items."""
    original, seen = unpack_windows(data)[0], unpack_windows(release)[0]
    if original.shape != seen.shape or original.count != seen.count:
        raise bad_input(
            "release",
            f"{seen.count} × {seen.shape}",
            f"{original.count} windows of shape {original.shape}, as the original",
            "is it a release of these data?",
        )
    if original.users and seen.users and original.users != seen.users:
        raise bad_input("users", "another set or order", "the same users in the same order")
    return original, seen
