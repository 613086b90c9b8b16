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
"""Relative to the sum of the absolute terms, more than the rounding of a pairwise sum of less than 2⁴⁵ products.

numpy adds blocks of up to 128 terms in 8 lanes, and the blocks in pairs: no term is rounded more than 20 + 38 times in
sums and 4 times before, which is less than 2⁶ roundings of 2⁻⁵³ each.
"""

_UP = 1 + 2.0**-47
"""More than 32 roundings of non-negative numbers can take away: what sums, products, quotients and roots make of upper
bounds is an upper bound again after this factor."""


def _norm(array: Matrix | Vector) -> float:
    """An upper bound on the Euclidean norm, whatever the order in which the squares are added.

    Each of n squares is rounded once and takes part in fewer than n sums, so that less than n + 1 parts in 2⁵³ of the
    sum of squares are lost, and half as many of its root; 2⁻⁵⁰⁰ is more than squares below the smallest double add.

    >>> values = np.full(1 << 16, 0.1)
    >>> bool(_norm(values) >= 256 * 0.1) and _norm(values) <= 256 * 0.1 * (1 + 1e-11)
    True
    """
    return float(np.linalg.norm(array)) * (1 + array.size * 2.0**-53) * _UP + 2.0**-500


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
        size = _norm(gain) + _norm(self._to_visits) / float(values[-1])
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
        size, length = _norm(self._to_visits), _norm(vector)
        error += (off + _SUM * (len(seen) + 1) * _norm(gain)) * size * length
        error += 2.0**-50 * (_norm(smooth) + 2 * self.white * length)
        return answer, error * _UP

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

    since the least eigenvalue of N is at least (floor + w²)/days. With ``days`` like days and fresh floors this is the
    loss of all of them together when they share the other noise.

    *Rounding.* What is returned is above the right-hand side for the real numbers that the doubles stand for. Norms
    are upper bounds (:func:`_norm`); what follows from them by sums, products and quotients of non-negative numbers is
    one after a factor ``_UP``. The vector that stands for N·u is wrong by at most the sum of

    - what :meth:`PlaceResponse.product` says of M·u, over days;
    - (k + 1)·2⁻⁴⁴·‖F‖²·‖u‖ for F·(Fᵀu) of k columns: each entry of Fᵀu is a pairwise sum, wrong by 2⁻⁴⁶ of
      ‖column‖·‖u‖, which F carries on, and a sum of k terms in any order is wrong by k·2⁻⁵³ of ‖F‖·‖Fᵀu‖;
    - 2⁻⁴⁹·(‖M·u‖/days + floor·‖u‖ + ‖N·u‖) for the product, the two sums and the quotient that join the parts;

    and ρ by 2⁻⁵⁰·(‖a‖ + ‖N·u‖) more for the difference. If e is the error of ρ, then uᵀρ ≤ uᵀρ̃ + ‖u‖·‖e‖ and
    ‖ρ‖ ≤ ‖ρ̃‖ + ‖e‖. aᵀu + uᵀρ̃ is one pairwise sum of u·(a + ρ̃), wrong by 2⁻⁴⁴ of its absolute terms. Last, a itself
    is wrong by at most ``shape_error``, and √κ = ‖N^−½a‖ is a norm, so that it grows by that over √(least eigenvalue)
    at most.
    """
    least = (floor + response.white) / days * (1 - 2.0**-50)
    if least <= 0:
        return math.inf
    a, u = response.shape, np.asarray(guess, np.float64)
    inside, error = response.product(u)
    seen = np.array([float((column * u).sum()) for column in factor.T])
    through = factor @ seen
    rest = (inside + floor * u) / days + through
    length, reach = _norm(u), _norm(factor)
    error = error / days + _SUM * (factor.shape[1] + 1) * reach**2 * length
    error += 2.0**-49 * (_norm(inside) / days + floor * length + _norm(rest))
    missing = a - rest
    error = (error + 2.0**-50 * (_norm(a) + _norm(rest))) * _UP
    far = _norm(missing) + error
    terms = u * (a + missing)
    middle = float(terms.sum())
    around = (_SUM * float(np.abs(terms).sum()) + length * error + far**2 / least) * _UP
    loss = max(middle + around + 2.0**-52 * (abs(middle) + around), 0.0)
    return (math.sqrt(loss) + response.shape_error / math.sqrt(least)) ** 2 * _UP
