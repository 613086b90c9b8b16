"""Statistics of directions: means, differences, histograms, and the number of releases that an average needs."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.direction.core.angular_law import AngularLaw
from sfumato.direction.core.coordinates import check_period, check_unit, latlon_to_vector, vector_to_latlon, wrap_into
from sfumato.errors import InfeasibleError, bad_input
from sfumato.noise import Rng, resolve_rng
from sfumato.validate import integer, positive

__all__ = [
    "circular_difference",
    "circular_distance",
    "circular_histogram",
    "circular_mean",
    "globe_histogram",
    "mean_direction",
    "mean_place",
    "sample_size",
    "simulated_sample_size",
]

Floats = NDArray[np.float64]
_NO_MEAN = 1e-12  # a resultant this short is rounding: the values cancel and point nowhere


def circular_mean(values: ArrayLike, period: float = 24.0, *, axis: int | None = None) -> Floats | float:
    """Circular mean: the direction of the average of the points on the circle, in [0, period).

    Raises :class:`~sfumato.errors.InfeasibleError` when the points cancel, since no mean exists then.

    >>> circular_mean([23.0, 1.0])
    0.0
    """
    period = positive("period", period)
    array = check_period("values", values, period, wrap=True)
    if array.size == 0:
        raise bad_input("values", array.shape, "at least one value")
    turn = array * (2 * math.pi / period)
    x, y = np.cos(turn).mean(axis=axis), np.sin(turn).mean(axis=axis)
    if (np.hypot(x, y) < _NO_MEAN).any():
        raise InfeasibleError("the values cancel on the circle: expected a resultant above 1e-12 for a mean to exist")
    mean = wrap_into(np.round(np.arctan2(y, x) * (period / (2 * math.pi)), 12), period)
    return float(mean) if axis is None else mean


def circular_difference(first: ArrayLike, second: ArrayLike, period: float = 24.0) -> Floats:
    """The signed difference ``first`` − ``second`` on the circle, in [−period/2, period/2).

    >>> float(circular_difference(1.0, 23.0)), float(circular_difference(23.0, 1.0))
    (2.0, -2.0)
    """
    period = positive("period", period)
    return np.mod(np.asarray(first, float) - np.asarray(second, float) + period / 2, period) - period / 2


def circular_distance(first: ArrayLike, second: ArrayLike, period: float = 24.0) -> Floats:
    """The distance between two values on the circle, in [0, period/2]."""
    return np.abs(circular_difference(first, second, period))


def mean_direction(vectors: ArrayLike) -> Floats:
    """The direction of the average of unit vectors along the last axis."""
    array = check_unit("vectors", vectors)
    total = array.reshape(-1, array.shape[-1]).mean(axis=0)
    length = float(np.linalg.norm(total))
    if length < _NO_MEAN:
        raise InfeasibleError("the vectors cancel: expected a resultant above 1e-12 for a mean to exist")
    return total / length


def mean_place(latlon: ArrayLike) -> Floats:
    """The place in the middle of places on the globe, in degrees.

    >>> mean_place([[10.0, 179.0], [10.0, -179.0]]).round(3)
    array([ 10.001, 180.   ])
    """
    return vector_to_latlon(mean_direction(latlon_to_vector(latlon)))


def circular_histogram(values: ArrayLike, bins: int = 24, period: float = 24.0) -> NDArray[np.int64]:
    """Counts in ``bins`` equal parts of the circle."""
    bins = integer("bins", bins)
    array = check_period("values", values, positive("period", period), wrap=False)
    return np.bincount(np.minimum((array * (bins / period)).astype(np.int64), bins - 1).ravel(), minlength=bins)


def globe_histogram(latlon: ArrayLike, degrees: float = 2.0) -> tuple[NDArray[np.int64], Floats]:
    """Counts in the non-empty cells of a latitude–longitude grid, and the centres of those cells."""
    side = positive("degrees", degrees)
    latlon_to_vector(latlon)  # checks the range
    array = np.asarray(latlon, dtype=np.float64).reshape(-1, 2)
    shift = np.stack((array[:, 0] + 90, np.mod(array[:, 1] + 180, 360)), axis=1)
    last = np.array([math.ceil(180 / side) - 1, math.ceil(360 / side) - 1])
    cells, counts = np.unique(np.minimum((shift / side).astype(np.int64), last), axis=0, return_counts=True)
    centres = (cells + 0.5) * side - np.array([90.0, 180.0])
    return counts, np.clip(centres, (-90, -180), (90, 180))


def sample_size(law: AngularLaw, error: float) -> float:
    """Number of releases of one direction whose average is within ``error`` radians of it, asymptotically (E8).

    The mean angular error of N releases tends to E[χ_{n−1}]·√(E[sin²θ]/((n−1)N)) / |E[cosθ]|. Infinite where E[cosθ]
    ≤ 0: then averages converge to nothing or to the antipode.

    >>> from sfumato.direction import Purkayastha, WrappedLaplace
    >>> round(sample_size(Purkayastha(pure=1.0).law(2), 0.1))
    783
    """
    positive("error", error)
    cosine = law.mean_cosine
    if cosine <= 0:
        return math.inf
    m = law.n - 1
    chi = math.sqrt(2) * math.exp(math.lgamma((m + 1) / 2) - math.lgamma(m / 2))
    return chi**2 * law.mean_square_sine / m / (error * cosine) ** 2


def simulated_sample_size(
    law: AngularLaw, error: float, *, repeats: int = 1000, most: int = 10_000, rng: Rng | None = None
) -> float:
    """The same by simulation: from how many releases on the error, averaged over ``repeats``, stays within ``error``.

    Keeps the sums of all repeats, never the draws. Infinite if ``most`` releases do not suffice.
    """
    rng = resolve_rng(rng)
    repeats, most = integer("repeats", repeats), integer("most", most)
    positive("error", error)
    mean = np.zeros(law.n)
    mean[0] = 1.0
    sums = np.zeros((repeats, law.n))
    exceeded = 0
    chunk = max(1, 400_000 // repeats)
    for start in range(0, most, chunk):
        steps = min(chunk, most - start)
        drawn = law.sample(mean, rng, size=steps * repeats).reshape(steps, repeats, law.n)
        paths = sums + np.cumsum(drawn, axis=0)
        sums = paths[-1]
        angles = np.arctan2(np.linalg.norm(paths[..., 1:], axis=-1), paths[..., 0]).mean(axis=1)
        above = np.flatnonzero(angles > error)
        if above.size:
            exceeded = start + int(above[-1]) + 1
    return math.inf if exceeded >= most else float(exceeded + 1)
