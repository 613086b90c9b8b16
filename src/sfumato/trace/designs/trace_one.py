"""Positive matrices of trace one, parametrised for an unconstrained optimiser.

Their eigenvalues spread over many orders of magnitude; only on the scale of H = log P is the problem well conditioned.
"""

from __future__ import annotations

import numpy as np

from sfumato.trace.core.kernel import Matrix, Vector

__all__ = ["TraceOne"]


class TraceOne:
    """P = exp(H)/tr exp(H) for a symmetric H given by its upper triangle, and gradients through it."""

    def __init__(self, upper: Vector, size: int) -> None:
        matrix = np.zeros((size, size))
        matrix[np.triu_indices(size)] = upper
        self.logs, self.vectors = np.linalg.eigh(matrix + np.triu(matrix, 1).T)
        self.logs -= self.logs.max()
        self.values = np.exp(self.logs)
        self.values /= self.values.sum()

    @property
    def matrix(self) -> Matrix:
        """P itself."""
        return (self.vectors * self.values) @ self.vectors.T

    @property
    def root(self) -> Matrix:
        """The symmetric square root of P."""
        return (self.vectors * np.sqrt(self.values)) @ self.vectors.T

    def pull_back(self, slope: Matrix) -> Vector:
        """The gradient in the upper triangle of H of a function with gradient ``slope`` in P (Daleckii–Krein)."""
        turned = self.vectors.T @ slope @ self.vectors
        apart = self.logs[:, None] - self.logs[None, :]
        close = np.abs(apart) < 1e-9
        divided = np.where(
            close,
            (self.values[:, None] + self.values[None, :]) / 2,
            (self.values[:, None] - self.values[None, :]) / np.where(close, 1.0, apart),
        )
        full = self.vectors @ (divided * turned) @ self.vectors.T
        full -= float(self.values @ np.diag(turned)) * self.matrix
        rows, columns = np.triu_indices(len(self.values))
        return full[rows, columns] * np.where(rows == columns, 1.0, 2.0)
