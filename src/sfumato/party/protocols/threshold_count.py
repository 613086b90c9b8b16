"""How many numbers reach a threshold, without showing the numbers, the threshold or who reaches it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sfumato.noise import Rng
from sfumato.party.core.machine import Steps, expect, send
from sfumato.party.core.side import Side
from sfumato.party.core.wire import Residues
from sfumato.party.mechanisms.private_count import PrivateCount
from sfumato.party.protocols.base import Comparator
from sfumato.party.protocols.comparison import Comparison
from sfumato.party.protocols.router import plan
from sfumato.party.protocols.tree_comparator import TreeComparator

__all__ = ["ThresholdCount"]


@dataclass(frozen=True, kw_only=True)
class ThresholdCount:
    """How many of Alice's numbers are at least Bob's, row by row; for a threshold Bob repeats it.

    The answers stay in shares modulo N; each party adds up its own, adds the noise of :class:`PrivateCount` if it wants
    to, and only the two sums are shown. Towards the other party, ε of one's own noise holds for each of one's rows; a
    threshold that is repeated stands in every row and is not protected by it.

    Parameters
    ----------
    bits, count : int
    comparator : Comparator

    Examples
    --------
    >>> from sfumato.party import PrivateKey, make_sides, run_together
    >>> alice, bob = make_sides(PrivateKey(10007, 10009))
    >>> count = ThresholdCount(bits=4, count=3)
    >>> run_together(count.steps(alice, [7, 3, 9]), count.steps(bob, [5, 5, 5]))[:2]
    (2, 2)
    """

    bits: int
    count: int
    comparator: Comparator = field(default_factory=TreeComparator)

    def steps(
        self, side: Side, values: Sequence[int], *, noise: PrivateCount | None = None, rng: Rng | None = None
    ) -> Steps[int]:
        """The count, for both parties; it may leave 0 … count where noise is added."""
        made = Comparison(plan=plan("PN-NP-SS"), bits=self.bits, count=self.count, comparator=self.comparator)
        alice = side.role == "alice"
        shares = yield from made.steps(side, values if alice else None, None if alice else values)
        key = side.public("alice")
        own = (sum(shares or []) + (0 if noise is None else noise.noise(rng=rng))) % key.n
        form = Residues(key, 1)
        if alice:
            yield from send("sum", form, [own])
            other = yield from expect("sum", form)
        else:
            other = yield from expect("sum", form)
            yield from send("sum", form, [own])
        total = (own + other[0]) % key.n
        return total if total <= key.n // 2 else total - key.n
