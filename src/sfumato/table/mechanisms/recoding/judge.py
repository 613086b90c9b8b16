"""Which classes of a candidate are released, which are suppressed, and whether the rest keeps the promises."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.promise import Guarantee
from sfumato.table.core.classes import Classes
from sfumato.table.core.summary import Compact
from sfumato.table.promise import (
    ClassPromise,
    DeltaPresence,
    LDiversity,
    RecursiveDiversity,
    ReidentificationRisk,
    TablePromise,
    TCloseness,
    flatten,
    least_population,
    least_size,
)

__all__ = ["Judge"]


class Judge:
    """Decides on a partition of the tuples.

    A class that breaks a promise is suppressed. If suppressed records stay in the release as rows of ``*``, they are a
    class of their own that an attacker can single out, so it must keep the promises as well. Where it does not, or
    where a promise on the whole table is not kept, the smallest released classes are suppressed too, as few as it
    takes: a union of classes that keep the promises keeps them, so halving finds the number.
    """

    def __init__(self, table: Compact, promises: Sequence[Guarantee], limit: int, stars: bool) -> None:
        self.table, self.limit, self.stars = table, limit, stars
        self.promises = flatten(promises)
        self.least = least_size(self.promises)
        self.by_class = [promise for promise in self.promises if isinstance(promise, ClassPromise)]
        self.together = [promise for promise in self.promises if isinstance(promise, TablePromise)]
        self.least_population = least_population(self.promises)
        self.need_more = bool(self.by_class) or any(
            not isinstance(promise, ReidentificationRisk) or promise.attacker != "prosecutor"
            for promise in self.together
        )
        self._refuse_impossible()

    def _refuse_impossible(self) -> None:
        rows = self.table.rows
        if self.least > rows:
            raise bad_input("k", self.least, f"at most the {rows} records of the table", "lower k")
        for promise in self.by_class:
            if isinstance(promise, LDiversity | RecursiveDiversity):
                values = int((self.table.column(promise.column).histogram > 0).sum())
                if promise.l > values:
                    raise bad_input(
                        "l",
                        promise.l,
                        f"at most the {values} distinct values of {promise.column}",
                        "no table reaches more",
                    )
            elif isinstance(promise, TCloseness):
                self.table.column(promise.column)
            elif isinstance(promise, DeltaPresence) and self.table.population is None:
                raise bad_input("population", None, "the table of the population", "δ-presence compares with it")

    @property
    def closed_below(self) -> bool:
        """Whether a node that misses the target rules out all nodes below it: every promise is monotone, and no
        record may be suppressed (with suppression only sizes are monotone)."""
        return self.limit == 0 and not self.together

    def sizes_decide(self, small: int) -> bool:
        """Whether nothing but class sizes matters for a candidate with ``small`` records in small classes."""
        return not self.need_more and (small == 0 or not self.stars or small >= self.least)

    def broken(self, classes: Classes) -> NDArray[np.bool_]:
        """The classes that break a promise of their own."""
        sizes = classes.sizes
        bad = (sizes > 0) & (sizes < self.least)
        if self.least_population > 1:
            bad |= (sizes > 0) & (classes.population < self.least_population)
        for promise in self.by_class:
            empty = (sizes == 0) & (not isinstance(promise, DeltaPresence))
            bad |= ~(promise.holds(classes) | empty)
        return bad

    def __call__(self, member: NDArray[np.int64], number: int) -> NDArray[np.bool_] | None:
        """For each class whether it is released; ``None`` if the promises cannot be kept within the limit."""
        classes = Classes(self.table, member, number)
        sizes, bad = classes.sizes, self.broken(classes)
        room = self.limit - sizes[bad].sum()
        if room < 0 or (bad & (sizes == 0)).any():
            return None
        if self._keeps(classes, bad):
            return ~bad
        if not (self.stars and bad.any()) and not self.together:
            return None  # dropping more moves the distribution further
        order = np.lexsort((np.arange(number), sizes))
        queue = order[~bad[order] & (sizes[order] > 0)]

        def gone(more: int) -> NDArray[np.bool_]:
            also = bad.copy()
            also[queue[:more]] = True
            return also

        most = int(np.searchsorted(np.cumsum(sizes[queue]), room, side="right"))
        if most == 0 or not self._keeps(classes, gone(most)):
            return None
        return ~gone(bisect_left(range(most), True, lo=1, key=lambda more: self._keeps(classes, gone(more))))

    def _keeps(self, classes: Classes, gone: NDArray[np.bool_]) -> bool:
        """Whether the release without the classes in ``gone`` keeps what is promised beyond its single classes."""
        kept = classes.only(~gone)
        if gone.any() and self.stars:
            starred = classes.merged(gone)
            if self.broken(starred).any():
                return False
            kept = Classes(self.table, np.where(starred.member == 0, kept.number, kept.member), kept.number + 1)
        elif gone.any() and not self._close_to_release(kept):
            return False
        return all(promise.holds_together(kept) for promise in self.together)

    def _close_to_release(self, kept: Classes) -> bool:
        """Dropping records moves the distribution: what is close to the input must be close to the release as well."""
        for promise in self.by_class:
            if isinstance(promise, TCloseness):
                column = self.table.column(promise.column)
                inside = kept.member[column.tuples] >= 0
                shares = np.bincount(column.codes[inside], column.counts[inside], len(column.values))
                if (
                    shares.sum()
                    and (
                        kept.closeness(promise.column, promise.distance, shares / shares.sum()) > promise.t + 1e-12
                    ).any()
                ):
                    return False
        return True

    def how_close(self) -> str:
        """What to say when no candidate keeps the promises."""
        whole = Classes(self.table, np.zeros(len(self.table.codes), np.int64), 1)
        wanted = " and ".join(promise.statement for promise in self.promises)
        found = [f"k = {int(whole.sizes[0])}"]
        for promise in self.by_class:
            if isinstance(promise, LDiversity) and promise.kind == "entropy":
                found.append(f"entropy l = {np.exp(whole.entropy(promise.column)[0]):.4g} for {promise.column}")
            elif isinstance(promise, DeltaPresence):
                found.append(f"presence {whole.sizes[0] / whole.population[0]:.4g}")
            elif isinstance(promise, RecursiveDiversity):
                top = np.sort(self.table.column(promise.column).histogram)[::-1]
                tail = max(int(top[promise.l - 1 :].sum()), 1)
                found.append(f"recursive c > {top[0] / tail:.4g} at l = {promise.l} for {promise.column}")
        found += [promise.of_whole(whole) for promise in self.together]
        return (
            f"no generalisation reaches {wanted} with at most {self.limit} of {self.table.rows} records suppressed; "
            f"the whole table as one class has {', '.join(found)}; allow more suppression or ask for less"
        )
