"""Zero-concentrated differential privacy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Self

from sfumato.promise.amount import exact, multiply_up
from sfumato.promise.guarantee import ORDERS, Combine, Guarantee, Rule
from sfumato.promise.kinds.approx import ApproxDP
from sfumato.promise.kinds.renyi import UP, RenyiBound, RenyiDP, tightened
from sfumato.promise.yardstick import Renyi, Yardstick
from sfumato.validate import choice, positive, probability

__all__ = ["ZeroConcentratedDP"]

_AUDITED_ORDERS = (1.05, 1.5, 2.0, 4.0, 8.0, 32.0)  # the promise holds at all of them or at none worth having


@dataclass(frozen=True)
class ZeroConcentratedDP(Guarantee):
    """ρ-zCDP: the Rényi divergence of every order α > 1 is at most ρ·α.

    >>> print(ZeroConcentratedDP(0.5))
    ρ = 0.5 (zCDP) per record (replace-one neighbours, central model)
    """

    losses = ("rho",)
    forms = ("ZeroConcentratedDP", "RenyiDP")
    remedy = "state it at a δ of its own with as_approx(delta)"

    rho: float

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("rho", self.rho, zero=True)

    @property
    def statement(self) -> str:
        return f"ρ = {self.rho:.6g} (zCDP)"

    @property
    def meaning(self) -> str:
        return self.as_approx(1e-6).meaning

    @property
    def best_guess(self) -> float:
        """(1 + √(ρ/2))/2: the divergence of order 1 is at most ρ, and Pinsker's inequality bounds the rest.

        >>> round(ZeroConcentratedDP(0.02).best_guess, 4)
        0.55
        """
        return min(1.0, (1 + math.sqrt(self.rho / 2)) / 2 * UP)

    def yardsticks(self) -> list[Yardstick]:
        return [Renyi(order, self.rho * order, order) for order in _AUDITED_ORDERS]

    def delta_allowed(self, epsilon: float, x: Any, y: Any) -> float:
        excess = max(0.0, epsilon - self.rho)
        return math.exp(-(excess**2) / (4 * self.rho)) if self.rho > 0 else 0.0

    def bound(self, delta: float, rule: Rule = "tight") -> RenyiBound:
        """The least ε for δ that follows, with the order and the rule that give it (see :meth:`RenyiDP.bound`).

        The classical rule has its optimum at α* = 1 + √(log(1/δ)/ρ): ε = ρ + 2√(ρ·log(1/δ)).

        >>> ZeroConcentratedDP(0.5).bound(1e-5, rule="classical")
        RenyiBound(epsilon=5.298..., order=5.798..., rule='classical')
        >>> ZeroConcentratedDP(0.5).bound(1e-5)
        RenyiBound(epsilon=4.728..., order=5.4..., rule='tight')
        """
        choice("rule", rule, ("tight", "classical"))
        log_inverse = -math.log(probability("delta", delta))
        if self.rho == 0:
            return RenyiBound(0.0, math.inf, rule)
        best = 1 + math.sqrt(log_inverse / self.rho)
        classical = RenyiBound((self.rho + 2 * math.sqrt(self.rho * log_inverse)) * UP, best, "classical")
        if rule == "classical":
            return classical
        # Every order is a valid bound; the tight optimum lies near the classical one.
        curve = [(a, self.rho * a) for a in (1 + (best - 1) * 2 ** (step / 64) for step in range(-192, 193))]
        return tightened(classical, curve, delta)

    def as_approx(self, delta: float, *, rule: Rule = "tight") -> ApproxDP:
        """(ε, δ)-DP by the rule of :meth:`bound`.

        >>> print(ZeroConcentratedDP(0.5).as_approx(delta=1e-5))
        ε = 4.72842, δ = 1e-05 per record (replace-one neighbours, central model)
        """
        return ApproxDP(self.bound(delta, rule).epsilon, delta, **self.terms)

    def as_zcdp(self) -> ZeroConcentratedDP:
        """Itself."""
        return self

    def as_renyi(self, orders: Sequence[float] = ORDERS) -> RenyiDP:
        """The line (α, αρ).

        >>> ZeroConcentratedDP(0.1).as_renyi(orders=[2, 8]).curve
        ((2.0, 0.2), (8.0, 0.8))
        """
        return RenyiDP(list(orders), [multiply_up(self.rho, order) for order in orders], **self.terms)

    def _amounts(self, release: Guarantee) -> dict[str, Decimal]:
        return {"rho": exact(release.as_zcdp().rho)}

    @classmethod
    def combine(cls, guarantees: Sequence[Guarantee], how: Combine) -> Guarantee:
        """Σρ, with ρ = ε²/2 for a pure promise."""
        return cls(how(one.as_zcdp().rho for one in guarantees), **guarantees[0].terms)

    def _over(self, k: int) -> Self:
        return replace(self, rho=multiply_up(self.rho, k, k))
