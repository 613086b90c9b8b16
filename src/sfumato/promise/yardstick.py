"""What a promise says about two output laws, as a number with a bound.

A :class:`Yardstick` measures one side of a promise: the largest log-ratio of a pure or metric one, the hockey-stick
divergence of an approximate one, the Rényi divergence at one order. The exact auditor applies it to laws, the
sampling auditor to a single event.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sfumato.promise.divergence import Floats, hockey_stick_terms, renyi_terms
from sfumato.promise.guarantee import ApproxDP, Guarantee, MetricDP, NoGuarantee, PureDP, RenyiDP, ZeroConcentratedDP

__all__ = ["HockeyStick", "LogRatio", "Renyi", "Yardstick", "yardsticks"]

ZCDP_ORDERS = (1.05, 1.5, 2.0, 4.0, 8.0, 32.0)
"""Orders at which a zCDP promise is tested: it holds at all of them or at none worth having."""


class Yardstick(ABC):
    """One number that a promise bounds."""

    @property
    @abstractmethod
    def symbol(self) -> str:
        """What the number is, for the reader: ``"ε"``."""

    @abstractmethod
    def bound(self, x: Any, y: Any) -> float:
        """What the promise allows between the inputs ``x`` and ``y``."""

    @abstractmethod
    def of_event(self, p: float, q: float) -> float:
        """The number for an event of probability ≥ p under one input and ≤ q under the other."""

    def shown(self, x: Any, y: Any) -> float:
        """What the promise is called: the bound itself, or ε where the bound is ε·d(x, y)."""
        return self.bound(x, y)


@dataclass(frozen=True)
class LogRatio(Yardstick):
    """The largest log-likelihood ratio, against ``guarantee.loss_bound``."""

    guarantee: Guarantee

    @property
    def symbol(self) -> str:
        return f"ε per {self.guarantee.metric}" if isinstance(self.guarantee, MetricDP) else "ε"

    def bound(self, x: Any, y: Any) -> float:
        return self.guarantee.loss_bound(x, y)

    def shown(self, x: Any, y: Any) -> float:
        return self.guarantee.epsilon if isinstance(self.guarantee, MetricDP) else self.bound(x, y)

    def of_event(self, p: float, q: float) -> float:
        if p <= 0:
            return -math.inf
        return math.log(p / q) if q > 0 else math.inf


class Integral(Yardstick):
    """A yardstick that sums a non-negative term over all outputs."""

    @abstractmethod
    def log_terms(self, log_p: ArrayLike, log_q: ArrayLike) -> Floats:
        """The logarithm of what one output adds."""

    @abstractmethod
    def from_log_sum(self, log_sum: float) -> float:
        """The number, from the logarithm of the sum."""

    def of_law(self, log_p: ArrayLike, log_q: ArrayLike, log_weight: ArrayLike = 0.0) -> float:
        terms = np.asarray(log_weight, float) + self.log_terms(log_p, log_q)
        top = float(terms.max(initial=-math.inf))
        if not math.isfinite(top):
            return self.from_log_sum(top)
        return self.from_log_sum(top + math.log(np.exp(terms - top).sum()))


@dataclass(frozen=True)
class HockeyStick(Integral):
    """δ at the promised ε."""

    epsilon: float
    delta: float

    @property
    def symbol(self) -> str:
        return f"δ at ε = {self.epsilon:.4g}"

    def bound(self, x: Any, y: Any) -> float:
        return self.delta

    def log_terms(self, log_p: ArrayLike, log_q: ArrayLike) -> Floats:
        return hockey_stick_terms(log_p, log_q, self.epsilon)

    def from_log_sum(self, log_sum: float) -> float:
        return math.exp(log_sum)

    def of_event(self, p: float, q: float) -> float:
        return p - math.exp(self.epsilon) * q


@dataclass(frozen=True)
class Renyi(Integral):
    """The Rényi divergence at one order, in units of ``per`` (the order itself for zCDP)."""

    order: float
    limit: float
    per: float = 1.0

    @property
    def symbol(self) -> str:
        return f"ρ at order {self.order:.4g}" if self.per != 1.0 else f"Rényi ε at order {self.order:.4g}"

    def bound(self, x: Any, y: Any) -> float:
        return self.limit

    def shown(self, x: Any, y: Any) -> float:
        return self.limit / self.per

    def log_terms(self, log_p: ArrayLike, log_q: ArrayLike) -> Floats:
        return renyi_terms(log_p, log_q, self.order)

    def from_log_sum(self, log_sum: float) -> float:
        return max(0.0, log_sum / (self.order - 1))

    def of_event(self, p: float, q: float) -> float:
        if p <= q or p <= 0:
            return 0.0
        if q <= 0:
            return math.inf
        with np.errstate(divide="ignore"):
            log_p, log_q = np.log([p, 1 - p]), np.log([q, 1 - q])
        return self.of_law(log_p, log_q)


def yardsticks(guarantee: Guarantee) -> list[Yardstick]:
    """Everything that ``guarantee`` bounds. A promise without a loss bound of any kind yields nothing.

    A mechanism without a promise is measured by its largest log-ratio, for information.
    """
    by_type: list[tuple[type, Callable[[Any], list[Yardstick]]]] = [
        (ApproxDP, lambda g: [HockeyStick(g.epsilon, g.delta)]),
        (ZeroConcentratedDP, lambda g: [Renyi(order, g.rho * order, order) for order in ZCDP_ORDERS]),
        (RenyiDP, lambda g: [Renyi(order, epsilon) for order, epsilon in g.curve]),
        (PureDP | MetricDP | NoGuarantee, lambda g: [LogRatio(g)]),  # type: ignore[list-item]
    ]
    for kind, make in by_type:
        if isinstance(guarantee, kind):
            return make(guarantee)
    own_bound = type(guarantee).loss_bound is not Guarantee.loss_bound
    return [LogRatio(guarantee)] if own_bound else []
