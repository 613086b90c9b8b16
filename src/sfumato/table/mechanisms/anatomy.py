"""Anatomy [P5]: quasi-identifiers and sensitive values in two tables that share a group number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InfeasibleError, bad_input
from sfumato.io.frames import to_native_like
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import Guarantee
from sfumato.table.core.classes import Classes
from sfumato.table.core.lineage import plain_table
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import Sensitive, Summary, labels_of
from sfumato.table.promise.diversity import LDiversity
from sfumato.table.promise.final_check import verify_classes
from sfumato.validate import integer

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["COUNT", "GROUP", "VALUES", "Anatomy", "AnatomyRelease"]

GROUP, COUNT = "group", "count"
"""The columns of a release that are not of the input."""

VALUES = "values"
"""The name of the second table of a release."""


@dataclass(frozen=True, eq=False)
class AnatomyRelease:
    """The two tables of a release.

    Parameters
    ----------
    records : frame
        All columns but the sensitive one, with the group of each record.
    values : frame
        For each group the sensitive values and how often each occurs.
    """

    records: Any
    values: Any


@dataclass(frozen=True, kw_only=True, eq=False)
class Anatomy(Mechanism):
    """Release quasi-identifiers and sensitive values in two tables, joined by groups with l different values.

    Every group has l or more records with *distinct* values (Xiao and Tao 2006), so each value of a group has a share
    of at most 1/l. The quasi-identifiers are released raw: membership in the table is not hidden at all.

    Parameters
    ----------
    schema : Schema
    column : str
        The sensitive column.
    l : int

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.table import Anatomy, Hierarchy, Schema
    >>> schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])}, sensitive=["illness"])
    >>> people = pa.table({"age": [21, 23, 34, 38], "illness": ["flu", "cold", "flu", "cold"]})
    >>> release = Anatomy(schema=schema, column="illness", l=2).release(people, rng=np.random.default_rng(0))
    >>> release.values.to_pydict()
    {'group': [0, 0, 1, 1], 'illness': ['cold', 'flu', 'cold', 'flu'], 'count': [1, 1, 1, 1]}
    """

    draws: ClassVar[bool] = True
    perturbs: ClassVar[bool] = False
    covers_all: ClassVar[bool] = False
    makes_up: ClassVar[bool] = False
    plan: ClassVar[str] = ""
    sampling: ClassVar[float] = 1.0
    technique: ClassVar[str] = "anatomization"

    schema: Schema
    column: str
    l: int  # noqa: E741 the name of the parameter in the field

    def __post_init__(self) -> None:
        integer("l", self.l)
        if self.column not in self.schema.secrets:
            raise bad_input("column", self.column, "a sensitive column of the schema")
        others = [name for name in self.schema.secrets if name != self.column]
        if others:
            raise bad_input(
                "sensitive columns",
                others,
                f"none but {self.column}",
                "they would stand beside raw quasi-identifiers: make them identifiers (removed) or insensitive",
            )

    @property
    def guarantee(self) -> Guarantee:
        return LDiversity(self.l, self.column)

    def release(self, data: Any, *, rng: Rng | None = None) -> AnatomyRelease:
        records, values = self.tables(data, rng=rng)
        return AnatomyRelease(to_native_like(records, data), to_native_like(values, data))

    def tables(self, data: Any, *, rng: Rng | None = None) -> tuple[pa.Table, pa.Table]:
        """The two tables: records in the order of the input, and values by group."""
        import pyarrow as pa

        generator = resolve_rng(rng)
        table = plain_table(data)
        self.schema.require_roles(table.column_names)
        for name in (GROUP, COUNT):
            if name in table.column_names:
                raise bad_input("column", name, f"no column called {GROUP} or {COUNT}", "anatomy adds them: rename it")
        codes, labels = labels_of(table[self.column], self.schema.missing_values)
        names = [self.schema.missing_label(self.column) if label is None else label for label in labels[:-1]]
        groups = _groups(codes, len(names), self.l, generator)
        pairs, counts = np.unique(np.stack([groups, codes], axis=1), axis=0, return_counts=True)
        sensitive = Sensitive(self.column, tuple(names), pairs[:, 0], pairs[:, 1], counts)
        tuples = np.arange(groups.max() + 1)
        summary = Summary((), (), tuples[:, None], np.bincount(groups).astype(np.int64), (sensitive,))
        verify_classes([self.guarantee], Classes.by_value(summary))
        words = [names[code] for code in pairs[:, 1]]
        order = np.lexsort((words, pairs[:, 0]))
        values = pa.table({GROUP: pairs[order, 0], self.column: [words[i] for i in order], COUNT: counts[order]})
        kept = [name for name in table.column_names if name not in (*self.schema.identifiers, self.column)]
        return table.select(kept).append_column(GROUP, pa.array(groups)), values


def _groups(codes: NDArray[np.int64], values: int, size: int, rng: Rng) -> NDArray[np.int64]:
    """One record of each of the ``size`` fullest buckets, again and again; what is left joins groups without it."""
    buckets = [list(rng.permutation(np.flatnonzero(codes == value))) for value in range(values)]
    largest = max(len(bucket) for bucket in buckets)
    if largest * size > len(codes):
        raise InfeasibleError(
            f"l = {size} cannot be reached: one value makes up {largest} of {len(codes)} records; "
            f"at most l = {len(codes) // largest}"
        )
    groups = np.full(len(codes), -1, np.int64)
    holds: list[set[int]] = []
    while sum(bool(bucket) for bucket in buckets) >= size:
        fullest = sorted(range(values), key=lambda value: (-len(buckets[value]), value))[:size]
        for value in fullest:
            groups[buckets[value].pop()] = len(holds)
        holds.append(set(fullest))
    for value, bucket in enumerate(buckets):
        for record in bucket:
            free = [g for g, held in enumerate(holds) if value not in held]
            chosen = int(rng.choice(free))
            groups[record] = chosen
            holds[chosen].add(value)
    return groups
