"""Optimal full-domain generalisation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from sfumato.table.core.classes import Classes
from sfumato.table.core.information_loss import CellInformationLoss, InformationLoss, named_information_loss
from sfumato.table.core.lattice import Lattice
from sfumato.table.core.summary import Summary
from sfumato.table.mechanisms.recoding.levels import optimal_levels
from sfumato.table.mechanisms.recoding.recoder import Decision, Recoder
from sfumato.table.mechanisms.recoding.tuple_recoder import TupleRecoder
from sfumato.validate import choice, positive, probability

__all__ = ["GlobalRecoding"]


@dataclass(frozen=True, kw_only=True, eq=False)
class GlobalRecoding(Recoder):
    """Optimal full-domain generalisation: one level a column, the best of all combinations [P6].

    Parameters
    ----------
    schema, target, population
        As in :class:`Recoder`.
    suppression : float
        Which share of the records may be suppressed.
    information_loss : str or InformationLoss
        What is minimised: generalised, entropy, discernibility, class-size or classification:COLUMN.
    suppressed : {"star", "drop"}
        Suppressed records stay as rows of ``*``, a class that must keep the promises as well, or are left out.
    tolerance : float
        The search ends when no other levels can be better by more than this share of the information loss; 0 proves
        that none is better at all.
    seconds : float
        After this time the search ends with the best levels so far and says how much better others could be
        (``decision.gap``).

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.promise import KAnonymity
    >>> from sfumato.table import GlobalRecoding, Hierarchy, Schema
    >>> schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10, 50])})
    >>> ages = pa.table({"age": [21, 23, 25, 34, 38]})
    >>> GlobalRecoding(schema=schema, target=[KAnonymity(2)]).release(ages).to_pydict()
    {'age': ['20-29', '20-29', '20-29', '30-39', '30-39']}
    """

    technique = "generalization and record suppression"

    suppression: float = 0.0
    information_loss: InformationLoss | str = "generalised"
    suppressed: Literal["star", "drop"] = "star"
    tolerance: float = 0.0
    seconds: float = 10.0

    def __post_init__(self) -> None:
        super().__post_init__()
        probability("suppression", self.suppression, zero=True, one=True)
        choice("suppressed", self.suppressed, ("star", "drop"))
        named_information_loss(self.information_loss)
        probability("tolerance", self.tolerance, zero=True)
        positive("seconds", self.seconds)

    @property
    def measure(self) -> InformationLoss:
        """What is minimised, with the weights of the schema unless it has its own."""
        found = named_information_loss(self.information_loss)
        if isinstance(found, CellInformationLoss) and not found.weights and self.schema.weights:
            return replace(found, weights=self.schema.weights)
        return found

    def _decide(self, table: Summary, lattice: Lattice | None) -> Decision:
        limit = int(np.floor(self.suppression * table.rows + 1e-9))
        stars = self.suppressed == "star"
        measure = self.measure
        best = optimal_levels(
            table,
            self.target,
            limit=limit,
            measure=measure,
            stars=stars,
            tolerance=self.tolerance,
            seconds=self.seconds,
            lattice=lattice,
        )
        recoding = TupleRecoder.at_levels(table, self.schema, best.levels, best.suppressed, stars)
        gone = int(table.counts[best.suppressed].sum())
        classes = Classes.at_levels(table, best.levels)
        kept = np.bincount(classes.member[~best.suppressed], table.counts[~best.suppressed], classes.number)
        sizes = kept[kept > 0].astype(np.int64)
        return Decision(
            recoding,
            dict(zip(table.names, best.levels, strict=True)),
            best.information_loss,
            gone,
            np.append(sizes, gone) if gone and stars else sizes,
            best.gap,
            best.evaluated,
            best.nodes,
        )
