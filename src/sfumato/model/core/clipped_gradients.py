"""Clipped gradients of a discriminator with one hidden layer, added up record by record without rounding."""

from __future__ import annotations

import math

import numba
import numpy as np
from numpy.typing import NDArray

__all__ = ["LEAK", "JudgeWeights", "add_clipped_gradients", "on_grid"]

Floats = NDArray[np.float64]
JudgeWeights = tuple[Floats, Floats, Floats, Floats]
"""Weights (inputs, hidden) and biases (hidden,) of the hidden layer, then (classes, hidden) and (classes,)."""

LEAK = 0.2
"""The slope of the hidden layer below 0."""
_INPUT_BITS = 12
"""Inputs are whole multiples of 2⁻¹², so that input times gradient is a whole number of finer steps."""


def on_grid(rows: Floats) -> NDArray[np.int64]:
    """Rows between −1 and 1 in steps of 2⁻¹²."""
    return np.rint(rows * 2.0**_INPUT_BITS).astype(np.int64)


# Invariant: what a record adds depends on that record and the weights alone. Matrix kernels do not promise that (their
# rounding depends on the other rows), and a record more would then move the terms of all others. After every record,
# `total` is the exact sum of whole numbers: each term is cut towards zero, which lengthens no gradient.
@numba.njit(cache=True)
def _add(
    rows: NDArray[np.int64],
    kinds: NDArray[np.int64],
    first: Floats,
    first_bias: Floats,
    last: Floats,
    last_bias: Floats,
    sign: float,
    bound: float,
    grid: float,
    total: NDArray[np.int64],
) -> None:
    inputs, hidden = first.shape
    step = 2.0**-_INPUT_BITS
    inner, above, below = np.empty(hidden), np.empty(hidden), np.empty(hidden)
    for row in range(rows.shape[0]):
        inner[:] = first_bias
        size = 1.0
        for i in range(inputs):
            value = rows[row, i] * step
            size += value * value
            for j in range(hidden):
                inner[j] += value * first[i, j]
        kind = kinds[row]
        score = last_bias[kind]
        for j in range(hidden):
            above[j] = inner[j] if inner[j] > 0 else LEAK * inner[j]
            score += above[j] * last[kind, j]
        slope = -sign / (1.0 + math.exp(sign * score)) if sign * score < 700 else 0.0
        square, deep = slope * slope, 0.0
        for j in range(hidden):
            below[j] = slope * last[kind, j] * (1.0 if inner[j] > 0 else LEAK)
            above[j] *= slope
            deep += below[j] * below[j]
            square += above[j] * above[j]
        square += deep * size
        if not (0 < square < math.inf):  # also NaN: adds nothing
            continue
        scale = min(1.0, bound / math.sqrt(square)) / grid
        for j in range(hidden):
            below[j] = math.trunc(below[j] * scale)
        place = 0
        for i in range(inputs):
            for j in range(hidden):
                total[place + j] += rows[row, i] * np.int64(below[j])
            place += hidden
        for j in range(hidden):
            total[place + j] += np.int64(below[j]) << _INPUT_BITS
        place += hidden
        for j in range(hidden):
            total[place + kind * hidden + j] += np.int64(math.trunc(above[j] * scale)) << _INPUT_BITS
        total[place + hidden * last.shape[0] + kind] += np.int64(math.trunc(slope * scale)) << _INPUT_BITS


def add_clipped_gradients(
    rows: NDArray[np.int64], kinds: NDArray[np.int64], weights: JudgeWeights, *, real: bool, bound: float, grid: float
) -> Floats:
    """Σ g·min(1, bound/‖g‖) over records, g the gradient of −log D(x) or, of generated records, −log(1 − D(x)).

    D(x) is the logistic function of last[kind]·leaky(first·x + bias) + bias. The sum is flat, in the order of
    :data:`JudgeWeights`, and exact: a record more moves it by at most ``bound``.

    Parameters
    ----------
    rows : ndarray of int
        In steps of 2⁻¹² (:func:`on_grid`).
    kinds : ndarray of int
        The class of each record: which score counts.
    grid : float
        The step of a gradient; a power of two, at least 2⁻²⁶ of the bound.
    """
    total = np.zeros(sum(part.size for part in weights), np.int64)
    _add(rows, kinds, *weights, 1.0 if real else -1.0, bound, grid, total)
    exact: Floats = total.astype(np.float64) * (grid * 2.0**-_INPUT_BITS)
    return exact
