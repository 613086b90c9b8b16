"""Users × items, one matrix for each window of time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sfumato.activity.core.main_directions import main_directions
from sfumato.errors import bad_input
from sfumato.validate import finite_array, probability

__all__ = ["Activity", "Matrix", "as_dense", "as_matrix", "unpack_windows"]

Matrix = Any
"""A window: a float64 array of shape (users, items), or a sparse one in rows (``scipy.sparse.csr_array``)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Activity:
    """What the same people did in several windows of time. Row i is the same person in every window.

    A release has the same shape: row i of its windows stands for person i. Pseudonyms and a random order are given at
    the door; attacks mix the rows before they look at them.

    Parameters
    ----------
    windows : sequence of matrices
        Users × items, dense or sparse: 0/1, counts, or what a mechanism made of them.
    labels : sequence of str
        A name for each window.
    items, users : sequence of str
        Names of columns and rows; empty if they have none.
    channel : pair of float, optional
        For randomised cells: the probability of a 1 where there was a 0, and where there was a 1.

    Examples
    --------
    >>> log = Activity(windows=[[[1, 0], [0, 1]], [[1, 1], [0, 0]]])
    >>> log
    Activity(2 windows, 2 users, 2 items)
    """

    windows: tuple[Matrix, ...] = field(repr=False)
    labels: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    channel: tuple[float, float] | None = None
    _directions: dict[int, list[NDArray[np.float64]]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        windows = tuple(as_matrix(f"window {k + 1}", window) for k, window in enumerate(self.windows))
        if not windows:
            raise bad_input("windows", 0, "at least one window")
        first = windows[0].shape
        for k, window in enumerate(windows):
            if window.shape != first:
                raise bad_input(
                    f"shape of window {k + 1}",
                    window.shape,
                    f"{first}, as the first window",
                    "every window has the same users and the same items; a user without events is a row of zeros",
                )
        if 0 in first:
            raise bad_input("shape", first, "at least one user and one item")
        object.__setattr__(self, "windows", windows)
        labels = tuple(map(str, self.labels)) or tuple(str(k + 1) for k in range(len(windows)))
        object.__setattr__(self, "labels", labels)
        for name, values, count in (
            ("labels", labels, len(windows)),
            ("items", self.items, first[1]),
            ("users", self.users, first[0]),
        ):
            words = tuple(map(str, values))
            object.__setattr__(self, name, words)
            if words and len(words) != count:
                raise bad_input(name, len(words), f"{count}, one for each")
            if len(set(words)) < len(words):
                raise bad_input(name, "a name twice", "every name once", "merge what belongs together")
        if self.channel is not None:
            low, high = self.channel
            probability("channel[0]", low, zero=True, one=True)
            probability("channel[1]", high, zero=True, one=True)

    @property
    def shape(self) -> tuple[int, int]:
        """Users and items."""
        rows, columns = self.windows[0].shape
        return int(rows), int(columns)

    @property
    def count(self) -> int:
        """How many windows."""
        return len(self.windows)

    def directions(self, most: int) -> list[NDArray[np.float64]]:
        """For each window coordinates in which distances are those of its rows, along so many main directions at most.

        They do not depend on how people are grouped afterwards: computed once, they serve every k.
        """
        if most not in self._directions:
            self._directions[most] = [main_directions(window, most) for window in self.windows]
        return self._directions[most]

    def with_windows(self, windows: Iterable[Matrix], **changes: Any) -> Self:
        """The same users and items with other matrices."""
        return replace(self, windows=tuple(windows), **changes)

    def take(self, rows: NDArray[Any]) -> Self:
        """Some of the users, in the order given."""
        users = tuple(self.users[i] for i in np.asarray(rows).tolist()) if self.users else ()
        return replace(self, windows=tuple(window[rows] for window in self.windows), users=users)

    def select(self, columns: NDArray[Any]) -> Self:
        """Some of the items, in the order given."""
        items = tuple(self.items[j] for j in np.asarray(columns).tolist()) if self.items else ()
        return replace(self, windows=tuple(window[:, columns] for window in self.windows), items=items)

    def estimates(self) -> tuple[Matrix, ...]:
        """The windows; of randomised cells the unbiased estimate (y − q)/(p − q) of each."""
        if self.channel is None:
            return self.windows
        low, high = self.channel
        return tuple((as_dense(window) - low) / (high - low) for window in self.windows)

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"Activity({self.count} window{'s' if self.count > 1 else ''}, {rows} users, {columns} items)"


def as_matrix(name: str, value: Any) -> Matrix:
    """A finite matrix: float64 and dense, or float64 in compressed rows without explicit zeros."""
    if sparse.issparse(value):
        made = sparse.csr_array(value, dtype=np.float64, copy=True)
        if not np.isfinite(made.data).all():
            raise bad_input(name, "not finite", "finite numbers", "remove or impute missing values first")
        made.sum_duplicates()
        made.eliminate_zeros()
        return made
    return finite_array(name, value, ndim=2)


def as_dense(matrix: Matrix) -> NDArray[np.float64]:
    """The matrix as an array."""
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def unpack_windows(data: Any) -> tuple[Activity, Callable[[Activity], Any]]:
    """An activity from an activity or from one matrix, and how to give back the same kind of thing.

    >>> made, repack = unpack_windows(np.eye(2))
    >>> repack(made).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if isinstance(data, Activity):
        return data, lambda release: release
    one = as_matrix("data", data)
    if sparse.issparse(one):
        return Activity(windows=(one,)), lambda release: as_matrix("release", sparse.csr_array(release.windows[0]))
    return Activity(windows=(one,)), lambda release: as_dense(release.windows[0])
