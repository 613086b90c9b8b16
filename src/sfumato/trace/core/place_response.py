"""How a path answers to a hidden place: the law of the path given the place, and certified losses, in O(n).

Under a kernel k on the operational clock, with visits at τ₁ … τ_m, a path seen with error w is

    X | p ~ N(a·p + const, M),      a = C·K₀⁻¹·1,      M = K − C·K₀⁻¹·Cᵀ + w²·I,      C = k(t, τ), K₀ = k(τ, τ):

all visits enter this one secret, and the prior variance of p drops out. Noise Σᵍ loses κ = aᵀ(M + Σᵍ)⁻¹a.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.errors import bad_input
from sfumato.trace.core.hidden_place import HiddenPlace, OperationalClock
from sfumato.trace.core.kernel import Kernel, Matrix, Vector
from sfumato.trace.core.state_space import MarkovPath

__all__ = ["PlaceResponse", "certified_place_loss", "responses"]

_SUM = 2.0**-44
"""Relative to the sum of the absolute terms, more than the rounding of a pairwise sum of less than 2⁵⁰ products."""


@dataclass(frozen=True, eq=False)
class PlaceResponse:
    """The law of a path given one hidden place under one kernel.

    Parameters
    ----------
    path : MarkovPath
        The path on the operational clock.
    visits : ndarray of shape (m,)
        When the place was visited, on that clock.
    """

    path: MarkovPath
    visits: Vector

    @cached_property
    def _to_visits(self) -> Matrix:
        """C, one row for each visit so that sums over the path are contiguous."""
        return self.path.kernel(self.visits[:, None] - self.path.moments[None, :])

    @cached_property
    def _between_visits(self) -> Matrix:
        """K₀."""
        return self.path.kernel(self.visits[:, None] - self.visits[None, :])

    @cached_property
    def _gain(self) -> tuple[Matrix, float]:
        """K₀⁻¹·Cᵀ, one row for each visit, and a bound on the norm of its rounding error.

        The solve is backward stable, and the kernels are a few roundings off: relative errors are multiplied by the
        condition number of K₀.
        """
        values = np.linalg.eigvalsh(self._between_visits)
        if values[0] <= 1e-9 * values[-1]:
            raise bad_input(
                "visits", len(self.visits), "visits that the prior does not tie together exactly", "join close visits"
            )
        gain = np.asarray(np.linalg.solve(self._between_visits, self._to_visits), np.float64)
        size = float(np.linalg.norm(gain)) + float(np.linalg.norm(self._to_visits)) / float(values[-1])
        return gain, 2.0**-47 * (len(values) + 4) * float(values[-1] / values[0]) * size

    @cached_property
    def shape(self) -> Vector:
        """a: how each point moves with the place; one at the visits."""
        return np.asarray(self._gain[0].sum(0), np.float64)

    @property
    def white(self) -> float:
        """The variance of the measurement error."""
        return self.path.white

    def rest(self) -> Matrix:
        """M as a matrix, for short paths."""
        moments = self.path.moments
        whole = self.path.kernel(moments[:, None] - moments[None, :]) + self.white * np.eye(len(moments))
        matrix = whole - self._to_visits.T @ self._gain[0]
        return (matrix + matrix.T) / 2

    def solve(self, extra: float, right: Matrix) -> Matrix:
        """(M + extra·I)⁻¹·right, to double precision and without a bound on its error."""
        count = right.shape[1]
        found = self.path.solve(extra, np.concatenate([right, self._to_visits.T], axis=1))
        direct, through = found[:, :count], found[:, count:]
        left = self._between_visits - self._to_visits @ through
        return direct + through @ np.linalg.solve(left, self._to_visits @ direct)

    def product(self, vector: Vector) -> tuple[Vector, float]:
        """M·vector and a bound on the Euclidean norm of its error."""
        smooth, error = self.path.product(vector)
        gain, off = self._gain
        seen = np.array([float((row * vector).sum()) for row in self._to_visits])  # pairwise sums of contiguous terms
        answer = smooth - seen @ gain + self.white * vector
        size, length = float(np.linalg.norm(self._to_visits)), float(np.linalg.norm(vector))
        error += (off + _SUM * (len(seen) + 1) * float(np.linalg.norm(gain))) * size * length
        error += 2.0**-50 * (float(np.linalg.norm(smooth)) + 2 * self.white * length)
        return answer, error

    @property
    def shape_error(self) -> float:
        """A bound on the Euclidean norm of the rounding error of :attr:`shape`."""
        return 2 * math.sqrt(len(self.visits)) * self._gain[1]


def responses(kernel: Kernel, times: Vector, places: list[HiddenPlace]) -> list[PlaceResponse]:
    """The response of a path seen at ``times`` to each of the places, all of whose stays stop the clock."""
    clock = OperationalClock(places)
    path = MarkovPath.of(kernel, clock(times))
    return [PlaceResponse(path, clock([start for start, _ in place.visits])) for place in places]


def certified_place_loss(
    response: PlaceResponse, floor: float, factor: Matrix, guess: Vector, *, days: float = 1.0
) -> float:
    """An upper bound on κ under the noise floor·I + factor·factorᵀ, sound for any ``guess`` of N⁻¹a, rounding included.

    With N = (M + floor·I)/days + factor·factorᵀ, u the guess and ρ = a − N·u,

        κ = aᵀu + uᵀρ + ρᵀN⁻¹ρ ≤ aᵀu + uᵀρ + ‖ρ‖²·days/(floor + w²),

    since the least eigenvalue of N is at least (floor + w²)/days. What rounding may have done to N·u adds to ρ, and
    what it may have done to a adds to √κ. With ``days`` like days and fresh floors this is the loss of all of them
    together when they share the other noise.
    """
    least = (floor + response.white) / days
    if least <= 0:
        return math.inf
    a, u = response.shape, np.asarray(guess, np.float64)
    inside, error = response.product(u)
    seen = np.array([float((column * u).sum()) for column in factor.T])
    through = factor @ seen
    rest = (inside + floor * u) / days + through
    length, reach = float(np.linalg.norm(u)), float(np.linalg.norm(factor))
    error = error / days + _SUM * (factor.shape[1] + 1) * reach**2 * length
    error += 2.0**-49 * (float(np.linalg.norm(inside)) / days + floor * length + float(np.linalg.norm(rest)))
    missing = a - rest
    error += 2.0**-50 * (float(np.linalg.norm(a)) + float(np.linalg.norm(rest)))
    far = float(np.linalg.norm(missing)) + error
    terms = u * (a + missing)
    loss = float(terms.sum()) + _SUM * float(np.abs(terms).sum()) + length * error + far**2 / least
    return (math.sqrt(max(loss, 0.0)) + response.shape_error / math.sqrt(least)) ** 2 * (1 + 2.0**-40)
