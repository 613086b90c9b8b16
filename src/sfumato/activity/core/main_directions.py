"""Coordinates in which rows are as far apart as they are, or nearly."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["main_directions"]


def main_directions(matrix: Any, most: int) -> NDArray[np.float64]:
    """Coordinates of the rows in which distances are those of the rows: exactly, or along so many main directions.

    >>> rows = main_directions(np.array([[3.0, 0.0, 0.0], [0.0, 4.0, 0.0]]), 2)
    >>> float(np.linalg.norm(rows[0] - rows[1]).round(9))
    5.0
    """
    rows, columns = matrix.shape
    if columns <= most:
        found: NDArray[np.float64] = matrix.toarray() if sparse.issparse(matrix) else matrix
        return found
    if rows <= most:  # M·Mᵀ = Q·S²·Qᵀ, and Q·S has the distances of M
        gram = matrix @ matrix.T
        values, vectors = np.linalg.eigh(gram.toarray() if sparse.issparse(gram) else gram)
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
    from sklearn.utils.extmath import randomized_svd

    left, size, _ = randomized_svd(matrix, n_components=most, n_iter=3, random_state=0)
    return np.ascontiguousarray(left * size)
