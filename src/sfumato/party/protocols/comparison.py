"""Comparison of numbers that are held in any of the 216 ways: one generator of steps for each side."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.errors import InputError, bad_input
from sfumato.party.core.holding import Holding, Role
from sfumato.party.core.machine import Steps, expect, send
from sfumato.party.core.paillier import PublicKey
from sfumato.party.core.side import Side
from sfumato.party.core.wire import Bits, Ciphertexts, Residues
from sfumato.party.protocols.base import Comparator, check_values, random_bits
from sfumato.party.protocols.conversions import (
    Masks,
    add_share,
    draw_masks,
    join_bits,
    mask_difference,
    split,
    xor_encrypted,
)
from sfumato.party.protocols.router import Plan
from sfumato.party.protocols.tree_comparator import TreeComparator
from sfumato.validate import integer

__all__ = ["Comparison"]

Flips = Callable[[int], Sequence[int]]
"""Noise on answers: gives that many bits, 1 where the answer is to be turned."""


def _no_flips(count: int) -> Sequence[int]:
    return [0] * count


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """``count`` comparisons of one type at once, as steps for either side.

    Parameters
    ----------
    plan : Plan
    bits : int
        ℓ: all numbers are in [0, 2^ℓ).
    count : int
    comparator : Comparator
    masks : {"bounded", "uniform"}
        See :func:`~sfumato.party.protocols.conversions.draw_masks`.
    """

    plan: Plan
    bits: int
    count: int = 1
    comparator: Comparator = field(default_factory=TreeComparator)
    masks: Masks = "bounded"

    def __post_init__(self) -> None:
        integer("count", self.count)
        check_values("values", (), self.bits)

    def steps(self, side: Side, x: Any = None, y: Any = None, *, flips: Flips | None = None) -> Steps[list[Any] | None]:
        """The steps of one side.

        Parameters
        ----------
        side : Side
        x, y : list of int, optional
            What this side holds: numbers, shares modulo N, ciphertexts under the other's key, or nothing.
        flips : callable, optional
            Noise of this side on a bit that it shows; see :class:`~sfumato.party.PrivateAnswers`. Refused where it
            shows none.

        Returns
        -------
        The answers, shares, or ciphertexts that this side gets; nothing if it gets none.
        """
        if flips is not None and not self.plan.type.shows(side.role):
            raise bad_input("flips", "noise", f"none: {side.role} shows no answer in a comparison {self.plan.type}")
        given = (self._checked("x", self.plan.type.x, x, side), self._checked("y", self.plan.type.y, y, side))
        run = {"trivial": self._trivial, "plain": self._plain, "encrypted": self._encrypted}[self.plan.way]
        return (yield from run(side, given[0], given[1], flips or _no_flips))

    def _key(self, side: Side) -> PublicKey:
        key = side.public(self.plan.holder)
        if key.n <= 4 << self.bits or (
            side.role == self.plan.holder and min(side.private().p, side.private().q) >> self.bits == 0
        ):
            raise bad_input("bits", self.bits, "numbers shorter than half the key", "take a longer key")
        return key

    def _checked(self, name: str, holding: Holding, given: Any, side: Side) -> list[Any]:
        part = holding.value[0 if side.role == "alice" else 1]
        if part == "N" or (part == "S" and holding is not Holding.SS):
            if given is not None:
                raise InputError(f"{name}: {side.role} holds nothing of it in a comparison {self.plan.type}")
            return []
        if given is None:
            raise InputError(f"{name}: expected what {side.role} holds of it in a comparison {self.plan.type}")
        count = self.count * (self.bits if self.plan.type.bitwise and name == "x" else 1)
        values = list(given)
        if len(values) != count:
            raise bad_input(f"length of {name}", len(values), f"{count}, as agreed")
        if part == "P":
            return check_values(name, values, self.bits)
        if part == "E":
            side.public(side.other).check(values)
            return values
        modulus = side.public(self.plan.holder).n
        if not all(isinstance(one, int) and 0 <= one < modulus for one in values):
            raise InputError(f"{name}: expected shares from 0 to N − 1, for the N of {self.plan.holder}")
        return values

    # one party has both numbers

    def _trivial(self, side: Side, x: list[int], y: list[int], flips: Flips) -> Steps[list[Any] | None]:
        plan, answer = self.plan, self.plan.type.answer
        sends = bool(plan.flow(self.bits)) and plan.type.knower == side.role
        known = [int(a >= b) for a, b in zip(x, y, strict=True)] if x and y else None
        if answer is Holding.SS:
            return (yield from self._split(side, known if plan.type.knower == side.role else None))
        if answer in (Holding.ES, Holding.SE):
            receiver: Role = "alice" if answer is Holding.ES else "bob"
            owner: Role = "bob" if answer is Holding.ES else "alice"
            form = Ciphertexts(side.public(owner), self.count)
            if sends and known is not None:
                yield from send("answer", form, side.encrypt(owner, known))
            elif side.role == receiver:
                return side.encrypt(owner, known) if known is not None else (yield from expect("answer", form))
            return None
        if sends and known is not None:
            turned = [bit ^ flip for bit, flip in zip(known, flips(self.count), strict=True)]
            yield from send("answer", Bits(self.count), turned)
        if not answer.known_to(side.role):
            return None
        return known if known is not None else (yield from expect("answer", Bits(self.count)))

    def _split(self, side: Side, known: list[int] | None) -> Steps[list[Any]]:
        if not self.plan.additive:
            if known is None:
                return (yield from expect("share", Bits(self.count)))
            own = random_bits(self.count)
            yield from send("share", Bits(self.count), [a ^ b for a, b in zip(own, known, strict=True)])
            return own
        form = Residues(side.public(self.plan.holder), self.count)
        if known is None:
            return (yield from expect("share", form))
        pairs = [split(form.key, value) for value in known]
        yield from send("share", form, [given for _, given in pairs])
        return [own for own, _ in pairs]

    # one number in each home

    def _plain(self, side: Side, x: list[int], y: list[int], flips: Flips) -> Steps[list[Any] | None]:
        self._key(side)
        if side.role == self.plan.holder:
            mine = yield from self.comparator.holder(side, x or y, self.bits, at_most=self.plan.at_most)
        else:
            # Protocol 1 has no bit that the helper could turn: it turns the range instead.
            choices = list(flips(self.count)) if self.plan.told else random_bits(self.count)
            mine = yield from self.comparator.helper(side, x or y, choices, self.bits, at_most=self.plan.at_most)
        if self.plan.told:
            return (yield from self._tell(side, mine, flips))
        if self.plan.additive:
            return (yield from self._additive(side, mine))
        return (yield from self._open(side, mine, flips))

    def _tell(self, side: Side, answers: list[int], flips: Flips) -> Steps[list[int] | None]:
        """The holder has the answer and, if both are to have it, sends it."""
        if self.plan.type.answer is not Holding.PP:
            return answers if side.role == self.plan.holder else None
        if side.role != self.plan.holder:
            return (yield from expect("answer", Bits(self.count)))
        turned = [bit ^ flip for bit, flip in zip(answers, flips(self.count), strict=True)]
        yield from send("answer", Bits(self.count), turned)
        return turned

    # shares and encryptions: Conversion 5

    def _encrypted(self, side: Side, x: list[Any], y: list[Any], flips: Flips) -> Steps[list[Any] | None]:
        key = self._key(side)
        first = yield from self._hide(side, "x", x)
        second = yield from self._hide(side, "y", y)
        if side.role == self.plan.holder:
            masked = yield from expect("masked", Ciphertexts(key, self.count))
            sums = side.private().decrypt(masked)
            quotients = [value >> self.bits for value in sums]
            if self.plan.additive:
                yield from send("quotients", Ciphertexts(key, self.count), side.encrypt(side.role, quotients))
            rests = [value & ((1 << self.bits) - 1) for value in sums]
            mine = yield from self.comparator.holder(side, rests, self.bits)
            if self.plan.additive:
                return (yield from self._additive(side, mine))
        else:
            masks = draw_masks(key, self.bits, self.count, self.masks)
            sent = [mask_difference(key, a, b, m, self.bits) for a, b, m in zip(first, second, masks, strict=True)]
            yield from send("masked", Ciphertexts(key, self.count), side.refresh(side.other, sent))
            known = (yield from expect("quotients", Ciphertexts(key, self.count))) if self.plan.additive else []
            rests = [mask & ((1 << self.bits) - 1) for mask in masks]
            choices = random_bits(self.count)
            mine = yield from self.comparator.helper(side, rests, choices, self.bits)
            quotients = [(mask >> self.bits) + 1 for mask in masks]
            if self.plan.additive:
                return (yield from self._additive(side, mine, known, quotients))
        # δ = z div n − b div n − 1 + s ⊕ s′ is 0 or 1, so its parity is the answer and each side has a part of it.
        parities = [bit ^ (quotient & 1) for bit, quotient in zip(mine, quotients, strict=True)]
        return (yield from self._open(side, parities, flips))

    def _hide(self, side: Side, name: str, given: list[Any]) -> Steps[list[Any]]:
        """At the helper, the number encrypted under the holder's key, from whatever both hold of it."""
        plan, key = self.plan, side.public(self.plan.holder)
        held = plan.seen(plan.type.x if name == "x" else plan.type.y)
        form = Ciphertexts(key, self.count)
        if held is Holding.ES:
            return (yield from self._switch(side, name, given))
        if held in (Holding.SS, Holding.PN):
            if side.role == plan.holder:
                yield from send(name, form, side.encrypt(side.role, given))
                return []
            sent = yield from expect(name, form)
            return [add_share(key, c, own) for c, own in zip(sent, given, strict=True)] if given else sent
        if side.role == plan.holder:
            return []
        if held is Holding.SE:
            if plan.type.bitwise and name == "x":
                return [join_bits(key, given[at : at + self.bits]) for at in range(0, len(given), self.bits)]
            return given
        return [key.plain(value) for value in given]

    def _switch(self, side: Side, name: str, given: list[Any]) -> Steps[list[Any]]:
        """From an encryption for the helper to one for the holder.

        The mask r is uniform below min(N, N′) − n, so that m + r is the same whole number under both keys; it hides m
        up to a statistical distance of n/(min(N, N′) − n).
        """
        outer, inner = side.public(self.plan.helper), side.public(self.plan.holder)
        forms = Ciphertexts(outer, self.count), Ciphertexts(inner, self.count)
        if side.role == self.plan.holder:
            size = min(outer.n, inner.n) - (1 << self.bits)
            masks = [secrets.randbelow(size) for _ in range(self.count)]
            covered = [outer.add(c, outer.plain(mask)) for c, mask in zip(given, masks, strict=True)]
            yield from send(name, forms[0], side.refresh(self.plan.helper, covered))
            yield from send(f"{name} mask", forms[1], side.encrypt(side.role, [-mask for mask in masks]))
            return []
        covered = yield from expect(name, forms[0])
        masks_off = yield from expect(f"{name} mask", forms[1])
        opened = side.private().decrypt(covered)
        return [inner.add(inner.plain(value), c) for value, c in zip(opened, masks_off, strict=True)]

    # what becomes of the answer

    def _open(self, side: Side, mine: list[int], flips: Flips) -> Steps[list[Any] | None]:
        """From bits whose exclusive or is the answer to the holding that was asked for."""
        answer, form = self.plan.seen(self.plan.type.answer), Bits(self.count)
        if answer is Holding.SS:
            return mine
        holder = side.role == self.plan.holder
        if answer in (Holding.SE, Holding.ES):
            owner = self.plan.holder if answer is Holding.SE else self.plan.helper
            key = side.public(owner)
            shape = Ciphertexts(key, self.count)
            if side.role == owner:
                yield from send("bit", shape, side.encrypt(owner, mine))
                return None
            sent = yield from expect("bit", shape)
            turned = [xor_encrypted(key, c, bit) for c, bit in zip(sent, mine, strict=True)]
            return side.refresh(owner, turned)
        shown = [bit ^ flip for bit, flip in zip(mine, flips(self.count), strict=True)]
        if answer is Holding.PP:
            if not holder:
                yield from send("bit", form, shown)
                return _exclusive(shown, (yield from expect("bit", form)))
            other = yield from expect("bit", form)
            yield from send("bit", form, shown)
            return _exclusive(shown, other)
        if holder is (answer is Holding.NP):
            yield from send("bit", form, shown)
            return None
        return _exclusive(mine, (yield from expect("bit", form)))

    def _additive(
        self, side: Side, mine: list[int], known: Sequence[Any] = (), quotients: Sequence[int] = ()
    ) -> Steps[list[int]]:
        """Shares modulo N (steps 4 and 5 of Protocol 2; with quotients, Conversions 5 and 4)."""
        key = side.public(self.plan.holder)
        form = Ciphertexts(key, self.count)
        if side.role == self.plan.holder:
            yield from send("seen", form, side.encrypt(side.role, mine))
            return side.private().decrypt((yield from expect("share", form)))
        seen = yield from expect("seen", form)
        answers = [xor_encrypted(key, c, bit) for c, bit in zip(seen, mine, strict=True)]
        if known:
            answers = [key.add(a, k, key.plain(-q)) for a, k, q in zip(answers, known, quotients, strict=True)]
        own = [secrets.randbelow(key.n) for _ in answers]
        hidden = [key.add(answer, key.plain(-share)) for answer, share in zip(answers, own, strict=True)]
        yield from send("share", form, side.refresh(side.other, hidden))
        return own


def _exclusive(first: Sequence[int], second: Sequence[int]) -> list[int]:
    return [a ^ b for a, b in zip(first, second, strict=True)]
