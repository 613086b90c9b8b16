"""What a release costs: exact amounts by name, such as ε and δ, that add up."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from sfumato.promise.amount import EXACT

__all__ = ["Cost"]

_NONE = Decimal(0)


@dataclass(frozen=True)
class Cost:
    """Exact decimal amounts by name; a name that is missing stands for 0. Adding is sequential composition.

    >>> tenth = Cost({"epsilon": Decimal("0.1")})
    >>> print(tenth.plus(tenth))
    epsilon 0.2
    """

    amounts: Mapping[str, Decimal] = field(default_factory=dict)

    def plus(self, other: Cost) -> Cost:
        """The sum."""
        names = self.amounts.keys() | other.amounts.keys()
        return Cost({name: EXACT.add(self[name], other[name]) for name in sorted(names)})

    def minus(self, other: Cost) -> Cost:
        """What is left of this when the other is taken away."""
        names = self.amounts.keys() | other.amounts.keys()
        return Cost({name: EXACT.subtract(self[name], other[name]) for name in sorted(names)})

    def exceeds(self, limit: Cost) -> bool:
        """Whether any amount is larger than the limit's."""
        return any(amount > limit[name] for name, amount in self.amounts.items())

    def __getitem__(self, name: str) -> Decimal:
        return self.amounts.get(name, _NONE)

    def __bool__(self) -> bool:
        return any(self.amounts.values())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Cost):
            return NotImplemented
        return all(self[name] == other[name] for name in self.amounts.keys() | other.amounts.keys())

    def __hash__(self) -> int:
        return hash(frozenset((name, amount) for name, amount in self.amounts.items() if amount))

    def __str__(self) -> str:
        return ", ".join(f"{name} {amount:f}" for name, amount in self.amounts.items())

    def to_json(self) -> str:
        """The amounts as JSON text, exactly."""
        return json.dumps({name: str(amount) for name, amount in sorted(self.amounts.items())}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Cost:
        """The amounts that :meth:`to_json` wrote."""
        return cls({name: Decimal(amount) for name, amount in json.loads(text).items()})
