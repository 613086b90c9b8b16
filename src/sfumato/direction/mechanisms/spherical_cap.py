"""The spherical-cap mechanism and its law: uniform on a cap around the input, uniform at e^−ε of that density outside.

It is PrivUnit₂ of Bhowmick et al. (2018) with all of ε in the cap; Asi, Feldman and Talwar (2022) prove this family
optimal. Promise: pure ε for any two directions, since densities differ by a factor of at most e^ε.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from sfumato.direction.core.angle_hat import CertifiedLaw
from sfumato.direction.core.angular_law import check_angles
from sfumato.direction.core.directional import DirectionalMechanism
from sfumato.direction.core.sine_hat import SineHat
from sfumato.direction.core.sphere import Floats
from sfumato.direction.mechanisms.purkayastha import PurkayasthaLaw
from sfumato.errors import bad_input
from sfumato.noise.entropy import Rng, resolve_rng
from sfumato.noise.interval import Interval, at_most, exact
from sfumato.validate import choice, integer

__all__ = ["CapLaw", "Criterion", "SphericalCap"]

Criterion = Literal["angle", "chord", "cosine"]
"""The expected error that is made smallest: of the arc, of the chord, or of 1 − cosθ (the shrinkage of averages)."""

_ERRORS: dict[Criterion, tuple[Callable[[Floats], Floats], Callable[[float], float]]] = {
    "angle": (lambda theta: theta, lambda error: error),
    "chord": (lambda theta: 2 * np.sin(theta / 2), lambda error: 2 * math.asin(min(1.0, error / 2))),
    "cosine": (lambda theta: 2 * np.sin(theta / 2) ** 2, lambda error: 2 * math.asin(math.sqrt(min(1.0, error / 2)))),
}


@dataclass(frozen=True)
class CapLaw(CertifiedLaw):
    """The law with two levels of density, a factor e^κ apart, and the cap of least expected error.

    Among all rotation-invariant laws whose densities stay within a factor e^ε of each other, an expected error is a
    linear functional of the density, so its minimum is at an extreme point: the upper level where the error is below
    some threshold, the lower level elsewhere. At the optimum that threshold is the expected error itself, which gives
    the angle of the cap by a fixed-point (Dinkelbach) iteration. This is PrivUnit₂ (Bhowmick et al. 2018) with all of ε
    in the cap, the optimal family of Asi, Feldman and Talwar (2022).

    Parameters
    ----------
    n : int
    kappa : float
        The ε of the pure promise (the logarithm of the ratio of the two levels).
    criterion : {"angle", "chord", "cosine"}

    Examples
    --------
    >>> law = CapLaw(3, 2.0)
    >>> abs(law.cap_angle - law.mean_angle) < 1e-12
    True
    """

    criterion: Criterion = "angle"

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("criterion", self.criterion, get_args(Criterion))

    @cached_property
    def cap_angle(self) -> float:
        """The opening angle of the cap, at least 1e-15: doubles do not tell smaller angles apart."""
        from scipy.optimize import brentq

        error, inverse = _ERRORS[self.criterion]

        def excess(log_angle: float) -> float:
            """Positive below the optimum and negative above: the expected error is least where it is the cap's own."""
            return math.log(inverse(self._expect(error, math.exp(log_angle)))) - log_angle

        low, high = math.log(1e-15), math.log(math.pi)
        if excess(low) <= 0:
            return 1e-15
        angle = math.exp(brentq(excess, low, high, xtol=1e-12))
        return inverse(self._expect(error, angle))  # the error is flat at the optimum: one step more is exact

    @cached_property
    def cap_share(self) -> float:
        """The share of the sphere's area that the cap covers."""
        return math.exp(self._log_share(self.cap_angle))

    @cached_property
    def cap_probability(self) -> float:
        """The probability of a release inside the cap."""
        return self._inside(self.cap_angle)

    def _log_share(self, angle: float) -> float:
        return float(self._log_shares(np.array(angle)))

    def _log_shares(self, angles: Floats) -> Floats:
        """The logarithm of the share of the sphere's area within each angle."""
        if self.n > 2:
            return self._uniform.log_cdf(angles)
        with np.errstate(divide="ignore"):
            return np.log(angles / math.pi)

    def _inside(self, angle: float) -> float:
        """s/(s + (1−s)·e^−κ) for a cap of share s; by logarithms, since s and e^−κ may be below every double."""
        log_share = self._log_share(angle)
        if log_share >= 0:
            return 1.0
        return float(expit(log_share - math.log(-math.expm1(log_share)) + self.kappa))

    @cached_property
    def _uniform(self) -> PurkayasthaLaw:
        """The uniform law, which the cap law is on either side of its rim: Purkayastha's at κ = 0."""
        return PurkayasthaLaw(self.n, 0.0)

    def log_profile(self, theta: ArrayLike) -> Floats:
        return np.where(np.asarray(theta, dtype=np.float64) <= self.cap_angle, 0.0, -self.kappa)

    def interval_profile(self, theta: Interval) -> Interval:
        """Both levels are those of the law, e^−ε apart to any digit; the rim is the double that it is."""
        inside = theta.below(self.cap_angle)
        return exact(0, theta.digits) if inside else -at_most(self.kappa, theta.digits)

    @property
    def breaks(self) -> tuple[float, ...]:
        return (self.cap_angle,) if self.n == 2 else (self.cap_angle, math.pi / 2)

    @property
    def log_peak(self) -> float:
        log_share = self._log_share(self.cap_angle)
        return self._uniform.log_peak - float(np.logaddexp(log_share, math.log(-math.expm1(log_share)) - self.kappa))

    @property
    def mode(self) -> float:
        return min(self.cap_angle, self._uniform.mode)

    def tails(self, theta: ArrayLike) -> tuple[Floats, Floats]:
        angles, inside = check_angles(theta), self.cap_probability
        log_share = self._log_share(self.cap_angle)
        below = inside * np.exp(np.minimum(self._log_shares(angles) - log_share, 0.0))
        above = (1 - inside) / -math.expm1(log_share) * self._uniform.survival(angles)
        in_cap = angles <= self.cap_angle
        return np.where(in_cap, below, 1 - above), np.where(in_cap, 1 - below, above)

    def expect(self, error: Callable[[Floats], Floats]) -> float:
        return self._expect(error, self.cap_angle)

    def _expect(self, error: Callable[[Floats], Floats], angle: float) -> float:
        inside = self._inside(angle)
        within, without = (self._uniform.expect_between(error, *part) for part in ((0.0, angle), (angle, math.pi)))
        return inside * within + (1 - inside) * without

    def sample_angles(self, size: int, rng: Rng | None = None) -> Floats:
        rng = resolve_rng(rng)
        size = integer("size", size, least=0)
        within = rng.random(size) < self.cap_probability
        out = np.empty(size)
        for part, (low, high) in ((within, (0.0, self.cap_angle)), (~within, (self.cap_angle, math.pi))):
            drawn = np.empty(int(part.sum()))
            if self.n == 2:
                drawn[:] = low + (high - low) * rng.random(drawn.size)
            else:
                SineHat(self.n - 2, 0.0, low, high).fill(rng, drawn)
            out[part] = drawn
        return out


