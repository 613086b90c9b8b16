"""Metric differential privacy."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Self

from sfumato.errors import bad_input
from sfumato.promise.amount import multiply_up
from sfumato.promise.guarantee import Guarantee
from sfumato.promise.kinds.pure import PureDP
from sfumato.promise.metric import distance, distance_words
from sfumato.promise.scope import Model, Neighbours
from sfumato.promise.yardstick import LogRatio, Yardstick
from sfumato.validate import positive

__all__ = ["MetricDP", "metric_epsilon"]


@dataclass(frozen=True)
class MetricDP(Guarantee):
    """ε·d-privacy: Pr[M(x)∈Z] ≤ exp(ε·d(x, x′))·Pr[M(x′)∈Z] for any two inputs.

    The metric is named (see :func:`sfumato.promise.metric.distance`), since an ε without its metric says nothing.

    >>> print(MetricDP(2.0, "angle"))
    ε = 2 per unit of angle distance per record (any-pair neighbours, local model)
    """

    losses = ("epsilon",)
    remedy = "state it within a radius first: guarantee.within(radius)"

    epsilon: float
    metric: str
    neighbours: Neighbours = field(default="any-pair", kw_only=True)
    model: Model = field(default="local", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("epsilon", self.epsilon, zero=True)

    @property
    def statement(self) -> str:
        return f"ε = {self.epsilon:.6g} per unit of {self.metric} distance"

    @property
    def meaning(self) -> str:
        if self.epsilon == 0:
            return f"The release says nothing about any {self.unit}."
        step = distance_words(self.metric, 1 / self.epsilon)
        if self.unit in ("person", "row"):  # of several values: the one that moves farthest counts for all
            return (
                f"Whoever sees the release can shift their odds between two versions of all that it holds of one "
                f"{self.unit} by a factor of at most e for every {step} that the farthest of its values is moved."
            )
        return (
            f"Whoever sees the release can shift their odds between two values of one {self.unit} by a factor of at "
            f"most e for every {step} between them."
        )

    @property
    def by_distance(self) -> bool:
        return True

    def loss_bound(self, x: Any, y: Any) -> float:
        return self.epsilon * distance(self.metric, x, y)

    def yardsticks(self) -> list[Yardstick]:
        return [LogRatio(self.loss_bound, name=f"ε per {self.metric}", called=self.epsilon)]

    def within(self, radius: float, *, whole_domain: bool = False) -> PureDP:
        """The level ℓ = ε·r given to inputs no farther apart than ``radius`` (Weggenmann §2.2.3).

        Parameters
        ----------
        radius : float
            In the units of the metric.
        whole_domain : bool
            Say that no two inputs are farther apart than ``radius`` (a circle has diameter π in angle); the promise
            then covers any pair. Otherwise it covers only pairs within the radius, which it keeps as a number
            (``reach``) and says in words (``unit``).

        >>> print(MetricDP(2.0, "angle").within(radius=0.1))
        ε = 0.2 per record within 0.1 of angle distance (within-radius neighbours, local model)
        >>> print(MetricDP(2.0, "angle").within(radius=3.15, whole_domain=True))
        ε = 6.3 per record (any-pair neighbours, local model)
        """
        self._check_plain()
        radius = positive("radius", radius, "a level without a radius says nothing")
        level = multiply_up(self.epsilon, radius)
        if whole_domain:
            return PureDP(level, **self.terms)
        unit = f"{self.unit} within {repr(radius).removesuffix('.0')} of {self.metric} distance"
        return replace(PureDP(level, **self.terms), unit=unit, neighbours="within-radius", reach=radius)

    def as_counted_by(self, budget: Guarantee) -> Guarantee:
        """Within the radius of a budget that has one.

        >>> budget = MetricDP(1.0, "angle").within(radius=0.5)
        >>> print(budget.price(MetricDP(0.2, "angle")))
        epsilon 0.1
        """
        return self if budget.reach is None or type(self) is not MetricDP else self.within(budget.reach)

    def through_query(
        self,
        sensitivity: float,
        *,
        unit: str = "record",
        neighbours: Neighbours = "replace-one",
        model: Model = "central",
    ) -> PureDP:
        """The promise of the mechanism applied to a query whose d-sensitivity is Δ: ε·Δ-DP (Weggenmann Fact 7.16).

        The scope is that of the sensitivity: the neighbours over which Δ was taken.

        >>> MetricDP(0.5, "euclidean").through_query(sensitivity=2.0).epsilon
        1.0
        """
        self._check_plain()
        level = multiply_up(self.epsilon, positive("sensitivity", sensitivity))
        return PureDP(level, unit=unit, neighbours=neighbours, model=model, assumptions=self.assumptions)

    def _check_plain(self) -> None:
        """A kind derived from this one may count its distance differently (per word, times the length of a text)."""
        if type(self) is not MetricDP:
            raise bad_input("guarantee", self, "a MetricDP, whose loss is ε times a named distance and nothing else")

    def _over(self, k: int) -> Self:
        raise bad_input("guarantee", self, "a promise per unit", "the distance covers groups; use within(radius)")


def metric_epsilon(level: float, distance: float) -> float:
    """The ε of a metric promise that gives ``level`` at ``distance``, rounded down.

    κ = ℓ/r for a level within a radius; κ = ε/Δ for ε-DP of a query with sensitivity Δ (Weggenmann §2.2.3, Fact 7.16).

    >>> metric_epsilon(level=1.0, distance=4.0)
    0.25
    """
    level = positive("level", level)
    distance = positive("distance", distance, "a level without a radius says nothing")
    epsilon = level / distance
    while multiply_up(epsilon, distance) > level:
        epsilon = math.nextafter(epsilon, 0.0)
    return epsilon
