"""Decisions while sliders move: the table is summed up once, its lattice is kept, and the latest question wins."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import seeded_rng
from sfumato.studio.project import Pin, Protection
from sfumato.table.core.classes import Classes
from sfumato.table.core.lattice import Lattice
from sfumato.table.core.risk import ClassRisk, class_risk
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import Summary, summarise
from sfumato.table.mechanisms.recoding.recoder import Decision
from sfumato.table.protection import recoder

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LatestWins", "LiveRecoding", "Superseded", "View"]

SHOWN_ROWS = 20
LIVE_SECONDS = 1.0
"""How long the search for the best levels may take while a slider moves; a release searches for as long as it needs."""


class Superseded(Exception):
    """A newer question was asked meanwhile: this one needs no answer."""


class LatestWins:
    """One answer at a time; a question that waits while a newer one is asked gets none (:class:`Superseded`)."""

    def __init__(self) -> None:
        self._turn, self._count = threading.Lock(), threading.Lock()
        self._newest = 0

    def now(self, work: Callable[[], Any]) -> Any:
        """The answer, whoever else asks."""
        with self._turn:
            return work()

    def latest(self, work: Callable[[], Any]) -> Any:
        """The answer, unless somebody asks anew before it is this question's turn."""
        with self._count:
            self._newest += 1
            number = self._newest
        with self._turn:
            if number < self._newest:
                raise Superseded
            return work()


@dataclass(frozen=True, kw_only=True)
class View:
    """What is shown of one decision.

    Parameters
    ----------
    decision : Decision
    risk : ClassRisk
    before, after : list of list of str
        The same few records in the raw table and in the release; ``None`` for a record that is left out.
    columns : list of str
        Of these, the columns that are released.
    changed : list of list of bool
        Which cells of ``after`` differ from ``before``.
    """

    decision: Decision
    risk: ClassRisk
    columns: list[str]
    before: list[list[str]]
    after: list[list[str]]
    changed: list[list[bool]]

    def pin(self, protection: Protection, weights: dict[str, float]) -> Pin:
        """The decision as a candidate to compare."""
        return Pin(
            protection=protection,
            weights=weights,
            worst=self.risk.prosecutor,
            average=self.risk.marketer,
            information_loss=self.decision.information_loss,
            suppressed=self.decision.suppressed,
        )


class LiveRecoding:
    """A table under a schema, ready to be decided on again and again.

    Parameters
    ----------
    table : pyarrow.Table
    schema : Schema
        Bound to the table; weights may differ from one question to the next.
    """

    def __init__(self, table: pa.Table, schema: Schema) -> None:
        self.table, self.schema = table, schema
        self.summary: Summary
        self.summary, self.member = summarise(table, schema)
        self.lattice = Lattice(self.summary)
        self._turns = LatestWins()
        rows = min(SHOWN_ROWS, table.num_rows)
        self.rows: NDArray[np.int64] = np.sort(seeded_rng(0).choice(table.num_rows, rows, replace=False))
        self.sample = table.take(self.rows)

    @property
    def raw_sizes(self) -> NDArray[np.int64]:
        """The sizes of the classes before anything is changed."""
        return Classes.at_levels(self.summary, [0] * self.summary.width).sizes

    def decide(self, protection: Protection, schema: Schema) -> Decision:
        """Decide at once, whoever else asks."""
        decision: Decision = self._turns.now(lambda: self._decide(protection, schema))
        return decision

    def now(self, protection: Protection, schema: Schema) -> View:
        """What is shown of a decision that is waited for."""
        return self.view(self.decide(protection, schema))

    def latest(self, protection: Protection, schema: Schema) -> View:
        """Decide, unless somebody asks anew before it is this question's turn (:class:`Superseded`)."""
        return self.view(self._turns.latest(lambda: self._decide(protection, schema)))

    def _decide(self, protection: Protection, schema: Schema) -> Decision:
        arguments: dict[str, Any] = dict(protection.arguments)
        if protection.recoding == "global":
            arguments["seconds"] = LIVE_SECONDS
        mechanism = recoder(schema, **arguments)
        return mechanism.decide(self.summary, self.lattice if protection.recoding == "global" else None)

    def view(self, decision: Decision) -> View:
        """What is shown of a decision."""
        released, kept = decision.recoding.table(self.sample, self.member[self.rows])
        columns = list(released.column_names)
        before = _cells(self.sample.select(columns))
        after: list[list[str]] = [[] for _ in before]
        for place, row in zip(kept.tolist(), _cells(released), strict=True):
            after[place] = row
        changed = [[one != other for one, other in zip(a, b, strict=False)] for a, b in zip(after, before, strict=True)]
        return View(
            decision=decision,
            risk=class_risk(decision.sizes),
            columns=columns,
            before=before,
            after=after,
            changed=changed,
        )

    def sweep(self, protection: Protection, schema: Schema, sizes: tuple[int, ...]) -> list[tuple[int, Decision]]:
        """The same settings at other class sizes, as far as they can be reached."""
        from sfumato.errors import SfumatoError

        found = []
        for k in sizes:
            try:
                found.append((k, self.decide(replace(protection, k=k, recoding="global"), schema)))
            except SfumatoError:
                break  # larger classes are not to be had either
        return found


def _cells(table: pa.Table) -> list[list[str]]:
    columns = [["" if value is None else str(value) for value in column.to_pylist()] for column in table.columns]
    return [list(row) for row in zip(*columns, strict=True)]
