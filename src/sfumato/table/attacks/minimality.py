"""The minimality attack: a class that was not split tells that its split would have broken the promise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numba import njit

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import Guarantee
from sfumato.release.card import Criterion
from sfumato.study import Score
from sfumato.table.attacks.class_members import REGISTER, class_members
from sfumato.table.attacks.scoring import best_guess, mean_score
from sfumato.table.core.lineage import arrow_of
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import labels_of, summarise
from sfumato.table.mechanisms.recoding.partition import Shape
from sfumato.table.mechanisms.recoding.top_down import common_levels
from sfumato.table.mechanisms.recoding.trimming import uniform
from sfumato.table.promise.base import table_promises
from sfumato.table.promise.compiled import CompiledPromises, class_holds
from sfumato.validate import integer

__all__ = ["MinimalityAttack"]


@njit(cache=True)
def _splits(codes, part, secrets, level, prices, limits):  # type: ignore[no-untyped-def]
    """Whether the class could be split by some column into children that all keep the promises."""
    slot = np.full(prices.nodes.shape[2], -1, np.int64)
    for j in range(codes.shape[1]):
        if level[j] == 0:
            continue
        slot[:] = -1
        children = 0
        for i in range(part.shape[0]):
            node = prices.nodes[j, level[j] - 1, codes[part[i], j]]
            if slot[node] < 0:
                slot[node] = children
                children += 1
        hist = np.zeros((children, limits.reference.shape[0]), np.int64)
        size = np.zeros(children, np.int64)
        for i in range(part.shape[0]):
            child = slot[prices.nodes[j, level[j] - 1, codes[part[i], j]]]
            hist[child, secrets[i]] += 1
            size[child] += 1
        good = children > 1
        for child in range(children):
            good = good and size[child] >= limits.least and class_holds(hist[child], size[child], size[child], limits)
        if good:
            return True
    return False


# True before every turn over samples: `tally` holds, for each member of the class, how often it had each value in the
# assignments drawn so far under which the class would not have been split.
@njit(cache=True)
def _posterior(codes, part, secrets, prices, limits, samples, state, tally):  # type: ignore[no-untyped-def]
    level = np.empty(codes.shape[1], np.int64)
    common_levels(codes, part, prices, level)
    kept = 0
    for _ in range(samples):
        for i in range(part.shape[0] - 1, 0, -1):
            other = int(uniform(state) * (i + 1))
            secrets[i], secrets[other] = secrets[other], secrets[i]
        if not _splits(codes, part, secrets, level, prices, limits):
            kept += 1
            for i in range(part.shape[0]):
                tally[i, secrets[i]] += 1
    return kept


@dataclass(frozen=True, kw_only=True, eq=False)
class MinimalityAttack:
    """Share of victims whose value is guessed by someone who knows that no class was left larger than needed.

    After Wong et al. (2007). The attacker deals the values of a class to its members at random, throws away what would
    have let the class be split by one level of one column, and guesses the most frequent value of the rest. Where
    nothing is left (the class was left for another reason), the class's own frequencies are used. The choice of classes
    looks at the sensitive values, so no l or t bounds this attack.

    Parameters
    ----------
    schema : Schema
    column : str
    target : sequence of Guarantee, optional
        The promises that the classes were made for; by default those of the mechanism.
    samples : int
        Assignments dealt to each class.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.promise import KAnonymity
    >>> from sfumato.table import Hierarchy, LDiversity, Lineage, MinimalityAttack, Schema
    >>> schema = Schema(quasi={"town": Hierarchy([["x", "*"], ["y", "*"]])}, sensitive=["ill"])
    >>> people = pa.table({"town": list("xxyyy"), "ill": ["flu", "flu", "gout", "cold", "mumps"]})
    >>> released = people.set_column(0, "town", pa.array(["*"] * 5))
    >>> attack = MinimalityAttack(schema=schema, column="ill", target=[KAnonymity(2), LDiversity(2, "ill")])
    >>> attack.attack(people, Lineage(released, range(5))).value >= 0.4  # both in x must have flu, or x stood alone
    True
    """

    criterion: ClassVar[Criterion] = "inference"

    schema: Schema
    column: str
    target: Sequence[Guarantee] = ()
    samples: int = 200

    def __post_init__(self) -> None:
        integer("samples", self.samples)
        if self.column not in self.schema.secrets:
            raise bad_input("column", self.column, "a sensitive column of the schema")

    @property
    def name(self) -> str:
        return f"minimality: {self.column} guessed from splits that were not made"

    @property
    def knows(self) -> str:
        return REGISTER

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        target = self.target or getattr(mechanism, "target", ())
        if not target:
            raise bad_input("target", (), "the promises that the classes were made for", "give target= or mechanism=")
        rng = resolve_rng(rng)
        seen = class_members(data, release, self.schema, self.column, rng)
        table, _ = summarise(arrow_of(data), self.schema)
        promises, shape = CompiledPromises.of(table, target), Shape(table)
        limits = promises.limits
        columns = {rule.column for promise in table_promises(target) for rule in promise.rules}
        if columns != {self.column}:
            raise bad_input("target", [str(one) for one in target], f"promises on {self.column}, and k")
        before = arrow_of(data)
        index = {value: i for i, value in enumerate(table.column(self.column).values)}
        codes, labels = labels_of(before[self.column], self.schema.missing_values, self.column)
        used = np.unique(codes)
        named = np.zeros(len(labels), np.int64)
        for i in used:
            label = labels[i]
            named[i] = index[self.schema.missing_label(self.column) if label is None else label]
        place, domain = named[codes][seen.rows], len(index)
        state = np.array([int(rng.integers(2**62))], np.uint64)
        order = np.argsort(seen.member, kind="stable")
        edges = np.searchsorted(seen.member[order], np.arange(len(seen.held) + 1))
        guess = np.empty(len(order), np.int64)
        for c in range(len(seen.held)):
            part = order[edges[c] : edges[c + 1]]
            secrets = place[part].copy()
            share = np.bincount(secrets, minlength=domain) / len(secrets)
            tally = np.zeros((len(part), domain), np.int64)
            _posterior(seen.codes, part, secrets, shape.prices, limits, self.samples, state, tally)
            guess[part] = (tally + 0.5 * share).argmax(1)
        right = np.zeros(seen.people)
        right[: len(guess)] = guess == place
        return mean_score(right, best_guess(seen.truth))
