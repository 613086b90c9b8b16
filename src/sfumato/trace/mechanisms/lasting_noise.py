"""One noise for all days: the residual-free design of place noise (addenda §3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import InfeasibleError, bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.noise.correlated import add_correlated_gaussian, add_low_rank_gaussian
from sfumato.noise.grid import grid_step
from sfumato.promise import Assumption, Guarantee
from sfumato.trace.core.hidden_place import HiddenPlace
from sfumato.trace.core.kernel import Kernel, Matrix, Vector
from sfumato.trace.core.place_response import PlaceResponse, responses
from sfumato.trace.core.prior_family import PriorFamily, family_of
from sfumato.trace.designs.place_design import LowRankNoise, shared_noise
from sfumato.trace.promise import InferentialPrivacy
from sfumato.validate import finite_array, positive

__all__ = ["LastingNoise"]

_FINE = 2.0**-30
"""The grid of the shared coefficients, in metres."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LastingNoise(Mechanism):
    """Hides one place with a noise that is drawn once and used on every day for ever; every point is kept.

    The noise is Σ_k a_k(t)·ζ_k with a_k the response of the path to the place under the k-th kernel of the family, plus
    a fresh even part. The coefficients ζ ~ N(0, C) with (C⁻¹)_kk ≤ 2ε/(λr²) are drawn once for a person and place. Then
    a release is a_k·(p + η) + rest with η ~ N(0, λr²/2ε): post-processing of p + η for *every* law of the rest, normal
    or not, and for any number of days and visits together (residual-free theorem). Only the shapes a_k are assumed.

    Parameters
    ----------
    place : HiddenPlace
        The visits of this path to the place.
    times : array-like of shape (n,)
        In seconds; public.
    epsilon : float
        The Rényi ε of all releases together.
    radius, order
        As in :class:`PlaceNoise`.
    even : float
        Standard deviation of the fresh part at each point, in metres. The promise does not need it.
    law : array-like of shape (k, k), optional
        The factor of C of the first release; made for this path if there is none.
    coefficients : array-like of shape (k, d), optional
        ζ as it was drawn before, one column a dimension; private. Without them every release draws new ones, and the
        promise is for that release alone.
    max_error : float, optional
        Refuse noise of a larger root mean square error in the plane, in metres.
    prior : PriorFamily, Kernel or sequence of Kernel, optional

    Examples
    --------
    >>> noon = HiddenPlace(((3600.0, 5400.0),))
    >>> hide = LastingNoise(place=noon, times=np.arange(0.0, 9001.0, 60.0), epsilon=1.0)
    >>> round(hide.plane_error)
    315
    """

    place: HiddenPlace
    times: ArrayLike
    epsilon: float = 1.0
    radius: float = 200.0
    order: float = 2.0
    even: float = 25.0
    law: ArrayLike | None = None
    coefficients: ArrayLike | None = None
    max_error: float | None = None
    prior: PriorFamily | Kernel | Sequence[Kernel] | None = None

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        positive("radius", self.radius)
        positive("even", self.even)
        if not self.order > 1:
            raise bad_input("order", self.order, "λ > 1")
        if self.max_error is not None:
            positive("max_error", self.max_error)
        if len(self._moments) < 2 or not (np.diff(self._moments) > 0).all():
            raise bad_input("times", "not increasing", "at least two times that increase")
        count = len(self.family.kernels)
        if self.law is not None:
            law = finite_array("law", self.law, ndim=2)
            if law.shape != (count, count) or not self._lasts(law):
                raise bad_input("law", law.shape, "the factor of a law that keeps the promise", "it was edited")
        if self.coefficients is not None:
            drawn = finite_array("coefficients", self.coefficients, ndim=2)
            if len(drawn) != count or self.law is None:
                raise bad_input("coefficients", drawn.shape, f"{count} rows and the law they were drawn with")

    @property
    def family(self) -> PriorFamily:
        """The kernels whose shapes are assumed."""
        return family_of(self.prior)

    @cached_property
    def _moments(self) -> Vector:
        return finite_array("times", self.times, ndim=1)

    @property
    def _kappa(self) -> float:
        return 2 * self.epsilon / (self.order * self.radius**2)

    def _lasts(self, law: Matrix) -> bool:
        """Whether (C⁻¹)_kk ≤ κ for every k; laws are made with a millionth to spare."""
        inverse = np.linalg.inv(law @ law.T)
        return bool((np.diag(inverse) <= self._kappa).all())

    @cached_property
    def responses(self) -> list[PlaceResponse]:
        """The law of the path given the place, under every kernel."""
        return [responses(kernel, self._moments, [self.place])[0] for kernel in self.family.kernels]

    @cached_property
    def shapes(self) -> Matrix:
        """a_k, one column for each kernel."""
        return np.stack([response.shape for response in self.responses], axis=1)

    @cached_property
    def factor(self) -> Matrix:
        """L with C = L·Lᵀ."""
        if self.law is not None:
            return finite_array("law", self.law, ndim=2)
        return shared_noise(self.shapes, self._kappa * (1 - 1e-6))

    @cached_property
    def noise(self) -> LowRankNoise:
        """The noise of each dimension as somebody sees it who does not know ζ."""
        noise = LowRankNoise(self.even**2, self.shapes @ self.factor)
        error = math.sqrt(2 * noise.trace / len(self._moments))
        if self.max_error is not None and error > self.max_error:
            raise InfeasibleError(
                f"ε = {self.epsilon:g} at {self.radius:g} m for ever costs a root mean square error of {error:.0f} m, "
                f"more than the {self.max_error:g} m allowed; raise ε or max_error, or hide the place in a zone"
            )
        return noise

    @property
    def covariance(self) -> Matrix:
        """Σᵍ of each dimension as a matrix, for short paths."""
        return self.noise.covariance

    @property
    def plane_error(self) -> float:
        """The root mean square error in the plane."""
        return math.sqrt(2 * self.noise.trace / len(self._moments))

    @property
    def guarantee(self) -> Guarantee:
        prior = f"any path that answers to the place as {self.family.summary} do"
        promise = InferentialPrivacy(
            self.epsilon, order=self.order, radius=self.radius, prior=prior,
            for_ever=self.coefficients is not None,
        )  # fmt: skip
        return promise.assuming(Assumption("prior", source=self.family.provenance or None))

    @cached_property
    def step(self) -> float:
        """The grid of what is released."""
        return grid_step(min(self.radius, self.even), 12)

    def draw(self, dimensions: int = 2, *, rng: Rng | None = None) -> Matrix:
        """ζ, once in the life of a person and place; one column a dimension."""
        still = np.zeros((dimensions, len(self.factor)))
        return np.ascontiguousarray(add_correlated_gaussian(still, self.factor, _FINE, resolve_rng(rng)).T)

    def release(self, data: ArrayLike, *, rng: Rng | None = None) -> NDArray[np.float64]:
        """The path of shape (n, d) with the lasting noise and a fresh even part, rounded to the grid."""
        path = finite_array("data", data, ndim=2)
        if len(path) != len(self._moments):
            raise bad_input("data", path.shape, f"{len(self._moments)} positions, one for each time")
        generator = resolve_rng(rng)
        assert self.noise is not None  # refuses what is too dear
        drawn = self.draw(path.shape[1], rng=generator) if self.coefficients is None else np.asarray(self.coefficients)
        if drawn.shape[1] != path.shape[1]:
            raise bad_input("data", path.shape, f"{drawn.shape[1]} dimensions, as when the noise was drawn")
        moved = np.ascontiguousarray((path + self.shapes @ drawn).T)
        none = np.zeros((len(path), 1))
        return add_low_rank_gaussian(moved, self.even, none, self.step, generator).T
