"""Tables that do not have what they claim."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.auditor import AuditCase
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import KAnonymity
from sfumato.table import Hierarchy, Schema, TCloseness
from sfumato.table.core.label_classes import as_it_is_rows
from sfumato.table.mechanisms.base import TableMechanism
from sfumato.table.promise.inspection import reached

__all__ = ["CASES"]

SCHEMA = Schema(quasi={"town": Hierarchy.flat(["Linz", "Graz", "Wels"])}, sensitive=["ill"])
PEOPLE = pa.table({"town": ["Linz"] * 5 + ["Graz"] * 5 + ["Wels"] * 2, "ill": list("aabababbabab")})
OTHERS = pa.table({"town": ["Linz"] * 6 + ["Graz"] * 5 + ["Wels"], "ill": list("abababababab")})


@dataclass(frozen=True, kw_only=True, eq=False)
class StarsUncounted(TableMechanism):
    """Small classes become rows of ``*`` and nobody asks how many such rows there are.

    Who knows the method knows that the people of a suppressed class are among the rows of ``*`` and nowhere else.
    """

    k: int

    @property
    def guarantee(self) -> KAnonymity:
        return KAnonymity(self.k)

    def _release(self, table: pa.Table, rng: Rng) -> tuple[pa.Table, Any]:
        member, counts = as_it_is_rows(table, self.schema)
        small = counts[member] < self.k
        town = ["*" if s else value for s, value in zip(small, table["town"].to_pylist(), strict=True)]
        return table.set_column(0, "town", pa.array(town)), np.arange(table.num_rows)


@dataclass(frozen=True, kw_only=True, eq=False)
class OverwrittenThreshold(TableMechanism):
    """t-closeness whose check overwrites its threshold with a frequency of the class, as one peer has it."""

    t: float

    @property
    def guarantee(self) -> TCloseness:
        return TCloseness(self.t, "ill")

    def _release(self, table: pa.Table, rng: Rng) -> tuple[pa.Table, Any]:
        resolve_rng(rng)
        return table, np.arange(table.num_rows)  # every class "passes": its own frequency is the threshold


def _case(mechanism: Any, pairs: Any) -> AuditCase:
    return AuditCase(
        mechanism=mechanism,
        pairs=pairs,
        reached=lambda data, release: reached(release, SCHEMA, mechanism.guarantee),
        expected="broken",
        source="suppression and t-closeness as implemented elsewhere",
    )


SKEWED = PEOPLE.set_column(1, "ill", pa.array(list("aaaaabbbbbab")))
CASES = [
    _case(StarsUncounted(schema=SCHEMA, k=5), [(PEOPLE, OTHERS)]),
    _case(OverwrittenThreshold(schema=SCHEMA, t=0.2), [(SKEWED, PEOPLE)]),
]
