"""Paths and cells that the utilities of traces share."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.validate import finite_array

__all__ = ["both_paths", "cells_of", "overlap"]

Paths = NDArray[np.float64]


def _paths(name: str, value: ArrayLike) -> Paths:
    """One path (n, d), one series (n,) or several paths (users, n, d), always as (users, n, d)."""
    array = finite_array(name, value)
    if array.ndim == 1:
        array = array[:, None]
    return array[None] if array.ndim == 2 else array


def both_paths(data: ArrayLike, release: ArrayLike) -> tuple[Paths, Paths]:
    """Data and release as paths of the same shape (users, n, d)."""
    truth, seen = _paths("data", data), _paths("release", release)
    if truth.shape != seen.shape:
        raise bad_input("release", seen.shape, f"the shape of the data, {truth.shape}")
    return truth, seen


def cells_of(points: Paths, cell: float) -> Paths:
    """The grid cell of each point."""
    return np.floor(points / cell)


def overlap(first: Paths, second: Paths) -> float:
    """Σ min(p, q) over the cells of two samples of equal size."""
    _, codes = np.unique(np.concatenate([first, second]), axis=0, return_inverse=True)
    codes = codes.ravel()
    counts = [np.bincount(part, minlength=codes.max() + 1) for part in (codes[: len(first)], codes[len(first) :])]
    return float(np.minimum(*counts).sum() / len(first))
