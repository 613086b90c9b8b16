"""Numbers held by two parties in each of the six ways, and answers put together again. With tiny keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sfumato.party import Comparison, PrivateKey, Side, Tally, make_sides, run_together, split
from sfumato.party.core.holding import Holding, Role
from sfumato.party.protocols.router import Plan

ALICE = PrivateKey(10007, 10009)
BOB = PrivateKey(10037, 10039)


def tiny_sides(plan: Plan | None = None) -> tuple[Side, Side]:
    """Two parties with the keys that a plan needs and no other."""
    if plan is None or not plan.keys:
        return make_sides(ALICE, BOB)
    return make_sides(ALICE if "alice" in plan.keys else None, BOB if "bob" in plan.keys else None)


def key_of(role: Role) -> PrivateKey:
    return ALICE if role == "alice" else BOB


def hold(holding: Holding, values: Sequence[int], plan: Plan, sides: tuple[Side, Side]) -> tuple[Any, Any]:
    """What Alice and what Bob have of each number."""
    if holding is Holding.SS:
        pairs = [split(key_of(plan.holder).public, value) for value in values]
        return [own for own, _ in pairs], [other for _, other in pairs]
    if holding is Holding.SE:
        return None, sides[1].encrypt("alice", values)
    if holding is Holding.ES:
        return sides[0].encrypt("bob", values), None
    return (
        list(values) if holding.known_to("alice") else None,
        list(values) if holding.known_to("bob") else None,
    )


def put_together(plan: Plan, alice: Any, bob: Any) -> list[int]:
    """The answers from what both have; what nobody should have is not there."""
    answer = plan.type.answer
    if answer is Holding.SS:
        if plan.additive:
            return [(a + b) % key_of(plan.holder).public.n for a, b in zip(alice, bob, strict=True)]
        return [a ^ b for a, b in zip(alice, bob, strict=True)]
    if answer is Holding.PP:
        assert alice == bob
        return list(alice)
    if answer in (Holding.PN, Holding.ES):
        assert bob is None
        return list(alice) if answer is Holding.PN else BOB.decrypt(alice)
    assert alice is None
    return list(bob) if answer is Holding.NP else ALICE.decrypt(bob)


def run_type(plan: Plan, x: Sequence[int], y: Sequence[int], bits: int, **options: Any) -> tuple[list[int], Tally]:
    """The answers of one type of comparison, and what was sent."""
    sides = tiny_sides(plan)
    held = hold(plan.type.x, x, plan, sides), hold(plan.type.y, y, plan, sides)
    made = Comparison(plan=plan, bits=bits, count=len(x), **options)
    alice, bob, sent = run_together(*(made.steps(side, held[0][k], held[1][k]) for k, side in enumerate(sides)))
    return put_together(plan, alice, bob), sent
