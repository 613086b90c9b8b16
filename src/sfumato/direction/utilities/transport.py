"""Distances between histograms of directions: the earth mover's, and the mean absolute error of a bin."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.direction.core.coordinates import latlon_to_vector
from sfumato.direction.core.sphere import angle_between
from sfumato.errors import bad_input
from sfumato.io.geography import EARTH_RADIUS
from sfumato.validate import extra, finite_array, positive

__all__ = ["HistogramDistance", "bins_error", "circular_emd", "globe_bins_error", "globe_emd"]

HistogramDistance = Literal["transport", "bins"]


def circular_emd(first: ArrayLike, second: ArrayLike, period: float = 24.0) -> NDArray[np.float64] | float:
    """Earth mover's distance of histograms over equal parts of a circle, along the last axis, in units of the period.

    With D the cumulative difference, the distance is the width of a bin times Σ|D − median D|: the cheapest of all ways
    to cut the circle open. Histograms are normalised first; an empty one counts as uniform.

    >>> circular_emd([1, 0, 0, 0], [0, 0, 0, 1])  # one bin of six hours, across midnight
    6.0
    """
    period = positive("period", period)
    p, q = _shares("first", first), _shares("second", second)
    if p.shape[-1] != q.shape[-1]:
        raise bad_input("second", q.shape, f"histograms of {p.shape[-1]} bins, as the first")
    climb = np.cumsum(p - q, axis=-1)
    cost = period / p.shape[-1] * np.abs(climb - np.median(climb, axis=-1, keepdims=True)).sum(axis=-1)
    return float(cost) if np.ndim(cost) == 0 else cost


def globe_emd(first: ArrayLike, first_places: ArrayLike, second: ArrayLike, second_places: ArrayLike) -> float:
    """Earth mover's distance of two histograms on the globe, in kilometres along great circles.

    Parameters
    ----------
    first, second : array_like of shape (cells,)
        Counts of non-empty cells, as :func:`~sfumato.direction.globe_histogram` gives them.
    first_places, second_places : array_like of shape (cells, 2)
        Centres in degrees.
    """
    p, q = _shares("first", first), _shares("second", second)
    here, there = latlon_to_vector(first_places), latlon_to_vector(second_places)
    for name, shares, places in (("first", p, here), ("second", q, there)):
        if shares.ndim != 1 or len(shares) != len(places):
            raise bad_input(name, shares.shape, f"one count for each of {len(places)} places")
    transport = extra("ot", "direction")
    cost = angle_between(here[:, None], there[None]) * (EARTH_RADIUS / 1000)
    return float(transport.emd2(p, q, cost, numItermax=2_000_000))


def bins_error(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64] | float:
    """Mean absolute error of the share of a bin, along the last axis; an empty histogram counts as uniform.

    It does not see how far a record moved, only that it did: the earth mover's distance does.

    >>> bins_error([4, 0, 0, 0], [2, 2, 0, 0])
    0.25
    """
    p, q = _shares("first", first), _shares("second", second)
    if p.shape[-1] != q.shape[-1]:
        raise bad_input("second", q.shape, f"histograms of {p.shape[-1]} bins, as the first")
    error = np.abs(p - q).mean(axis=-1)
    return float(error) if np.ndim(error) == 0 else np.asarray(error)


def globe_bins_error(
    first: ArrayLike, first_places: ArrayLike, second: ArrayLike, second_places: ArrayLike, *, degrees: float = 2.0
) -> float:
    """Mean absolute error of the share of a cell, over all cells of a latitude–longitude grid; others are empty.

    Parameters are those of :func:`globe_emd`; ``degrees`` is the side of a cell.

    >>> here, there = [[1.0, 1.0]], [[1.0, 3.0]]
    >>> globe_bins_error([5], here, [9], there) == 2 / (90 * 180)
    True
    """
    cells = math.ceil(180 / positive("degrees", degrees)) * math.ceil(360 / degrees)
    places, number = np.unique(np.concatenate([first_places, second_places]), axis=0, return_inverse=True)
    shares = np.zeros(len(places))
    p, q = _shares("first", first), _shares("second", second)
    np.add.at(shares, number.ravel(), np.concatenate([p, -q]))
    return float(np.abs(shares).sum() / cells)


def _shares(name: str, histogram: ArrayLike) -> NDArray[np.float64]:
    counts = finite_array(name, histogram)
    if counts.ndim == 0 or counts.shape[-1] == 0 or (counts < 0).any():
        raise bad_input(name, counts, "a histogram of counts ≥ 0")
    total = counts.sum(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(total > 0, counts / total, 1 / counts.shape[-1])
