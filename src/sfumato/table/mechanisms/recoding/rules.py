"""Promises on one class in compiled code, for algorithms that build classes record by record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.promise import Guarantee
from sfumato.table.core.summary import Compact
from sfumato.table.promise import (
    DeltaPresence,
    LDiversity,
    RecursiveDiversity,
    ReidentificationRisk,
    TCloseness,
    flatten,
    least_size,
)

__all__ = ["Holdings", "Limits", "Rules", "class_ok"]

DISTINCT, ENTROPY, RECURSIVE, EQUAL, ORDERED, TREE, PRESENCE, POPULATION, ALWAYS = range(9)


class Limits(NamedTuple):
    """Promises as arrays.

    ``least`` is the smallest class; ``rules`` has a row for each promise: kind, first and last + 1 value in the joint
    histogram of the sensitive columns, and two numbers; ``reference`` holds the frequencies in the whole table;
    ``free`` and ``must`` mark, for each rule, values that may be disclosed and values that must not be excluded;
    ``tree`` gives the node of each value at each level, ``heights`` how many levels count.
    """

    least: int
    rules: NDArray[np.float64]
    reference: NDArray[np.float64]
    free: NDArray[np.bool_]
    must: NDArray[np.bool_]
    tree: NDArray[np.int64]
    heights: NDArray[np.int64]


class Holdings(NamedTuple):
    """What each tuple brings into a class: records, members of the population, and sensitive values with counts
    (compressed rows: tuple t has ``values[starts[t]:starts[t + 1]]``)."""

    weight: NDArray[np.int64]
    population: NDArray[np.int64]
    starts: NDArray[np.int64]
    values: NDArray[np.int64]
    counts: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rules:
    """The promises on a table, ready for compiled code."""

    limits: Limits
    holdings: Holdings

    @classmethod
    def of(cls, table: Compact, promises: Sequence[Guarantee]) -> Rules:
        promises = flatten(promises)
        used = {p.column for p in promises if isinstance(p, LDiversity | RecursiveDiversity | TCloseness)}
        columns = [column for column in table.sensitive if column.name in used]
        for name in used:
            table.column(name)
        offsets = np.concatenate([[0], np.cumsum([len(c.values) for c in columns])]).astype(np.int64)
        span = {c.name: (int(offsets[i]), int(offsets[i + 1])) for i, c in enumerate(columns)}
        total = int(offsets[-1])
        rows: list[list[float]] = []
        free, must = [], []
        for promise in promises:
            mask_free, mask_must = np.zeros(total, np.bool_), np.zeros(total, np.bool_)
            match promise:
                case LDiversity(l=l, column=column, kind=style):
                    rows.append([DISTINCT if style == "distinct" else ENTROPY, *span[column], l, 0.0])
                case RecursiveDiversity(c=c, l=l, column=column):
                    rows.append([RECURSIVE, *span[column], l, c])
                    places = {v: span[column][0] + i for i, v in enumerate(table.column(column).values)}
                    for mask, wanted in ((mask_free, promise.allowed), (mask_must, promise.always)):
                        for value in wanted:
                            if value not in places:
                                raise bad_input(f"value of {column}", value, "one of its values")
                            mask[places[value]] = True
                    if promise.always:
                        rows.append([ALWAYS, *span[column], promise.share, 0.0])
                        free.append(mask_free)
                        must.append(mask_must)
                case TCloseness(t=t, column=column, distance=distance):
                    kind = {"equal": EQUAL, "ordered": ORDERED, "hierarchical": TREE}[distance]
                    rows.append([kind, *span[column], t, 0.0])
                    if distance == "hierarchical" and table.column(column).hierarchy is None:
                        raise bad_input("distance", distance, f"a hierarchy for {column}", "give it one in the schema")
                case DeltaPresence(low=low, high=high):
                    rows.append([PRESENCE, 0, 0, low, high])
                case ReidentificationRisk(attacker="journalist"):
                    rows.append([POPULATION, 0, 0, promise.enough, 0.0])
                case _:
                    continue
            free.append(mask_free)
            must.append(mask_must)
        reference = [c.histogram / c.histogram.sum() for c in columns]
        levels = max((c.hierarchy.height for c in columns if c.hierarchy is not None), default=1)
        tree, heights = np.zeros((levels, total), np.int64), np.ones(total, np.int64)
        for i, sensitive in enumerate(columns):
            if sensitive.hierarchy is not None:
                tree[: sensitive.hierarchy.height, offsets[i] : offsets[i + 1]] = sensitive.hierarchy.codes
                heights[offsets[i] : offsets[i + 1]] = sensitive.hierarchy.height
        starts, values, counts = _by_tuple(table, columns, offsets)
        if table.population is None and any(row[0] in (PRESENCE, POPULATION) for row in rows):
            raise bad_input("population", None, "the table of the population", "give population= or --population")
        population = table.counts if table.population is None else table.population
        limits = Limits(
            least_size(promises),
            np.array(rows, np.float64).reshape(len(rows), 5),
            np.concatenate(reference) if reference else np.zeros(0),
            np.array(free, np.bool_).reshape(len(rows), total),
            np.array(must, np.bool_).reshape(len(rows), total),
            tree,
            heights,
        )
        return cls(limits, Holdings(table.counts, population, starts, values, counts))

    def with_least(self, least: int) -> Rules:
        """The same promises, and no class smaller than ``least``."""
        return Rules(self.limits._replace(least=max(least, self.limits.least)), self.holdings)


def _by_tuple(table: Compact, columns: Any, offsets: Any) -> tuple[Any, Any, Any]:
    if not columns:
        return np.zeros(len(table.codes) + 1, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)
    tuples = np.concatenate([c.tuples for c in columns])
    values = np.concatenate([c.codes + offsets[i] for i, c in enumerate(columns)])
    counts = np.concatenate([c.counts for c in columns])
    order = np.argsort(tuples, kind="stable")
    starts = np.zeros(len(table.codes) + 1, np.int64)
    np.cumsum(np.bincount(tuples, minlength=len(table.codes)), out=starts[1:])
    return starts, values[order].astype(np.int64), counts[order].astype(np.int64)


@njit(cache=True)
def _tree_cost(histogram, size, reference, tree, heights, first, last):  # type: ignore[no-untyped-def]
    levels = heights[first] - 1
    if levels == 0:
        return 0.0
    extra = np.zeros(last - first)
    for v in range(first, last):
        extra[v - first] = histogram[v] / size - reference[v]
    cost = 0.0
    for level in range(1, levels + 1):
        surplus = np.zeros(last - first)
        lack = np.zeros(last - first)
        after = np.zeros(last - first)
        seen = np.zeros(last - first, np.bool_)
        for v in range(first, last):
            below, above = tree[level - 1, v], tree[level, v]
            if not seen[below]:
                seen[below] = True
                after[above] += extra[below]
                if extra[below] > 0:
                    surplus[above] += extra[below]
                else:
                    lack[above] -= extra[below]
        for node in range(last - first):
            cost += level / levels * min(surplus[node], lack[node])
        extra = after
    return cost


@njit(cache=True)
def _largest(histogram, first, last, number):  # type: ignore[no-untyped-def]
    """Sum of the largest counts."""
    used = np.zeros(last - first, np.bool_)
    total = 0
    for _ in range(min(number, last - first)):
        at = -1
        for v in range(first, last):
            if not used[v - first] and (at < 0 or histogram[v] > histogram[at]):
                at = v
        used[at - first] = True
        total += histogram[at]
    return total


@njit(cache=True)
def class_ok(histogram, size, population, limits):  # type: ignore[no-untyped-def]
    """Whether a class with this joint histogram of sensitive values keeps every promise."""
    slack = 1e-12
    if 0 < size < limits.least:
        return False
    for r in range(limits.rules.shape[0]):
        kind = int(limits.rules[r, 0])
        first, last = int(limits.rules[r, 1]), int(limits.rules[r, 2])
        limit = limits.rules[r, 3]
        if kind == 6:
            if population > 0 and not (limit - slack <= size / population <= limits.rules[r, 4] + slack):
                return False
            continue
        if size == 0:
            continue
        if kind == 7:
            if population < limit:
                return False
        elif kind == 0:
            seen = 0
            for v in range(first, last):
                seen += histogram[v] > 0
            if seen < limit:
                return False
        elif kind == 1:
            entropy = 0.0
            for v in range(first, last):
                if histogram[v] > 0:
                    entropy -= histogram[v] / size * np.log(histogram[v] / size)
            if entropy < np.log(limit) - slack:
                return False
        elif kind == 2:
            length = int(limit)
            top, seen, spared = 0, 0, False
            for v in range(first, last):
                seen += histogram[v] > 0
                if limits.free[r, v]:
                    spared = True
                else:
                    top = max(top, histogram[v])
            rank = 1
            for v in range(first, last):
                rank += histogram[v] > top
            # the tail is the class without its most frequent values
            beyond = length > 1 and rank > length - 1
            tail = size - _largest(histogram, first, last, length - 2 if beyond else length - 1)
            if beyond:
                tail -= top
            if top > 0 and not top < limits.rules[r, 4] * tail:
                return False
            if not spared and seen < length:
                return False
        elif kind == 3:
            far = 0.0
            for v in range(first, last):
                far += abs(histogram[v] / size - limits.reference[v])
            if 0.5 * far > limit + slack:
                return False
        elif kind == 4:
            far, run = 0.0, 0.0
            for v in range(first, last):
                run += histogram[v] / size - limits.reference[v]
                far += abs(run)
            if far / max(last - first - 1, 1) > limit + slack:
                return False
        elif kind == 5:
            if _tree_cost(histogram, size, limits.reference, limits.tree, limits.heights, first, last) > limit + slack:
                return False
        else:
            for v in range(first, last):
                if limits.must[r, v] and histogram[v] < (limit - slack) * size:
                    return False
    return True
