"""ε-differential privacy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from sfumato.promise.amount import multiply_up
from sfumato.promise.guarantee import ORDERS, Guarantee, Rule
from sfumato.promise.kinds.approx import ApproxDP
from sfumato.promise.kinds.renyi import RenyiDP
from sfumato.promise.kinds.zero_concentrated import ZeroConcentratedDP
from sfumato.validate import positive, probability

__all__ = ["PureDP"]

_UP = 1 + 2.0**-50  # more than the rounding of the few operations of a closed form


@dataclass(frozen=True)
class PureDP(Guarantee):
    """ε-differential privacy: Pr[M(x)∈Z] ≤ e^ε·Pr[M(x′)∈Z] for all neighbours x, x′ and events Z.

    >>> print(PureDP(1.0, unit="word", neighbours="any-pair", model="local"))
    ε = 1 per word (any-pair neighbours, local model)
    """

    losses = ("epsilon",)
    forms = ("PureDP", "ApproxDP", "ZeroConcentratedDP", "RenyiDP")

    epsilon: float

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("epsilon", self.epsilon, "a mechanism without a promise has NoGuarantee(reason)", zero=True)

    @property
    def statement(self) -> str:
        return f"ε = {self.epsilon:.6g}"

    @property
    def meaning(self) -> str:
        factor = f"{math.exp(self.epsilon):.3g}" if self.epsilon < 700 else "e to the power of " + f"{self.epsilon:.6g}"
        return f"Whoever sees the release can shift their odds about one {self.unit} by a factor of at most {factor}."

    @property
    def delta(self) -> float:
        """δ = 0: pure privacy is (ε, 0)-DP."""
        return 0.0

    @property
    def best_guess(self) -> float:
        """e^ε/(1 + e^ε), what randomised response reaches (Kairouz, Oh and Viswanath 2015).

        >>> round(PureDP(1.0).best_guess, 4)
        0.7311
        """
        return min(1.0, _UP / (1 + math.exp(-self.epsilon)))

    def loss_bound(self, x: Any, y: Any) -> float:
        return self.epsilon

    def as_approx(self, delta: float, *, rule: Rule = "tight") -> ApproxDP:
        """The same ε, with any δ.

        >>> PureDP(1.0).as_approx(1e-6).epsilon
        1.0
        """
        return ApproxDP(self.epsilon, probability("delta", delta), **self.terms)

    def as_zcdp(self) -> ZeroConcentratedDP:
        """ρ = ε²/2 (Bun and Steinke 2016, Prop. 1.4).

        >>> PureDP(0.1).as_zcdp().rho
        0.005
        """
        return ZeroConcentratedDP(multiply_up(self.epsilon, self.epsilon, 0.5), **self.terms)

    def as_renyi(self, orders: Sequence[float] = ORDERS) -> RenyiDP:
        """The curve of randomised response, the worst ε-DP mechanism.

        >>> PureDP(1.0).as_renyi([2.0]).curve
        ((2.0, 0.735...),)
        """
        return RenyiDP(list(orders), [_renyi(self.epsilon, order) for order in orders], **self.terms)

    def _over(self, k: int) -> Self:
        return replace(self, epsilon=multiply_up(self.epsilon, k))


def _renyi(epsilon: float, order: float) -> float:
    """The Rényi divergence of randomised response, in logs so that large αε cannot overflow."""
    if epsilon == 0:
        return 0.0
    # (sinh αε − sinh (α−1)ε)/sinh ε = cosh((α − ½)ε)/cosh(ε/2)
    log_sum = (order - 1) * epsilon + math.log1p(math.exp(-(2 * order - 1) * epsilon)) - math.log1p(math.exp(-epsilon))
    curve = max(0.0, log_sum) / (order - 1)
    return min(curve * _UP + 2.0**-52 / (order - 1), order * epsilon * epsilon / 2 * _UP, epsilon)
