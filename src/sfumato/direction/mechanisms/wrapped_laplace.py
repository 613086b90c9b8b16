"""The wrapped Laplace mechanism and its law on the circle: α + Lap(0, 1/κ) modulo 2π (Weggenmann §7.3.6.2).

Promise: κ·d∠, as for the Laplace mechanism on the line, since wrapping is post-processing. The exact loss is smaller;
the tight calibration uses it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize

from sfumato.direction.core.angle_hat import CertifiedLaw
from sfumato.direction.core.directional import DirectionalMechanism
from sfumato.direction.core.sphere import Floats
from sfumato.errors import bad_input
from sfumato.noise.entropy import Rng, resolve_rng
from sfumato.noise.interval import Interval, at_most, exact, pi
from sfumato.validate import choice, integer

__all__ = ["WrappedLaplace", "WrappedLaplaceLaw", "log_cosh"]


def log_cosh(x: ArrayLike) -> Floats:
    """log cosh x without overflow.

    >>> float(log_cosh(1000.0)) == 1000 - math.log(2)
    True
    """
    size = np.abs(np.asarray(x, dtype=np.float64))
    small = np.minimum(size, 1.0)
    # near 0, log cosh x = log(1 + 2 sinh²(x/2)) keeps its relative precision
    return np.where(size < 1, np.log1p(2 * np.sinh(small / 2) ** 2), size + np.log1p(np.exp(-2 * size)) - math.log(2))


@dataclass(frozen=True)
class WrappedLaplaceLaw(CertifiedLaw):
    """The law with density κ·cosh(κ(π−θ)) / (2 sinh κπ) at arc length θ ∈ [0, π] from the mean; n = 2 only.

    Examples
    --------
    >>> round(WrappedLaplaceLaw(2, 0.5).mean_angle, 9)
    1.311588405
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n != 2:
            raise bad_input("n", self.n, "2; the wrapped Laplace law lives on the circle")

    def log_profile(self, theta: ArrayLike) -> Floats:
        theta = np.asarray(theta, dtype=np.float64)
        return log_cosh(self.kappa * (math.pi - theta)) - float(log_cosh(self.kappa * math.pi))

    def interval_profile(self, theta: Interval) -> Interval:
        scaled = (pi(theta.digits) - theta) * at_most(self.kappa, theta.digits)
        return _interval_log_cosh(scaled) - _interval_log_cosh(pi(theta.digits) * at_most(self.kappa, theta.digits))

    @property
    def log_peak(self) -> float:
        if self.kappa * math.pi < 1e-12:
            return -math.log(2 * math.pi)
        return math.log(self.kappa / 2 / math.tanh(self.kappa * math.pi))

    @property
    def mode(self) -> float:
        return 0.0

    @property
    def mean_angle(self) -> float:
        """E[θ] = tanh(κπ/2)/κ (7.31)."""
        half = self.kappa * math.pi / 2
        return math.pi / 2 if half < 1e-12 else math.tanh(half) / self.kappa

    @property
    def mean_cosine(self) -> float:
        """E[cosθ] = κ²/(1+κ²)."""
        return self.kappa**2 / (1 + self.kappa**2)

    def sample_angles(self, size: int, rng: Rng | None = None) -> Floats:
        rng = resolve_rng(rng)
        size = integer("size", size, least=0)
        if self.kappa * math.pi < 1e-12:
            return math.pi * rng.random(size)
        around = np.mod(rng.standard_exponential(size) / self.kappa, 2 * math.pi)
        return np.minimum(around, 2 * math.pi - around)

    def loss(self, distance: float) -> float:
        """The exact privacy loss between inputs at arc length ``distance``: log cosh κπ − log cosh κ(π − d).

        It is concave in d: its slope κ·tanh κπ at 0 is the metric constant, and log cosh κπ at π the pure one.
        """
        return float(log_cosh(self.kappa * math.pi) - log_cosh(self.kappa * (math.pi - distance)))


def _interval_log_cosh(x: Interval) -> Interval:
    """log(e^x + e^−x) − log 2 for x ≥ 0, as x + log((1 + e^−2x)/2)."""
    return x + (((-x * 2).exp() + 1) / 2).log()


_law = lru_cache(maxsize=256)(WrappedLaplaceLaw)


@dataclass(frozen=True, kw_only=True, eq=False)
class WrappedLaplace(DirectionalMechanism):
    """Adds Laplace noise of scale 1/κ to an angle and takes the result modulo 2π.

    The published calibration is that of the line before wrapping: κ = ε for ε·d∠, κ = ε/Δ∠ for pure ε (Weggenmann
    §7.3.6.2). Wrapping blurs further, and the exact loss between inputs at arc length d is
    log cosh κπ − log cosh κ(π−d), concave in d. The tight calibration solves it: κ·tanh κπ = ε for ε·d∠, and
    κ = arccosh(e^ε)/π for pure ε over the whole circle, where the published one spends only 0.434 of ε = 1.

    Parameters
    ----------
    calibration : {"tight", "nominal"}
        Both keep the promise; the nominal one adds more noise than it needs.
    epsilon, level, radius, pure, sensitivity, kind, normalise, wrap, snap, unit, neighbours, model
        See :class:`~sfumato.direction.core.directional.DirectionalMechanism`; vectors must be of the plane.

    Examples
    --------
    >>> tight, nominal = (WrappedLaplace(pure=1.0, calibration=c, kind="hour") for c in ("tight", "nominal"))
    >>> round(tight.law(2).mean_angle, 2), round(nominal.law(2).mean_angle, 2)
    (1.29, 1.45)
    """

    calibration: Literal["tight", "nominal"] = "tight"

    dimensions: ClassVar[int | None] = 2

    def __post_init__(self) -> None:
        choice("calibration", self.calibration, ("tight", "nominal"))
        super().__post_init__()

    @cached_property
    def kappa(self) -> float:
        """The inverse scale of the noise, per radian."""
        nominal = super().kappa
        if self.calibration == "nominal":
            return nominal
        if self.pure is None:
            target, distance = nominal, None
        else:
            target, distance = self.pure, self.sensitivity or math.pi
        # Past its bend the loss is linear in κ, so a bracket starts at the nominal value and is widened upwards.
        high = nominal + 1.0
        while _excess(high, target, distance) < 0:
            high *= 2
        found = optimize.brentq(_excess, nominal, high, args=(target, distance), xtol=1e-15 * high, rtol=1e-14)
        while not _certain(found, target, distance):  # round towards more noise
            found = math.nextafter(found, 0.0)
        return float(found)

    def law(self, n: int = 2) -> WrappedLaplaceLaw:
        return _law(n, self.kappa)


def _excess(kappa: float, target: float, distance: float | None) -> float:
    """Loss at ``distance``, or per radian at distance 0 for ``None``, less the target."""
    if distance is None:
        return kappa * math.tanh(kappa * math.pi) - target
    return _law(2, kappa).loss(distance) - target


_DIGITS = 60


def _certain(kappa: float, target: float, distance: float | None) -> bool:
    """Whether the real loss is at most the target, in interval arithmetic: that of :func:`_excess` is below 0."""
    scale, limit = exact(kappa, _DIGITS), at_most(target, _DIGITS)
    whole = pi(_DIGITS) * scale
    if distance is None:
        decay = (-whole * 2).exp()
        loss = scale * (-decay + 1) / (decay + 1)
    elif distance == math.pi:  # the whole circle
        loss = _interval_log_cosh(whole)
    else:
        loss = _interval_log_cosh(whole) - _interval_log_cosh(whole - scale * distance)
    return loss.high <= limit.low
