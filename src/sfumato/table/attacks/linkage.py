"""Record linkage by nearest numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.release.card import Criterion
from sfumato.study import Score
from sfumato.table.attacks.scoring import KNOWS, mean_score
from sfumato.table.core.label_column import leaf_numbers
from sfumato.table.core.lineage import arrow_of, lineage_of
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import labels_of
from sfumato.table.mechanisms.base import number_columns

__all__ = ["LinkageAttack"]

FAR = 1e4  # standard deviations: farther than any number


@dataclass(frozen=True, kw_only=True, eq=False)
class LinkageAttack:
    """Share of victims whose record is the nearest released one.

    For released numbers that are no values of their column any more (means of groups, noise), which the counting
    attacks refuse. Distance is Euclidean over the quasi-identifiers that are numbers, each divided by its standard
    deviation; a quasi-identifier that is no number is as it was, so that another value is far away. Among equally near
    records the attacker guesses.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.table import Hierarchy, LinkageAttack, Microaggregation, Schema
    >>> schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])})
    >>> people = pa.table({"age": [18, 22, 36, 38]})
    >>> release = Microaggregation(schema=schema, k=2).release(people)
    >>> LinkageAttack(schema=schema).attack(people, release).value
    0.5
    """

    criterion: ClassVar[Criterion] = "linkability"

    schema: Schema
    name: str = "nearest record is the right one"

    @property
    def knows(self) -> str:
        return KNOWS

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        from scipy.spatial import KDTree

        before, (after, rows) = arrow_of(data), lineage_of(data, release)
        names = [name for name, tree in self.schema.quasi.items() if leaf_numbers(tree) is not None]
        if not names:
            raise bad_input("quasi-identifiers", list(self.schema.quasi), "at least one column of numbers")
        known, shown = number_columns(before, names), number_columns(after, names)
        spread = known.std(0)
        scale = np.where(spread > 0, spread, 1.0)
        words = [self._words(before, after, name) for name in self.schema.quasi if name not in names]
        known, shown = (
            np.concatenate([part / scale, *(both[side] for both in words)], axis=1)
            for side, part in enumerate((known, shown))
        )
        points, image, counts = np.unique(shown, axis=0, return_inverse=True, return_counts=True)
        victims, victim = np.unique(known, axis=0, return_inverse=True)
        tree = KDTree(points)
        nearest, _ = tree.query(victims)
        ties = tree.query_ball_point(victims, nearest * (1 + 1e-9) + 1e-12)
        right = np.zeros(before.num_rows)
        for row, place in zip(rows, image.reshape(-1), strict=True):
            near = ties[victim.reshape(-1)[row]]
            if place in near:
                right[row] = 1 / counts[near].sum()
        return mean_score(right, 1 / before.num_rows)

    def _words(self, before: Any, after: Any, name: str) -> tuple[Any, Any]:
        """A column of words as numbers that are far apart."""
        order: dict[str | None, int] = {}
        found = []
        for table in (before, after):
            codes, labels = labels_of(table[name], self.schema.missing_values, name)
            places = np.array([order.setdefault(label, len(order)) for label in labels], np.float64)
            found.append(FAR * places[codes][:, None])
        return found[0], found[1]
