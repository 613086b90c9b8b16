"""Geo-indistinguishability for each point, with Bayesian remapping of the path (Weggenmann M5)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism, PlanarLaplace
from sfumato.noise import Rng
from sfumato.promise import Assumption, Guarantee
from sfumato.trace.core.gaussian_posterior import estimate
from sfumato.trace.core.kernel import Kernel, Matrix, covariance
from sfumato.validate import finite_array

__all__ = ["RemappedPlanar"]


@dataclass(frozen=True, kw_only=True, eq=False)
class RemappedPlanar(Mechanism):
    """Adds planar Laplace noise to each point, then releases the expected path under a public prior.

    Remapping is post-processing, so the promise is that of the points: ε·d₂ for *each point alone* (Weggenmann M5). It
    says nothing about what neighbouring points tell, which is the reason for :class:`~sfumato.trace.TraceNoise`.

    Parameters
    ----------
    epsilon : float
        Per metre and point.
    prior : Kernel
        Public knowledge of how people move.
    times : array-like of shape (n,)

    Examples
    --------
    >>> from sfumato.trace import RBF
    >>> walk = RemappedPlanar(epsilon=0.01, prior=RBF(length=5.0, variance=1e6), times=range(20))
    >>> walk.release(np.zeros((20, 2))).shape
    (20, 2)
    """

    epsilon: float
    prior: Kernel
    times: ArrayLike

    def __post_init__(self) -> None:
        self.points.guarantee  # noqa: B018 - checks epsilon
        if not isinstance(self.prior, Kernel):
            raise bad_input("prior", self.prior, "a kernel, such as RBF(length=60.0)")

    @property
    def points(self) -> PlanarLaplace:
        """The mechanism behind the remapping."""
        return PlanarLaplace(epsilon=self.epsilon, unit="point")

    @property
    def guarantee(self) -> Guarantee:
        return self.points.guarantee.assuming(Assumption("prior"))

    def release(self, data: ArrayLike, *, rng: Rng | None = None) -> NDArray[np.float64]:
        """The expected path given the noisy points, of shape (n, 2)."""
        path = finite_array("data", data, ndim=2)
        times = np.asarray(self.times, float)
        if path.shape != (len(times), 2):
            raise bad_input("data", path.shape, f"{len(times)} points in the plane, one for each time")
        return self._smoother @ np.asarray(self.points.release(path, rng=rng))

    def undo(self, release: ArrayLike) -> NDArray[np.float64]:
        """The noisy points behind a release: remapping is linear and public, so it hides nothing from an adversary."""
        return np.asarray(np.linalg.solve(self._smoother, finite_array("release", release, ndim=2)), np.float64)

    @cached_property
    def _smoother(self) -> Matrix:
        """The best guess of the path as a matrix on the noisy points."""
        times = np.asarray(self.times, float)
        noise = 3.0 / self.epsilon**2 * np.eye(len(times))
        return estimate(covariance(self.prior, times), noise, np.eye(len(times)))
