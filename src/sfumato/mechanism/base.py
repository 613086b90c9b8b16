"""The base classes of all mechanisms."""

from __future__ import annotations

import dataclasses
import inspect
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

from sfumato.errors import NotFittedError, bad_input
from sfumato.noise import Rng
from sfumato.notebook import definitions
from sfumato.promise import Guarantee, Model, Neighbours

__all__ = ["Fitted", "Mechanism", "ScopedMechanism"]

_FIRST = ("epsilon", "pure", "level", "alpha", "rho", "delta")
_LAST = ("unit", "neighbours", "model")


def _reading_order(kind: type) -> list[str]:
    """The parameters as people read them: the privacy loss first, whose it is last."""
    names = [field.name for field in dataclasses.fields(kind) if field.init]
    first = [name for name in _FIRST if name in names]
    return first + [name for name in names if name not in (*_FIRST, *_LAST)] + [n for n in _LAST if n in names]


class _Signature:
    """The signature of a mechanism in reading order: its parameters are keywords, so that any order is the same."""

    def __get__(self, instance: object, owner: type) -> inspect.Signature:
        given = inspect.signature(owner.__init__)  # type: ignore[misc]
        known = dict(given.parameters)
        order = [name for name in _reading_order(owner) if name in known]
        return given.replace(parameters=[known[name] for name in order])


@dataclass(frozen=True, kw_only=True, eq=False)
class Mechanism(ABC):
    """Releases data under a promise: the base of every mechanism.

    A subclass is a keyword-only frozen dataclass: its fields are the parameters, checked in ``__post_init__`` and
    never changed; its ``repr`` can be pasted back. What follows from them is a ``cached_property``. Signature and
    ``repr`` name the privacy loss first.
    """

    __signature__ = _Signature()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__repr__" not in cls.__dict__:  # or else the decorator of each dataclass writes one in its own order
            cls.__repr__ = Mechanism.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        shown = {field.name for field in dataclasses.fields(self) if field.repr}
        parts = [f"{name}={getattr(self, name)!r}" for name in _reading_order(type(self)) if name in shown]
        return f"{type(self).__qualname__}({', '.join(parts)})"

    def _repr_html_(self) -> str:
        promise = self.guarantee
        return definitions(
            type(self).__name__, {"parameters": repr(self), "promise": str(promise), "meaning": promise.words}
        )

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """What is proved about one call of :meth:`release`."""

    @abstractmethod
    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """The protected version of ``data``: the same kind of thing out as in."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor parameters, as scikit-learn has it; with ``deep`` those of mechanisms inside are not listed.

        They are set by ``set_params(noise__epsilon=…)`` all the same.
        """
        return {name: getattr(self, name) for name in _reading_order(type(self))}

    def set_params(self, **changes: Any) -> Self:
        """A copy with some parameters changed; ``noise__epsilon`` changes a mechanism inside.

        As in scikit-learn, except that nothing is changed in place: a promise that was read stays true.
        """
        known = self.get_params()
        inner: dict[str, dict[str, Any]] = {}
        own: dict[str, Any] = {}
        for name, value in changes.items():
            outer, deep, rest = name.partition("__")
            if outer not in known or (deep and not isinstance(known[outer], Mechanism)):
                raise bad_input("parameter", name, f"one of {', '.join(_reading_order(type(self)))}")
            if deep:
                inner.setdefault(outer, {})[rest] = value
            else:
                own[name] = value
        own |= {outer: own.get(outer, known[outer]).set_params(**parts) for outer, parts in inner.items()}
        return self.replace(**own)

    def __sklearn_clone__(self) -> Self:
        """What ``sklearn.base.clone`` makes: the same parameters, nothing learned."""
        return self.replace()

    def replace(self, **changes: Any) -> Self:
        """A copy with some parameters changed (and checked again)."""
        return dataclasses.replace(self, **changes)


@dataclass(frozen=True, kw_only=True, eq=False)
class ScopedMechanism(Mechanism):
    """A mechanism whose caller says what a neighbour is, because the sensitivity was computed for it.

    Parameters
    ----------
    unit, neighbours, model
        As in :class:`~sfumato.promise.Guarantee`.
    """

    unit: str = "record"
    neighbours: Neighbours = "replace-one"
    model: Model = "central"

    @property
    def scope(self) -> dict[str, Any]:
        """Unit, neighbours and model as keyword arguments of a guarantee."""
        return {"unit": self.unit, "neighbours": self.neighbours, "model": self.model}


@dataclass(frozen=True, kw_only=True, eq=False)
class Fitted(Mechanism):
    """A mechanism that first learns something from *public* data; learned attributes end in ``_``."""

    @abstractmethod
    def fit(self, public: Any) -> Self:
        """Learn from public data only, never from the data to be protected."""

    def _learn(self, **attributes: Any) -> Self:
        for name, value in attributes.items():
            object.__setattr__(self, name, value)
        return self

    def _learned(self, name: str) -> Any:
        if name not in self.__dict__:
            raise NotFittedError(f"{type(self).__name__} has not been fitted; call fit(public) first")
        return self.__dict__[name]
