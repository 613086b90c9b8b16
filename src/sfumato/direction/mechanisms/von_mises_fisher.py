"""The von Mises–Fisher mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

from sfumato.direction.core.vmf import VonMisesFisherLaw
from sfumato.direction.mechanisms.directional import DirectionalMechanism

__all__ = ["VonMisesFisher"]

_law = lru_cache(maxsize=256)(VonMisesFisherLaw)


@dataclass(frozen=True, kw_only=True, eq=False)
class VonMisesFisher(DirectionalMechanism):
    """Replaces x by a draw z with density ∝ exp(κ·xᵀz).

    ``epsilon`` promises ε·d₂ in the Euclidean (chord) distance, hence also ε·d∠, since d₂ ≤ d∠ (Weggenmann, Theorem
    7.17 and Corollary 7.18): log-densities at z differ by κ(x−y)ᵀz ≤ κ‖x−y‖, with equality at z = (x−y)/‖x−y‖. For
    ``pure`` the sensitivity is Δ₂ ≤ 2, so the whole sphere gives κ = ε/2 rather than the ε/π of the other mechanisms.

    Parameters
    ----------
    epsilon, level, radius, pure, sensitivity, kind, normalise, wrap, snap, unit, neighbours, model
        See :class:`~sfumato.direction.mechanisms.directional.DirectionalMechanism`.

    Examples
    --------
    >>> mechanism = VonMisesFisher(epsilon=2.0)
    >>> print(mechanism.guarantee)
    ε = 2 per unit of euclidean distance per record (any-pair neighbours, local model)
    >>> mechanism.release([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).shape
    (2, 3)
    >>> round(VonMisesFisher(pure=1.0).law(2).mean_angle, 3)
    1.262
    """

    metric: ClassVar[Literal["angle", "chord"]] = "chord"

    def law(self, n: int) -> VonMisesFisherLaw:
        return _law(n, self.kappa)
