"""The multivariate Gaussian mechanism."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism.base import ScopedMechanism
from sfumato.mechanism.container import unpack
from sfumato.noise.correlated import add_correlated_gaussian
from sfumato.noise.entropy import Rng, resolve_rng
from sfumato.noise.grid import check_grid, grid_step
from sfumato.promise import ZeroConcentratedDP
from sfumato.promise.calibration import gaussian_rho
from sfumato.validate import finite_array, positive

__all__ = ["MultivariateGaussian"]


@dataclass(frozen=True, kw_only=True, eq=False)
class MultivariateGaussian(ScopedMechanism):
    """Adds noise of law N(0, Σ) to a vector: Rényi divergence at most α·Δ_Σ²/2 at every order α (Weggenmann M4).

    With ‖v‖_Σ = √(vᵀΣ⁻¹v) and Δ_Σ the largest ‖f(x) − f(x′)‖_Σ between neighbours, this is (Δ_Σ²/2)-zCDP.

    The released vector is the real-valued one rounded to a grid, exactly
    (:func:`~sfumato.noise.correlated.add_correlated_gaussian`), so rounding costs nothing. The Cholesky factor of Σ in
    floating point belongs to a slightly different matrix; the noise is widened until it covers Σ for certain.

    Parameters
    ----------
    covariance : array of shape (n, n)
        Σ, symmetric and positive definite.
    sensitivity : float
        Δ_Σ; :meth:`norm` computes ‖v‖_Σ of a difference.
    grid : float, optional
        A power of two to round the result to; by default the smallest standard deviation has 2¹⁹ to 2²⁰ steps.
    unit, neighbours, model
        What the sensitivity was computed for.

    Examples
    --------
    >>> mechanism = MultivariateGaussian(covariance=[[4.0, 1.0], [1.0, 9.0]], sensitivity=0.5)
    >>> print(mechanism.guarantee)
    ρ = 0.125 (zCDP) per record (replace-one neighbours, central model)
    >>> mechanism.release([10.0, 20.0], rng=np.random.default_rng(1)).shape
    (2,)
    """

    covariance: ArrayLike
    sensitivity: float
    grid: float | None = None

    def __post_init__(self) -> None:
        positive("sensitivity", self.sensitivity, "the largest Mahalanobis distance between neighbours")
        matrix = finite_array("covariance", self.covariance, ndim=2)
        if matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
            raise bad_input("covariance", matrix.shape, "a square matrix")
        if not (matrix == matrix.T).all():
            raise bad_input("covariance", self.covariance, "a symmetric matrix", "use (Σ + Σᵀ)/2 if it nearly is")
        if self.grid is not None:
            check_grid("grid", self.grid)
        _ = self.guarantee, self.factor, self.step

    @property
    def guarantee(self) -> ZeroConcentratedDP:
        """(Δ_Σ²/2)-zCDP for each vector."""
        return ZeroConcentratedDP(gaussian_rho(1.0, self.sensitivity) * (1 + 2.0**-50), **self.scope)

    @cached_property
    def factor(self) -> NDArray[np.float64]:
        """A lower triangular L with L·Lᵀ ⪰ Σ.

        The computed factor has L·Lᵀ = Σ + E with ‖E‖ ≤ n(n + 2)·2⁻⁵³·max Σ_ii (Higham, Accuracy and Stability, Thm
        10.3), so L·(1 + ‖E‖/λ_min) is enough.
        """
        matrix = finite_array("covariance", self.covariance, ndim=2)
        n = matrix.shape[0]
        error = n * (n + 2) * 2.0**-52 * float(np.abs(np.diag(matrix)).max())
        least = float(np.linalg.eigvalsh(matrix)[0]) - error
        if not least > 2.0**20 * error:
            raise bad_input(
                "covariance", self.covariance, "a positive definite matrix, not nearly singular", "add a ridge"
            )
        return np.linalg.cholesky(matrix) * (1 + error / least + 2.0**-50)

    @cached_property
    def step(self) -> float:
        """The grid: every released coordinate is a whole multiple of it."""
        if self.grid is not None:
            return float(self.grid)
        return grid_step(math.sqrt(float(np.diag(np.asarray(self.covariance)).min())), 20)

    def norm(self, difference: ArrayLike) -> NDArray[np.float64]:
        """‖v‖_Σ of a vector, or of each row: by a triangular solve, never by an inverse."""
        from scipy.linalg import solve_triangular

        rows = np.atleast_2d(finite_array("difference", difference))
        return np.linalg.norm(solve_triangular(self.factor, rows.T, lower=True), axis=0)

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """A noisy vector for the vector of shape (n,), or one for each row of shape (m, n), as it came in.

        Each row is a release of its own: rows that see the same records compose.
        """
        array, repack = unpack(data)
        n = self.factor.shape[0]
        if array.ndim not in (1, 2) or array.shape[-1] != n:
            raise bad_input("data", array.shape, f"shape ({n},) or (m, {n})", "covariance and data must agree")
        noisy = add_correlated_gaussian(np.atleast_2d(array), self.factor, self.step, resolve_rng(rng))
        return repack(noisy.reshape(array.shape))

    def log_density(self, output: ArrayLike, data: ArrayLike) -> NDArray[np.float64]:
        """The log-density of the mechanism before its rounding, at each output, for one vector."""
        vector = finite_array("data", data, ndim=1)
        distance = self.norm(finite_array("output", output, ndim=2) - vector)
        log_root = float(np.log(np.diag(self.factor)).sum())
        return -0.5 * distance**2 - log_root - 0.5 * vector.size * math.log(2 * math.pi)
