"""The promise of a protected check-in: what is promised for its place and for its time of day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Self

import numpy as np

from sfumato.errors import bad_input
from sfumato.promise import Guarantee, MetricDP, Model, Neighbours, PureDP
from sfumato.promise.amount import multiply_up

__all__ = ["PlaceAndTimePrivacy", "over_records", "per_person", "records_words"]


@dataclass(frozen=True)
class PlaceAndTimePrivacy(Guarantee):
    """Promises for the place and for the time of one check-in; the loss of a check-in is the sum of the two.

    Place and time are perturbed independently. The promise is for one check-in: k check-ins of one user cost up to k
    times as much. Several releases of one check-in compose (:func:`sfumato.promise.compose`).

    Parameters
    ----------
    place, time : PureDP or MetricDP

    >>> PlaceAndTimePrivacy(MetricDP(2.0, "great-circle"), MetricDP(1.0, "clock arc")).statement
    'ε = 2 per unit of great-circle distance + ε = 1 per unit of clock arc distance'
    """

    losses = ("place", "time")
    remedy = "state its parts within a radius: guarantee.place.within(radius), guarantee.time.within(radius)"

    place: PureDP | MetricDP
    time: PureDP | MetricDP
    unit: str = field(default="check-in", kw_only=True)
    neighbours: Neighbours = field(default="any-pair", kw_only=True)
    model: Model = field(default="local", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("place", "time"):
            part = getattr(self, name)
            if getattr(type(part), "loss_bound", Guarantee.loss_bound) is Guarantee.loss_bound:
                raise bad_input(name, part, "a promise that bounds the loss between any two inputs: PureDP or MetricDP")

    @property
    def statement(self) -> str:
        return f"{self.place.statement} + {self.time.statement}"

    @property
    def meaning(self) -> str:
        place, time = replace(self.place, unit="place"), replace(self.time, unit="time of day")
        return f"{place.meaning} {time.meaning} For one {self.unit} the two add up."

    def loss_bound(self, x: Any, y: Any) -> float:
        """The loss allowed between two sets of check-ins: that of every place and every hour that differs."""
        return _loss(self.place, x.latlon, y.latlon) + _loss(self.time, x.hour, y.hour)

    def _over(self, k: int) -> Self:
        parts = {name: getattr(self, name).over(k, unit=getattr(self, name).unit) for name in self.losses}
        return replace(self, **parts)

    def _amounts(self, release: Any) -> dict[str, Decimal]:
        """Each part is paid from the budget of its own, in the same kind and the same distance."""
        return {
            f"{name}.{loss}": amount
            for name in self.losses
            for loss, amount in getattr(self, name).price(getattr(release, name)).amounts.items()
        }


def over_records(promise: Guarantee, count: int, *, unit: str) -> Guarantee:
    """The promise for ``count`` records at once, such as all those of one person.

    The loss of a metric promise is ε times a distance; for several records it is the largest distance of one of them
    that counts, and ε adds up.

    >>> print(over_records(MetricDP(0.5, "clock arc"), 3, unit="person"))
    ε = 1.5 per unit of clock arc distance per person (any-pair neighbours, local model)
    """
    if promise.by_distance:
        changes: dict[str, Any] = {"epsilon": multiply_up(promise.epsilon, count), "unit": unit}  # type: ignore[attr-defined]
        return replace(promise, **changes)
    if promise.parts:
        parts: dict[str, Any] = {
            name: over_records(part, count, unit=part.unit) for name, part in promise.parts.items()
        }
        return replace(promise, **parts, unit=unit)
    return promise.over(count, unit=unit)


def records_words(
    count: int, total: Guarantee, within: Mapping[str, tuple[str, float]], *, noun: str = "record"
) -> str:
    """What is promised for so many records of one person, in a sentence.

    Parameters
    ----------
    count : int
    total : Guarantee
        The promise for all of them.
    within : mapping
        For each part of the promise (``""`` for a promise without parts) that was asked for within a radius: the radius
        in words, and in radians.

    >>> metric = over_records(MetricDP(2.0, "clock arc"), 30, unit="person")
    >>> records_words(30, metric, {"": ("3 h", 0.5)})
    '30 records of one person: if each were another one within 3 h, a factor of at most e^30.'
    >>> records_words(30, PureDP(15.0), {})
    '30 records of one person: whatever they were, a factor of at most e^15.'
    """
    start = f"{count} {noun}{'s' * (count > 1)} of one person: "
    parts = total.parts or {"": total}
    exponent, radii = 0.0, []
    for name, part in parts.items():
        if part.by_distance and name not in within:
            return start + total.meaning
        words, radius = within.get(name, ("", 1.0))
        exponent += part.epsilon * (radius if part.by_distance else 1.0)  # type: ignore[attr-defined]
        radii += [words] if part.by_distance else []
    near = f"if each were another one within {' and '.join(radii)}" if radii else "whatever they were"
    return f"{start}{near}, a factor of at most e^{exponent:.4g}."


def _loss(promise: Guarantee, x: Sequence[Any], y: Sequence[Any]) -> float:
    """The loss that a promise for one record allows between several: records that are equal cost nothing."""
    return sum(promise.loss_bound(a, b) for a, b in zip(x, y, strict=True) if not np.array_equal(a, b))


def per_person(
    promise: Guarantee, counted: Guarantee | None, in_a_row: int, *, row_is_person: bool
) -> tuple[Guarantee | None, int]:
    """The promise for all records of one person, or for a row that holds several, and how many they are.

    ``counted`` has ε = 1 for each record of the person who has most; None if no column says whose records they are.
    """
    if promise.vacuous or (counted is None and in_a_row == 1):
        return None, 1
    if counted is None:
        return over_records(promise, in_a_row, unit="person" if row_is_person else "row"), in_a_row
    records = in_a_row * round(counted.epsilon)  # type: ignore[attr-defined]
    return over_records(promise, records, unit="person").assuming(*counted.assumptions), records
