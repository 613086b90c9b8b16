"""What a release costs in the currency of a budget.

===============  ==========================================================
budget           takes
===============  ==========================================================
pure ε           pure
(ε, δ)           pure and approximate
zCDP ρ           zCDP, and pure as ρ = ε²/2
metric ε·d       metric, of the same metric
===============  ==========================================================

All costs are exact decimals (:mod:`sfumato.promise.amount`) and add up, which is sequential composition.
"""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from sfumato.errors import bad_input
from sfumato.promise.amount import EXACT, exact, round_down, round_up
from sfumato.promise.guarantee import ApproxDP, Guarantee, MetricDP, PureDP, ZeroConcentratedDP

__all__ = ["KINDS", "Cost", "cost_of", "kind_of", "price", "promise_of"]


class Cost(NamedTuple):
    """One or two exact amounts: (ε, 0), (ε, δ) or (ρ, 0)."""

    first: Decimal
    second: Decimal = Decimal(0)

    def plus(self, other: Cost) -> Cost:
        return Cost(EXACT.add(self.first, other.first), EXACT.add(self.second, other.second))

    def minus(self, other: Cost) -> Cost:
        return Cost(EXACT.subtract(self.first, other.first), EXACT.subtract(self.second, other.second))

    def exceeds(self, limit: Cost) -> bool:
        return self.first > limit.first or self.second > limit.second


KINDS: dict[str, tuple[str, ...]] = {
    "pure": ("epsilon",),
    "approx": ("epsilon", "delta"),
    "zcdp": ("rho",),
    "metric": ("epsilon",),
}
"""The kinds of budget and the names of their amounts."""


def kind_of(budget: Guarantee) -> str:
    """The kind of a budget; refuses promises that cannot be one."""
    for kind, accepted in (("pure", PureDP), ("approx", ApproxDP), ("zcdp", ZeroConcentratedDP), ("metric", MetricDP)):
        if isinstance(budget, accepted):
            return kind
    raise bad_input("budget", budget, "a PureDP, ApproxDP, ZeroConcentratedDP or MetricDP")


def cost_of(budget: Guarantee) -> Cost:
    """The amounts of a budget itself."""
    return Cost(*(exact(getattr(budget, name)) for name in KINDS[kind_of(budget)]))


def price(guarantee: Guarantee, budget: Guarantee) -> Cost:
    """What a promise costs in the currency of the budget.

    >>> price(PureDP(0.1), ZeroConcentratedDP(1.0)).first == Decimal("0.005")
    True
    """
    if not isinstance(guarantee, Guarantee):
        raise bad_input("guarantee", guarantee, "a promise such as PureDP(1.0)", "pass mechanism.guarantee")
    kind = kind_of(budget)
    cost: Cost | None = None
    if type(guarantee) is MetricDP and isinstance(budget, MetricDP):  # derived kinds count their distance otherwise
        if guarantee.metric == budget.metric:
            cost = Cost(exact(guarantee.epsilon))
    elif isinstance(guarantee, PureDP) and kind == "zcdp":
        epsilon = exact(guarantee.epsilon)
        cost = Cost(EXACT.multiply(EXACT.multiply(epsilon, epsilon), Decimal("0.5")))
    elif isinstance(guarantee, PureDP) and kind in ("pure", "approx"):
        cost = Cost(exact(guarantee.epsilon))
    elif isinstance(guarantee, ApproxDP) and kind == "approx":
        cost = Cost(exact(guarantee.epsilon), exact(guarantee.delta))
    elif isinstance(guarantee, ZeroConcentratedDP) and kind == "zcdp":
        cost = Cost(exact(guarantee.rho))
    if cost is None:
        remedy = {
            "ApproxDP": "set an ApproxDP budget",
            "MetricDP": "state the release within(guarantee, radius), or set a MetricDP budget of that metric",
            "RenyiDP": "state the release with to_approx() and set an ApproxDP budget",
            "ZeroConcentratedDP": "set a ZeroConcentratedDP budget, or state the release with to_approx()",
        }.get(type(guarantee).__name__, "only a promise that composes can be paid from a budget")
        raise bad_input("guarantee", str(guarantee), f"a promise payable from a budget of {budget.statement}", remedy)
    for name, value in guarantee.scope.items():
        if value != budget.scope[name]:
            raise bad_input(name, value, f"{budget.scope[name]!r}, as in the budget", "keep a budget of its own for it")
    return cost


def promise_of(cost: Cost, budget: Guarantee, *, left: bool = False) -> Guarantee:
    """Amounts as a promise of the budget's kind: rounded up, or down for what is left; pure where δ is 0."""
    convert = round_down if left else round_up
    first, second = (convert(max(amount, Decimal(0))) for amount in cost)
    if isinstance(budget, MetricDP):
        return MetricDP(first, budget.metric, **budget.scope)
    if isinstance(budget, ZeroConcentratedDP):
        return ZeroConcentratedDP(first, **budget.scope)
    if isinstance(budget, ApproxDP) and second > 0:
        return ApproxDP(first, second, **budget.scope)
    return PureDP(first, **budget.scope)
