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

__all__ = ["HockeyStick", "LogRatio", "Renyi", "Yardstick"]


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
    """The largest log-likelihood ratio, against a bound for each pair of inputs.

    Parameters
    ----------
    limit : callable
        ``limit(x, y)``: the largest log-ratio allowed between the inputs.
    name : str
    called : float, optional
        What the promise is called where that is not the bound: ε of a bound ε·d(x, y).
    """

    limit: Callable[[Any, Any], float]
    name: str = "ε"
    called: float | None = None

    @property
    def symbol(self) -> str:
        return self.name

    def bound(self, x: Any, y: Any) -> float:
        return self.limit(x, y)

    def shown(self, x: Any, y: Any) -> float:
        return self.bound(x, y) if self.called is None else self.called

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
