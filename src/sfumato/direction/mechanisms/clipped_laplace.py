"""The clipped Laplace baseline (Weggenmann §7.3.6.1): Laplace noise on an angle, clipped to the period."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import trapezoid

from sfumato.direction.core.coordinates import CIRCLES, TURN, check_period, period_of
from sfumato.direction.core.directional import ROUNDING
from sfumato.errors import bad_input
from sfumato.mechanism.base import ScopedMechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.noise.planar import add_planar_laplace
from sfumato.promise import Model, Neighbours, PureDP, metric_epsilon
from sfumato.validate import choice, finite_array, positive

__all__ = ["ClippedLaplace"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ClippedLaplace(ScopedMechanism):
    """Adds Laplace noise of scale 1/κ to an angle and clips the result to [0, 2π); promises its true loss 2πκ.

    The mechanism ignores that the circle closes: two directions on either side of the cut are almost 2π apart. Its pure
    loss is therefore 2πκ; the dissertation compares it at κ = ε/π, where it spends 2ε, and it is not κ·d∠-private.
    Clipping also piles up probability at the cut. A baseline; the other mechanisms of the circle are better.

    Parameters
    ----------
    pure : float
        The ε of pure differential privacy; κ = ε/2π.
    kind : {"angle", "hour", "week"}
    wrap : bool
        Take inputs modulo the period instead of refusing those outside.
    snap : bool
        Round the real-valued release to a fixed grid before it is clipped, without error
        (:func:`~sfumato.noise.planar.add_planar_laplace`); raw doubles otherwise, and the promise says so.
    unit, neighbours, model
        As in :class:`~sfumato.promise.Guarantee`.

    Examples
    --------
    >>> clipped = ClippedLaplace(pure=4.0, kind="hour")
    >>> 0 <= clipped.release(23.5) < 24
    True
    """

    pure: float
    kind: str = "angle"
    wrap: bool = False
    snap: bool = True
    neighbours: Neighbours = "any-pair"
    model: Model = "local"

    def __post_init__(self) -> None:
        positive("pure", self.pure)
        choice("kind", self.kind, CIRCLES)
        self.guarantee  # noqa: B018 - checks unit, neighbours and model

    @property
    def guarantee(self) -> PureDP:
        promise = PureDP(self.pure, **self.scope)
        return promise if self.snap else promise.assuming(ROUNDING)

    @cached_property
    def kappa(self) -> float:
        """The inverse scale of the noise, per radian."""
        return metric_epsilon(self.pure, math.nextafter(TURN, math.inf))  # rounded down; a turn is a little more

    @property
    def _period(self) -> float:
        return period_of(self.kind)  # type: ignore[arg-type]

    @property
    def scale(self) -> float:
        """The scale of the noise in the unit of the data, 1/κ there, rounded up."""
        return math.nextafter(self._period / (TURN * self.kappa) * (1 + 2.0**-50), math.inf)

    @property
    def cell(self) -> float:
        """The grid of releases: a power of two, at most 2⁻¹² of the scale and of the circle."""
        return 2.0 ** (math.frexp(min(self.scale, self._period))[1] - 13)

    @property
    def _top(self) -> float:
        """The largest release below the period, where clipping from above ends."""
        if not self.snap:
            return math.nextafter(self._period, 0.0)
        return (math.ceil(self._period / self.cell) - 1) * self.cell

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """Noisy angles or hours in the shape of ``data``."""
        values = check_period("data", data, self._period, wrap=self.wrap)
        rng = resolve_rng(rng)
        if self.snap:
            points = values.reshape(-1, 1)
            released = add_planar_laplace(points, self.scale, self.cell, rng).reshape(values.shape)
        else:
            released = values + rng.laplace(0.0, self.scale, values.shape)
        released = np.clip(released, 0.0, self._top)
        return float(released) if np.ndim(data) == 0 else released

    def log_density(self, output: Any, data: Any) -> NDArray[np.float64]:
        """Log-density inside, log-probability at the two ends of the period, for one input."""
        mean = float(check_period("data", data, self._period, wrap=self.wrap).reshape(-1)[0])
        if np.size(data) != 1:
            raise bad_input("data", np.shape(data), "one angle")
        seen = finite_array("output", output).reshape(-1)
        if not ((seen >= 0) & (seen < self._period)).all():
            raise bad_input("output", seen, f"values in [0, {self._period:.6g})")
        rate = 1 / self.scale
        ends = (seen == 0) | (seen == self._top)
        return np.where(ends, 0.0, math.log(rate)) - math.log(2) - rate * np.abs(seen - mean)

    def expected_error(self, angle: float) -> float:
        """E of the arc length between input and release, for an input at ``angle`` radians."""
        at = np.linspace(0, TURN, 4_001)
        arc = np.abs(np.mod(at - angle + math.pi, TURN) - math.pi)
        inside = trapezoid(arc * self.kappa / 2 * np.exp(-self.kappa * np.abs(at - angle)), at)
        edges = math.exp(-self.kappa * angle) + math.exp(-self.kappa * (TURN - angle))
        return float(inside + 0.5 * edges * min(angle, TURN - angle))
