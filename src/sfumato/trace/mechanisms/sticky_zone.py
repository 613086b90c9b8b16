"""A zone around a place whose middle is drawn once and kept (addenda §3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.noise.correlated import add_correlated_gaussian
from sfumato.promise import Guarantee, RenyiDP
from sfumato.trace.promise import ZonePrivacy
from sfumato.validate import finite_array, positive

__all__ = ["StickyZone", "ZoneChannel"]

_GRID = 2.0**-6
"""Of the middle of a zone, in metres."""


@dataclass(frozen=True, kw_only=True, eq=False)
class StickyZone(Mechanism):
    """Deletes every point within ``reach`` of a middle that was drawn once near the hidden place.

    The middle is q = p + N(0, σ²I) with σ = r·√(λ/2ε). For two worlds whose paths agree except inside a disc C of
    radius ρ about the midpoint of p and p′, ‖p − p′‖ ≤ r, what is kept is the same function of q in both as long as
    C lies in the zone. So the loss is that of the Gaussian q, Rényi ε = λr²/(2σ²), up to the probability
    δ = exp(−(R − ρ − r/2)²/2σ²) that it does not. No prior is assumed, and every release that uses the same q is
    covered at once; a second draw of q is a second loss and is for that reason refused where q is kept
    (:func:`sfumato.trace.protect`). A zone centred on the place itself would give the place away.

    Parameters
    ----------
    epsilon : float
        The Rényi ε between two places ``radius`` apart.
    home : (float, float), optional
        The hidden place p in the plane; needed to draw the middle.
    centre : (float, float), optional
        The middle q as it was drawn before. Without it every release draws one.
    radius : float
        r, in the unit of the positions.
    order : float
        The Rényi order λ > 1.
    reach : float, optional
        R: points this near the middle are deleted. 6·radius by default, 1200 m for 200 m.
    around : float, optional
        ρ: paths may differ this far around the place. ``radius`` by default.

    Examples
    --------
    >>> zone = StickyZone(epsilon=1.0, home=(0.0, 0.0), centre=(150.0, -80.0))
    >>> zone.deviation, zone.reach, round(zone.delta, 6)
    (200.0, 1200.0, 4e-05)
    >>> zone.release(np.array([[0.0, 0.0], [900.0, 0.0], [5000.0, 0.0]])).tolist()
    [[5000.0, 0.0]]
    """

    epsilon: float
    home: Sequence[float] | None = None
    centre: Sequence[float] | None = None
    radius: float = 200.0
    order: float = 2.0
    reach: float | None = None
    around: float | None = None

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        positive("radius", self.radius)
        if not self.order > 1:
            raise bad_input("order", self.order, "λ > 1")
        object.__setattr__(self, "reach", 6 * self.radius if self.reach is None else positive("reach", self.reach))
        object.__setattr__(self, "around", self.radius if self.around is None else positive("around", self.around))
        if self.home is None and self.centre is None:
            raise bad_input("home", None, "the hidden place", "or the middle of a zone that was drawn before")
        for name in ("home", "centre"):
            given = getattr(self, name)
            if given is not None and finite_array(name, given, ndim=1).shape != (2,):
                raise bad_input(name, given, "a place in the plane")
        if not self._slack > 0:
            least = self.around + self.radius / 2  # type: ignore[operator]
            raise bad_input("reach", self.reach, f"more than around + radius/2 = {least:g}", "5 times the deviation")

    @property
    def deviation(self) -> float:
        """σ of the middle in each direction."""
        return self.radius * math.sqrt(self.order / (2 * self.epsilon))

    @property
    def _slack(self) -> float:
        return float(self.reach or 0.0) - float(self.around or 0.0) - self.radius / 2

    @property
    def delta(self) -> float:
        """The probability that the promise does not hold, at most."""
        return math.exp(-((self._slack / self.deviation) ** 2) / 2) * (1 + 2.0**-40)

    @property
    def guarantee(self) -> Guarantee:
        assert self.around is not None
        return ZonePrivacy(
            self.epsilon, order=self.order, delta=self.delta, radius=self.radius, around=float(self.around)
        )

    def draw(self, *, rng: Rng | None = None) -> tuple[float, float]:
        """The middle of the zone: once in the life of a person and place."""
        if self.home is None:
            raise bad_input("home", None, "the hidden place, to draw a zone about it")
        point = finite_array("home", self.home, ndim=1)[None]
        middle = add_correlated_gaussian(point, self.deviation * np.eye(2), _GRID, resolve_rng(rng))
        return float(middle[0, 0]), float(middle[0, 1])

    def kept(self, path: NDArray[np.float64], centre: Sequence[float]) -> NDArray[np.bool_]:
        """Which points of a path are outside the zone about ``centre``."""
        far = np.hypot(path[:, 0] - centre[0], path[:, 1] - centre[1])
        return np.asarray(far > float(self.reach or 0.0))

    def release(self, data: ArrayLike, *, rng: Rng | None = None) -> NDArray[np.float64]:
        """The points of a path of shape (n, 2) that are outside the zone."""
        path = finite_array("data", data, ndim=2)
        if path.shape[1] != 2:
            raise bad_input("data", path.shape, "points in the plane")
        return path[self.kept(path, self.draw(rng=rng) if self.centre is None else self.centre)]


@dataclass(frozen=True, kw_only=True, eq=False)
class ZoneChannel(Mechanism):
    """The channel from the hidden place to the middle of its zone, for the auditor: q ~ N(p, σ²I).

    Parameters
    ----------
    zone : StickyZone
    """

    zone: StickyZone

    @property
    def guarantee(self) -> RenyiDP:
        return RenyiDP(self.zone.order, self.zone.epsilon, unit="place", neighbours="any-pair", model="local")

    def release(self, data: ArrayLike, *, rng: Rng | None = None) -> NDArray[np.float64]:
        """A middle for the place ``data``."""
        return self.sample(data, 1, rng)[0]

    def sample(self, data: ArrayLike, count: int, rng: Rng | None = None) -> NDArray[np.float64]:
        """``count`` independent middles, one a row, for audits."""
        point = finite_array("data", data, ndim=1)
        if point.shape != (2,):
            raise bad_input("data", point.shape, "a place in the plane")
        points = np.tile(point, (count, 1))
        return add_correlated_gaussian(points, self.zone.deviation * np.eye(2), _GRID, resolve_rng(rng))

    def log_density(self, output: ArrayLike, data: Any) -> NDArray[np.float64]:
        """ln N(output; p, σ²I) for each output (first axis)."""
        apart = np.atleast_2d(finite_array("output", output)) - finite_array("data", data, ndim=1)
        variance = self.zone.deviation**2
        return np.asarray(-0.5 * (apart**2).sum(1) / variance - math.log(2 * math.pi * variance), np.float64)
