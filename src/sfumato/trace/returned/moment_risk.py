"""How much what leaves tells of the place at each single moment."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.trace.core.hidden_place import OperationalClock
from sfumato.trace.core.state_space import MarkovPath
from sfumato.trace.mechanisms.place_noise import PlaceNoise
from sfumato.trace.mechanisms.time_cut import TimeCut
from sfumato.validate import finite_array

__all__ = ["moment_risk"]


def moment_risk(mechanism: TimeCut | PlaceNoise, moments: ArrayLike) -> NDArray[np.float64]:
    """How closely an attacker can tell where somebody was at each moment: a standard deviation in metres.

    With a the law of the released points given the place at that moment, M their spread otherwise and Σᵍ the noise, no
    unbiased guess of the place has a smaller standard deviation in each direction than (aᵀ(M + Σᵍ)⁻¹a)^(−½), which the
    best guess reaches. The smallest over the kernels of the family is given; it is computed to double precision, and
    what is promised rests on the certified ε of the mechanism instead. Nothing of it depends on the path.

    Parameters
    ----------
    mechanism : TimeCut or PlaceNoise
    moments : array-like of shape (m,)
        In the unit of the times of the mechanism.

    Returns
    -------
    ndarray of shape (m,)
        Metres; infinite where nothing leaves.

    Examples
    --------
    >>> from sfumato.trace import HiddenPlace, TimeCut
    >>> cut = TimeCut(places=[HiddenPlace(((3600.0, 5400.0),))], times=np.arange(0.0, 9001.0, 60.0))
    >>> near = moment_risk(cut, [600.0, 4500.0])
    >>> bool(near[0] < 5), bool(near[1] > 150)
    (True, True)
    """
    wanted = finite_array("moments", moments, ndim=1)
    times = np.asarray(mechanism.times, float)
    floor, factor = 0.0, np.zeros((len(times), 0))
    if isinstance(mechanism, TimeCut):
        times, factor = times[mechanism.kept], factor[mechanism.kept]
    else:
        floor, factor = mechanism.noise.floor, mechanism.noise.factor
    if not len(times):
        return np.full(len(wanted), np.inf)
    clock = OperationalClock(list(mechanism.places))
    within = np.asarray(clock(wanted), float)
    largest = np.zeros(len(wanted))
    for kernel in mechanism.family.kernels:
        path = MarkovPath.of(kernel, clock(times))
        c = np.asarray(path.kernel(path.moments[:, None] - within[None, :]))  # a column for each moment
        before = float(np.asarray(path.kernel(np.zeros(1)))[0])
        found = path.solve(floor, np.concatenate([c, factor], axis=1))
        explained = np.einsum("nm,nm->m", c, found[:, : c.shape[1]])
        if factor.shape[1]:  # Woodbury: the noise that points share
            inside = np.eye(factor.shape[1]) + factor.T @ found[:, c.shape[1] :]
            shared = factor.T @ found[:, : c.shape[1]]
            explained = explained - np.einsum("fm,fm->m", shared, np.linalg.solve(inside, shared))
        # With a = c/k and M = K − c·cᵀ/k, aᵀ(M + Σᵍ)⁻¹a = q/(k·(k − q)) for q = cᵀ(K + Σᵍ)⁻¹c (Sherman, Morrison).
        left = np.maximum(before - explained, before * 2.0**-40)
        largest = np.maximum(largest, explained / (before * left))
    with np.errstate(divide="ignore"):
        return np.asarray(1 / np.sqrt(largest))
