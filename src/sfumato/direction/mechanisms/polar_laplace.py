"""The polar Laplace mechanism: widely used for places, and without any promise on the sphere."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.core.coordinates import as_vectors, vector_to_latlon
from sfumato.direction.core.polar_laplace import PolarLaplaceLaw
from sfumato.direction.core.sphere import angle_between
from sfumato.errors import bad_input
from sfumato.mechanism.base import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.promise.guarantee import NoGuarantee
from sfumato.validate import choice, positive

__all__ = ["PolarLaplace"]

_law = lru_cache(maxsize=64)(PolarLaplaceLaw)


@dataclass(frozen=True, kw_only=True, eq=False)
class PolarLaplace(Mechanism):
    """Walks a distance r ~ Gamma(2, 1/κ) along a great circle in a uniform bearing: a utility baseline only.

    The planar Laplace mechanism adds noise in one common plane. Here the plane is the tangent at the input, so wrapping
    it onto the sphere is *not* post-processing of one mechanism. All great circles from x meet again at −x, where the
    density is infinite: on a ball of radius ρ around −x the ratio to a neighbour's grows like 1/ρ; no finite ε holds
    (Weggenmann §7.3.6.3 compares it "at the same privacy level"). :class:`Purkayastha` is the valid counterpart.

    Parameters
    ----------
    kappa : float
        Inverse scale, per radian.
    kind : {"latlon", "vector"}
    normalise : bool
        Take the direction of vectors of any length.

    Examples
    --------
    >>> mechanism = PolarLaplace(kappa=100.0)
    >>> mechanism.release([[48.2, 11.6]]).shape
    (1, 2)
    >>> mechanism.guarantee.statement[:12]
    'no guarantee'
    """

    kappa: float
    kind: Literal["latlon", "vector"] = "latlon"
    normalise: bool = False

    def __post_init__(self) -> None:
        positive("kappa", self.kappa)
        choice("kind", self.kind, ("latlon", "vector"))

    @property
    def guarantee(self) -> NoGuarantee:
        return NoGuarantee(
            "the density is infinite at the input's antipode, so no ratio to a neighbour's is bounded",
            neighbours="any-pair",
            model="local",
        )

    def law(self, n: int = 3) -> PolarLaplaceLaw:
        """The law of a release around its input."""
        return _law(n, self.kappa)

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """Places around those given, same shape and kind."""
        means = self._vectors("data", data, self.normalise)
        drawn = self.law().sample(means.reshape(-1, 3), resolve_rng(rng)).reshape(means.shape)
        return vector_to_latlon(drawn) if self.kind == "latlon" else drawn

    def log_density(self, output: Any, data: Any) -> NDArray[np.float64]:
        """Log-density of each output (first axis) given one input, with respect to area; +∞ at the antipode."""
        given = self._vectors("data", data, self.normalise).reshape(-1, 3)
        seen = self._vectors("output", output, False)
        angles = np.minimum(angle_between(seen.reshape(len(seen), len(given), 3), given), np.pi)
        return self.law().log_density(angles).sum(axis=1)

    def _vectors(self, name: str, values: Any, normalise: bool) -> NDArray[np.float64]:
        vectors = as_vectors(name, values, self.kind, normalise=normalise)
        if vectors.shape[-1] != 3:
            raise bad_input(name, vectors.shape, "vectors of 3 coordinates")
        return vectors
