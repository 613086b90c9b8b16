"""The spherical-cap mechanism: the best there is under pure local privacy over the whole sphere."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import get_args

from sfumato.direction.core.cap import CapLaw, Criterion
from sfumato.direction.mechanisms.directional import DirectionalMechanism
from sfumato.errors import bad_input
from sfumato.validate import choice

__all__ = ["SphericalCap"]

_law = lru_cache(maxsize=256)(CapLaw)


@dataclass(frozen=True, kw_only=True, eq=False)
class SphericalCap(DirectionalMechanism):
    """Releases a uniform direction within a cap around the input, or, with e^−ε of the density, outside it.

    Under pure ε-differential privacy with any two directions adjacent, no mechanism that treats all directions alike
    has a smaller expected error (see :class:`~sfumato.direction.core.cap.CapLaw`). It is PrivUnit₂ of Bhowmick et al.
    (2018) with the whole of ε in the cap. Its density jumps at the rim of the cap, so it has no metric promise:
    neighbours that are arbitrarily close are told apart as easily as opposite ones.

    Parameters
    ----------
    pure : float
        The ε of pure differential privacy, for any two directions.
    criterion : {"angle", "chord", "cosine"}
        The expected error that the size of the cap minimises; "cosine" is best for averages of many releases.
    kind, normalise, wrap, snap, unit, neighbours, model
        See :class:`~sfumato.direction.mechanisms.directional.DirectionalMechanism`.

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
