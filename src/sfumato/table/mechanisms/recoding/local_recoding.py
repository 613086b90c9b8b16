"""Local recoding: every class publishes as much of each column as its own records allow."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np

from sfumato.errors import InfeasibleError
from sfumato.promise import Guarantee
from sfumato.table.core.classes import Classes
from sfumato.table.core.information_loss import GeneralisedInformationLoss
from sfumato.table.core.lattice import Lattice
from sfumato.table.core.summary import Summary
from sfumato.table.mechanisms.recoding.class_selection import ClassSelection
from sfumato.table.mechanisms.recoding.levels import better_node
from sfumato.table.mechanisms.recoding.partition import Partition, Publish, Shape
from sfumato.table.mechanisms.recoding.people_merging import merge_for_people
from sfumato.table.mechanisms.recoding.pooling import close_classes, pool_classes, split_whole
from sfumato.table.mechanisms.recoding.reclustering import recluster
from sfumato.table.mechanisms.recoding.recoder import Decision, Recoder
from sfumato.table.mechanisms.recoding.top_down import cut_down, specialise
from sfumato.table.mechanisms.recoding.tuple_recoder import TupleRecoder
from sfumato.table.promise.base import ClassSize
from sfumato.table.promise.compiled import CompiledPromises
from sfumato.table.promise.excess import is_distance
from sfumato.validate import choice, integer

__all__ = ["LocalRecoding", "local_partition"]

EFFORT = 60_000_000
"""Lattice nodes × tuples that are looked at, at most, for a node that is better than a local recoding."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LocalRecoding(Recoder):
    """Local recoding: each class is generalised only as far as its own records need, and nothing is suppressed [P6].

    Parameters
    ----------
    schema, target, population
        As in :class:`Recoder`.
    publish : {"hierarchy", "set", "interval"}, or mapping from column to these
        What a class says of a column: the lowest common ancestor, the values it holds, or their range.
    start : {"specialise", "mondrian"}
        The first partition: down the hierarchies, or median cuts.
    sweeps : int, optional
        Passes that take neighbouring classes apart and put them together better; by default as the size allows.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.promise import KAnonymity
    >>> from sfumato.table import Hierarchy, LocalRecoding, Schema
    >>> schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10, 50])})
    >>> ages = pa.table({"age": [21, 21, 25, 34, 38]})
    >>> LocalRecoding(schema=schema, target=[KAnonymity(2)], publish="set").release(ages).to_pydict()
    {'age': ['{21, 25}', '{21, 25}', '{21, 25}', '{34, 38}', '{34, 38}']}
    """

    publish: Publish | Mapping[str, Publish] = "hierarchy"
    start: Literal["specialise", "mondrian"] = "specialise"
    sweeps: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("start", self.start, ("specialise", "mondrian"))
        if self.sweeps is not None:
            integer("sweeps", self.sweeps, least=0)

    def _decide(self, table: Summary, lattice: Lattice | None) -> Decision:
        partition = local_partition(
            table,
            self.target,
            publish=self.publish,
            start=self.start,
            sweeps=self.sweeps,
            weights=self.schema.weights or None,
        )
        recoder = TupleRecoder.by_class(partition, self.schema)
        return Decision(recoder, partition.levels, partition.information_loss, 0, partition.sizes)


def local_partition(
    table: Summary,
    promises: Sequence[Guarantee],
    *,
    publish: Publish | Mapping[str, Publish] = "hierarchy",
    start: Literal["specialise", "mondrian"] = "specialise",
    sweeps: int | None = None,
    weights: Mapping[str, float] | None = None,
) -> Partition:
    """Partition the tuples so that every class keeps the promises: no suppression, little information loss.

    Under t-closeness classes come from two ways, the whole table split with trim and the classes without t merged where
    that costs least; the better one is improved pool by pool, and a lattice node that is still better is taken instead.
    Classes are then chosen by looking at the sensitive values: t bounds what a class tells, not what the choice of the
    classes tells (see :class:`~sfumato.table.MinimalityAttack`).

    Parameters
    ----------
    table : Summary
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
    selection = ClassSelection(table, promises, 0, True)
    whole = Classes(table, np.zeros(len(table.codes), np.int64), 1)
    if selection.broken(whole).any() or not selection.holds_together(whole):
        raise InfeasibleError(selection.how_close())
    counted = [one for one in selection.promises if one.counted is not None]
    if counted:  # classes are first made by records
        rest = [one for one in selection.promises if one.counted is None]
        sized = [*rest, ClassSize(max(one.least_size for one in counted))]
        made = local_partition(table, sized, publish=publish, start=start, sweeps=sweeps, weights=weights)
        return merge_for_people(made, counted)
    compiled, shape = CompiledPromises.of(table, promises), Shape(table, publish, weights)
    close = any(is_distance(int(kind)) for kind in compiled.limits.kind)

    @cache
    def classes_of(least: int) -> Partition:
        wanted = compiled.with_least(least)
        first = specialise if start == "specialise" else cut_down
        if not close:
            member, number = first(table.codes, shape.prices, wanted.limits, wanted.holdings)
            partition = Partition(table, shape, member, int(number))
            return partition if sweeps == 0 else recluster(table, shape, wanted, partition, sweeps=sweeps)
        if start == "mondrian":
            member, number = first(table.codes, shape.prices, wanted.limits, wanted.holdings)
            partition = Partition(table, shape, member, int(number))
        else:
            partition = split_whole(table, shape, wanted)
            loose = [one for one in selection.promises if not any(is_distance(int(rule.kind)) for rule in one.rules)]
            sized = local_partition(table, [*loose, ClassSize(least)], publish=publish, weights=weights)
            merged = close_classes(table, shape, wanted, sized) if sweeps != 0 else None
            if merged is not None and merged.information_loss < partition.information_loss:
                partition = merged
        return partition if sweeps == 0 else pool_classes(table, shape, wanted, partition, sweeps=sweeps)

    def keeps(least: int) -> bool:
        partition = classes_of(least)
        classes = Classes(table, partition.member, partition.number)
        return selection.holds_together(classes)

    if keeps(selection.least):
        found = classes_of(selection.least)
    else:  # a promise on the whole table is kept by larger classes: find how large they must be
        sizes = range(selection.least + 1, min(selection.enough, table.rows))
        found = classes_of(selection.least + 1 + bisect_left(sizes, True, key=keeps))
    return _no_worse_than_global(found, promises, weights) if close else found


def _no_worse_than_global(
    partition: Partition, promises: Sequence[Guarantee], weights: Mapping[str, float] | None
) -> Partition:
    """The partition, or the classes of a lattice node with less information loss, if there is one.

    Suppressed records of a node are one more class. The bound of the lattice makes the search short, because it starts
    with an answer that few nodes can beat.
    """
    table = partition.table
    better = better_node(
        table, promises, GeneralisedInformationLoss(weights or {}), partition.information_loss, effort=EFFORT
    )
    if better is None:
        return partition
    levels, suppressed = better
    member = Classes.at_levels(table, levels).member
    kept, member = np.unique(np.where(suppressed, -1, member), return_inverse=True)
    other = Partition(table, partition.shape, member.astype(np.int64), len(kept))
    return min(partition, other, key=lambda one: one.information_loss)
