"""The law of the noise in a path as an attacker knows it: an own part of each point and a few directions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.trace.core.kernel import Matrix, Vector

__all__ = ["SeenNoise"]


@dataclass(frozen=True, eq=False)
class SeenNoise:
    """Noise of covariance diag(own) + shared·sharedᵀ in each dimension, which is never written out for long paths.

    Parameters
    ----------
    own : ndarray of shape (n,)
        Variance of the independent part of each point.
    shared : ndarray of shape (n, r)

    >>> noise = SeenNoise(np.array([1.0, 4.0]), np.array([[1.0], [2.0]]))
    >>> noise.covariance.tolist(), noise.variances.tolist()
    ([[2.0, 2.0], [2.0, 8.0]], [2.0, 8.0])
    >>> bool(np.allclose(noise.covariance @ noise.solve(0.0, np.eye(2)), np.eye(2)))
    True
    """

    own: Vector
    shared: Matrix

    @property
    def variances(self) -> Vector:
        """Of the noise at each point."""
        return self.own + np.asarray((self.shared**2).sum(1), np.float64)

    @property
    def covariance(self) -> Matrix:
        """As a matrix, for few points."""
        return np.asarray(self.shared @ self.shared.T + np.diag(self.own), np.float64)

    def take(self, which: NDArray[np.intp]) -> SeenNoise:
        """The noise of some of the points."""
        return SeenNoise(self.own[which], self.shared[which])

    def join(self, other: SeenNoise) -> SeenNoise:
        """This noise and an independent one of other points after it."""
        left, right = self.shared.shape, other.shared.shape
        shared = np.zeros((left[0] + right[0], left[1] + right[1]))
        shared[: left[0], : left[1]], shared[left[0] :, left[1] :] = self.shared, other.shared
        return SeenNoise(np.concatenate([self.own, other.own]), shared)

    def solve(self, extra: float, right: Matrix) -> Matrix:
        """(covariance + extra·I)⁻¹·right in O(n·r²), by Woodbury's identity."""
        weight = 1 / (self.own + extra)
        inside = np.eye(self.shared.shape[1]) + self.shared.T @ (weight[:, None] * self.shared)
        direct = weight[:, None] * right
        return np.asarray(direct - weight[:, None] * (self.shared @ np.linalg.solve(inside, self.shared.T @ direct)))
