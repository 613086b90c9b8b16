"""The base classes of all mechanisms."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

from sfumato.errors import NotFittedError
from sfumato.noise import Rng
from sfumato.promise import Guarantee, Model, Neighbours

__all__ = ["Fitted", "Mechanism", "ScopedMechanism"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Mechanism(ABC):
    """Releases data under a promise: the base of every mechanism.

    A subclass is a keyword-only frozen dataclass: its fields are the parameters, checked in ``__post_init__`` and
    never changed; its ``repr`` can be pasted back. What follows from them is a ``cached_property``.
    """

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """What is proved about one call of :meth:`release`."""

    @abstractmethod
    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """The protected version of ``data``: the same kind of thing out as in."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor parameters, as scikit-learn has it."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.init}

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
