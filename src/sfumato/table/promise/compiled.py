"""Promises in compiled code, for algorithms that build classes record by record.

Every condition is judged by the kernel that stands beside its promise; here is only which kernel that is. A new
condition is a member of :class:`~sfumato.table.promise.rule.Kind`, a kernel and a branch of :func:`rule_holds`. numba's
cache does not notice a changed kernel in another file: remove ``__pycache__`` after changing one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.promise import Guarantee
from sfumato.table.core.summary import Sensitive, Summary
from sfumato.table.promise.base import table_promises
from sfumato.table.promise.closeness import equal_distance, hierarchical_distance, ordered_distance
from sfumato.table.promise.diversity import distinct_values, entropy, largest_and_tail, least_share, tail_bounds
from sfumato.table.promise.presence import presence_within
from sfumato.table.promise.rule import Kind, at_least, at_most

__all__ = ["CompiledPromises", "Holdings", "Limits", "class_holds", "rule_holds"]

Ints = NDArray[np.int64]


class Limits(NamedTuple):
    """Promises as arrays.

    ``least`` is the smallest class. A rule r has a kind (:class:`Kind`), the values ``first[r]`` to ``last[r]`` − 1 of
    the joint histogram of the sensitive columns, two numbers ``bound[r]`` and ``factor[r]``, and ``marked[r]``: values
    that it treats apart. ``reference`` holds the frequencies in the whole table, ``tree`` the node of each value at
    each level, ``height[r]`` how many levels count.
    """

    least: int
    kind: Ints
    first: Ints
    last: Ints
    bound: NDArray[np.float64]
    factor: NDArray[np.float64]
    marked: NDArray[np.bool_]
    reference: NDArray[np.float64]
    tree: Ints
    height: Ints


class Holdings(NamedTuple):
    """What each tuple brings into a class: records, members of the population, and sensitive values with counts
    (compressed rows: tuple t has ``values[starts[t]:starts[t + 1]]``)."""

    weight: Ints
    population: Ints
    starts: Ints
    values: Ints
    counts: Ints


@njit(cache=True)
def rule_holds(histogram, size, population, limits, r):  # type: ignore[no-untyped-def]
    """Whether a class keeps one rule. A class without records breaks none, but tells of presence."""
    kind, bound = limits.kind[r], limits.bound[r]
    if kind == Kind.PRESENCE:
        return presence_within(size, population, bound, limits.factor[r])
    if size == 0:
        return True
    if kind == Kind.POPULATION:
        return at_least(population, bound)
    first, last = limits.first[r], limits.last[r]
    counts, marked = histogram[first:last], limits.marked[r, first:last]
    if kind == Kind.DISTINCT:
        return at_least(distinct_values(counts), bound)
    if kind == Kind.ENTROPY:
        return at_least(entropy(counts, size), bound)
    if kind == Kind.RECURSIVE:
        top, tail = largest_and_tail(counts, size, int(bound), marked)
        return tail_bounds(top, tail, limits.factor[r])
    if kind == Kind.PRESENT_VALUES:
        return at_least(least_share(counts, size, marked), bound)
    reference = limits.reference[first:last]
    if kind == Kind.EQUAL_DISTANCE:
        return at_most(equal_distance(counts, size, reference), bound)
    if kind == Kind.ORDERED_DISTANCE:
        return at_most(ordered_distance(counts, size, reference), bound)
    if kind == Kind.TREE_DISTANCE:
        nodes = limits.tree[: limits.height[r], first:last]
        return at_most(hierarchical_distance(counts, size, reference, nodes), bound)
    return False  # a rule without a kernel is never kept


@njit(cache=True)
def class_holds(histogram, size, population, limits):  # type: ignore[no-untyped-def]
    """Whether a class with this joint histogram of sensitive values keeps every promise."""
    if 0 < size < limits.least:
        return False
    for r in range(limits.kind.shape[0]):  # noqa: SIM110 compiled code has no generators
        if not rule_holds(histogram, size, population, limits, r):
            return False
    return True


@dataclass(frozen=True, eq=False)
class CompiledPromises:
    """The promises on a table, ready for compiled code."""

    limits: Limits
    holdings: Holdings

    @classmethod
    def of(cls, table: Summary, promises: Sequence[Guarantee]) -> CompiledPromises:
        wanted = table_promises(promises)
        rules = [rule for promise in wanted for rule in promise.rules]
        columns = [table.column(name) for name in dict.fromkeys(rule.column for rule in rules) if name is not None]
        offsets = np.concatenate([[0], np.cumsum([len(c.values) for c in columns])]).astype(np.int64)
        place = {column.name: i for i, column in enumerate(columns)}
        total = int(offsets[-1])
        first, last, height = (np.zeros(len(rules), np.int64) for _ in range(3))
        marked = np.zeros((len(rules), total), np.bool_)
        for r, rule in enumerate(rules):
            if rule.column is None:
                if table.population is None:
                    raise bad_input(
                        "population", None, "the table of the population", "give population= or --population"
                    )
                continue
            column = columns[place[rule.column]]
            first[r], last[r] = offsets[place[rule.column]], offsets[place[rule.column] + 1]
            marked[r, first[r] : last[r]] = column.marked(rule.values)
            if column.hierarchy is not None:
                height[r] = column.hierarchy.height
            elif rule.kind == Kind.TREE_DISTANCE:
                raise bad_input(
                    "distance", "hierarchical", f"a hierarchy for {column.name}", "give it one in the schema"
                )
        levels = max((c.hierarchy.height for c in columns if c.hierarchy is not None), default=1)
        tree = np.zeros((levels, total), np.int64)
        for i, column in enumerate(columns):
            if column.hierarchy is not None:
                tree[: column.hierarchy.height, offsets[i] : offsets[i + 1]] = column.hierarchy.codes
        limits = Limits(
            max(promise.least_size for promise in wanted),
            np.array([rule.kind for rule in rules], np.int64),
            first,
            last,
            np.array([rule.bound for rule in rules], np.float64),
            np.array([rule.factor for rule in rules], np.float64),
            marked,
            np.concatenate([c.histogram / c.histogram.sum() for c in columns]) if columns else np.zeros(0),
            tree,
            height,
        )
        population = table.counts if table.population is None else table.population
        return cls(limits, Holdings(table.counts, population, *_by_tuple(table, columns, offsets)))

    def with_least(self, least: int) -> CompiledPromises:
        """The same promises, and no class smaller than ``least``."""
        return CompiledPromises(self.limits._replace(least=max(least, self.limits.least)), self.holdings)


def _by_tuple(table: Summary, columns: Sequence[Sensitive], offsets: Ints) -> tuple[Ints, Ints, Ints]:
    """The sensitive values of each tuple with their counts, as compressed rows."""
    starts = np.zeros(len(table.codes) + 1, np.int64)
    if not columns:
        return starts, np.zeros(0, np.int64), np.zeros(0, np.int64)
    tuples = np.concatenate([c.tuples for c in columns])
    values = np.concatenate([c.codes + offsets[i] for i, c in enumerate(columns)])
    counts = np.concatenate([c.counts for c in columns])
    order = np.argsort(tuples, kind="stable")
    np.cumsum(np.bincount(tuples, minlength=len(table.codes)), out=starts[1:])
    return starts, values[order].astype(np.int64), counts[order].astype(np.int64)
