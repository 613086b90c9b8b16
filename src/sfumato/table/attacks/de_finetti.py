"""The deFinetti attack: learn from the release how secrets go with quasi-identifiers, and undo the classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.release.card import Criterion
from sfumato.study import Score
from sfumato.table.attacks.class_members import REGISTER, class_members
from sfumato.table.attacks.scoring import best_guess, mean_score
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import distinct
from sfumato.validate import integer

__all__ = ["DeFinettiAttack"]


@dataclass(frozen=True, kw_only=True, eq=False)
class DeFinettiAttack:
    """Share of victims whose sensitive value is guessed by a model learned from the release itself (Kifer 2009).

    A naive Bayes model Pr[s]·Π_j Pr[q_j | s] and the assignment of each class's values to its members are fitted in
    turn; the values of a class stay what the release says. Neither l-diversity nor t-closeness bounds this attack: it
    uses what *all* classes together tell of people like the victim.

    Parameters
    ----------
    schema : Schema
    column : str
        The sensitive column.
    rounds : int
        How often model and assignment are fitted in turn.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.table import DeFinettiAttack, Hierarchy, Lineage, Schema
    >>> schema = Schema(quasi={"town": Hierarchy([["a", "*"], ["b", "*"]])}, sensitive=["ill"])
    >>> people = pa.table({"town": list("aaab"), "ill": ["flu", "flu", "flu", "gout"]})
    >>> released = people.set_column(0, "town", pa.array(["a", "a", "*", "*"]))
    >>> attack = DeFinettiAttack(schema=schema, column="ill")
    >>> attack.attack(people, Lineage(released, [0, 1, 2, 3])).value  # flu goes with a: the last two are told apart
    1.0
    """

    criterion: ClassVar[Criterion] = "inference"

    schema: Schema
    column: str
    rounds: int = 20

    def __post_init__(self) -> None:
        integer("rounds", self.rounds)
        if self.column not in self.schema.secrets:
            raise bad_input("column", self.column, "a sensitive column of the schema")

    @property
    def name(self) -> str:
        return f"deFinetti: {self.column} guessed by a model of the release"

    @property
    def knows(self) -> str:
        return REGISTER

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        seen = class_members(data, release, self.schema, self.column, rng)
        sizes = [tree.size for tree in self.schema.quasi.values()]
        # people with the same tuple in the same class are alike
        both = np.column_stack([seen.member, seen.codes])
        alike, which = distinct(both, [len(seen.held), *sizes])
        weight = np.bincount(which, minlength=len(alike)).astype(np.float64)
        member, codes = alike[:, 0], alike[:, 1:]
        held = seen.held.astype(np.float64)
        classes = _sums(member, weight, len(held))
        columns = []
        for j in range(len(sizes)):
            used, place = np.unique(codes[:, j], return_inverse=True)
            columns.append((place, _sums(place, weight, len(used))))
        belief = (held / held.sum(1, keepdims=True))[member]
        for _ in range(self.rounds):
            log = np.zeros_like(belief)
            for (place, sums), size in zip(columns, sizes, strict=True):
                # one record more a value: no probability is 0; values that nobody has share in the sum
                table = sums @ belief + 1.0 / size
                log += np.log(table / (table.sum(0) + 1.0 - len(table) / size))[place]
            belief = np.exp(log - log.max(1, keepdims=True)) * held[member]
            belief = _fit_margins(belief, classes, member, held)
        right = np.zeros(seen.people)
        right[: len(seen.truth)] = belief[which].argmax(1) == seen.truth
        return mean_score(right, best_guess(seen.truth))


def _sums(place: Any, weight: Any, number: int) -> Any:
    """The matrix that sums up the rows of each place with their weights."""
    return csr_array((weight, (place, np.arange(len(place)))), shape=(number, len(place)))


def _fit_margins(belief: Any, classes: Any, member: Any, held: Any, turns: int = 5) -> Any:
    """Scale beliefs until each person has one value and each class as many of each value as it holds."""
    for _ in range(turns):
        belief = belief / np.maximum(belief.sum(1, keepdims=True), 1e-300)
        belief = belief * (held / np.maximum(classes @ belief, 1e-300))[member]
    return belief / np.maximum(belief.sum(1, keepdims=True), 1e-300)
