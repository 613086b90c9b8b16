"""Rényi differential privacy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, NamedTuple, Self

from sfumato.errors import bad_input
from sfumato.promise.amount import exact, multiply_up, round_down, round_up
from sfumato.promise.cost import Cost
from sfumato.promise.guarantee import ORDERS, Combine, Guarantee, Rule
from sfumato.promise.kinds.approx import ApproxDP
from sfumato.promise.yardstick import Renyi, Yardstick
from sfumato.validate import choice, positive, probability

__all__ = ["UP", "RenyiBound", "RenyiDP", "shared_orders", "tightened"]

UP = 1 + 2.0**-50
"""More than the rounding of the few operations of a closed form."""

Curve = Sequence[tuple[float, float]]


class RenyiBound(NamedTuple):
    """An ε for a given δ, the order α it was found at and the rule that gave it."""

    epsilon: float
    order: float
    rule: Rule


@dataclass(frozen=True)
class RenyiDP(Guarantee):
    """(α, ε)-Rényi DP at one order or along a curve: D_α(M(x)‖M(x′)) ≤ ε.

    Parameters
    ----------
    order : float or sequence of float
        Orders α > 1.
    epsilon : float or sequence of float
        The divergence bound at each order.

    >>> RenyiDP([2, 4], [0.1, 0.2]).curve
    ((2.0, 0.1), (4.0, 0.2))
    """

    losses = ("epsilon",)
    remedy = "state it at a δ of its own with as_approx(delta)"

    order: float | Sequence[float]
    epsilon: float | Sequence[float]

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("order", "epsilon"):
            value = getattr(self, name)
            if isinstance(value, Sequence):
                object.__setattr__(self, name, tuple(float(v) for v in value))  # hashable, whatever came in
        if len(self.curve) == 0:
            raise bad_input("order", self.order, "at least one order")
        for order, epsilon in self.curve:
            if not order > 1:
                raise bad_input("order", order, "α > 1")
            positive("epsilon", epsilon, zero=True)

    @property
    def curve(self) -> tuple[tuple[float, float], ...]:
        """The pairs (α, ε)."""
        orders = self.order if isinstance(self.order, tuple) else (float(self.order),)  # type: ignore[arg-type]
        values = self.epsilon if isinstance(self.epsilon, tuple) else (float(self.epsilon),)  # type: ignore[arg-type]
        if len(orders) != len(values):
            raise bad_input("epsilon", self.epsilon, f"one value for each of the {len(orders)} orders")
        return tuple(zip(orders, values, strict=True))

    @property
    def orders(self) -> tuple[float, ...]:
        return tuple(order for order, _ in self.curve)

    @property
    def statement(self) -> str:
        if len(self.curve) == 1:
            return f"Rényi ε = {self.curve[0][1]:.6g} at order {self.curve[0][0]:.6g}"
        return f"Rényi curve over {len(self.curve)} orders"

    @property
    def meaning(self) -> str:
        return self.as_approx(1e-6).meaning

    def yardsticks(self) -> list[Yardstick]:
        return [Renyi(order, epsilon) for order, epsilon in self.curve]

    def delta_allowed(self, epsilon: float, x: Any, y: Any) -> float:
        return min(math.exp(min(0.0, (order - 1) * (loss - epsilon))) for order, loss in self.curve)

    def bound(self, delta: float, rule: Rule = "tight") -> RenyiBound:
        """The least ε for δ that follows from the curve, with the order that gives it.

        - ``"classical"``: ε + log(1/δ)/(α − 1) (Weggenmann Prop. 2.11);
        - ``"tight"``: ε + log(1 − 1/α) − log(αδ)/(α − 1) (Canonne, Kamath and Steinke 2020, Prop. 12) as dp-accounting
          has it; never worse than the classical one.
        """
        choice("rule", rule, ("tight", "classical"))
        log_inverse = -math.log(probability("delta", delta))
        classical = min(RenyiBound((e + log_inverse / (a - 1)) * UP, a, "classical") for a, e in self.curve)
        return classical if rule == "classical" else tightened(classical, self.curve, delta)

    def as_approx(self, delta: float, *, rule: Rule = "tight") -> ApproxDP:
        """(ε, δ)-DP by the rule of :meth:`bound`."""
        return ApproxDP(self.bound(delta, rule).epsilon, delta, **self.terms)

    def as_renyi(self, orders: Sequence[float] = ORDERS) -> RenyiDP:
        """The curve at the given orders, which must be among its own; by default all of it."""
        if tuple(orders) == ORDERS:
            return self
        known = dict(self.curve)
        missing = [order for order in orders if float(order) not in known]
        if missing:
            raise bad_input("orders", missing[0], "an order of the curve", f"it has {sorted(known)[:5]} …")
        wanted = [float(order) for order in orders]
        return replace(self, order=wanted, epsilon=[known[order] for order in wanted])

    def _amounts(self, release: Guarantee) -> dict[str, Decimal]:
        return {_amount(order): exact(value) for order, value in release.as_renyi(self.orders).curve}

    def worth(self, cost: Cost, *, left: bool = False) -> Guarantee:
        """As in :class:`Guarantee`, at every order of the budget."""
        as_float = round_down if left else round_up
        values = [as_float(max(cost[_amount(order)], Decimal(0))) for order in self.orders]
        return replace(self, epsilon=values if isinstance(self.order, tuple) else values[0])

    @classmethod
    def combine(cls, guarantees: Sequence[Guarantee], how: Combine) -> Guarantee:
        """The curves combined at the orders that all have."""
        orders = shared_orders(guarantees) or ORDERS
        curves = [dict(one.as_renyi(orders).curve) for one in guarantees]
        return cls(orders, [how(curve[order] for curve in curves) for order in orders], **guarantees[0].terms)

    def _differing(self, others: Sequence[Guarantee]) -> list[tuple[str, Any, Any]]:
        return []  # orders need not agree: those that all have are taken

    def _over(self, k: int) -> Self:
        # (α, ε) → (α/2^c, 3^c·ε) for k ≤ 2^c and α ≥ 2^{c+1} (Mironov 2017, Prop. 2)
        doublings = (k - 1).bit_length()
        usable = [(a, e) for a, e in self.curve if a >= 2 ** (doublings + 1)]
        if not usable:
            raise bad_input("size", k, f"an order ≥ {2 ** (doublings + 1)} in the curve", "compute it at higher orders")
        orders = [a / 2**doublings for a, _ in usable]
        return replace(self, order=orders, epsilon=[multiply_up(e, 3**doublings) for _, e in usable])


def shared_orders(guarantees: Sequence[Guarantee]) -> tuple[float, ...] | None:
    """The orders that all curves have, in ascending order; None if no promise is tied to orders."""
    tied = [set(one.orders) for one in guarantees if one.orders is not None]
    if not tied:
        return None
    shared = set.intersection(*tied)
    if not shared:
        raise bad_input("order", [], "Rényi curves with an order in common", "compute them at the same orders")
    return tuple(sorted(shared))


def tightened(classical: RenyiBound, curve: Curve, delta: float) -> RenyiBound:
    """The bound of dp-accounting from points of a curve, or the classical one where that is better."""
    from dp_accounting.rdp.rdp_privacy_accountant import compute_epsilon

    # a hair less δ, for what is compared with it is rounded
    epsilon, order = compute_epsilon([a for a, _ in curve], [e for _, e in curve], delta * (1 - 2.0**-48))
    if epsilon > classical.epsilon:  # orders below 1.01, which dp-accounting leaves out
        return classical
    if epsilon == 0:  # δ bounds the total variation, by the inequality of Bretagnolle and Huber
        return RenyiBound(0.0, float(order), "tight")
    # The terms of the rule may cancel; what they were rounded by is added.
    terms = classical.epsilon - math.log1p(-1 / order) + (math.log(order) - math.log(delta)) / (order - 1)
    return RenyiBound(float(epsilon) * UP + 2.0**-50 * terms, float(order), "tight")


def _amount(order: float) -> str:
    return f"epsilon at {order!r}"
