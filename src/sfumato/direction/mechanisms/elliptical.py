"""Elliptical noise on the sphere: longer along one public direction than across it.

The dissertation names it as future work (Weggenmann, ch. 8). Noise of an elliptical shape around every input, such as a
density ∝ exp(−‖A(x − z)‖), has a constant that depends on the input, and a promise that pays for it twice. Here the
sphere itself is deformed instead: the constant is that of the round law, and nothing is paid twice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.direction.core.certified import Mean
from sfumato.direction.core.coordinates import arc_words, as_vectors, latlon_to_vector, unit_vector
from sfumato.direction.core.directional import ROUNDING, DirectionalMechanism
from sfumato.direction.core.sphere import angle_between
from sfumato.direction.mechanisms.purkayastha import PurkayasthaLaw, _law
from sfumato.errors import bad_input
from sfumato.noise.interval import Interval, exact
from sfumato.promise import Guarantee, MetricDP, PureDP
from sfumato.promise.metric import register_metric
from sfumato.validate import finite_array, positive

__all__ = ["Elliptical"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Elliptical(DirectionalMechanism):
    r"""Replaces each direction by one around it, with noise that is ``stretch`` times as long along an axis.

    Let A = I − (1 − 1/s)·aaᵀ for a public unit vector a and a stretch s ≥ 1, and g(x) = Ax/‖Ax‖, a smooth map of the
    sphere onto itself with inverse g⁻¹(w) = A⁻¹w/‖A⁻¹w‖. Released is z = g⁻¹(w) with w ~ Pur(g(x), κ).

    **Law.** p(z | x) = C(κ)·exp(−κ·d∠(g(x), g(z)))·det A/‖Az‖ⁿ with the constant C of the Purkayastha law, since
    det A/‖Az‖ⁿ is by how much g stretches areas at z (the Jacobian of the angular central Gaussian law).

    **Theorem.** For all x, y and every set Z, Pr[z ∈ Z | x] ≤ e^{κ·d_A(x, y)}·Pr[z ∈ Z | y] with the metric d_A(x, y) =
    d∠(g(x), g(y)), and no smaller factor of d_A holds. *Proof.* w keeps κ·d∠ between its centres g(x) and g(y)
    (Weggenmann, Theorem 7.21), attained at w = g(x); z is a function of w, and w one of z. ∎ d_A is at most π, so
    ``pure`` gives κ = ε/π.

    **Shape.** At a point c at right angles to the axis, d_A is the arc across the axis, and atan(tan(r)/s) ≈ r/s for an
    arc r along it. At an angle φ from c along the axis both are longer by up to 1/(cos²φ + sin²φ/s²): 50 km away, by
    less than 7·10⁻⁵. At the axis itself, a quarter of the globe away, noise is round and s times *shorter*.

    Parameters
    ----------
    epsilon, level, radius, pure, kind, normalise, snap, unit, neighbours, model
        See :class:`~sfumato.direction.core.directional.DirectionalMechanism`; distances are d_A, so ``radius`` is that
        across the axis. The kinds are ``"vector"`` (n ≥ 3) and ``"latlon"``.
    stretch : float
        How many times longer the noise is along the axis, from 1 to 1000.
    axis : sequence of float
        For vectors: a, of any length.
    centre, bearing : pair of float, float
        For places: latitude and longitude of the middle of the region, and the compass bearing there along which the
        noise is long (0 is north, 90 east).

    Examples
    --------
    >>> valley = Elliptical(level=1.0, radius=1e-5, stretch=4.0, centre=(47.3, 11.4), bearing=75.0, kind="latlon")
    >>> valley.release([[47.27, 11.39], [47.31, 11.5]]).shape
    (2, 2)
    >>> print(Elliptical(pure=1.0, stretch=2.0, axis=(0.0, 0.0, 1.0)).guarantee)
    ε = 1 per record (any-pair neighbours, local model)
    """

    stretch: float = 1.0
    axis: tuple[float, ...] | None = None
    centre: tuple[float, float] | None = None
    bearing: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in ("vector", "latlon"):
            raise bad_input("kind", self.kind, "vector or latlon", "on a circle there is one axis only")
        if not 1 <= positive("stretch", self.stretch) <= 1000:
            raise bad_input("stretch", self.stretch, "a number from 1 to 1000", "the axis is that of the longer noise")
        if self.sensitivity is not None:
            raise bad_input("sensitivity", self.sensitivity, "None", "distances are those of the deformed sphere")
        places = self.centre is not None and self.bearing is not None and self.axis is None
        vectors = self.axis is not None and self.centre is None and self.bearing is None
        if not (places if self.kind == "latlon" else vectors):
            wanted = "centre and bearing for places" if self.kind == "latlon" else "axis for vectors"
            example = (
                "--set centre=[48.1, 11.6] --set bearing=90" if self.kind == "latlon" else "--set axis=[1.0, 0.0, 0.0]"
            )
            raise bad_input("axis, centre, bearing", (self.axis, self.centre, self.bearing), wanted, example)
        for name in ("axis", "centre"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, tuple(finite_array(name, value, ndim=1).tolist()))
        _ = self.direction
        super().__post_init__()

    @cached_property
    def direction(self) -> Floats:
        """The axis as a unit vector."""
        if self.axis is not None:
            return unit_vector(self.axis)
        assert self.centre is not None
        assert self.bearing is not None
        latlon_to_vector(self.centre)  # checks the range
        phi, lam, turn = np.deg2rad([*self.centre, float(finite_array("bearing", self.bearing, ndim=0))])
        north = np.array([-math.sin(phi) * math.cos(lam), -math.sin(phi) * math.sin(lam), math.cos(phi)])
        east = np.array([-math.sin(lam), math.cos(lam), 0.0])
        return unit_vector(math.cos(turn) * north + math.sin(turn) * east)

    @cached_property
    def metric_called(self) -> str:
        """The name of d_A, which says all that fixes it."""
        if self.kind == "latlon":
            at = ", ".join(f"{value!r}" for value in self.centre or ())
            return f"great-circle (1:{float(self.stretch)!r} along {float(self.bearing or 0.0)!r}° at {at})"
        return f"angle (1:{float(self.stretch)!r} along {', '.join(f'{value!r}' for value in self.axis or ())})"

    @property
    def guarantee(self) -> Guarantee:
        if self.pure is not None:
            promise: Guarantee = PureDP(self.pure, **self.scope)
        else:
            name = self.metric_called
            register_metric(name, _named(name, self._distance), said=partial(_said, self.kind, self.stretch))
            promise = MetricDP(self._directional_epsilon, name, **self.scope)
        return promise if self.snap else promise.assuming(ROUNDING)

    def _distance(self, x: Any, y: Any) -> float:
        one, other = (self.straighten(as_vectors("data", v, self.kind, normalise=self.normalise)) for v in (x, y))
        return float(np.sum(angle_between(one, other)))

    def law(self, n: int) -> PurkayasthaLaw:
        """The law of the angle between g(z) and g(x)."""
        if n != len(self.direction):
            raise bad_input("data", n, f"vectors of {len(self.direction)} coordinates, as the axis")
        return _law(n, self.kappa)

    def straighten(self, vectors: Floats) -> Floats:
        """g."""
        return self._mapped(vectors, self._cut)

    def bend(self, vectors: Floats) -> Floats:
        """g⁻¹."""
        return self._mapped(vectors, 1 - 1 / (1 - self._cut))

    @property
    def _cut(self) -> float:
        """1 − 1/s: the double that A is made of."""
        return 1 - 1 / self.stretch

    def _mapped(self, vectors: Floats, cut: float) -> Floats:
        a = self.direction
        if vectors.shape[-1] != len(a):
            raise bad_input("data", vectors.shape, f"vectors of {len(a)} coordinates, as the axis")
        moved = vectors - (cut * (vectors @ a) / (a @ a))[..., None] * a
        return np.asarray(moved / np.sqrt(np.einsum("...i,...i->...", moved, moved))[..., None])

    @property
    def _exactly(self) -> Mean:
        return partial(_exact_map, super()._exactly, self.direction, self._cut)

    def _blur(self, n: int) -> float:
        """An error δ of Ax is one of δ/‖Ax‖ ≤ sδ in its direction; the product aᵀx rounds n times."""
        return 2 * self.stretch * (2.0**-50 + (n + 8) * 2.0**-52) + (n + 8) * 2.0**-52

    def log_density(self, output: ArrayLike, data: Any) -> Floats:
        """Log-density of each output (first axis) given one input, with respect to area on the sphere."""
        seen = as_vectors("output", output, self.kind)
        n = seen.shape[-1]
        rows = as_vectors("data", data, self.kind, normalise=self.normalise).reshape(-1, n)
        seen = seen.reshape(len(seen), len(rows), n)
        law, a = self.law(n), self.direction
        moved = seen - self._cut * (seen @ a)[..., None] * a
        area = -math.log(self.stretch) - n / 2 * np.log(np.einsum("...i,...i->...", moved, moved))
        angles = angle_between(self.straighten(seen), self.straighten(rows))
        return np.asarray((law.log_density(np.minimum(angles, math.pi)) + area).sum(axis=1))


def _exact_map(exactly: Mean, direction: Floats, cut: float, record: Floats, digits: int) -> list[Interval]:
    """Ax/‖Ax‖ in interval arithmetic, for the record's own unit vector x."""
    x, a = exactly(record, digits), [exact(float(value), digits) for value in direction]
    dot, square, length = exact(0, digits), exact(0, digits), exact(0, digits)
    for one, other in zip(x, a, strict=True):
        dot, square = dot + one * other, square + other * other
    share = dot * cut / square
    moved = [one - other * share for one, other in zip(x, a, strict=True)]
    for one in moved:
        length = length + one * one
    return [one / length.sqrt() for one in moved]


def _named(name: str, metric: Any) -> Any:
    def distance(x: Any, y: Any) -> float:
        return float(metric(x, y))

    distance.__qualname__ = f"{name} distance"
    return distance


def _said(kind: Any, stretch: float, radians: float) -> str:
    words = partial(arc_words, "latlon" if kind == "latlon" else "angle")
    return f"{words(radians)} across the axis, or about {words(radians * stretch)} along it,"
