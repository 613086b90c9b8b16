"""Geometry of the unit sphere that the directional samplers share.

A direction with mean μ is x = cosθ·μ + sinθ·ξ with ξ uniform on the unit sphere orthogonal to μ (Weggenmann §7.2), so a
rotation-invariant law needs its angle θ only. :func:`place` turns angles into vectors, one mean a record.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

__all__ = ["angle_between", "chord_between", "log_area", "place", "snap_step"]

Floats = NDArray[np.float64]


def log_area(dimension: int) -> float:
    """log S_d, the logarithm of the area of the unit sphere S^d: S₀ = 2, S₁ = 2π, S₂ = 4π.

    >>> round(math.exp(log_area(2)) / math.pi, 12)
    4.0
    """
    half = (dimension + 1) / 2
    return math.log(2) + half * math.log(math.pi) - math.lgamma(half)


def chord_between(x: ArrayLike, y: ArrayLike) -> Floats:
    """Euclidean distance d₂ along the last axis."""
    difference = np.asarray(x, dtype=np.float64) - np.asarray(y, dtype=np.float64)
    return np.sqrt(np.einsum("...i,...i->...", difference, difference))


def angle_between(x: ArrayLike, y: ArrayLike) -> Floats:
    """Arc length d∠ between unit vectors along the last axis, exact for tiny and for nearly opposite pairs alike.

    The arccos of the dot product would return 0 for every angle below 1e-8.

    >>> float(angle_between([1.0, 0.0], [1.0, 1e-12]))
    1e-12
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    return 2 * np.arctan2(chord_between(x, y), chord_between(x, -y))


def snap_step(n: int, sharpness: float) -> float:
    """Side of the grid that released coordinates are rounded to: a power of two, 2⁻¹² of the finest scale of the noise.

    It depends on public parameters only: the dimension and the sharpness (κ) of the noise.
    """
    return 2.0 ** (-12 - math.ceil(math.log2(max(sharpness, math.sqrt(n), 1.0))))


# Invariant: before record i, rows 0 … i − 1 of ``out`` are finished. Within a record, the first n − 1 entries of row i
# hold the tangent vector of length sines[i] at the last axis e, and ``dot`` is its product with the mean, until the
# reflection turns cosines[i]·e + tangent into the result. fastmath may reorder sums, which moves them by a rounding.
@njit(cache=True, fastmath={"reassoc", "contract"})
def place(rng, means, cosines, sines, step, out):  # type: ignore[no-untyped-def]
    """Fill ``out`` with directions at the given angles from their means; ``means`` has one row, or one a record.

    The tangent direction is drawn at the last axis e and carried to μ by the Householder reflection that maps e to ±μ,
    which costs 4n operations, n − 1 normals and no orthogonalisation. With ``step > 0`` each coordinate is rounded to a
    multiple of it and the vector rescaled to length 1.
    """
    count, n = out.shape
    last = n - 1
    stride = 1 if means.shape[0] == count else 0
    for i in range(count):
        mean = means[i * stride]
        row = out[i]
        dot = 0.0
        if n == 2:
            row[0] = sines[i] if rng.random() < 0.5 else -sines[i]
            dot = row[0] * mean[0]
        elif n == 3:
            square = 0.0
            while square >= 1.0 or square == 0.0:
                row[0] = 2.0 * rng.random() - 1.0
                row[1] = 2.0 * rng.random() - 1.0
                square = row[0] * row[0] + row[1] * row[1]
            scale = sines[i] / math.sqrt(square)
            row[0] *= scale
            row[1] *= scale
            dot = row[0] * mean[0] + row[1] * mean[1]
        else:
            square = 0.0
            while square == 0.0:
                for j in range(last):
                    row[j] = rng.standard_normal()
                for j in range(last):
                    square += row[j] * row[j]
                    dot += row[j] * mean[j]
            scale = sines[i] / math.sqrt(square)
            for j in range(last):
                row[j] *= scale
            dot *= scale
        sign = 1.0 if mean[last] >= 0 else -1.0
        tip = mean[last] + sign
        factor = (dot + tip * cosines[i]) / (1.0 + abs(mean[last]))
        for j in range(last):
            row[j] = sign * (factor * mean[j] - row[j])
        row[last] = sign * (factor * tip - cosines[i])
        if step > 0:
            square = 0.0
            for j in range(n):
                row[j] = step * np.rint(row[j] / step)
                square += row[j] * row[j]
            scale = 1.0 / math.sqrt(square)
            for j in range(n):
                row[j] *= scale
