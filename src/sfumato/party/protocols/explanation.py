"""The plan of a comparison in words."""

from __future__ import annotations

from typing import Any

from sfumato.party.core.holding import Holding

__all__ = ["explain"]

Plan = Any
"""A :class:`~sfumato.party.Plan`, which knows its explanation and is not imported here for that reason."""

_NAMES = {"alice": "Alice", "bob": "Bob"}
_ANSWER = {
    Holding.ES: "Alice gets the answer encrypted for Bob",
    Holding.SE: "Bob gets the answer encrypted for Alice",
    Holding.SS: "each gets a share of the answer",
    Holding.PN: "Alice gets the answer",
    Holding.NP: "Bob gets the answer",
    Holding.PP: "both get the answer",
}


def explain(plan: Plan) -> str:
    """Who holds what, each step, and what travels."""
    kind = plan.type
    held = ", ".join(_held(name, one) for name, one in (("x", kind.x), ("y", kind.y)))
    key = f"; the key is {_NAMES[plan.holder]}'s" if plan.keys == {plan.holder} else ""
    key = "; each has a key" if len(plan.keys) == 2 else key
    steps = {"trivial": _trivial, "plain": _plain, "encrypted": _encrypted}[plan.way](plan)
    lines = [f"{kind}: {held}, {_ANSWER[kind.answer]}{key}."]
    lines += [f"{number}. {words}" for number, words in enumerate(steps, 1)]
    messages = plan.messages(2)
    two, four = plan.ciphertexts(2), plan.ciphertexts(4)
    slope = (four - two) // 2
    fixed = two - 2 * slope
    count = f"{slope}ℓ" * bool(slope) + f" + {fixed}" * bool(slope and fixed) or str(fixed)
    lines.append(f"{messages} message{'s' * (messages != 1)}, {count.strip()} ciphertext{'s' * (count != '1')}.")
    return "\n".join(lines)


def _held(name: str, one: Holding) -> str:
    return {
        Holding.ES: f"Alice holds {name} encrypted for Bob",
        Holding.SE: f"Bob holds {name} encrypted for Alice",
        Holding.SS: f"each holds a share of {name}",
        Holding.PN: f"Alice holds {name}",
        Holding.NP: f"Bob holds {name}",
        Holding.PP: f"both hold {name}",
    }[one]


def _trivial(plan: Plan) -> list[str]:
    knower = plan.type.knower or "alice"
    steps = [f"{_NAMES[knower]} has both numbers and compares them; no protocol is needed."]
    flow = plan.flow(1)
    if plan.type.answer is Holding.SS:
        steps.append(f"{_NAMES[knower]} splits the answer at random and sends one share (Conversion 1).")
    elif flow:
        steps.append(f"{_NAMES[knower]} sends the answer{', encrypted' * bool(flow[0][1])}.")
    return steps


def _plain(plan: Plan) -> list[str]:
    holder, helper = _NAMES[plan.holder], _NAMES[plan.helper]
    point, value = ("y", "x") if plan.at_most else ("x", "y")
    steps = [
        f"{holder} encrypts the nodes above {point} in each layer of the tree; {helper} blinds their differences from "
        f"the range of {value}{'' if plan.told else ' or, by a coin, of its complement'}."
    ]
    if plan.told:
        exchanged = " with the roles exchanged" if plan.holder == "bob" else ""
        steps.append(f"{holder} sees a zero or none, which is the answer (Protocol 1{exchanged}).")
        return steps + [f"{holder} sends the answer."] * (plan.type.answer is Holding.PP)
    steps.append(f"{holder} sees a zero or none; that and the coin of {helper} are shares of the answer (Protocol 2).")
    return steps + _ending(plan)


def _encrypted(plan: Plan) -> list[str]:
    holder, helper = _NAMES[plan.holder], _NAMES[plan.helper]
    steps = []
    for name, held in (("x", plan.type.x), ("y", plan.type.y)):
        words = {
            Holding.SS: f"{holder} sends its share of {name} encrypted, {helper} adds its own (Conversion 3).",
            Holding.PN: f"{holder} sends {name} encrypted (Conversions 1 and 3 in one).",
            Holding.NP: f"{helper} encrypts {name}.",
            Holding.PP: f"{helper} encrypts {name}.",
            Holding.ES: f"{holder} masks {name} under the key of {helper}, who decrypts it and takes the mask off "
            f"under the key of {holder} (Conversions 4 and 3, with a mask that cannot wrap).",
        }
        seen = plan.seen(held)
        if seen in words:
            steps.append(words[seen])
        elif plan.type.bitwise and name == "x":
            steps.append(f"{helper} adds up the encrypted bits of x: Σ 2ⁱ·Enc(xᵢ).")
    steps += [
        f"{helper} sends n + x − y + b encrypted, with a random b; {holder} decrypts z (Conversion 5).",
        f"{holder} encrypts the nodes above z mod n; {helper} blinds their differences from the range of b mod n "
        "or, by a coin, of its complement (Protocol 2).",
    ]
    return steps + _ending(plan)


def _ending(plan: Plan) -> list[str]:
    holder, helper = _NAMES[plan.holder], _NAMES[plan.helper]
    if plan.additive:
        quotient = "z div n and " if plan.way == "encrypted" else ""
        return [
            f"{holder} sends {quotient}what it saw encrypted; {helper} puts the answer together under encryption, "
            f"subtracts a random share and returns it; {holder} decrypts its own (Conversion 4)."
        ]
    parity = " The parities of z div n and b div n are added to them." if plan.way == "encrypted" else ""
    shares = f"Both now have bits whose exclusive or is the answer.{parity}"
    return {
        Holding.SS: [shares],
        Holding.PN: [shares, f"{helper} sends its bit (Conversion 2)."],
        Holding.NP: [shares, f"{holder} sends its bit (Conversion 2)."],
        Holding.PP: [shares, "Both send their bits (Conversion 2)."],
        Holding.SE: [shares, f"{holder} sends its bit encrypted, {helper} turns it by its own."],
        Holding.ES: [shares, f"{helper} sends its bit encrypted for itself, {holder} turns it by its own."],
    }[plan.seen(plan.type.answer)]
