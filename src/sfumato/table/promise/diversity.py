"""Diversity of the sensitive values of a class: distinct, entropy and recursive l-diversity [P2, B2]."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.table.core.classes import Classes
from sfumato.table.core.summary import Summary
from sfumato.table.promise.base import Bools, ClassPromise, Floats
from sfumato.table.promise.rule import Kind, Rule, at_least
from sfumato.validate import choice, integer, positive, probability

__all__ = [
    "LDiversity",
    "RecursiveDiversity",
    "distinct_values",
    "entropy",
    "largest_and_tail",
    "least_share",
    "tail_bounds",
]

# Kernels: the first of each pair judges one class, the second a block of classes, one row each.


@njit(cache=True)
def distinct_values(counts):  # type: ignore[no-untyped-def]
    """How many different values a class holds."""
    seen = 0
    for v in range(counts.shape[0]):
        seen += counts[v] > 0
    return seen


@njit(cache=True)
def _distinct_values(block, levels):  # type: ignore[no-untyped-def]
    for i in range(block.shape[0]):
        levels[i] = distinct_values(block[i])


@njit(cache=True)
def entropy(counts, size):  # type: ignore[no-untyped-def]
    """−Σ p ln p of a class of ``size`` records."""
    total = 0.0
    for v in range(counts.shape[0]):
        if counts[v] > 0:
            total -= counts[v] / size * np.log(counts[v] / size)
    return total


@njit(cache=True)
def _entropy(block, levels):  # type: ignore[no-untyped-def]
    for i in range(block.shape[0]):
        levels[i] = entropy(block[i], block[i].sum())


@njit(cache=True)
def _largest(counts, number):  # type: ignore[no-untyped-def]
    """Sum of the ``number`` largest counts."""
    used = np.zeros(counts.shape[0], np.bool_)
    total = 0
    for _ in range(min(number, counts.shape[0])):
        at = -1
        for v in range(counts.shape[0]):
            if not used[v] and (at < 0 or counts[v] > counts[at]):
                at = v
        used[at] = True
        total += counts[at]
    return total


@njit(cache=True)
def largest_and_tail(counts, size, length, free):  # type: ignore[no-untyped-def]
    """The count of the most frequent value that is not ``free``, r_y, and the tail that bounds it.

    The tail is r_l + … + r_q. If y > l − 1 (only free values are more frequent), definition 4.2 of the paper leaves
    r_y out and starts the tail at r_{l−1}. A class with fewer than l values has no tail.
    """
    top = 0
    for v in range(counts.shape[0]):
        if not free[v]:
            top = max(top, counts[v])
    rank = 1
    for v in range(counts.shape[0]):
        rank += counts[v] > top
    if length > 1 and rank > length - 1:
        return top, size - _largest(counts, length - 2) - top
    return top, size - _largest(counts, length - 1)


@njit(cache=True)
def _largest_and_tail(block, length, free, tops, tails):  # type: ignore[no-untyped-def]
    for i in range(block.shape[0]):
        tops[i], tails[i] = largest_and_tail(block[i], block[i].sum(), length, free)


@njit(cache=True)
def tail_bounds(top, tail, c):  # type: ignore[no-untyped-def]
    """Whether r_y < c·tail, numbers or arrays; nothing to bound if every record holds a free value."""
    return (top == 0) | (top < c * tail)


@njit(cache=True)
def least_share(counts, size, must):  # type: ignore[no-untyped-def]
    """The smallest share that a value in ``must`` has of a class; 1 if there is none."""
    share = 1.0
    for v in range(counts.shape[0]):
        if must[v]:
            share = min(share, counts[v] / size)
    return share


@njit(cache=True)
def _least_share(block, must, levels):  # type: ignore[no-untyped-def]
    for i in range(block.shape[0]):
        levels[i] = least_share(block[i], max(block[i].sum(), 1), must)


def _require_values(table: Summary, column: str, wanted: float) -> None:
    values = int((table.column(column).histogram > 0).sum())
    if wanted > values:
        raise bad_input("l", wanted, f"at most the {values} distinct values of {column}", "no table reaches more")


@dataclass(frozen=True)
class LDiversity(ClassPromise):
    """At least l well-represented sensitive values in every class [P2, B2].

    Parameters
    ----------
    l : float
        A whole number for the distinct variant; any number ≥ 1 for the entropy variant.
    column : str
    variant : {"distinct", "entropy"}
        ``distinct``: |{s}| ≥ l. ``entropy``: −Σ p ln p ≥ ln l.

    >>> print(LDiversity(3, "illness"))
    distinct l = 3 for illness (syntactic, per class of records)
    """

    l: float  # noqa: E741 the name of the parameter in the field
    column: str
    variant: Literal["distinct", "entropy"] = "distinct"

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("variant", self.variant, ("distinct", "entropy"))
        if self.variant == "distinct":
            integer("l", self.l)
        elif positive("l", self.l) < 1:
            raise bad_input("l", self.l, "a number ≥ 1")

    @property
    def statement(self) -> str:
        return f"{self.variant} l = {self.l:g} for {self.column}"

    @property
    def meaning(self) -> str:
        how = "different" if self.variant == "distinct" else "about equally frequent"
        return f"Among records that look alike there are always at least {self.l:g} {how} values of {self.column}."

    @property
    def rules(self) -> tuple[Rule, ...]:
        if self.variant == "distinct":
            return (Rule(Kind.DISTINCT, self.l, self.column),)
        return (Rule(Kind.ENTROPY, math.log(self.l), self.column),)

    def require(self, table: Summary) -> None:
        _require_values(table, self.column, self.l)

    def levels(self, classes: Classes) -> Floats:
        """The number of values of each class, or e^entropy."""
        measured = self._measured(classes)
        return measured if self.variant == "distinct" else np.exp(measured)

    def holds(self, classes: Classes) -> Bools:
        return at_least(self._measured(classes), self.l if self.variant == "distinct" else math.log(self.l))

    def _measured(self, classes: Classes) -> Floats:
        found = np.empty(classes.number)
        for part, block in classes.blocks(self.column):
            (_distinct_values if self.variant == "distinct" else _entropy)(block, found[part])
        return found

    def of_whole(self, whole: Classes) -> str:
        return "" if self.variant == "distinct" else f"entropy l = {self.levels(whole)[0]:.4g} for {self.column}"


@dataclass(frozen=True)
class RecursiveDiversity(ClassPromise):
    """Recursive (c, l)-diversity and its positive- and negative-disclosure variants [P2].

    With the counts of a class in falling order r₁ ≥ r₂ ≥ …: r₁ < c·(r_l + … + r_q). Values in ``allowed`` may be
    disclosed (positive-disclosure recursion: the most frequent *other* value is bounded instead); every value in
    ``always`` must make up at least ``share`` of every class, so that nobody learns that it is excluded.

    Source: Machanavajjhala et al., "l-Diversity" (2007), definitions 3.4, 4.2 and 4.3.

    >>> print(RecursiveDiversity(2.0, 3, "illness"))
    recursive (c, l) = (2, 3) for illness (syntactic, per class of records)
    """

    c: float
    l: int  # noqa: E741
    column: str
    allowed: Sequence[str] = ()
    always: Sequence[str] = ()
    share: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("c", self.c)
        integer("l", self.l)
        probability("share", self.share, zero=True, one=True)
        object.__setattr__(self, "allowed", tuple(self.allowed))
        object.__setattr__(self, "always", tuple(self.always))
        if bool(self.always) != (self.share > 0):
            raise bad_input("share", self.share, "a share > 0 together with the values in always", "give both or none")

    @property
    def statement(self) -> str:
        more = f", may be disclosed: {', '.join(self.allowed)}" if self.allowed else ""
        more += f", at least {self.share:g} of each of {', '.join(self.always)}" if self.always else ""
        return f"recursive (c, l) = ({self.c:g}, {self.l}){more} for {self.column}"

    @property
    def meaning(self) -> str:
        return f"Among records that look alike no value of {self.column} is much more frequent than all rarer ones."

    @property
    def rules(self) -> tuple[Rule, ...]:
        bounded = Rule(Kind.RECURSIVE, self.l, self.column, self.c, tuple(self.allowed))
        if not self.always:
            return (bounded,)
        return (bounded, Rule(Kind.PRESENT_VALUES, self.share, self.column, values=tuple(self.always)))

    def require(self, table: Summary) -> None:
        _require_values(table, self.column, self.l)

    def levels(self, classes: Classes) -> Floats:
        """The c that each class must stay below: r_y over its tail, infinite without a tail."""
        top, tail = self._parts(classes)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(top == 0, 0.0, top / tail)

    def holds(self, classes: Classes) -> Bools:
        top, tail = self._parts(classes)
        shares = np.empty(classes.number)
        must = classes.table.column(self.column).marked(self.always)
        for part, block in classes.blocks(self.column):
            _least_share(block, must, shares[part])
        good: Bools = tail_bounds(top, tail, self.c) & at_least(shares, self.share)
        return good

    def _parts(self, classes: Classes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        top, tail = np.empty(classes.number, np.int64), np.empty(classes.number, np.int64)
        free = classes.table.column(self.column).marked(self.allowed)
        for part, block in classes.blocks(self.column):
            _largest_and_tail(block, self.l, free, top[part], tail[part])
        return top, tail

    def of_whole(self, whole: Classes) -> str:
        top = np.sort(whole.table.column(self.column).histogram)[::-1]
        tail = max(int(top[self.l - 1 :].sum()), 1)
        return f"recursive c > {top[0] / tail:.4g} at l = {self.l} for {self.column}"
