"""The small convex problem behind noise for several secrets and kernels, by a barrier method.

    min tr(W·C)   over C ⪰ 0   such that   dᵢᵀ(C + Hᵢ)⁻¹dᵢ ≤ βᵢ   for every i.

By Schur complements each constraint is a linear matrix inequality [[βᵢ, dᵢᵀ], [dᵢ, C + Hᵢ]] ⪰ 0, so that −log det is a
self-concordant barrier and Newton's method needs few steps (Nesterov and Nemirovskii 1994).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InfeasibleError
from sfumato.trace.core.kernel import Matrix, Vector

__all__ = ["least_core"]


def least_core(
    weights: Matrix,
    vectors: Matrix,
    inner: Matrix,
    limits: Vector,
    *,
    start: Matrix | None = None,
    precision: float = 1e-4,
) -> Matrix:
    """The cheapest C that keeps every limit, strictly.

    Parameters
    ----------
    weights : ndarray of shape (r, r)
        W, positive definite.
    vectors, inner, limits
        dᵢ of shape (m, r), Hᵢ ⪰ 0 of shape (m, r, r), βᵢ > 0 of shape (m,).
    start : ndarray of shape (r, r), optional
        A C that is nearly good, such as the answer to a problem close by.
    precision : float
        How far tr(W·C) may be above its least value, relatively.

    >>> found = least_core(np.eye(1), np.array([[2.0]]), np.zeros((1, 1, 1)), np.array([0.5]))
    >>> bool(8.0 < found[0, 0] < 8.001)
    True
    """
    size = len(weights)
    if not (limits > 0).all():
        raise InfeasibleError("the noise cannot reach the promise in the directions it has; use more of them")
    core, times = _begin(weights, vectors, inner, limits, start)
    rows, columns = np.tril_indices(size)
    scale = np.where(rows == columns, 0.5, math.sqrt(0.5))  # of an orthonormal basis of symmetric matrices
    count = len(limits) * (size + 1) + size
    level = times * count / float((weights * core).sum())
    while True:
        for _ in range(60):
            slope, hessian = _derivatives(weights, vectors, inner, limits, core, level, rows, columns, scale)
            step = -np.linalg.solve(hessian, slope)
            decrease = -float(slope @ step)
            if decrease < 1e-4:
                break
            move = np.zeros((size, size))
            move[rows, columns] = step * scale
            move += move.T
            core = _line(weights, vectors, inner, limits, core, move, level, decrease)
        if count / level < precision * float((weights * core).sum()):
            return core
        level *= 10.0


def _begin(
    weights: Matrix, vectors: Matrix, inner: Matrix, limits: Vector, start: Matrix | None
) -> tuple[Matrix, float]:
    """A core strictly inside, and how far along the path to begin."""
    spread = np.einsum("ki,kj->ij", vectors / limits[:, None], vectors)
    plain = 1.5 * spread + 1e-4 * np.trace(spread) * np.eye(len(weights))
    if start is not None:
        near = 1.05 * start + 1e-6 * np.trace(start) * np.eye(len(weights))
        if math.isfinite(_barrier(weights, vectors, inner, limits, near, 0.0)):
            return near, 20.0
    while not math.isfinite(_barrier(weights, vectors, inner, limits, plain, 0.0)):
        plain = 2 * plain
    return plain, 1.0


def _barrier(weights: Matrix, vectors: Matrix, inner: Matrix, limits: Vector, core: Matrix, level: float) -> float:
    """level·tr(W·C) − log det of everything that has to stay positive; ∞ outside."""
    try:
        own = np.linalg.cholesky(core)
        factors = np.linalg.cholesky(core + inner)
    except np.linalg.LinAlgError:
        return math.inf
    carried = np.linalg.solve(factors, vectors[:, :, None])[:, :, 0]
    left = limits - (carried**2).sum(1)
    if not (left > 0).all():
        return math.inf
    volume = 2 * np.log(np.diag(own)).sum() + 2 * np.log(np.diagonal(factors, axis1=1, axis2=2)).sum()
    return level * float((weights * core).sum()) - float(np.log(left).sum() + volume)


def _derivatives(
    weights: Matrix, vectors: Matrix, inner: Matrix, limits: Vector, core: Matrix, level: float,
    rows: NDArray[np.intp], columns: NDArray[np.intp], scale: Vector,
) -> tuple[Vector, Matrix]:  # fmt: skip
    """Gradient and Hessian of the barrier in the entries of C."""
    inverses = np.linalg.inv(core + inner)
    carried = np.einsum("kij,kj->ki", inverses, vectors)
    left = limits - (vectors * carried).sum(1)
    blocks = inverses + carried[:, :, None] * carried[:, None, :] / left[:, None, None]  # of the inverted Schur form
    blocks = np.concatenate([blocks, np.linalg.inv(core)[None]])
    slope = level * weights - blocks.sum(0)
    gradient = (slope + slope.T)[rows, columns] * scale
    # Σ P[a, c]·P[b, d] over all blocks is one product of matrices, from which the entries of the Hessian are read.
    size = len(core)
    flat = blocks.reshape(len(blocks), -1)
    pairs = (flat.T @ flat).ravel()
    at = (rows[:, None] * size + rows) * size**2 + columns[:, None] * size + columns
    across = (rows[:, None] * size + columns) * size**2 + columns[:, None] * size + rows
    return gradient, 2 * (pairs[at] + pairs[across]) * scale[:, None] * scale


def _line(
    weights: Matrix, vectors: Matrix, inner: Matrix, limits: Vector, core: Matrix, move: Matrix, level: float,
    decrease: float,
) -> Matrix:  # fmt: skip
    """The longest of the steps 1, ½, ¼ … along ``move`` that helps."""
    before, share = _barrier(weights, vectors, inner, limits, core, level), 1.0
    while share > 1e-10:
        after = core + share * move
        if _barrier(weights, vectors, inner, limits, after, level) <= before - 0.1 * share * decrease:
            return after
        share /= 2
    return core
