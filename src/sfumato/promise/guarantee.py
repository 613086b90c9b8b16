"""The shape of a promise: what is proved, for which unit, under which neighbours, in which model.

A promise is frozen and compares by value. It never claims more than what was proved for the release it is attached to;
a heuristic carries :class:`~sfumato.promise.NoGuarantee` with the reason. It answers every question about itself: what
it costs a budget, what several of them add up to, what it says about a group, how it is audited and how it is said. A
new kind of promise is one subclass in one file.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, final, get_args

from sfumato.errors import InputError, bad_input
from sfumato.notebook import definitions
from sfumato.promise.amount import round_down, round_up
from sfumato.promise.assumption import Assumption, Conditional
from sfumato.promise.cost import Cost
from sfumato.promise.divergence import pure_delta
from sfumato.promise.losses import flatten, unflatten
from sfumato.promise.scope import Model, Neighbours, unequal
from sfumato.promise.yardstick import LogRatio, Yardstick
from sfumato.validate import choice, integer, positive

if TYPE_CHECKING:
    from sfumato.promise.kinds.approx import ApproxDP
    from sfumato.promise.kinds.renyi import RenyiDP
    from sfumato.promise.kinds.zero_concentrated import ZeroConcentratedDP

__all__ = ["ORDERS", "Combine", "Guarantee", "Rule", "check_promise", "promise_kind"]

Rule = Literal["tight", "classical"]
"""How a Rényi curve becomes an ε: see :meth:`sfumato.promise.RenyiDP.bound`."""

Combine = Callable[[Iterable[float]], float]
"""How the losses of several releases become one: their sum, or the largest."""

_LOW, _HIGH = [1 + x / 10 for x in range(1, 100)], [128.0, 256.0, 512.0, 1024.0]
ORDERS: tuple[float, ...] = (*_LOW, *map(float, range(11, 65)), *_HIGH)
"""The Rényi orders that curves are computed at unless others are named."""

_KINDS: dict[str, type[Guarantee]] = {}


@dataclass(frozen=True, kw_only=True)
class Guarantee(Conditional, ABC):
    """Base of all promises.

    Parameters
    ----------
    unit : str
        Whose presence or value is hidden: ``"record"``, ``"user"``, ``"word"``, ``"sentence"``, ``"trace"``, …
    neighbours : {"replace-one", "add-remove", "any-pair", "within-radius"}
    model : {"central", "local"}
    reach : float, optional
        How far apart two inputs may be, for neighbours within a radius and for them alone; the unit says it in words.
    assumptions : tuple of Assumption
        What is taken as public, with its source where that was declared.

    Notes
    -----
    A subclass with a theorem of sequential composition names its ``losses``: the parameters that add up when several
    releases about the same data are taken together and all else is equal. That is all that
    :func:`~sfumato.promise.compose` and the ledger need. A loss may be a promise itself. One that also holds as another
    kind of promise lists these kinds in ``forms``, the most precise first.
    """

    losses: ClassVar[tuple[str, ...]] = ()
    forms: ClassVar[tuple[str, ...]] = ()
    remedy: ClassVar[str] = "it is not a differential-privacy promise"

    unit: str = "record"
    neighbours: Neighbours = "replace-one"
    model: Model = "central"
    reach: float | None = field(default=None, repr=False)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _KINDS[cls.__name__] = cls
        if "forms" not in cls.__dict__:  # a derived kind may count its loss in another way: it inherits no form
            cls.forms = (cls.__name__,)

    def __post_init__(self) -> None:
        if not isinstance(self.unit, str) or not self.unit:
            raise bad_input("unit", self.unit, "a name such as 'record', 'user' or 'word'")
        choice("neighbours", self.neighbours, get_args(Neighbours))
        choice("model", self.model, get_args(Model))
        if self.neighbours == "within-radius":
            object.__setattr__(self, "reach", positive("reach", self.reach, "a level without a radius says nothing"))
        elif self.reach is not None:
            raise bad_input("reach", self.reach, f"none for {self.neighbours} neighbours", "MetricDP.within gives one")
        super().__post_init__()

    # How it is said

    @property
    @abstractmethod
    def statement(self) -> str:
        """What is promised, without its scope: ``"ε = 1"``."""

    @property
    def scoped(self) -> str:
        """The statement with its scope: ``"ε = 1 per record (replace-one neighbours, central model)"``."""
        return f"{self.statement} per {self.unit} ({self.neighbours} neighbours, {self.model} model)"

    @property
    def meaning(self) -> str:
        """What that means, in sentences for readers who do not know the field."""
        return f"Promised per {self.unit}: {self.statement}."

    @final
    @property
    def words(self) -> str:
        """What that means and what it rests on, in sentences for readers who do not know the field."""
        return self.meaning if self.vacuous else self._with_provenance(self.meaning)

    @final
    def __str__(self) -> str:
        return self.scoped if self.vacuous else self._with_condition(self.scoped)

    def _repr_html_(self) -> str:
        public = "; ".join(str(one) for one in self.assumptions)
        return definitions(type(self).__name__, {"promise": self.scoped, "meaning": self.meaning, "public": public})

    @property
    def scope(self) -> dict[str, Any]:
        """Reach (if there is one), unit, neighbours and model: what two promises must share to be compared."""
        within = {} if self.reach is None else {"reach": self.reach}
        return {**within, "unit": self.unit, "neighbours": self.neighbours, "model": self.model}

    @property
    def terms(self) -> dict[str, Any]:
        """The scope and what is taken as public, to hand on: ``ApproxDP(1.0, 1e-6, **other.terms)``."""
        return {**self.scope, "assumptions": self.assumptions}

    @property
    def syntactic(self) -> bool:
        """Whether the promise is about the form of the release alone and bounds no inference from it."""
        return False

    @property
    def settled(self) -> bool:
        """Whether further releases under it cost nothing: they use what was drawn for the first."""
        return False

    @property
    def vacuous(self) -> bool:
        """Whether nothing is promised."""
        return False

    # How it is written down

    def to_dict(self) -> dict[str, Any]:
        """Kind and parameters as plain values; :meth:`from_dict` reads them back.

        Raises :class:`~sfumato.InputError` where a parameter has no plain form (a vocabulary, groups).
        """
        values: dict[str, Any] = {"kind": type(self).__name__}
        for part in fields(self):
            value = getattr(self, part.name)
            if part.name == "assumptions":
                values |= {"assumptions": [one.to_dict() for one in value]} if value else {}
                continue
            if part.name == "reach" and value is None:
                continue
            if isinstance(value, Guarantee):
                value = value.to_dict()
            elif isinstance(value, tuple):
                value = [one.to_dict() if isinstance(one, Guarantee) else one for one in value]
            elif not isinstance(value, bool | int | float | str | None):
                raise bad_input(part.name, type(value).__name__, "a plain value", "this promise cannot be written down")
            values[part.name] = value
        return values

    @staticmethod
    def from_dict(values: Mapping[str, Any]) -> Guarantee:
        """The promise that :meth:`to_dict` wrote.

        >>> from sfumato.promise import PureDP
        >>> Guarantee.from_dict(PureDP(0.5, unit="user").to_dict())
        PureDP(unit='user', neighbours='replace-one', model='central', epsilon=0.5)
        """
        given = dict(values)
        kind: Any = promise_kind(given.pop("kind", ""))
        try:
            assumptions = tuple(Assumption(**one) for one in given.pop("assumptions", ()))
            read = {name: Guarantee.from_dict(v) if isinstance(v, Mapping) else v for name, v in given.items()}
            return kind(**read, assumptions=assumptions)
        except TypeError as error:
            raise bad_input("promise", dict(values), f"the parameters of {kind.__name__}") from error

    @property
    def parts(self) -> dict[str, Guarantee]:
        """The losses that are promises themselves, by name."""
        return {name: part for name in self.losses if isinstance(part := getattr(self, name), Guarantee)}

    # What it costs, and what several add up to

    @property
    def obstacle(self) -> str:
        """Why promises of this kind do not add up, in one sentence; empty if they do."""
        if self.syntactic:
            return (
                f"a promise of form ({self.statement}) does not compose: two releases together can single out a record"
            )
        if self.losses:
            return ""
        return f"no composition rule is known for {type(self).__name__} ({self.statement})"

    @property
    def budget_obstacle(self) -> str:
        """Why this cannot be the budget of a ledger, in one sentence; empty if it can."""
        if self.obstacle:
            return self.obstacle
        try:
            self.to_dict()
        except InputError:
            return f"{type(self).__name__} holds objects that a ledger cannot write down; {self.remedy}"
        return ""

    def cost(self) -> Cost:
        """The exact amounts that a budget of this kind subtracts for a release with this promise.

        >>> from sfumato.promise import ApproxDP
        >>> print(ApproxDP(0.5, 1e-6).cost())
        epsilon 0.5, delta 0.000001
        """
        return Cost(self._amounts(self))

    def price(self, release: Guarantee) -> Cost:
        """What a budget with this promise pays for a release that promises ``release``.

        >>> from sfumato.promise import PureDP, ZeroConcentratedDP
        >>> print(ZeroConcentratedDP(1.0).price(PureDP(0.1)))
        rho 0.005
        """
        check_promise("guarantee", release)
        release = release.as_counted_by(self)
        if type(self).__name__ not in release.forms:
            remedy = f"set a {type(release).__name__} budget, or {release.remedy}"
            if release.obstacle:
                remedy = f"only a promise that composes can be paid from a budget: {release.obstacle}"
            wanted = f"a promise payable from a budget of {self.statement}"
            raise bad_input("guarantee", str(release), wanted, remedy)
        own = self._differing([release]) if type(release) is type(self) else []
        for name, value, before in (*unequal(self.scope, release.scope), *own):
            raise bad_input(name, value, f"{before!r}, as in the budget", "keep a budget of its own for it")
        return Cost(self._amounts(release))

    def as_counted_by(self, budget: Guarantee) -> Guarantee:
        """The same promise in the scope of ``budget``: one by distance states itself within the budget's radius."""
        return self

    def same_currency(self, other: Guarantee) -> bool:
        """Whether another promise differs from this one in nothing but its losses."""
        return type(self) is type(other) and not self._differing([other])

    def worth(self, cost: Cost, *, left: bool = False) -> Guarantee:
        """Amounts as a promise of this kind: rounded up, or down for what is left."""
        return replace(self, **unflatten(self, cost, round_down if left else round_up))

    def _amounts(self, release: Guarantee) -> dict[str, Decimal]:
        """The losses of ``release``, which is stated in a form of this kind, by name."""
        return flatten(release, self.losses)

    @classmethod
    def combine(cls, guarantees: Sequence[Guarantee], how: Combine) -> Guarantee:
        """Promises that all hold in the form of this kind, as one: every loss combined, all else equal."""
        first = guarantees[0]
        for name, value, before in first._differing(guarantees[1:]):
            remedy = first.remedy if name == "metric" else ""
            raise bad_input(name, value, f"the same {name} in every promise ({before!r} before)", remedy)
        totals: dict[str, Any] = {}
        for name in cls.losses:
            values = [getattr(guarantee, name) for guarantee in guarantees]
            if any(value is None for value in values):
                totals[name] = None  # an inner promise that one release does not make
            elif isinstance(values[0], Guarantee):
                totals[name] = type(values[0]).combine(values, how)
            else:
                totals[name] = how(values)
        return replace(first, **totals)

    def _differing(self, others: Sequence[Guarantee]) -> list[tuple[str, Any, Any]]:
        """Parameters other than losses in which one of the others differs: name, its value, the value here."""
        found = []
        for part in fields(self):
            before = getattr(self, part.name)
            for other in others if part.name not in (*type(self).losses, "assumptions") else ():
                value = getattr(other, part.name, before)
                if value != before:
                    found.append((part.name, value, before))
        return found

    # The same promise in other words

    @property
    def orders(self) -> tuple[float, ...] | None:
        """The Rényi orders that the promise is stated at, if only at some."""
        return None

    def as_approx(self, delta: float, *, rule: Rule = "tight") -> ApproxDP:
        """The promise as (ε, δ)-DP at the given δ, never promising more than before."""
        raise self._inexpressible("(ε, δ)-DP")

    def as_zcdp(self) -> ZeroConcentratedDP:
        """The promise as zCDP, never promising more than before."""
        raise self._inexpressible("zCDP")

    def as_renyi(self, orders: Sequence[float] = ORDERS) -> RenyiDP:
        """The promise as a Rényi curve, never promising more than before."""
        raise self._inexpressible("Rényi DP")

    def over(self, size: int, *, unit: str | None = None) -> Self:
        """The promise for ``size`` units at once, for instance for a user who may own that many records.

        >>> from sfumato.promise import PureDP
        >>> PureDP(0.1).over(3, unit="user")
        PureDP(unit='user', neighbours='replace-one', model='central', epsilon=0.3)
        """
        k = integer("size", size)
        named = unit or (self.unit if k == 1 else f"group of {k} {self.unit}s")
        return replace(self if k == 1 else self._over(k), unit=named)

    def _over(self, k: int) -> Self:
        raise self._inexpressible("a promise for groups")

    def as_replace_one(self) -> Self:
        """The promise for replacing one unit. The other way round is not sound: replace-one keeps the size public.

        From add-remove it costs a group of 2 (a removal and an addition); from any pair nothing.

        >>> from sfumato.promise import PureDP
        >>> PureDP(1.0, neighbours="add-remove").as_replace_one().epsilon
        2.0
        """
        if self.neighbours == "replace-one":
            return self
        if self.neighbours == "add-remove":
            return replace(self.over(2, unit=self.unit), neighbours="replace-one")
        if self.neighbours == "any-pair" and not self.by_distance:
            return replace(self, neighbours="replace-one")
        raise bad_input("guarantee", self, "add-remove or any-pair neighbours", "state it for the whole domain first")

    def _inexpressible(self, wanted: str) -> InputError:
        return bad_input("guarantee", self, f"a promise that can be stated as {wanted}", self.remedy)

    # How it is audited

    @property
    def by_distance(self) -> bool:
        """Whether the loss allowed grows with the distance of the inputs, so that all on the way are covered too."""
        return False

    def loss_bound(self, x: Any, y: Any) -> float:
        """The largest log-likelihood ratio allowed between neighbouring inputs ``x`` and ``y`` (∞ if none)."""
        return math.inf

    def yardsticks(self) -> list[Yardstick]:
        """Everything that the promise bounds, as numbers to measure; nothing for a promise about the release itself."""
        own_bound = type(self).loss_bound is not Guarantee.loss_bound
        return [LogRatio(self.loss_bound)] if own_bound else []

    def delta_allowed(self, epsilon: float, x: Any, y: Any) -> float:
        """The largest δ(ε), between inputs ``x`` and ``y``, that the promise leaves room for."""
        return pure_delta(self.loss_bound(x, y), epsilon)

    @property
    def best_guess(self) -> float:
        """The largest chance to guess from which of two equally likely neighbours it came; 1 if that is not bounded."""
        return 1.0

    @property
    def level(self) -> tuple[str, float]:
        """What an audit of the release itself measures and the least that is promised: ``("k", 5.0)``."""
        return self.statement, 1.0


def check_promise(name: str, value: object) -> None:
    """Refuse anything that is not a promise."""
    if not isinstance(value, Guarantee):
        raise bad_input(name, value, "a promise such as PureDP(1.0)", "pass mechanism.guarantee")


def promise_kind(name: str) -> type[Guarantee]:
    """The class of promises called ``name``; those of the kinds of data are loaded when one is not known yet."""
    if name not in _KINDS:
        from sfumato.registry import load_promises

        load_promises()
    if name not in _KINDS:
        raise bad_input("kind of promise", name, "one of " + ", ".join(sorted(_KINDS)))
    return _KINDS[name]
