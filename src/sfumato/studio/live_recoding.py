"""Decisions while sliders move: the table is summed up once, its lattice is kept, and the latest question wins."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InfeasibleError, bad_input
from sfumato.noise import seeded_rng
from sfumato.promise import KAnonymity
from sfumato.studio.project import Pin, Protection
from sfumato.study.preview import Foreseen, Preview, setting_for
from sfumato.table.core.classes import Classes
from sfumato.table.core.lattice import Lattice
from sfumato.table.core.risk import ClassRisk
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import Summary, summarise
from sfumato.table.explain.foresight import preview_of, released_risk
from sfumato.table.mechanisms.recoding.recoder import Decision
from sfumato.table.promise.people_anonymity import risk_in
from sfumato.table.protection import recoder
from sfumato.table.publishing import smallest_class

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
    figures : tuple of Foreseen
        Risk and loss as numbers that explain themselves.
    before, after : list of list of str
        The same few records in the raw table and in the release; ``None`` for a record that is left out.
    columns : list of str
        Of these, the columns that are released.
    changed : list of list of bool
        Which cells of ``after`` differ from ``before``.
    """

    decision: Decision
    risk: ClassRisk
    figures: tuple[Foreseen, ...]
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
    def raw(self) -> Classes:
        """The classes before anything is changed."""
        return Classes.at_levels(self.summary, [0] * self.summary.width)

    @property
    def raw_risk(self) -> ClassRisk:
        """The risk before anything is changed."""
        return risk_in(self.raw, self.schema.person)

    def risk(self, decision: Decision) -> ClassRisk:
        """The risk that a decision leaves: of people, where a column says whose record each is, as on the card."""
        return released_risk(decision, self.summary, self.schema.person)

    def decide(self, protection: Protection, schema: Schema) -> Decision:
        """Decide at once, whoever else asks."""
        decision: Decision = self._turns.now(lambda: self._decide(protection, schema))
        return decision

    def now(self, protection: Protection, schema: Schema) -> View:
        """What is shown of a decision that is waited for."""
        return self.view(self.decide(protection, schema), protection)

    def latest(self, protection: Protection, schema: Schema) -> View:
        """Decide, unless somebody asks anew before it is this question's turn (:class:`Superseded`)."""
        return self.view(self._turns.latest(lambda: self._decide(protection, schema)), protection)

    def _decide(self, protection: Protection, schema: Schema) -> Decision:
        arguments: dict[str, Any] = dict(protection.arguments)
        if protection.recoding == "global":
            arguments["seconds"] = LIVE_SECONDS
        mechanism = recoder(schema, **arguments)
        return mechanism.decide(self.summary, self.lattice if protection.recoding == "global" else None)

    def view(self, decision: Decision, protection: Protection) -> View:
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
            risk=self.risk(decision),
            figures=self._preview(decision, protection).figures,
            columns=columns,
            before=before,
            after=after,
            changed=changed,
        )

    def solved(self, protection: Protection, schema: Schema, figure: str, wanted: float) -> Protection:
        """The same settings with the k that a figure asks for.

        For a risk it is the smallest k that keeps it, for the loss the largest (:func:`setting_for`). The highest risk
        is that which k promises, whatever the classes of this table are.
        """
        if figure == "worst":
            k, records = max(smallest_class(wanted), 2), self.table.num_rows
            if k > records:
                raise InfeasibleError(f"{wanted:.3g} is not to be had: expected {1 / records:.3g} or more")
            return replace(protection, k=k)
        if protection.recoding != "global":
            raise bad_input("method", "classes of their own", "one level a column", "choose it first")

        def make(k: float) -> Preview:
            asked = replace(protection, k=int(k))
            return self._preview(self.decide(asked, schema), asked)

        dial = make(protection.k).dial("k")
        return replace(protection, k=int(setting_for(make, dial, figure, wanted)))

    def _preview(self, decision: Decision, protection: Protection) -> Preview:
        person = self.schema.person
        return preview_of(decision, self.summary, person, KAnonymity(protection.k), protection.k)

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
