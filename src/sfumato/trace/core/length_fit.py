"""Maximum-likelihood fit of the length scale of paths, many traces at once (Meehan, App. E.1.4).

Each dimension is centred and scaled to unit variance, and modelled as a Gaussian process with an RBF (or periodic)
kernel plus white noise of a given variance. The likelihood is profiled on a grid of length scales, every trace of equal
length in one batch of Cholesky factorisations, and refined by a parabola through the best three. Where the period is
to be found as well, the grid has two axes and a quasi-Newton search starts from its best point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.validate import finite_array, integer, interval, positive

__all__ = ["LengthFit", "fit_lengths"]

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class LengthFit:
    """Fitted length scales.

    Attributes
    ----------
    lengths : ndarray of shape (n_traces, n_dimensions)
        In the unit of the times.
    effective : ndarray of shape (n_traces, n_dimensions)
        ``lengths`` over the median sampling period of each trace: l_eff.
    periods : ndarray of shape (n_traces, n_dimensions), optional
        The periods, where they were fitted too.
    """

    lengths: Vector
    effective: Vector
    periods: Vector | None = None

    def quartiles(self) -> tuple[float, float, float]:
        """The pooled quartiles of l_eff."""
        first, second, third = np.quantile(self.effective, [0.25, 0.5, 0.75])
        return float(first), float(second), float(third)


def fit_lengths(
    traces: Sequence[tuple[Vector, Vector]],
    *,
    bounds: tuple[float, float],
    noise: float = 0.0025,
    period: float | tuple[float, float] | None = None,
    standardise: bool = True,
    grid: int = 48,
    batch: int = 256,
) -> LengthFit:
    """Fit one length scale per trace and dimension.

    Parameters
    ----------
    traces : sequence of (times, positions)
        Times of shape (n,), positions of shape (n,) or (n, d).
    bounds : (float, float)
        The shortest and longest length scale considered, in the unit of the times.
    noise : float
        Variance of the white noise, relative to the unit variance of each dimension.
    period : float or (float, float), optional
        Fit a periodic kernel of this period instead of an RBF, or find the period too, between two bounds. The length
        of a periodic kernel is a share of its period, not a time: l_eff is the length itself.
    standardise : bool
        Centre each dimension and scale it to unit variance; ``False`` takes them as they are.

    >>> times = np.arange(40.0)
    >>> path = np.sin(times / 4.0)
    >>> bool(2.0 < fit_lengths([(times, path)], bounds=(0.5, 50.0)).lengths[0, 0] < 10.0)
    True
    """
    low, high = interval("bounds", bounds)
    positive("bounds[0]", low)
    positive("noise", noise)
    integer("grid", grid, least=5)
    if len(traces) == 0:
        raise bad_input("traces", [], "at least one trace")
    moments, paths = zip(*(_checked(times, positions, standardise) for times, positions in traces), strict=True)
    candidates = np.geomspace(low, high, grid)
    if isinstance(period, tuple):
        return _fit_both(moments, paths, candidates, interval("period", period), noise)
    lengths = np.empty((len(traces), paths[0].shape[1]))
    sizes = np.array([len(times) for times in moments])
    for size in np.unique(sizes):
        same = np.flatnonzero(sizes == size)
        for start in range(0, len(same), batch):
            chosen = same[start : start + batch]
            lags = np.stack([moments[i][:, None] - moments[i][None, :] for i in chosen])
            values = np.stack([paths[i] for i in chosen])
            shape = _shape(lags, period)
            scores = np.stack([_log_likelihood(shape, values, length, noise) for length in candidates], axis=-1)
            lengths[chosen] = _peak(np.log(candidates), scores)
    if period is not None:
        return LengthFit(lengths, lengths)
    periods = np.array([np.median(np.diff(times)) for times in moments])
    return LengthFit(lengths, lengths / periods[:, None])


def _fit_both(
    moments: Sequence[Vector], paths: Sequence[Vector], candidates: Vector, bounds: tuple[float, float], noise: float
) -> LengthFit:
    """Length and period of each trace and dimension: the best of a grid, then L-BFGS from there."""
    from scipy.optimize import minimize

    candidates = np.geomspace(candidates[0], candidates[-1], 24)
    periods = np.geomspace(positive("period[0]", bounds[0]), bounds[1], 24)
    limits = [(np.log(axis[0]), np.log(axis[-1])) for axis in (candidates, periods)]
    found = np.empty((len(paths), paths[0].shape[1], 2))
    for k, (times, path) in enumerate(zip(moments, paths, strict=True)):
        lags = (times[:, None] - times[None, :])[None]

        def score(length: float, period: float, lags: Vector = lags, path: Vector = path) -> Vector:
            return _log_likelihood(_shape(lags, period), path[None], length, noise)[0]

        scores = np.array([[score(length, period) for period in periods] for length in candidates])
        for dimension in range(path.shape[1]):
            best = np.unravel_index(scores[:, :, dimension].argmax(), scores.shape[:2])
            start = np.log([candidates[best[0]], periods[best[1]]])
            answer = minimize(lambda at, j=dimension, f=score: -f(*np.exp(at))[j], start, bounds=limits)
            found[k, dimension] = np.exp(answer.x)
    return LengthFit(found[..., 0], found[..., 0], found[..., 1])


def _shape(lags: Vector, period: float | None) -> Vector:
    """What a kernel of length l has in its exponent, times l²."""
    return lags**2 / 2 if period is None else 2 * np.sin(np.pi * lags / period) ** 2


def _checked(times: Vector, positions: Vector, standardise: bool) -> tuple[Vector, Vector]:
    moments = finite_array("times", times, ndim=1)
    path = finite_array("positions", positions)
    path = path[:, None] if path.ndim == 1 else path
    if len(moments) != len(path) or len(moments) < 3:
        raise bad_input("trace", (moments.shape, path.shape), "as many positions as times, at least three")
    if not (np.diff(moments) > 0).all():
        raise bad_input("times", "unsorted or repeated", "strictly increasing times", "sort, drop duplicates")
    centred = path - path.mean(0)
    spread = centred.std(0)
    if (spread == 0).any():
        raise bad_input("positions", "constant", "a path that moves", "leave out traces that stand still")
    return moments, centred / spread if standardise else path


def _log_likelihood(shape: Vector, values: Vector, length: float, noise: float) -> Vector:
    """log N(values; 0, exp(−shape/l²) + noise·I) for a batch: (traces, n, n), (traces, n, d) → (traces, d)."""
    kernel = np.exp(-shape / length**2)
    index = np.arange(kernel.shape[1])
    kernel[:, index, index] += noise
    factor = np.linalg.cholesky(kernel)
    white = np.linalg.solve(factor, values)
    volume = np.log(factor[:, index, index]).sum(1)
    return -0.5 * (white**2).sum(1) - volume[:, None]


def _peak(axis: Vector, scores: Vector) -> Vector:
    """exp of the place of the maximum along the last axis, refined by a parabola inside the grid."""
    best = scores.argmax(-1)
    inner = np.clip(best, 1, len(axis) - 2)
    left, middle, right = (np.take_along_axis(scores, (inner + k)[..., None], -1)[..., 0] for k in (-1, 0, 1))
    bend = left - 2 * middle + right
    step = np.where(bend < 0, 0.5 * (left - right) / np.where(bend < 0, bend, -1.0), 0.0)
    refined = axis[inner] + np.clip(step, -1, 1) * (axis[1] - axis[0])
    return np.exp(np.where(best == inner, refined, axis[best]))
