"""Recodings that are chosen by what is left of them beside earlier releases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.table.core.information_loss import CellInformationLoss, GeneralisedInformationLoss
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import Sensitive, Summary, distinct, summarise
from sfumato.table.mechanisms.recoding.global_recoding import GlobalRecoding
from sfumato.table.mechanisms.recoding.local_recoding import LocalRecoding, local_partition
from sfumato.table.mechanisms.recoding.partition import Partition, Shape
from sfumato.table.mechanisms.recoding.recoder import Recoder
from sfumato.table.people.delivery import Delivery
from sfumato.table.people.joined import Settled, settle
from sfumato.table.people.successors import Seats, by_class, by_nearness, earlier_groups

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Labelled", "global_labels", "local_labels"]

Ints = NDArray[np.int64]

STEPS = 60
"""Combinations of levels that are tried beside earlier releases, at most."""


@dataclass(frozen=True, eq=False)
class Labelled:
    """A recoding of every row and who of them may leave.

    ``labels`` are, for each quasi-identifier, the number of each row's label and the labels; ``classes`` the class and
    ``seat`` the seat of each row.
    """

    labels: tuple[tuple[Ints, Sequence[str]], ...]
    classes: Ints
    seat: Ints
    settled: Settled
    levels: dict[str, Any]
    information_loss: float
    evaluated: int

    def table(self, table: pa.Table, schema: Schema, rows: Ints) -> pa.Table:
        """The rows as they are released: labels for quasi-identifiers, no identifiers."""
        import pyarrow as pa

        place = {name: j for j, name in enumerate(schema.quasi)}
        part, arrays = table.take(rows), {}
        for name in table.column_names:
            if name in place:
                codes, words = self.labels[place[name]]
                held = pa.DictionaryArray.from_arrays(pa.array(codes[rows]), pa.array(words, pa.string()))
                arrays[name] = held.cast(pa.string())
            elif name not in schema.identifiers:
                arrays[name] = part[name]
        return pa.table(arrays)


def _classes(labels: Sequence[tuple[Ints, Sequence[str]]], rows: int) -> Ints:
    if not labels:
        return np.zeros(rows, np.int64)
    matrix = np.stack([codes for codes, _ in labels], axis=1).astype(np.int64)
    return distinct(matrix, [len(words) for _, words in labels])[1]


def global_labels(
    mechanism: Recoder,
    table: pa.Table,
    seats: Seats,
    values: Sequence[Sensitive],
    *,
    start: tuple[int, ...] | None = None,
    rng: Rng,
    upwards: bool = False,
    link: bool = False,
) -> Labelled:
    """One level a column: the best that steps of one level find, counted with those who must be left out.

    The search begins at the levels of the earlier release and at those that are best without regard to it; it ends
    where no step of one level up or down in one column loses less. ``upwards`` never goes below the levels of the
    earlier release, so that every new label is one of its labels or covers some of them.
    """
    assert isinstance(mechanism, GlobalRecoding)
    schema = mechanism.schema
    summary, member = summarise(table, schema)
    measure = mechanism.measure
    cell = measure if isinstance(measure, CellInformationLoss) else GeneralisedInformationLoss(schema.weights)
    cost = cell.tables(summary)
    trees, codes = summary.hierarchies, summary.codes[member]
    nothing = np.zeros(len(member), np.bool_)
    person_name = str(schema.person)
    known: dict[tuple[int, ...], tuple[float, Settled, Ints]] = {}

    def labels(node: tuple[int, ...]) -> list[tuple[Ints, Sequence[str]]]:
        return [
            (tree.codes[level][codes[:, j]], tree.labels[level])
            for j, (tree, level) in enumerate(zip(trees, node, strict=True))
        ]

    def look(node: tuple[int, ...]) -> float:
        if node not in known:
            classes = _classes(labels(node), len(member))
            paid = sum(cost[j, level][codes[:, j]] for j, level in enumerate(node))
            seat = seats.filled(by_class(classes))
            new = Delivery(seat, classes, nothing, tuple(values), shown=seats.now, holder=seats.person)
            settled = settle(seats.earlier, new, mechanism.target, person_name, rng=rng, link=link)
            known[node] = float(np.where(settled.kept, paid, 1.0).mean()), settled, seat
        return known[node][0]

    alone = mechanism.decide(summary).levels
    first = tuple(int(alone[name]) for name in schema.quasi)
    least = start if upwards and start is not None else (0,) * len(trees)
    starts = [tuple(map(max, first, least)), *([] if start is None else [start])]
    best = min(starts, key=look)
    while len(known) < STEPS:
        steps = [
            (*best[:j], best[j] + step, *best[j + 1 :])
            for j, tree in enumerate(trees)
            for step in (-1, 1)
            if least[j] <= best[j] + step < tree.height
        ]
        better = min(steps, key=look, default=best)
        if look(better) >= look(best):
            break
        best = better
    loss, settled, seat = known[best]
    found = labels(best)
    levels = dict(zip(schema.quasi, best, strict=True))
    return Labelled(tuple(found), _classes(found, len(member)), seat, settled, levels, loss, len(known))


def local_labels(
    mechanism: Recoder,
    table: pa.Table,
    seats: Seats,
    values: Sequence[Sensitive],
    *,
    rng: Rng,
    link: bool = False,
) -> Labelled:
    """Classes within the groups that the earlier releases show, and among the people who are new."""
    assert isinstance(mechanism, LocalRecoding)
    schema, person_name = mechanism.schema, str(mechanism.schema.person)
    summary, member = summarise(table, schema)
    codes, trees = summary.codes[member], summary.hierarchies
    cost = GeneralisedInformationLoss(schema.weights).tables(summary)
    person = seats.filled(by_nearness(summary, codes, cost))
    groups = earlier_groups(seats.earlier, person)
    order = np.argsort(groups, kind="stable")
    edges = np.flatnonzero(np.r_[True, np.diff(groups[order]) != 0, True])
    held = [*values, Sensitive(person_name, _names(person), np.arange(len(person)), person, np.ones_like(person))]
    numbers: list[dict[str, int]] = [{} for _ in trees]
    found = np.zeros((len(member), len(trees)), np.int64)
    paid = np.ones(len(member))
    levels: dict[str, tuple[int, int]] = {}
    for start, stop in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        rows = np.sort(order[start:stop])
        part, inside = _summary(summary, codes, held, rows)
        partition = _partition(part, mechanism, len(np.unique(person[rows])))
        for j, words in enumerate(numbers):
            by_class, labels = partition.labels(j)
            places = np.array([words.setdefault(label, len(words)) for label in labels], np.int64)
            found[rows, j] = places[by_class[partition.member[inside]]]
        paid[rows] = partition.described[4][partition.member[inside]]
        for name, (low, high) in partition.levels.items():
            before = levels.get(name, (low, high))
            levels[name] = (min(before[0], low), max(before[1], high))
    shown = tuple((found[:, j], list(words)) for j, words in enumerate(numbers))
    classes = _classes(shown, len(member))
    nothing = np.zeros(len(person), np.bool_)
    new = Delivery(person, classes, nothing, tuple(values), shown=seats.now, holder=seats.person)
    settled = settle(seats.earlier, new, mechanism.target, person_name, rng=rng, link=link)
    loss = float(np.where(settled.kept, paid, 1.0).mean())
    return Labelled(shown, classes, person, settled, levels, loss, 0)


def _names(person: Ints) -> tuple[str, ...]:
    return tuple(map(str, range(int(person.max()) + 1)))


def _summary(whole: Summary, codes: Ints, held: Sequence[Sensitive], rows: Ints) -> tuple[Summary, Ints]:
    """The summary of some rows."""
    place = np.full(len(codes), -1, np.int64)
    place[rows] = np.arange(len(rows))
    tuples, inside = distinct(codes[rows], [tree.size for tree in whole.hierarchies])
    columns = []
    for one in held:
        there = place[one.tuples] >= 0
        pair = one.codes[there] * len(tuples) + inside[place[one.tuples[there]]]
        keys, which = np.unique(pair, return_inverse=True)
        counts = np.bincount(which, one.counts[there], len(keys)).astype(np.int64)
        columns.append(Sensitive(one.name, one.values, keys % len(tuples), keys // len(tuples), counts, one.hierarchy))
    counts = np.bincount(inside, minlength=len(tuples)).astype(np.int64)
    return Summary(whole.names, whole.hierarchies, tuples, counts, tuple(columns)), inside


def _partition(part: Summary, mechanism: LocalRecoding, people: int) -> Partition:
    """Classes of one group; a group that cannot be split, or not even stand, is one class."""
    from sfumato.errors import SfumatoError

    weights = mechanism.schema.weights or None
    whole = Partition(part, Shape(part, mechanism.publish, weights), np.zeros(len(part.codes), np.int64), 1)
    if people < 2 * mechanism.k:
        return whole
    try:
        sweeps = 1 if part.rows < 1000 and mechanism.sweeps is None else mechanism.sweeps
        return local_partition(part, mechanism.target, publish=mechanism.publish, start=mechanism.start, sweeps=sweeps)
    except SfumatoError:  # the group breaks a promise as a whole: its people are left out
        return whole
