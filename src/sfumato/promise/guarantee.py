"""Promises as values: what is proved, for which unit, under which neighbours, in which model.

A promise is frozen and compares by value. It never claims more than what was proved for the release it is attached to;
a heuristic carries :class:`NoGuarantee` with the reason.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, get_args

from sfumato.errors import bad_input
from sfumato.promise.metric import distance
from sfumato.validate import choice, integer, positive, probability

__all__ = [
    "ApproxDP",
    "Guarantee",
    "KAnonymity",
    "MetricDP",
    "Model",
    "Neighbours",
    "NoGuarantee",
    "PureDP",
    "RenyiDP",
    "ZeroConcentratedDP",
]

Neighbours = Literal["replace-one", "add-remove", "any-pair", "within-radius"]
"""Which two inputs the promise compares: one record changed, one record more or less, any two inputs at all, or any two
that are no farther apart than the radius named by the unit (see :func:`sfumato.promise.within`)."""

Model = Literal["central", "local"]
"""Who holds the raw data: a trusted curator, or nobody but its owner."""


@dataclass(frozen=True, kw_only=True)
class Guarantee(ABC):
    """Base of all promises.

    Parameters
    ----------
    unit : str
        Whose presence or value is hidden: ``"record"``, ``"user"``, ``"word"``, ``"sentence"``, ``"trace"``, …
    neighbours : {"replace-one", "add-remove", "any-pair", "within-radius"}
    model : {"central", "local"}

    A kind of promise with a theorem of sequential composition names its ``losses``: the parameters that add up when
    several releases about the same data are taken together and all else is equal. That is all that
    :func:`~sfumato.promise.compose.compose` needs. A loss may be a promise itself.
    """

    losses: ClassVar[tuple[str, ...]] = ()

    unit: str = "record"
    neighbours: Neighbours = "replace-one"
    model: Model = "central"

    def __post_init__(self) -> None:
        if not isinstance(self.unit, str) or not self.unit:
            raise bad_input("unit", self.unit, "a name such as 'record', 'user' or 'word'")
        choice("neighbours", self.neighbours, get_args(Neighbours))
        choice("model", self.model, get_args(Model))

    @property
    @abstractmethod
    def statement(self) -> str:
        """What is promised, without its scope: ``"ε = 1"``."""

    @property
    def scope(self) -> dict[str, Any]:
        """Unit, neighbours and model, to hand on: ``PureDP(1.0, **other.scope)``."""
        return {"unit": self.unit, "neighbours": self.neighbours, "model": self.model}

    @property
    def syntactic(self) -> bool:
        """Whether the promise is about the form of the release alone and bounds no inference from it."""
        return False

    def loss_bound(self, x: Any, y: Any) -> float:
        """The largest log-likelihood ratio allowed between neighbouring inputs ``x`` and ``y`` (∞ if none)."""
        return math.inf

    def __str__(self) -> str:
        return f"{self.statement} per {self.unit} ({self.neighbours} neighbours, {self.model} model)"


@dataclass(frozen=True)
class PureDP(Guarantee):
    """ε-differential privacy: Pr[M(x)∈Z] ≤ e^ε·Pr[M(x′)∈Z] for all neighbours x, x′ and events Z.

    >>> print(PureDP(1.0, unit="word", neighbours="any-pair", model="local"))
    ε = 1 per word (any-pair neighbours, local model)
    """

    losses = ("epsilon",)

    epsilon: float

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("epsilon", self.epsilon, "a mechanism without a promise has NoGuarantee(reason)", zero=True)

    @property
    def statement(self) -> str:
        return f"ε = {self.epsilon:.6g}"

    def loss_bound(self, x: Any, y: Any) -> float:
        return self.epsilon


@dataclass(frozen=True)
class ApproxDP(Guarantee):
    """(ε, δ)-differential privacy: Pr[M(x)∈Z] ≤ e^ε·Pr[M(x′)∈Z] + δ.

    >>> print(ApproxDP(1.0, 1e-6))
    ε = 1, δ = 1e-06 per record (replace-one neighbours, central model)
    """

    losses = ("epsilon", "delta")

    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("epsilon", self.epsilon, zero=True)
        probability("delta", self.delta, "use PureDP for δ = 0")

    @property
    def statement(self) -> str:
        return f"ε = {self.epsilon:.6g}, δ = {self.delta:.3g}"


@dataclass(frozen=True)
class ZeroConcentratedDP(Guarantee):
    """ρ-zCDP: the Rényi divergence of every order α > 1 is at most ρ·α.

    >>> print(ZeroConcentratedDP(0.5))
    ρ = 0.5 (zCDP) per record (replace-one neighbours, central model)
    """

    losses = ("rho",)

    rho: float

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("rho", self.rho, zero=True)

    @property
    def statement(self) -> str:
        return f"ρ = {self.rho:.6g} (zCDP)"


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
    def statement(self) -> str:
        if len(self.curve) == 1:
            return f"Rényi ε = {self.curve[0][1]:.6g} at order {self.curve[0][0]:.6g}"
        return f"Rényi curve over {len(self.curve)} orders"


@dataclass(frozen=True)
class MetricDP(Guarantee):
    """ε·d-privacy: Pr[M(x)∈Z] ≤ exp(ε·d(x, x′))·Pr[M(x′)∈Z] for any two inputs.

    The metric is named (see :func:`sfumato.promise.metric.distance`), since an ε without its metric says nothing.

    >>> print(MetricDP(2.0, "angle"))
    ε = 2 per unit of angle distance per record (any-pair neighbours, local model)
    """

    losses = ("epsilon",)

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

    def loss_bound(self, x: Any, y: Any) -> float:
        return self.epsilon * distance(self.metric, x, y)


@dataclass(frozen=True)
class KAnonymity(Guarantee):
    """Every released record shares its quasi-identifiers with at least k − 1 others. Says nothing about inference.

    >>> print(KAnonymity(5))
    k = 5 per record (syntactic: each record hides among 5)
    """

    k: int

    def __post_init__(self) -> None:
        super().__post_init__()
        integer("k", self.k)

    @property
    def statement(self) -> str:
        return f"k = {self.k}"

    @property
    def syntactic(self) -> bool:
        return True

    def __str__(self) -> str:
        return f"{self.statement} per {self.unit} (syntactic: each {self.unit} hides among {self.k})"


@dataclass(frozen=True)
class NoGuarantee(Guarantee):
    """Nothing is proved, and why.

    >>> print(NoGuarantee("name lists miss names"))
    no guarantee: name lists miss names
    """

    reason: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.reason, str) or not self.reason.strip():
            raise bad_input("reason", self.reason, "why nothing is promised")

    @property
    def statement(self) -> str:
        return f"no guarantee: {self.reason}"

    def __str__(self) -> str:
        return self.statement
