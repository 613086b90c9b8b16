"""Local recoding: every class publishes as much of each column as its own records allow."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal

import numpy as np

from sfumato.errors import InfeasibleError
from sfumato.promise import Guarantee
from sfumato.table.core.classes import Classes
from sfumato.table.core.summary import Compact
from sfumato.table.mechanisms.recoding.improvement import improve
from sfumato.table.mechanisms.recoding.judge import Judge
from sfumato.table.mechanisms.recoding.partition import Partition, Publish, Shape
from sfumato.table.mechanisms.recoding.rules import Rules
from sfumato.table.mechanisms.recoding.top_down import cut_down, specialise
from sfumato.validate import choice, integer

__all__ = ["local_partition"]


def local_partition(
    table: Compact,
    promises: Sequence[Guarantee],
    *,
    publish: Publish | Mapping[str, Publish] = "hierarchy",
    start: Literal["specialise", "mondrian"] = "specialise",
    sweeps: int | None = None,
    weights: Mapping[str, float] | None = None,
) -> Partition:
    """Partition the tuples so that every class keeps the promises, without suppression and with little loss.

    Parameters
    ----------
    table : Compact
    promises : sequence of Guarantee
    publish : {"hierarchy", "set", "interval"}, or mapping from column to these
        What a class says of a column: the lowest common ancestor, the set of values it holds, or their range.
    start : {"specialise", "mondrian"}
        The first partition: top-down along the hierarchies, or median cuts of the ordered values.
    sweeps : int, optional
        Passes of improvement; 0 leaves the first partition as it is. By default as many as the size of the table
        allows in about half a second, at least one.
    """
    choice("start", start, ("specialise", "mondrian"))
    if sweeps is not None:
        integer("sweeps", sweeps, least=0)
    judge = Judge(table, promises, 0, True)
    whole = Classes(table, np.zeros(len(table.codes), np.int64), 1)
    if judge.broken(whole).any() or not all(promise.holds_together(whole) for promise in judge.together):
        raise InfeasibleError(judge.how_close())
    rules, shape = Rules.of(table, promises), Shape(table, publish, weights)

    @cache
    def classes_of(least: int) -> Partition:
        wanted = rules.with_least(least)
        first = specialise if start == "specialise" else cut_down
        member, number = first(table.codes, shape.prices, wanted.limits, wanted.holdings)
        partition = Partition(table, shape, member, int(number))
        return partition if sweeps == 0 else improve(table, shape, wanted, partition, sweeps=sweeps)

    def keeps(least: int) -> bool:
        partition = classes_of(least)
        classes = Classes(table, partition.member, partition.number)
        return all(promise.holds_together(classes) for promise in judge.together)

    if keeps(judge.least):
        return classes_of(judge.least)
    # a promise on the whole table is kept by larger classes: find how large they must be
    enough = max(promise.enough for promise in judge.together)
    sizes = range(judge.least + 1, min(enough, table.rows))
    return classes_of(judge.least + 1 + bisect_left(sizes, True, key=keeps))
