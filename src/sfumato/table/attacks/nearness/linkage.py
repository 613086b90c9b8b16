"""Record linkage by nearest numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

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

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LinkageAttack", "nearest_records"]

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
        before, (after, rows) = arrow_of(data), lineage_of(data, release)
        near, image, counts = nearest_records(before, after, self.schema)
        right = np.zeros(before.num_rows)
        for row, place in zip(rows, image, strict=True):
            if place in near[row]:
                right[row] = 1 / counts[near[row]].sum()
        return mean_score(right, 1 / before.num_rows)


def nearest_records(
    before: pa.Table, after: pa.Table, schema: Schema
) -> tuple[list[list[int]], NDArray[np.int64], NDArray[np.int64]]:
    """For each victim the nearest released points; for each released record its point; how many records a point has."""
    from scipy.spatial import KDTree

    numbers = [name for name, tree in schema.quasi.items() if leaf_numbers(tree) is not None]
    if not numbers:
        raise bad_input("quasi-identifiers", list(schema.quasi), "at least one column of numbers")
    known, shown = number_columns(before, numbers), number_columns(after, numbers)
    spread = known.std(0)
    scale = np.where(spread > 0, spread, 1.0)
    words = [_words(before, after, name, schema) for name in schema.quasi if name not in numbers]
    known, shown = (
        np.concatenate([part / scale, *(both[side] for both in words)], axis=1)
        for side, part in enumerate((known, shown))
    )
    points, image, counts = np.unique(shown, axis=0, return_inverse=True, return_counts=True)
    victims, victim = np.unique(known, axis=0, return_inverse=True)
    tree = KDTree(points)
    distance, _ = tree.query(victims)
    ties = tree.query_ball_point(victims, distance * (1 + 1e-9) + 1e-12)
    return [ties[place] for place in victim.reshape(-1)], image.reshape(-1), counts


def _words(before: pa.Table, after: pa.Table, name: str, schema: Schema) -> tuple[Any, Any]:
    """A column of words as numbers that are far apart."""
    order: dict[str | None, int] = {}
    found = []
    for table in (before, after):
        codes, labels = labels_of(table[name], schema.missing_values, name)
        places = np.array([order.setdefault(label, len(order)) for label in labels], np.float64)
        found.append(FAR * places[codes][:, None])
    return found[0], found[1]
