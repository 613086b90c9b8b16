"""Matrix factorisation M ≈ U·Vᵀ over all cells: stochastic gradient, alternating least squares, non-negative [P12].

All three minimise Σ_ij [(M_ij − u_i·v_j)² + λ(‖u_i‖² + ‖v_j‖²)] over *all* cells; with the ones alone the problem is
degenerate. Summed over a row the penalty is λ·m·‖u_i‖², which is what least squares use.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import sparse

from sfumato.activity.core.activity import Matrix, as_dense
from sfumato.errors import InputError, bad_input
from sfumato.noise import Rng
from sfumato.validate import choice, integer, positive

__all__ = ["Factoriser", "Factors", "Solver"]

Solver = Literal["sgd", "als", "nmf"]
_TINY = 1e-12  # guards the denominators of the multiplicative rule


class Factors(NamedTuple):
    """U (users × rank) and V (items × rank)."""

    users: NDArray[np.float64]
    items: NDArray[np.float64]

    def product(self) -> NDArray[np.float64]:
        """U·Vᵀ; equal rows of U need not give rows that are equal to the last bit."""
        return self.users @ self.items.T


# Before every cell the factors are those after all earlier cells of the sweep. `u` is the row of U that is worked on;
# both steps use the row and the column as they were before the cell.
@njit(cache=True, fastmath=True)
def _sweep(matrix, users, items, rate, penalty, order, fixed):  # type: ignore[no-untyped-def]
    count, rank = items.shape
    shrink = 1.0 - rate * penalty
    for step in range(order.shape[0]):
        i = order[step]
        u = users[i]
        for j in range(count):
            v = items[j]
            error = matrix[i, j]
            for f in range(rank):
                error -= u[f] * v[f]
            move = rate * error
            if fixed:
                for f in range(rank):
                    v[f] = shrink * v[f] + move * u[f]
            else:
                for f in range(rank):
                    old = u[f]
                    u[f] = shrink * old + move * v[f]
                    v[f] = shrink * v[f] + move * old


@dataclass(frozen=True, kw_only=True)
class Factoriser:
    """Factorises a matrix.

    Parameters
    ----------
    rank : int
    solver : {"sgd", "als", "nmf"}
        Stochastic gradient as in the dissertation (dense, O(users·items·rank) a sweep), alternating least squares for
        large sparse matrices, or non-negative factors by the multiplicative rule, whose loss never rises.
    sweeps : int
    rate, penalty : float
        γ and λ.

    Examples
    --------
    >>> matrix = np.outer([1.0, 2.0], [1.0, 0.0, 1.0])
    >>> made = Factoriser(rank=1, solver="als", penalty=1e-9).fit(matrix, np.random.default_rng(0))
    >>> made.product().round(3).tolist()
    [[1.0, 0.0, 1.0], [2.0, 0.0, 2.0]]
    """

    rank: int
    solver: Solver = "sgd"
    sweeps: int = 100
    rate: float = 0.05
    penalty: float = 0.01

    def __post_init__(self) -> None:
        integer("rank", self.rank)
        choice("solver", self.solver, ("sgd", "als", "nmf"))
        integer("sweeps", self.sweeps)
        positive("rate", self.rate)
        positive("penalty", self.penalty, zero=True)

    def fit(self, matrix: Matrix, rng: Rng) -> Factors:
        """Both factors; started from uniform numbers in [0, 1]."""
        count, width = matrix.shape
        if self.rank > min(count, width):
            raise bad_input("rank", self.rank, f"at most min(users, items) = {min(count, width)}", "lower it")
        self._check(matrix)
        users, items = rng.random((count, self.rank)), rng.random((width, self.rank))
        if self.solver == "sgd":
            dense = np.ascontiguousarray(as_dense(matrix))
            for _ in range(self.sweeps):
                _sweep(dense, users, items, self.rate, self.penalty, rng.permutation(count), False)
        elif self.solver == "als":
            for _ in range(self.sweeps):
                users = self._solve(matrix, items)
                items = self._solve(matrix.T, users)
        else:
            for _ in range(self.sweeps):
                users = _multiplied(matrix, users, items)
                items = _multiplied(matrix.T, items, users)
        return _finite(Factors(users, items))

    def update_items(self, matrix: Matrix, factors: Factors, rng: Rng) -> Factors:
        """V once more, with U as it is now: a sweep, a least-squares solution, or a multiplicative step."""
        users, items = np.ascontiguousarray(factors.users), factors.items.copy()
        if self.solver == "sgd":
            dense = np.ascontiguousarray(as_dense(matrix))
            _sweep(dense, users.copy(), items, self.rate, self.penalty, rng.permutation(len(dense)), True)
        elif self.solver == "als":
            items = self._solve(matrix.T, users)
        else:
            items = _multiplied(matrix.T, items, np.maximum(users, 0.0))
        return _finite(Factors(factors.users, items))

    def _solve(self, matrix: Any, fixed: NDArray[np.float64]) -> NDArray[np.float64]:
        """The best rows for the other side's factors: M·F·(FᵀF + λ·m·I)⁻¹."""
        gram = fixed.T @ fixed + self.penalty * len(fixed) * np.eye(self.rank)
        gram[np.diag_indices(self.rank)] += _TINY * max(1.0, float(np.trace(gram)))
        return np.linalg.solve(gram, np.asarray(matrix @ fixed).T).T

    def _check(self, matrix: Matrix) -> None:
        least = matrix.data.min(initial=0.0) if sparse.issparse(matrix) else matrix.min()
        if self.solver == "nmf" and least < 0:
            raise bad_input("data", "negative entries", "entries ≥ 0 for non-negative factors", "take another solver")


def _multiplied(matrix: Any, own: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lee and Seung's step on one side; the other side stays."""
    return own * np.asarray(matrix @ other) / np.maximum(own @ (other.T @ other), _TINY)


def _finite(factors: Factors) -> Factors:
    if not all(np.isfinite(part).all() for part in factors):
        raise InputError(
            "the factorisation did not converge: lower rate or rank, or take solver='als', which always does"
        )
    return factors
