"""Which rows are equal, to the last bit."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sfumato.activity.core.activity import Activity, Matrix

__all__ = ["joint_classes", "row_classes", "smallest_class"]


def row_classes(matrix: Matrix) -> NDArray[np.int64]:
    """A number for each row; equal rows, and only these, have the same.

    >>> row_classes(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])).tolist()
    [1, 0, 1]
    """
    if sparse.issparse(matrix):
        digests = [
            hashlib.blake2b(
                matrix.indices[start:end].astype(np.int64).tobytes() + matrix.data[start:end].tobytes(), digest_size=16
            ).digest()
            for start, end in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)
        ]
        return np.unique(np.array(digests, dtype="S16"), return_inverse=True)[1].reshape(-1).astype(np.int64)
    rows = np.ascontiguousarray(matrix + 0.0)  # −0 becomes 0
    keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    return np.unique(keys, return_inverse=True)[1].reshape(-1).astype(np.int64)


def joint_classes(activity: Activity) -> NDArray[np.int64]:
    """A number for each person; those whose rows are equal in all windows have the same."""
    each = np.stack([row_classes(window) for window in activity.windows], axis=1)
    return np.unique(each, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def smallest_class(classes: NDArray[np.int64]) -> int:
    """The size of the smallest class: the k that was reached."""
    return int(np.bincount(classes)[np.unique(classes)].min())
