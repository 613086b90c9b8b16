"""What a ``table.toml`` asks for beside the roles: promises to keep, or another method than recoding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import InputError, bad_input
from sfumato.mechanism import Mechanism
from sfumato.promise import Guarantee
from sfumato.table.core.phrases import COLUMNS, RECODING, method_of, promise_of
from sfumato.table.core.schema import Schema, read_content

__all__ = ["Plan"]


@dataclass(frozen=True)
class Plan:
    """Roles, and what is wanted.

    Parameters
    ----------
    schema : Schema
    promises : tuple of Guarantee
        What recoding must reach.
    method : Mechanism or None
        Another method; None for recoding.
    """

    schema: Schema
    promises: tuple[Guarantee, ...] = ()
    method: Mechanism | None = None

    @classmethod
    def read(cls, path: str | Path, *, promises: Sequence[str] = (), method: str | None = None) -> Plan:
        """Read a ``table.toml``; ``promises`` are added to its own, a ``method`` given here takes the place of its own.

        ::

            promises = ["t-closeness column=illness t=0.2 distance=ordered", "risk limit=0.05 attacker=marketer"]

        or ``method = "micro-aggregation k=5"``, or a method for each column::

            method = "columns rate=0.9"

            [columns]
            age = ["noise scale=2", "generalise level=1"]
        """
        path = Path(path)
        content, schema = read_content(path), Schema.read(path)
        found = [promise_of(phrase) for phrase in promises]
        made = None if method is None else method_of(method, schema, content.get(COLUMNS))
        try:
            wanted, steps = content.get("promises", []), content.get(COLUMNS)
            if not isinstance(wanted, list):
                raise bad_input("promises", wanted, "a list of texts")
            if not isinstance(steps, dict | None):
                raise bad_input(COLUMNS, steps, 'a table with a list of steps for each column: age = ["noise scale=2"]')
            if method is None:
                made = method_of(content.get("method", RECODING if steps is None else COLUMNS), schema, steps)
            if method is None or made is None:
                found = [*(promise_of(phrase) for phrase in wanted), *found]
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
        if found and made is not None:
            raise bad_input(
                "promises", [one.statement for one in found], "none with another method", "only recoding aims at them"
            )
        return cls(schema, tuple(found), made)
