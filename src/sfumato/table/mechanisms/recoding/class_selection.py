"""Which classes of a candidate are released, which are suppressed, and whether the rest keeps the promises."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.promise import Guarantee
from sfumato.table.core.classes import Classes
from sfumato.table.core.summary import Summary
from sfumato.table.promise.base import table_promises

__all__ = ["ClassSelection"]

ONE_BY_ONE = 32
"""Numbers of suppressed classes that are tried one after the other where an estimate need not fall with them."""


class ClassSelection:
    """Decides which classes of a partition are released and which are suppressed.

    A class that breaks a promise is suppressed. If suppressed records stay in the release as rows of ``*``, they are a
    class of their own that an attacker can single out, so it must keep the promises as well. Where it does not, or
    where a promise on the whole table is not kept, the smallest released classes are suppressed too, as few as it
    takes: a union of classes that keep the promises keeps them, so halving finds the number. An estimate of the whole
    table may rise again when another class goes; for it the numbers up to :data:`ONE_BY_ONE` are tried in turn, and
    only beyond them halving may suppress more than it takes.
    """

    def __init__(self, table: Summary, promises: Sequence[Guarantee], limit: int, stars: bool) -> None:
        self.table, self.limit, self.stars = table, limit, stars
        self.promises = table_promises(promises)
        self.least = max(promise.least_size for promise in self.promises)
        self.monotone = all(promise.monotone for promise in self.promises)
        self.only_sizes = all(promise.sizes_decide for promise in self.promises)
        self.enough = max(promise.enough for promise in self.promises)
        self.steady = all(promise.monotone or promise.on_classes for promise in self.promises)
        for promise in self.promises:
            promise.require(table)

    @property
    def closed_below(self) -> bool:
        """Whether a node that misses the target rules out all nodes below it: every promise is monotone, and no
        record may be suppressed (with suppression only sizes are monotone)."""
        return self.limit == 0 and self.monotone

    def sizes_decide(self, small: int) -> bool:
        """Whether nothing but class sizes matters for a candidate with ``small`` records in small classes."""
        return self.only_sizes and (small == 0 or not self.stars or small >= self.least)

    def broken(self, classes: Classes) -> NDArray[np.bool_]:
        """The classes that break a promise of their own."""
        bad = np.zeros(classes.number, np.bool_)
        for promise in self.promises:
            bad |= promise.broken(classes)
        return bad

    def holds_together(self, classes: Classes) -> bool:
        """Whether the classes keep what is promised of all of them together."""
        return all(promise.holds_together(classes) for promise in self.promises)

    def __call__(self, member: NDArray[np.int64], number: int) -> NDArray[np.bool_] | None:
        """For each class whether it is released; ``None`` if the promises cannot be kept within the limit."""
        classes = Classes(self.table, member, number)
        sizes, bad = classes.sizes, self.broken(classes)
        room = self.limit - sizes[bad].sum()
        if room < 0 or (bad & (sizes == 0)).any():
            return None
        if self._keeps(classes, bad):
            return ~bad
        if not (self.stars and bad.any()) and self.enough == 1:
            return None  # no promise on all classes together, and dropping more moves the distribution further
        order = np.lexsort((np.arange(number), sizes))
        queue = order[~bad[order] & (sizes[order] > 0)]

        def gone(more: int) -> NDArray[np.bool_]:
            also = bad.copy()
            also[queue[:more]] = True
            return also

        most = int(np.searchsorted(np.cumsum(sizes[queue]), room, side="right"))
        if not self.steady:
            for more in range(1, min(most, ONE_BY_ONE) + 1):
                if self._keeps(classes, gone(more)):
                    return ~gone(more)
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
        elif gone.any() and not all(promise.holds_without(kept) for promise in self.promises):
            return False
        return self.holds_together(kept)

    def how_close(self) -> str:
        """What to say when no candidate keeps the promises."""
        whole = Classes(self.table, np.zeros(len(self.table.codes), np.int64), 1)
        wanted = " and ".join(promise.statement for promise in self.promises)
        found = [f"k = {int(whole.sizes[0])}", *filter(None, (promise.of_whole(whole) for promise in self.promises))]
        return (
            f"no generalisation reaches {wanted} with at most {self.limit} of {self.table.rows} records suppressed; "
            f"the whole table as one class has {', '.join(found)}; allow more suppression or ask for less"
        )
