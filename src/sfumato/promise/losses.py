"""The losses of a promise as exact amounts by name, and back; those of an inner promise as ``place.epsilon``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from decimal import Decimal
from typing import Any

from sfumato.promise.amount import exact
from sfumato.promise.cost import Cost

__all__ = ["flatten", "unflatten"]


def flatten(guarantee: Any, losses: Iterable[str]) -> dict[str, Decimal]:
    """The amounts of the named losses; one that the promise does not make (None) is left out."""
    amounts: dict[str, Decimal] = {}
    for name in losses:
        value = getattr(guarantee, name)
        if name in guarantee.parts:
            amounts |= {f"{name}.{key}": amount for key, amount in value.cost().amounts.items()}
        elif value is not None:
            amounts[name] = exact(value)
    return amounts


def unflatten(guarantee: Any, cost: Cost, as_float: Callable[[Decimal], float]) -> dict[str, Any]:
    """The inverse of :func:`flatten`: parameters of ``guarantee`` that have these amounts."""
    changes: dict[str, Any] = {}
    for name in guarantee.losses:
        value = getattr(guarantee, name)
        if name in guarantee.parts:
            prefix = f"{name}."
            inner = Cost({key.removeprefix(prefix): a for key, a in cost.amounts.items() if key.startswith(prefix)})
            changes[name] = replace(value, **unflatten(value, inner, as_float))
        elif value is not None:
            changes[name] = as_float(max(cost.amounts.get(name, Decimal(0)), Decimal(0)))
    return changes
