"""Attribute disclosure by the nearest record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.release.card import Criterion
from sfumato.study import Score
from sfumato.table.attacks.nearness.linkage import nearest_records
from sfumato.table.attacks.scoring import KNOWS, best_guess, mean_score
from sfumato.table.core.lineage import arrow_of, lineage_of
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import labels_of

__all__ = ["NearestValueAttack"]


@dataclass(frozen=True, kw_only=True, eq=False)
class NearestValueAttack:
    """Share of victims whose sensitive value is that of the nearest released record.

    The companion of :class:`~sfumato.table.LinkageAttack` for numbers that are no values of their column any more: the
    attacker need not find the victim's own record to read the value off one like it.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.table import Hierarchy, Microaggregation, NearestValueAttack, Schema
    >>> schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])}, sensitive=["illness"])
    >>> people = pa.table({"age": [18, 22, 36, 38], "illness": ["flu", "flu", "gout", "cold"]})
    >>> release = Microaggregation(schema=schema, k=2).release(people)
    >>> NearestValueAttack(schema=schema, column="illness").attack(people, release).value
    0.75
    """

    criterion: ClassVar[Criterion] = "inference"

    schema: Schema
    column: str

    def __post_init__(self) -> None:
        if self.column not in self.schema.secrets:
            raise bad_input("column", self.column, "a sensitive column of the schema")

    @property
    def name(self) -> str:
        return f"{self.column} of the nearest record"

    @property
    def knows(self) -> str:
        return KNOWS

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        before, (after, _) = arrow_of(data), lineage_of(data, release)
        near, image, counts = nearest_records(before, after, self.schema)
        order: dict[str | None, int] = {}
        found = []
        for table in (before, after):
            codes, labels = labels_of(table[self.column], self.schema.missing_values, self.column)
            found.append(np.array([order.setdefault(label, len(order)) for label in labels], np.int64)[codes])
        held = np.zeros((len(counts), len(order)))
        np.add.at(held, (image, found[1]), 1.0)
        right = np.array(
            [held[points, value].sum() / counts[points].sum() for points, value in zip(near, found[0], strict=True)]
        )
        return mean_score(right, best_guess(found[0]))
