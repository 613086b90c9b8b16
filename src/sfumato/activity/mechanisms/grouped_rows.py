"""Rows replaced by the mean of a group of at least k people [P6, Experiment 1]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sfumato.activity.core.activity import Activity, Matrix
from sfumato.activity.mechanisms.base import ActivityMechanism
from sfumato.errors import bad_input
from sfumato.mechanism.clusters import k_member_groups, mdav_groups
from sfumato.noise import Rng
from sfumato.promise import KAnonymity
from sfumato.validate import choice, integer

__all__ = ["GroupedRows", "Grouping", "find_groups", "form_of", "group_centres"]

Grouping = Literal["k-member", "mdav"]

_DIRECTIONS = 256


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupedRows(ActivityMechanism):
    """Every row becomes the mean of its group of k people or more: the released rows are k-anonymous.

    With ``together`` the groups are formed once, on the rows of all windows side by side: the release as a whole is
    k-anonymous, and whoever links the windows links groups. Without it (the dissertation's Experiment 1) each window
    has groups of its own, and two windows together can single somebody out.

    Parameters
    ----------
    k : int
    grouping : {"mdav", "k-member"}
        Maximum distance to average vector, or greedy k-member, chapter 5's k-anonymiser.
    together : bool
        One grouping for all windows.
    directions : int
        Distances are taken along so many principal directions; exact where the matrix has no more rows or columns.

    Examples
    --------
    >>> matrix = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    >>> GroupedRows(k=2).release(matrix).tolist()
    [[1.0, 0.5], [1.0, 0.5], [0.0, 0.0], [0.0, 0.0]]
    """

    technique = "microaggregation"

    k: int
    grouping: Grouping = "mdav"
    together: bool = True
    directions: int = _DIRECTIONS

    def __post_init__(self) -> None:
        integer("k", self.k)
        choice("grouping", self.grouping, ("mdav", "k-member"))
        choice("together", self.together, (True, False))
        integer("directions", self.directions)

    @property
    def guarantee(self) -> KAnonymity:
        return form_of(self.k, self.together)

    def _release(self, activity: Activity, rng: Rng) -> Activity:
        parts = activity.directions(self.directions)
        grouped = find_groups(parts, self.k, self.grouping, rng, together=self.together)
        return activity.with_windows(
            group_centres(window, groups)[groups] for window, groups in zip(activity.windows, grouped, strict=True)
        )


def form_of(k: int, together: bool) -> KAnonymity:
    """k-anonymity of a user, or of a user's row in one window."""
    return KAnonymity(k, unit="user" if together else "row of one window")


def find_groups(
    parts: Sequence[NDArray[np.float64]], k: int, grouping: Grouping, rng: Rng, *, together: bool
) -> list[NDArray[np.int64]]:
    """The group of each row in each window."""
    users = len(parts[0])
    if k > users:
        raise bad_input("k", k, f"at most the {users} users", "lower k")

    def groups(rows: NDArray[np.float64]) -> NDArray[np.int64]:
        return mdav_groups(rows, k) if grouping == "mdav" else k_member_groups(rows, k, rng=rng)

    if together:
        return [groups(np.hstack(parts))] * len(parts)
    return [groups(part) for part in parts]


def group_centres(matrix: Matrix, groups: NDArray[np.int64]) -> Matrix:
    """The mean row of each group, computed once: whoever indexes it gets rows that are equal to the last bit."""
    sizes = np.bincount(groups)
    member = sparse.csr_array((np.ones(len(groups)), (groups, np.arange(len(groups)))), shape=(len(sizes), len(groups)))
    if sparse.issparse(matrix):
        return sparse.csr_array(sparse.diags_array(1.0 / sizes) @ (member @ matrix))
    return np.asarray(member @ matrix) / sizes[:, None]
