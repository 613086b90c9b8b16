"""Who has the largest number, and in which order all stand, without showing any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

from sfumato.errors import bad_input
from sfumato.party.core.machine import Steps, expect, send
from sfumato.party.core.paillier import PublicKey
from sfumato.party.core.side import Side
from sfumato.party.core.wire import Residues
from sfumato.party.protocols.base import Comparator, check_values
from sfumato.party.protocols.comparison import Comparison
from sfumato.party.protocols.conversions import split
from sfumato.party.protocols.router import plan
from sfumato.party.protocols.tree_comparator import TreeComparator
from sfumato.validate import integer

__all__ = ["Ranking"]


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """The largest, or the order, of the numbers of two parties, by comparing all pairs at once.

    Alice's ``counts[0]`` numbers stand first, Bob's ``counts[1]`` after them. All become shares (Conversion 1), all
    pairs are compared in one run of Type 1, and the shares of the answers add up to how many others each number beats.
    Of equal numbers the earlier stands higher. :meth:`order` opens these places, which are the order and nothing
    else; :meth:`largest` compares them once more with the highest place and opens only which number has it. Rounds do
    not depend on how many numbers there are; the work grows with their square.

    Parameters
    ----------
    bits : int
    counts : pair of int
        How many numbers each party has; public.

    Examples
    --------
    >>> from sfumato.party import PrivateKey, make_sides, run_together
    >>> alice, bob = make_sides(PrivateKey(10007, 10009))
    >>> ranking = Ranking(bits=4, counts=(2, 2))
    >>> run_together(ranking.order(alice, [7, 3]), ranking.order(bob, [9, 7]))[0]
    [2, 0, 3, 1]
    >>> run_together(ranking.largest(alice, [7, 3]), ranking.largest(bob, [9, 7]))[1]
    2
    """

    bits: int
    counts: tuple[int, int]
    comparator: Comparator = field(default_factory=TreeComparator)

    def __post_init__(self) -> None:
        check_values("values", (), self.bits)
        for name, count in zip(("Alice", "Bob"), self.counts, strict=True):
            integer(f"count of {name}", count, least=0)
        integer("numbers", sum(self.counts), least=2)

    def order(self, side: Side, values: Sequence[int]) -> Steps[list[int]]:
        """The positions from the largest number to the smallest, for both parties."""
        key = side.public("alice")
        own = yield from self._places(side, values, key)
        form = Residues(key, len(own))
        if side.role == "alice":
            yield from send("places", form, own)
            other = yield from expect("places", form)
        else:
            other = yield from expect("places", form)
            yield from send("places", form, own)
        beaten = [(a + b) % key.n for a, b in zip(own, other, strict=True)]
        return sorted(range(len(beaten)), key=lambda k: -beaten[k])

    def largest(self, side: Side, values: Sequence[int]) -> Steps[int]:
        """The position of the largest number, for both parties."""
        own = yield from self._places(side, values, side.public("alice"))
        highest = len(own) - 1
        bits = max(1, highest.bit_length())
        last = Comparison(plan=plan("SS-PP-PP"), bits=bits, count=len(own), comparator=self.comparator)
        found = yield from last.steps(side, own, [highest] * len(own))
        return (found or []).index(1)

    def _places(self, side: Side, values: Sequence[int], key: PublicKey) -> Steps[list[int]]:
        """Shares of how many others each number beats."""
        shares = yield from self._share(side, check_values("values", values, self.bits), key)
        pairs = list(combinations(range(len(shares)), 2))
        compare = Comparison(plan=plan("SS-SS-SS"), bits=self.bits, count=len(pairs), comparator=self.comparator)
        won = yield from compare.steps(side, [shares[i] for i, _ in pairs], [shares[j] for _, j in pairs])
        one = int(side.role == "alice")  # the 1 of 1 − δ stands in one of the two shares
        places = [0] * len(shares)
        for (i, j), answer in zip(pairs, won or [], strict=True):
            places[i] = (places[i] + answer) % key.n
            places[j] = (places[j] + one - answer) % key.n
        return places

    def _share(self, side: Side, values: list[int], key: PublicKey) -> Steps[list[int]]:
        mine, theirs = self.counts if side.role == "alice" else self.counts[::-1]
        if len(values) != mine:
            raise bad_input("number of values", len(values), f"{mine}, as agreed")
        pairs = [split(key, value) for value in values]
        if side.role == "alice":
            yield from send("shares", Residues(key, mine), [given for _, given in pairs])
            other = yield from expect("shares", Residues(key, theirs))
            return [own for own, _ in pairs] + other
        other = yield from expect("shares", Residues(key, theirs))
        yield from send("shares", Residues(key, mine), [given for _, given in pairs])
        return other + [own for own, _ in pairs]
