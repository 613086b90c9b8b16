"""The Purkayastha mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sfumato.direction.core.purkayastha import PurkayasthaLaw
from sfumato.direction.mechanisms.directional import DirectionalMechanism

__all__ = ["Purkayastha"]

_law = lru_cache(maxsize=256)(PurkayasthaLaw)


@dataclass(frozen=True, kw_only=True, eq=False)
class Purkayastha(DirectionalMechanism):
    """Replaces x by a draw z with density ∝ exp(−κ·d∠(x, z)): the Laplace mechanism of the sphere.

    ``epsilon`` promises ε·d∠ (Weggenmann, Theorem 7.21, by the triangle inequality; attained at z = x). At equal ε its
    expected error is smaller than that of :class:`VonMisesFisher` and, on the circle, of :class:`WrappedLaplace`.

    Parameters
    ----------
    epsilon, level, radius, pure, sensitivity, kind, normalise, wrap, snap, unit, neighbours, model
        See :class:`~sfumato.direction.mechanisms.directional.DirectionalMechanism`; the sensitivity is Δ∠ ≤ π.

    Examples
    --------
    >>> nearby = Purkayastha(level=1.0, radius=0.1, kind="latlon")  # ε = 1 for everything within 0.1 rad
    >>> print(nearby.guarantee)
    ε = 10 per unit of great-circle distance per record (any-pair neighbours, local model)
    >>> nearby.release([[48.2, 11.6], [37.8, -122.4]]).shape
    (2, 2)
    """

    def law(self, n: int) -> PurkayasthaLaw:
        return _law(n, self.kappa)
