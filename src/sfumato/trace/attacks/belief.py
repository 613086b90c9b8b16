"""What the attacks on a path share: its shape, the noise that the adversary knows, and the Gaussian posterior."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism, PlanarLaplace
from sfumato.trace.attacks.seen_noise import SeenNoise
from sfumato.trace.core.gaussian_posterior import estimate, posterior
from sfumato.trace.core.kernel import Kernel, Matrix, covariance
from sfumato.trace.mechanisms.lasting_noise import LastingNoise
from sfumato.trace.mechanisms.place_noise import PlaceNoise
from sfumato.trace.mechanisms.remapped_planar import RemappedPlanar
from sfumato.trace.mechanisms.trace_noise import TraceNoise
from sfumato.validate import finite_array

__all__ = ["Path", "as_path", "believed", "check_cohort", "law_of", "noise_of", "noisy_points", "with_gaps"]

Path = NDArray[np.float64]


def as_path(name: str, value: ArrayLike, length: int) -> Path:
    """A path of shape (n, d); a series of shape (n,) becomes one dimension."""
    path = finite_array(name, value)
    path = path[:, None] if path.ndim == 1 else path
    if path.ndim != 2 or len(path) != length:
        raise bad_input(name, path.shape, f"{length} positions, one for each time")
    return path


def with_gaps(data: Path, release: ArrayLike) -> Path:
    """The release beside the data: one row for each point, NaN for a point that was left out.

    What is left of a path after a cut is exact, and its times tell which points they are.

    >>> with_gaps(np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), [[0.0, 0.0], [2.0, 0.0]]).tolist()
    [[0.0, 0.0], [nan, nan], [2.0, 0.0]]
    """
    seen = np.asarray(release, float)
    seen = seen[:, None] if seen.ndim == 1 else seen
    if len(seen) == len(data):
        return seen
    full = np.full_like(data, np.nan)
    row = 0
    for place, point in enumerate(data):
        if row < len(seen) and np.array_equal(point, seen[row]):
            full[place] = point
            row += 1
    if row < len(seen):
        raise bad_input("release", seen.shape, f"{len(data)} points, or some of the data as they are")
    return full


def law_of(mechanism: Mechanism | SeenNoise | None, n: int) -> Matrix | SeenNoise | None:
    """The noise in each dimension of a path of ``n`` points, as the adversary knows it; none if there is none.

    What is known of a part of a path only comes as the law of that part in place of the mechanism.
    """
    if isinstance(mechanism, SeenNoise):
        return mechanism
    if isinstance(mechanism, TraceNoise):
        return mechanism.covariance
    if isinstance(mechanism, PlaceNoise | LastingNoise):
        return SeenNoise(np.full(n, mechanism.noise.floor), mechanism.noise.factor)
    if isinstance(mechanism, PlanarLaplace | RemappedPlanar):
        return SeenNoise(np.full(n, 3.0 / mechanism.epsilon**2), np.zeros((n, 0)))  # E r² = 6/ε², half a dimension
    return None


def noise_of(mechanism: Mechanism | SeenNoise | None, n: int) -> Matrix:
    """The covariance of that noise as a matrix, for short paths."""
    law = law_of(mechanism, n)
    if law is None:
        return np.zeros((n, n))
    return law.covariance if isinstance(law, SeenNoise) else law


def noisy_points(mechanism: Mechanism | SeenNoise | None, release: Path) -> Path:
    """The points as they were before remapping, with the noise of :func:`noise_of`; remapping can be undone."""
    return mechanism.undo(release) if isinstance(mechanism, RemappedPlanar) else release


def believed(prior: Kernel, times: ArrayLike, release: Path, mechanism: Mechanism | None) -> tuple[Path, Path]:
    """Posterior mean (n, d) and variance (n,) of the path for an adversary with a Gaussian prior."""
    moments = np.asarray(times, float)
    kernel, noise = covariance(prior, moments), noise_of(mechanism, len(moments))
    return estimate(kernel, noise, noisy_points(mechanism, release)), np.maximum(
        np.diag(posterior(kernel, noise)[1]), 0.0
    )


def check_cohort(name: str, value: Any) -> Path:
    """Paths of several users: an array of shape (users, n, d)."""
    return finite_array(name, value, ndim=3)
