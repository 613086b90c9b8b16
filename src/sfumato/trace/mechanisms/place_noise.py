"""Gaussian noise that hides places in a path whose times are all kept (addenda §3)."""

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
from sfumato.noise.correlated import add_low_rank_gaussian
from sfumato.noise.grid import grid_step
from sfumato.promise import Assumption, Guarantee
from sfumato.trace.core.hidden_place import HiddenPlace
from sfumato.trace.core.kernel import Kernel, Matrix, Vector
from sfumato.trace.core.place_response import PlaceResponse, responses
from sfumato.trace.core.prior_family import PriorFamily, family_of
from sfumato.trace.designs.place_design import LowRankNoise, place_design
from sfumato.trace.promise import InferentialPrivacy
from sfumato.validate import finite_array, positive, probability

__all__ = ["PlaceNoise"]

_MOST_PLACES = 24


@dataclass(frozen=True, kw_only=True, eq=False)
class PlaceNoise(Mechanism):
    """Adds correlated Gaussian noise so that a path tells little about hidden places; every point is kept.

    Each hidden place is one secret with all of its visits, however many points were taken there: under each kernel of
    the family the release given the place p is N(a·p, M + Σᵍ), and ε = (λ/2)·r²·aᵀ(M + Σᵍ)⁻¹a. The noise is the
    cheapest floor·I + V·core·Vᵀ that keeps ε for every place and kernel; the certificate bounds κ from above for the
    numbers that are really used (:func:`~sfumato.trace.core.place_response.certified_place_loss`). All of it is linear
    in the length of the path.

    The promise is for each place by itself. The place of a stay does not stand for single moments on the move: hide
    those as well (:meth:`~sfumato.trace.HiddenPlace.at`) if they are secret.

    Parameters
    ----------
    places : sequence of HiddenPlace
        At most 24.
    times : array-like of shape (n,)
        When the path is observed, in seconds; public.
    epsilon : float
        The Rényi ε for each place.
    radius : float
        How far apart two places may be, in metres.
    order : float
        The Rényi order λ > 1.
    floor : float
        Share of the noise that is spread evenly over all points. It guards against paths that are smoother than every
        kernel of the family, and the certificate rests on it; it is no promise of its own.
    max_error : float, optional
        Refuse noise of a larger root mean square error in the plane, in metres.
    prior : PriorFamily, Kernel or sequence of Kernel, optional
        What attackers may know; the shipped family by default.

    Examples
    --------
    >>> noon = HiddenPlace(((3600.0, 5400.0),))
    >>> hide = PlaceNoise(places=[noon], times=np.arange(0.0, 9001.0, 60.0), epsilon=1.0)
    >>> round(hide.plane_error, -1), hide.certified_epsilon <= 1.0
    (220.0, True)
    >>> hide.release(np.zeros((151, 2))).shape
    (151, 2)
    """

    places: Sequence[HiddenPlace]
    times: ArrayLike
    epsilon: float = 1.0
    radius: float = 200.0
    order: float = 2.0
    floor: float = 0.05
    max_error: float | None = None
    prior: PriorFamily | Kernel | Sequence[Kernel] | None = None

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        positive("radius", self.radius)
        probability("floor", self.floor)
        if not self.order > 1:
            raise bad_input("order", self.order, "λ > 1")
        if not 1 <= len(self.places) <= _MOST_PLACES:
            raise bad_input("places", len(self.places), f"1 to {_MOST_PLACES} hidden places", "hide stays, not points")
        if self.max_error is not None:
            positive("max_error", self.max_error)
        if len(self._moments) < 2 or not (np.diff(self._moments) > 0).all():
            raise bad_input("times", "not increasing", "at least two times that increase")
        family_of(self.prior)

    @property
    def family(self) -> PriorFamily:
        """The kernels under which the promise holds."""
        return family_of(self.prior)

    @cached_property
    def _moments(self) -> Vector:
        return finite_array("times", self.times, ndim=1)

    @cached_property
    def responses(self) -> list[PlaceResponse]:
        """The law of the path given each place, under every kernel in turn."""
        places = list(self.places)
        return [one for kernel in self.family.kernels for one in responses(kernel, self._moments, places)]

    @cached_property
    def _designed(self) -> tuple[LowRankNoise, Vector]:
        kappa = 2 * self.epsilon / (self.order * self.radius**2)
        noise, losses = place_design(self.responses, kappa * (1 - 2.0**-45), share=self.floor)
        error = math.sqrt(2 * noise.trace / len(self._moments))
        if self.max_error is not None and error > self.max_error:
            raise InfeasibleError(
                f"ε = {self.epsilon:g} at {self.radius:g} m costs a root mean square error of {error:.0f} m, more than "
                f"the {self.max_error:g} m allowed; hide fewer or shorter stays, raise ε or max_error, or cut the "
                "points out instead"
            )
        return noise, losses

    @property
    def noise(self) -> LowRankNoise:
        """The noise of each dimension."""
        return self._designed[0]

    @property
    def covariance(self) -> Matrix:
        """Σᵍ of each dimension as a matrix, for short paths and those who attack them."""
        return self.noise.covariance

    @property
    def plane_error(self) -> float:
        """The root mean square error in the plane."""
        return math.sqrt(2 * self.noise.trace / len(self._moments))

    @property
    def certified_epsilon(self) -> float:
        """The Rényi ε of the noise, worst over places and kernels, rounded up."""
        return 0.5 * self.order * self.radius**2 * float(self._designed[1].max()) * (1 + 2.0**-50)

    @property
    def guarantee(self) -> Guarantee:
        promise = InferentialPrivacy(
            max(self.certified_epsilon, self.epsilon),
            order=self.order, radius=self.radius, prior=self.family.summary,
        )  # fmt: skip
        return promise.assuming(Assumption("prior", source=self.family.provenance or None))

    @cached_property
    def step(self) -> float:
        """The grid: every released number is a whole multiple of this power of two, under a thousandth of the noise."""
        return grid_step(min(self.radius, math.sqrt(self.noise.floor)), 12)

    def release(self, data: ArrayLike, *, rng: Rng | None = None) -> NDArray[np.float64]:
        """The path of shape (n, d) with noise, exactly rounded to the grid."""
        path = finite_array("data", data, ndim=2)
        if len(path) != len(self._moments):
            raise bad_input("data", path.shape, f"{len(self._moments)} positions, one for each time")
        if not np.abs(path).max(initial=0.0) < 2.0**52 * self.step:
            raise bad_input("data", float(np.abs(path).max()), f"positions below {2.0**52 * self.step:.2g}")
        rows = np.ascontiguousarray(path.T)
        noise = self.noise
        return add_low_rank_gaussian(rows, math.sqrt(noise.floor), noise.factor, self.step, resolve_rng(rng)).T
