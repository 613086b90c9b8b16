"""The promises of a protected trace: conditional inferential privacy (Meehan, ch. 5) and zones."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from sfumato.errors import bad_input
from sfumato.promise import Guarantee, Model, Neighbours
from sfumato.validate import positive, probability

__all__ = ["WALKING", "InferentialPrivacy", "ZonePrivacy"]

WALKING = "paths of the family walking-2026 (7 kernels, Matérn 3/2 and 5/2 with lengths of 10 to 1280 s)"
"""The family of priors that ships with the toolkit, in words (:func:`~sfumato.trace.walking_family`)."""


def most_right(epsilon: float, order: float) -> float:
    """How often at most somebody is right who says which of two equally likely values is true, given D_λ ≤ ε both ways.

    A guess turns the two laws into two coins, whose divergence is not larger. It is jointly quasi-convex, so that the
    best pair of coins is p and 1 − p; D_λ = log(p^λ·(1−p)^(1−λ) + (1−p)^λ·p^(1−λ))/(λ−1) grows with p from ½ to 1.

    >>> round(most_right(1.0, 2.0), 3), most_right(0.0, 2.0), most_right(1e6, 2.0)
    (0.774, 0.5, 1.0)
    """
    low, high = 0.5, 1.0
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return high if epsilon > 0 else 0.5
        ratio = math.log(middle) - math.log1p(-middle)  # of the two chances
        both = np.logaddexp(math.log(middle) + (order - 1) * ratio, math.log1p(-middle) - (order - 1) * ratio)
        low, high = (middle, high) if both <= epsilon * (order - 1) else (low, middle)


def _cases(share: float) -> str:
    """A share in words, rounded up."""
    cases = math.ceil(100 * share - 1e-9)
    if cases >= 100:
        return "perhaps always: a loss of this size promises next to nothing"
    return f"in at most {cases} of 100 cases, where 50 are right by guessing"


@dataclass(frozen=True)
class InferentialPrivacy(Guarantee):
    """(ε, λ)-conditional inferential privacy: D_λ(Z | s ‖ Z | s′) ≤ ε for two values of a secret ``radius`` apart.

    Meehan, Def. 5.2. Z is the release, s and s′ are any two values of the secret at most ``radius`` apart. The promise
    holds for every mean of the path, if the path follows ``prior``: a kernel, or each kernel of a family. It is not
    differential privacy: several releases of *one* path can lose far more than the sum of their losses
    (:func:`~sfumato.trace.core.privacy_loss.repeated_noise`). Releases of stretches of path that are independent given
    the secret, such as different days, add precisions: κ = Σ κ_d exactly, and so ε = Σ ε_d. A ledger pays for those.

    Parameters
    ----------
    epsilon : float
        The Rényi divergence, at most.
    order : float
        The Rényi order λ > 1.
    radius : float
        In the unit of the positions.
    measured_in : str
        That unit: metres unless the series is of something else.
    prior : str
        The kernel or the family in words; by default the family that ships with the toolkit.
    apart : bool
        Whether the release is known to be of a stretch of path that no other release touches or comes near, as a
        ledger checks. Only such promises add up.
    for_ever : bool
        Whether it holds for any number of such releases together, because they share a noise that is never drawn again.

    >>> print(InferentialPrivacy(0.5, order=2.0, radius=200.0, prior="a smooth path"))
    Rényi ε = 0.5 at order 2 for places up to 200 m apart, for a smooth path, per secret
    """

    losses = ("epsilon",)
    remedy = "it holds for one release of a path under one prior"

    epsilon: float
    order: float = 2.0
    radius: float = 200.0
    prior: str = WALKING
    apart: bool = field(default=False, kw_only=True)
    for_ever: bool = field(default=False, kw_only=True)
    measured_in: str = field(default="m", kw_only=True)
    unit: str = field(default="secret", kw_only=True)
    neighbours: Neighbours = field(default="any-pair", kw_only=True)
    model: Model = field(default="local", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("epsilon", self.epsilon, zero=True)
        positive("radius", self.radius)
        if not self.order > 1:
            raise bad_input("order", self.order, "λ > 1")
        if not isinstance(self.prior, str) or not self.prior:
            raise bad_input("prior", self.prior, "the kernel in words, such as 'a smooth path'")
        if not isinstance(self.measured_in, str):
            raise bad_input("measured_in", self.measured_in, "a unit such as 'm', or nothing")

    @property
    def _far(self) -> str:
        return f"{self.radius:.6g} {self.measured_in}".rstrip()

    @property
    def obstacle(self) -> str:
        """Why promises of this kind do not add up, unless they are of stretches apart from each other."""
        if self.for_ever:
            return "the noise is drawn once for all releases, so that there is nothing to add up"
        if self.apart:
            return ""
        return (
            "releases of one path share the rest of it, so their losses do not add up: repeated_noise gives the total"
        )

    @property
    def settled(self) -> bool:
        """Whether further releases under it cost nothing: they use what was drawn for the first."""
        return self.for_ever

    @property
    def statement(self) -> str:
        ever = " for any number of releases together" if self.for_ever else ""
        return (
            f"Rényi ε = {self.epsilon:.6g} at order {self.order:.6g} for places up to {self._far} apart{ever}, "
            f"for {self.prior}"
        )

    @property
    def meaning(self) -> str:
        seen = "all releases" if self.for_ever else "the release"
        return (
            f"Whoever sees {seen}, expects {self.prior} and has to say which of two values of one {self.unit}, up to "
            f"{self._far} from each other, is the true one is right {_cases(most_right(self.epsilon, self.order))}."
        )

    @property
    def scoped(self) -> str:
        return f"{self.statement}, per {self.unit}"


@dataclass(frozen=True)
class ZonePrivacy(Guarantee):
    """Rényi ε at order λ, up to probability δ, between two places in a zone whose middle was drawn once (addenda §3).

    Two worlds are compared whose paths agree outside a disc of radius ``around`` about the midpoint of two places at
    most ``radius`` apart. The zone's middle is one of them plus Gaussian noise; unless the disc reaches out of the
    zone, which has probability δ at most, all releases are the same function of that middle in both worlds. So the
    promise needs no prior and holds for any number of files and visits, as long as the middle is never drawn again. It
    does not cover what the path outside tells, for instance that it heads for a district.

    Parameters
    ----------
    epsilon : float
        The Rényi divergence, at most.
    order : float
        The Rényi order λ > 1.
    delta : float
        The probability that it does not hold.
    radius : float
        How far apart the two places may be, in metres.
    around : float
        The radius of the disc outside of which the two paths agree, in metres.

    >>> print(ZonePrivacy(1.0, order=2.0, delta=4e-5, radius=200.0, around=200.0))
    Rényi ε = 1 at order 2 up to δ = 4e-05 for places up to 200 m apart, whatever is done within 200 m of them,
        per place (within-radius neighbours, local model)
    """

    remedy = "it holds for all releases with the same zone"

    epsilon: float
    order: float
    delta: float
    radius: float
    around: float
    unit: str = field(default="place", kw_only=True)
    neighbours: Neighbours = field(default="within-radius", kw_only=True)
    model: Model = field(default="local", kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "reach", self.radius)
        super().__post_init__()
        positive("epsilon", self.epsilon)
        probability("delta", self.delta)
        positive("radius", self.radius)
        positive("around", self.around)
        if not self.order > 1:
            raise bad_input("order", self.order, "λ > 1")

    @property
    def obstacle(self) -> str:
        """Why promises of this kind do not add up: they need not."""
        return "the zone is drawn once for all releases, so that there is nothing to add up"

    @property
    def settled(self) -> bool:
        """Further releases with the same zone cost nothing."""
        return True

    @property
    def statement(self) -> str:
        return (
            f"Rényi ε = {self.epsilon:.6g} at order {self.order:.6g} up to δ = {self.delta:.2g} for places up to "
            f"{self.radius:.6g} m apart, whatever is done within {self.around:.6g} m of them,"
        )

    @property
    def meaning(self) -> str:
        return (
            f"Whoever sees all releases of this person and has to say which of two values of the hidden {self.unit}, "
            f"up to {self.radius:.6g} m from each other, is the true one is right "
            f"{_cases(most_right(self.epsilon, self.order) + self.delta)}, without any assumption on how people move. "
            f"What the path outside the zone tells, such as the district, is not hidden."
        )
