"""(ε, δ)-differential privacy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Self

from sfumato.errors import bad_input
from sfumato.promise.amount import multiply_up
from sfumato.promise.cost import Cost
from sfumato.promise.divergence import pure_delta
from sfumato.promise.guarantee import Combine, Guarantee, Rule, promise_kind
from sfumato.promise.yardstick import HockeyStick, Yardstick
from sfumato.validate import positive, probability

__all__ = ["ApproxDP"]

_UP = 1 + 2.0**-50  # more than the rounding of the few operations of a closed form


@dataclass(frozen=True)
class ApproxDP(Guarantee):
    """(ε, δ)-differential privacy: Pr[M(x)∈Z] ≤ e^ε·Pr[M(x′)∈Z] + δ.

    >>> print(ApproxDP(1.0, 1e-6))
    ε = 1, δ = 1e-06 per record (replace-one neighbours, central model)
    """

    losses = ("epsilon", "delta")
    remedy = "start from the Rényi, zCDP or pure promise of the mechanism"

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("epsilon", self.epsilon, zero=True)
        probability("delta", self.delta, "use PureDP for δ = 0")

    @property
    def statement(self) -> str:
        return f"ε = {self.epsilon:.6g}, δ = {self.delta:.3g}"

    @property
    def meaning(self) -> str:
        factor = f"{math.exp(min(self.epsilon, 700)):.3g}"
        return (
            f"Whoever sees the release can shift their odds about one {self.unit} by a factor of at most {factor}, "
            f"except in cases of total probability {self.delta:.3g}, about which nothing is promised."
        )

    @property
    def best_guess(self) -> float:
        """(e^ε + δ)/(1 + e^ε): the least sum of both errors is 2(1 − δ)/(1 + e^ε) (Kairouz, Oh and Viswanath 2015).

        >>> round(ApproxDP(1.0, 0.01).best_guess, 4)
        0.7337
        """
        return min(1.0, (1 + self.delta * math.exp(-self.epsilon)) / (1 + math.exp(-self.epsilon)) * _UP)

    def yardsticks(self) -> list[Yardstick]:
        return [HockeyStick(self.epsilon, self.delta)]

    def delta_allowed(self, epsilon: float, x: Any, y: Any) -> float:
        return self.delta + (1 - self.delta) * pure_delta(self.epsilon, epsilon)

    def as_approx(self, delta: float, *, rule: Rule = "tight") -> ApproxDP:
        """The same with a larger δ."""
        if probability("delta", delta) < self.delta:
            raise bad_input("delta", delta, f"δ ≥ {self.delta:g}, the promise's own", "it cannot be lowered")
        return replace(self, delta=delta)

    def worth(self, cost: Cost, *, left: bool = False) -> Guarantee:
        """As in :class:`Guarantee`; pure where δ is 0."""
        if cost["delta"] <= Decimal(0):
            pure: Any = promise_kind("PureDP")
            whole: Guarantee = pure(self.epsilon, **self.terms)
            return whole.worth(cost, left=left)
        return super().worth(cost, left=left)

    @classmethod
    def combine(cls, guarantees: Sequence[Guarantee], how: Combine) -> Guarantee:
        """(Σε, Σδ) of pure and approximate promises."""
        epsilon, delta = (how(getattr(one, name) for one in guarantees) for name in cls.losses)
        if delta >= 1:
            raise bad_input("delta", delta, "δ that add up to less than 1", "release less, or with smaller δ")
        return cls(epsilon, delta, **guarantees[0].terms)

    def _over(self, k: int) -> Self:
        # Each step of one unit multiplies by e^ε and adds δ: δ·(1 + e^ε + … + e^{(k−1)ε}).
        try:
            delta = self.delta * math.fsum(math.exp(i * self.epsilon) for i in range(k)) * _UP
        except OverflowError:
            delta = math.inf
        if delta >= 1:
            raise bad_input("size", k, f"a group for which δ stays below 1 (here {delta:.2g})", "a smaller group")
        return replace(self, epsilon=multiply_up(self.epsilon, k), delta=delta)
