"""The promise of a protected trace: conditional inferential privacy (Meehan, ch. 5)."""

from __future__ import annotations

from dataclasses import dataclass, field

from sfumato.errors import bad_input
from sfumato.promise import Guarantee, Model, Neighbours
from sfumato.validate import positive

__all__ = ["InferentialPrivacy"]


@dataclass(frozen=True)
class InferentialPrivacy(Guarantee):
    """(ε, λ)-conditional inferential privacy: D_λ(Z | s ‖ Z | s′) ≤ ε for two values of a secret ``radius`` apart.

    Meehan, Def. 5.2. Z is the release, s and s′ are any two values of the secret at most ``radius`` apart. The promise
    holds for every mean of the path, if the path follows the kernel ``prior``. It is not differential privacy: several
    releases of one path can lose more than the sum of their losses
    (:func:`~sfumato.trace.core.privacy_loss.repeated_noise`).

    Parameters
    ----------
    epsilon : float
        The Rényi divergence, at most.
    order : float
        The Rényi order λ > 1.
    radius : float
        In the unit of the positions.
    prior : str
        The kernel in words.

    >>> print(InferentialPrivacy(0.5, order=2.0, radius=200.0, prior="a smooth path"))
    Rényi ε = 0.5 at order 2 for places up to 200 apart, for a smooth path, per secret
    """

    remedy = "it holds for one release of a path under one prior"

    epsilon: float
    order: float
    radius: float
    prior: str
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

    @property
    def obstacle(self) -> str:
        """Why promises of this kind do not add up."""
        return (
            "releases of one path share the rest of it, so their losses do not add up: repeated_noise gives the total"
        )

    @property
    def statement(self) -> str:
        return (
            f"Rényi ε = {self.epsilon:.6g} at order {self.order:.6g} for places up to {self.radius:.6g} apart, "
            f"for {self.prior}"
        )

    @property
    def meaning(self) -> str:
        return (
            f"Whoever sees the release and expects {self.prior} can hardly tell apart two values of one {self.unit} "
            f"that are up to {self.radius:.6g} from each other: their Rényi divergence of order {self.order:.6g} is "
            f"at most {self.epsilon:.6g}."
        )

    @property
    def scoped(self) -> str:
        return f"{self.statement}, per {self.unit}"