_law = lru_cache(maxsize=256)(CapLaw)


@dataclass(frozen=True, kw_only=True, eq=False)
class SphericalCap(DirectionalMechanism):
    """Releases a uniform direction within a cap around the input, or, with e^−ε of the density, outside it.

    Under pure ε-differential privacy with any two directions adjacent, no mechanism that treats all directions alike
    has a smaller expected error (see :class:`CapLaw`). The density jumps at the rim of the cap, so there is no metric
    promise: inputs that are arbitrarily close can be told apart as easily as opposite ones.

    Parameters
    ----------
    pure : float
        The ε of pure differential privacy, for any two directions.
    criterion : {"angle", "chord", "cosine"}
        The expected error that the size of the cap minimises; "cosine" is best for averages of many releases.
    kind, normalise, wrap, snap, unit, neighbours, model
        See :class:`~sfumato.direction.core.directional.DirectionalMechanism`.

    Examples
    --------
    >>> round(SphericalCap(pure=1.0).law(2).mean_angle, 3)  # Purkayastha: 1.313, von Mises–Fisher: 1.262
    1.186
    """

    criterion: Criterion = "angle"

    def __post_init__(self) -> None:
        choice("criterion", self.criterion, get_args(Criterion))
        if self.pure is None:
            raise bad_input("pure", None, "a finite number > 0", "the cap has no promise in a metric")
        if self.sensitivity is not None:
            raise bad_input("sensitivity", self.sensitivity, "None", "the cap's loss is the same at every distance")
        super().__post_init__()

    @property
    def kappa(self) -> float:
        """The logarithm of the ratio of the two densities."""
        assert self.pure is not None
        return self.pure

    def _sharpness(self, n: int) -> float:
        return 1 / self.law(n).cap_angle

    def law(self, n: int) -> CapLaw:
        return _law(n, self.kappa, self.criterion)
