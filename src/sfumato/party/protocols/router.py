"""The way to an answer for each of the 216 types of comparison, and that way in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sfumato.party.core.holding import ComparisonType, Holding, Role
from sfumato.party.protocols.base import Comparator
from sfumato.party.protocols.explanation import explain
from sfumato.party.protocols.tree_comparator import TreeComparator
from sfumato.validate import choice

__all__ = ["Plan", "Shares", "plan"]

Shares = Literal["bits", "additive"]
"""What shares of an answer are: two bits whose exclusive or it is, or two numbers that add up to it modulo N."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How one type of comparison is computed.

    Parameters
    ----------
    type : ComparisonType
    shares : {"bits", "additive"}
        For an answer in shares.
    holder : {"alice", "bob"}
        Whose key is used. Input shares are modulo its N.

    Examples
    --------
    >>> print(plan("5").explain())
    PN-NP-NP: Alice holds x, Bob holds y, Bob gets the answer; the key is Bob's.
    1. Bob encrypts the nodes above y in each layer of the tree; Alice blinds their differences from the range of x.
    2. Bob sees a zero or none, which is the answer (Protocol 1 with the roles exchanged).
    2 messages, 2ℓ ciphertexts.
    """

    type: ComparisonType
    shares: Shares
    holder: Role

    @property
    def helper(self) -> Role:
        """The party whose key is not used for the comparison."""
        return "bob" if self.holder == "alice" else "alice"

    def seen(self, holding: Holding) -> Holding:
        """A holding as if the holder of the key were Alice."""
        return holding if self.holder == "alice" else holding.mirrored

    @property
    def way(self) -> Literal["trivial", "plain", "encrypted"]:
        """By whoever has both numbers; by the comparator alone; or by Conversion 5 before it."""
        if self.type.trivial:
            return "trivial"
        return "plain" if {self.type.x, self.type.y} == {Holding.PN, Holding.NP} else "encrypted"

    @property
    def at_most(self) -> bool:
        """Whether the holder of the key has y, so that the question is [y ≤ x]."""
        return self.way == "plain" and self.seen(self.type.y) is Holding.PN

    @property
    def told(self) -> bool:
        """Whether the comparator itself tells the holder the answer (Protocol 1)."""
        return self.way == "plain" and self.seen(self.type.answer) in (Holding.PN, Holding.PP)

    @property
    def additive(self) -> bool:
        """Whether the answer is in shares modulo N."""
        return self.type.answer is Holding.SS and self.shares == "additive"

    @property
    def keys(self) -> set[Role]:
        """Whose keys are needed."""
        if self.way == "trivial":
            owner: dict[Holding, Role] = {Holding.ES: "bob", Holding.SE: "alice"}
            held = {owner[one] for one in (self.type.answer,) if one in owner}
            return held | ({self.holder} if self.additive else set())
        seen = [self.seen(one) for one in (self.type.x, self.type.y, self.type.answer)]
        return {self.holder} | ({self.helper} if Holding.ES in seen else set())

    def flow(self, bits: int, comparator: Comparator | None = None) -> list[tuple[Role, int]]:
        """Each message of one comparison: who sends it, and how many ciphertexts are in it."""
        steps = self._trivial_flow() if self.way == "trivial" else self._flow(bits, comparator or TreeComparator())
        merged: list[tuple[Role, int]] = []
        for who, count in steps:
            if merged and merged[-1][0] == who:
                merged[-1] = (who, merged[-1][1] + count)
            else:
                merged.append((who, count))
        return merged

    def _flow(self, bits: int, comparator: Comparator) -> list[tuple[Role, int]]:
        holder, helper = self.holder, self.helper
        steps: list[tuple[Role, int]] = []
        if self.way == "encrypted":
            sent = {Holding.SS: 1, Holding.PN: 1, Holding.ES: 2}
            steps += [(holder, sent[one]) for one in map(self.seen, (self.type.x, self.type.y)) if one in sent]
            steps += [(helper, 1)] + [(holder, 1)] * self.additive
        turns = comparator.messages(bits)
        steps += [(holder if turn == "holder" else helper, 0) for turn in turns]
        steps[-1] = (steps[-1][0], comparator.ciphertexts(bits))  # how they are spread over its messages is its own
        answer = self.seen(self.type.answer)
        if self.additive:
            steps += [(holder, 1), (helper, 1)]
        elif answer is Holding.PP:
            steps += ([] if self.told else [(helper, 0)]) + [(holder, 0)]
        elif answer is Holding.PN and not self.told:
            steps.append((helper, 0))
        elif answer is not Holding.SS and not self.told:
            steps.append({Holding.NP: (holder, 0), Holding.SE: (holder, 1), Holding.ES: (helper, 1)}[answer])
        return steps

    def _trivial_flow(self) -> list[tuple[Role, int]]:
        knower = self.type.knower
        if knower is None:
            return []
        other: Role = "bob" if knower == "alice" else "alice"
        both = self.type.x.known_to(other) and self.type.y.known_to(other)
        answer = self.type.answer
        if answer is Holding.SS:
            return [(knower, 0)]
        if answer in (Holding.ES, Holding.SE):
            receiver: Role = "alice" if answer is Holding.ES else "bob"
            return [] if receiver == knower or both else [(knower, 1)]
        return [(knower, 0)] if answer.known_to(other) and not both else []

    def messages(self, bits: int = 1, comparator: Comparator | None = None) -> int:
        """How many messages travel."""
        return len(self.flow(bits, comparator))

    def ciphertexts(self, bits: int, comparator: Comparator | None = None) -> int:
        """How many ciphertexts travel for one comparison."""
        return sum(count for _, count in self.flow(bits, comparator))

    def explain(self) -> str:
        """The plan in words."""
        return explain(self)


def plan(type: str | ComparisonType, *, shares: Shares = "additive") -> Plan:
    """The plan for a type such as ``"SS-SS-SS"``, or for one of the eight named ones by its number.

    The key is that under which an input is encrypted already; else that of whoever gets the answer or the key to it;
    else Alice's.
    """
    kind = ComparisonType.parse(type) if isinstance(type, str) else type
    choice("shares", shares, ("bits", "additive"))
    inputs = (kind.x, kind.y)
    if Holding.SE in inputs or Holding.ES in inputs:
        holder: Role = "alice" if Holding.SE in inputs else "bob"
    elif kind.answer is Holding.ES or (set(inputs) == {Holding.PN, Holding.NP} and kind.answer is Holding.NP):
        holder = "bob"
    elif set(inputs) == {Holding.PN, Holding.NP} and kind.answer is Holding.PP:
        holder = "alice" if kind.x is Holding.PN else "bob"
    else:
        holder = "alice"
    return Plan(type=kind, shares=shares, holder=holder)
