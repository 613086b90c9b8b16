"""Which classes of a candidate are released, which are suppressed, and whether the rest keeps the promises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.privacy import Guarantee, KAnonymity
from sfumato.table.classes import Classes
from sfumato.table.compact import Compact
from sfumato.table.promise import (
    ClassPromise,
    DeltaPresence,
    LDiversity,
    RecursiveDiversity,
    ReidentificationRisk,
    TablePromise,
    TCloseness,
    flatten,
    least_size,
)

__all__ = ["Judge"]


class Judge:
    """Decides on a partition of the tuples.

    A class that breaks a promise is suppressed. If suppressed records stay in the release as rows of ``*``, they are a
    class of their own that an attacker can single out, so it must keep the promises as well: the smallest released
    classes join it until it does.
    """

    def __init__(self, table: Compact, promises: Sequence[Guarantee], limit: int, stars: bool) -> None:
        self.table, self.limit, self.stars = table, limit, stars
        self.promises = flatten(promises)
        self.least = least_size(self.promises)
        self.by_class = [promise for promise in self.promises if isinstance(promise, ClassPromise)]
        self.together = [promise for promise in self.promises if isinstance(promise, TablePromise)]
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
        for promise in self.by_class:
            empty = (sizes == 0) & (not isinstance(promise, DeltaPresence))
            bad |= ~(promise.holds(classes) | empty)
        return bad

    def __call__(self, member: NDArray[np.int64], number: int) -> NDArray[np.bool_] | None:
        """For each class whether it is released; ``None`` if the promises cannot be kept within the limit."""
        classes = Classes(self.table, member, number)
        sizes = classes.sizes
        gone = self.broken(classes)
        if sizes[gone].sum() > self.limit or (gone & (sizes == 0)).any():
            return None
        if self.stars and gone.any():
            queue = iter(np.lexsort((np.arange(number), sizes, gone)))
            while self.broken(classes.merged(gone)).any():
                extra = next((c for c in queue if sizes[c] > 0), None)
                if extra is None or gone[extra] or sizes[gone].sum() + sizes[extra] > self.limit:
                    return None
                gone[extra] = True
        if self.together or (not self.stars and gone.any()):
            kept = classes.only(~gone)
            if not self._together(kept, classes.merged(gone) if self.stars and gone.any() else None):
                return None
        return ~gone

    def _together(self, kept: Classes, starred: Classes | None) -> bool:
        joined = kept
        if starred is not None:
            joined = Classes(self.table, np.where(starred.member == 0, kept.number, kept.member), kept.number + 1)
        elif not self._close_to_release(kept):
            return False
        return all(promise.holds_together(joined) for promise in self.together)

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
        if KAnonymity not in map(type, self.promises) and not self.by_class:
            found.append(f"marketer risk {1 / self.table.rows:.3g}")
        return (
            f"no generalisation reaches {wanted} with at most {self.limit} of {self.table.rows} records suppressed; "
            f"the whole table as one class has {', '.join(found)}; allow more suppression or ask for less"
        )
