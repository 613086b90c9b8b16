"""Factorise, protect the users' factors, multiply again [D4, Algorithm 3]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sfumato.activity.core.activity import Activity, Matrix
from sfumato.activity.core.factors import Factoriser, Factors, Solver
from sfumato.activity.mechanisms.base import ActivityMechanism
from sfumato.activity.mechanisms.grouped_rows import Grouping, find_groups, form_of, group_centres
from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.promise import KAnonymity, NoGuarantee
from sfumato.validate import choice, integer, positive

__all__ = ["Factorisation"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Factorisation(ActivityMechanism):
    """M ≈ U·Vᵀ; the rows of U are grouped (``k``) or get Laplace noise (``scale``), and U′·Vᵀ is released.

    **Theorem 5.1.** If U′ has at least k copies of each of its rows, so has U′·Vᵀ. In floating point that holds only if
    equal rows are multiplied once: here the distinct rows are, and the products are copied. That is k-anonymity of form
    and nothing more: V is fitted on the raw rows. Noise on U has no ε: V is not noised, and the scale of U is arbitrary
    (U → cU, V → V/c); ``normalise`` at least gives φ a meaning.

    Parameters
    ----------
    rank : int
    k : int, optional
        Group the users' factors.
    scale : float, optional
        Laplace noise of this scale φ on every entry of U. With neither, the factorisation alone.
    solver, sweeps, rate, penalty
        As in :class:`~sfumato.activity.core.factors.Factoriser`.
    update_items : bool
        Fit V once more to the protected U (the prose of Algorithm 3; its pseudo-code leaves it out).
    shared : bool
        One V for all windows instead of one for each.
    normalise : bool
        Scale each column of U to mean square 1 before noise or grouping; V takes the factor.
    grouping, together
        As in :class:`GroupedRows`.

    Examples
    --------
    >>> matrix = (np.random.default_rng(0).random((8, 12)) < 0.3).astype(float)
    >>> made = Factorisation(rank=2, k=4, sweeps=20)
    >>> print(made.guarantee)
    k = 4 per row of one window (syntactic: each row of one window hides among 4)
    >>> len(np.unique(made.release(matrix, rng=np.random.default_rng(1)), axis=0))
    2
    """

    technique = "matrix factorization"

    rank: int
    k: int | None = None
    scale: float | None = None
    solver: Solver = "sgd"
    sweeps: int = 100
    rate: float = 0.05
    penalty: float = 0.01
    update_items: bool = False
    shared: bool = False
    normalise: bool = False
    grouping: Grouping = "k-member"
    together: bool = False

    def __post_init__(self) -> None:
        _ = self._factoriser
        if self.k is not None:
            integer("k", self.k)
            if self.scale is not None:
                raise bad_input("scale", self.scale, "either k or scale", "leave one of them out")
        if self.scale is not None:
            positive("scale", self.scale)
        choice("grouping", self.grouping, ("mdav", "k-member"))
        for name in ("update_items", "shared", "normalise", "together"):
            choice(name, getattr(self, name), (True, False))

    @property
    def _factoriser(self) -> Factoriser:
        return Factoriser(rank=self.rank, solver=self.solver, sweeps=self.sweeps, rate=self.rate, penalty=self.penalty)

    @property
    def guarantee(self) -> KAnonymity | NoGuarantee:
        if self.k is not None:
            return form_of(self.k, self.together)
        if self.scale is not None:
            return NoGuarantee("the items' factors are fitted on the raw rows and get no noise")
        return NoGuarantee("a factorisation is a summary of the raw rows")

    def _release(self, activity: Activity, rng: Rng) -> Activity:
        fitted = self._fit(activity.windows, rng)
        users = [factors.users for factors in fitted]
        if self.k is not None:
            grouped = find_groups(users, self.k, self.grouping, rng, together=self.together)
            distinct = [group_centres(rows, groups) for rows, groups in zip(users, grouped, strict=True)]
        else:
            grouped = [np.arange(len(rows)) for rows in users]
            distinct = [
                rows if self.scale is None else rows + rng.laplace(0.0, self.scale, rows.shape) for rows in users
            ]
        if self.update_items:
            fitted = self._updated(activity.windows, fitted, distinct, grouped, rng)
        # Multiplied once for each distinct row: BLAS may give bit-different rows for equal ones.
        return activity.with_windows(
            (rows @ factors.items.T)[groups] for rows, factors, groups in zip(distinct, fitted, grouped, strict=True)
        )

    def _fit(self, windows: tuple[Matrix, ...], rng: Rng) -> list[Factors]:
        """The factors of each window; of a shared V the rows that belong to it."""
        if not self.shared:
            return [self._scaled(self._factoriser.fit(window, rng)) for window in windows]
        both = self._scaled(self._factoriser.fit(_stacked(windows), rng))
        parts = np.split(both.users, len(windows))
        return [Factors(part, both.items) for part in parts]

    def _scaled(self, factors: Factors) -> Factors:
        if not self.normalise:
            return factors
        size = np.sqrt(np.maximum((factors.users**2).mean(axis=0), 1e-300))
        return Factors(factors.users / size, factors.items * size)

    def _updated(
        self,
        windows: tuple[Matrix, ...],
        fitted: list[Factors],
        distinct: list[NDArray[Any]],
        grouped: list[NDArray[np.int64]],
        rng: Rng,
    ) -> list[Factors]:
        users = [rows[groups] for rows, groups in zip(distinct, grouped, strict=True)]
        if not self.shared:
            return [
                self._factoriser.update_items(window, Factors(rows, factors.items), rng)
                for window, rows, factors in zip(windows, users, fitted, strict=True)
            ]
        once = self._factoriser.update_items(_stacked(windows), Factors(np.vstack(users), fitted[0].items), rng)
        return [Factors(rows, once.items) for rows in users]


def _stacked(windows: tuple[Matrix, ...]) -> Matrix:
    if any(sparse.issparse(window) for window in windows):
        return sparse.csr_array(sparse.vstack(windows))
    return np.vstack(windows)
