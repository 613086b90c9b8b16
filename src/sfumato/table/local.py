"""Local recoding: every class publishes as much of each column as its own records allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from sfumato.errors import InfeasibleError
from sfumato.privacy import Guarantee
from sfumato.table.classes import Classes
from sfumato.table.compact import Compact
from sfumato.table.improve import improve
from sfumato.table.judge import Judge
from sfumato.table.partition import Partition, Publish, Shape
from sfumato.table.rules import Rules
from sfumato.table.topdown import cut_down, specialise
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
    rules = Rules.of(table, promises)
    rules.require_whole(table)
    shape = Shape(table, publish, weights)
    first = specialise if start == "specialise" else cut_down
    member, number = first(table.codes, shape.prices, rules.limits, rules.holdings)
    partition = Partition(table, shape, member, int(number))
    if sweeps != 0:
        partition = improve(table, shape, rules, partition, sweeps=sweeps)
    classes = Classes(table, partition.member, partition.number)
    for promise in judge.together:
        if not promise.holds_together(classes):
            raise InfeasibleError(
                f"local recoding reaches k = {int(partition.sizes.min())} but not {promise.statement}; raise k"
            )
    return partition
