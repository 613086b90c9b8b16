"""Attribute disclosure where sensitive values stand in a table of their own, by group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.release import Release
from sfumato.release.card import Criterion
from sfumato.study import Score
from sfumato.table.attacks.scoring import best_guess, mean_score
from sfumato.table.core.lineage import arrow_of, plain_table
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import distinct, labels_of
from sfumato.table.mechanisms.anatomy import COUNT, GROUP, VALUES
from sfumato.validate import choice

__all__ = ["GroupValuesAttack"]


@dataclass(frozen=True, kw_only=True, eq=False)
class GroupValuesAttack:
    """Chance that a victim's sensitive value is guessed from an anatomised release.

    The attacker finds the records with the victim's quasi-identifiers, which are released as they are, looks up their
    groups, and draws a value as often as it occurs in these groups.

    Parameters
    ----------
    schema : Schema
    column : str
        The sensitive column.
    statistic : {"worst", "mean"}
        Over all victims.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.table import Anatomy, GroupValuesAttack, Hierarchy, Schema
    >>> schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])}, sensitive=["illness"])
    >>> people = pa.table({"age": [21, 23, 34, 38], "illness": ["flu", "cold", "flu", "cold"]})
    >>> release = Anatomy(schema=schema, column="illness", l=2).release(people)
    >>> GroupValuesAttack(schema=schema, column="illness").attack(people, release).value
    0.5
    """

    criterion: ClassVar[Criterion] = "inference"

    schema: Schema
    column: str
    statistic: str = "worst"

    def __post_init__(self) -> None:
        choice("statistic", self.statistic, ("worst", "mean"))
        if self.column not in self.schema.secrets:
            raise bad_input("column", self.column, "a sensitive column of the schema")

    @property
    def name(self) -> str:
        return f"{self.statistic} chance to guess {self.column} from its group"

    @property
    def knows(self) -> str:
        return "the quasi-identifiers of one person, both released tables and the method"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        before = arrow_of(data)
        if isinstance(release, Release):
            records, values = release.arrow, release.part(VALUES)
        else:
            records, values = plain_table(release.records), plain_table(release.values)
        victim, candidate, number = self._tuples(before, records)
        truth, shown, secrets = self._secrets(before, values)
        held = values[GROUP].to_numpy()
        groups = int(max(held.max(), records[GROUP].to_numpy().max())) + 1
        shares = np.zeros((groups, secrets))
        np.add.at(shares, (held, shown), values[COUNT].to_numpy())
        shares /= np.maximum(shares.sum(1, keepdims=True), 1)
        belief, count = np.zeros((number, secrets)), np.bincount(candidate, minlength=number)
        np.add.at(belief, candidate, shares[records[GROUP].to_numpy()])
        right = (belief / np.maximum(count, 1)[:, None])[victim, truth]
        if self.statistic == "worst":
            return Score(float(right.max()), reference=best_guess(truth))
        return mean_score(right, best_guess(truth))

    def _tuples(self, before: Any, records: Any) -> tuple[Any, Any, int]:
        """Which tuple of quasi-identifiers each victim and each released record has."""
        columns, sizes = [], []
        for name in self.schema.quasi:
            order: dict[str | None, int] = {}
            parts = []
            for table in (before, records):
                codes, labels = labels_of(table[name], self.schema.missing_values, name)
                parts.append(np.array([order.setdefault(label, len(order)) for label in labels], np.int64)[codes])
            columns.append(np.concatenate(parts))
            sizes.append(len(order))
        tuples, member = distinct(np.stack(columns, axis=1), sizes)
        return member[: before.num_rows], member[before.num_rows :], len(tuples)

    def _secrets(self, before: Any, values: Any) -> tuple[Any, Any, int]:
        """The sensitive value of each victim and of each row of the table of values."""
        missing = self.schema.missing_values
        order: dict[str, int] = {}
        found = []
        for table in (before, values):
            codes, labels = labels_of(table[self.column], missing, self.column)
            words = [self.schema.missing_label(self.column) if label is None else label for label in labels[:-1]]
            if (codes == len(labels) - 1).any():
                words.append(self.schema.missing_label(self.column))
            found.append(np.array([order.setdefault(word, len(order)) for word in words], np.int64)[codes])
        return found[0], found[1], len(order)
