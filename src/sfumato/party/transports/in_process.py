"""Both sides in one process: for tests, for studies, and as the yardstick of the other transports."""

from __future__ import annotations

from collections import deque
from typing import Any

from sfumato.errors import PeerError
from sfumato.party.core.machine import Machine, Steps, Tally
from sfumato.party.core.side import Side
from sfumato.party.protocols.comparison import Comparison
from sfumato.party.protocols.router import Shares, plan

__all__ = ["compare_here", "run_together"]


def run_together(alice: Machine[Any] | Steps[Any], bob: Machine[Any] | Steps[Any]) -> tuple[Any, Any, Tally]:
    """Run both sides in turns: what each has in the end, and what was sent."""
    machines = [one if isinstance(one, Machine) else Machine(one) for one in (alice, bob)]
    waiting = deque((1 - number, data) for number, machine in enumerate(machines) for data in machine.start())
    while waiting:
        number, data = waiting.popleft()
        waiting.extend((1 - number, answer) for answer in machines[number].receive(data))
    if not all(machine.done for machine in machines):
        raise PeerError("both sides wait for each other")
    return machines[0].result, machines[1].result, machines[0].sent + machines[1].sent


def compare_here(
    type: str,
    sides: tuple[Side, Side],
    x: tuple[Any, Any],
    y: tuple[Any, Any],
    *,
    bits: int,
    shares: Shares = "additive",
    **options: Any,
) -> tuple[Any, Any, Tally]:
    """Compare lists of numbers of two parties in this process.

    Parameters
    ----------
    type : str
        Such as ``"PN-NP-PP"``, or the number of a named type.
    sides : pair of Side
    x, y : pair of lists
        What Alice and what Bob hold of each; None for nothing.
    bits : int
    options
        For :class:`~sfumato.party.Comparison`.

    Examples
    --------
    >>> from sfumato.party.core.paillier import PrivateKey
    >>> from sfumato.party.core.side import make_sides
    >>> sides = make_sides(PrivateKey(1009, 1013))
    >>> compare_here("PN-NP-PP", sides, ([3, 7, 7], None), (None, [5, 7, 2]), bits=4)[:2]
    ([0, 1, 1], [0, 1, 1])
    """
    count = max(len(part) for part in (*x, *y) if part is not None)
    chosen = plan(type, shares=shares)
    if chosen.type.bitwise:
        count //= bits
    made = Comparison(plan=chosen, bits=bits, count=count, **options)
    return run_together(*(made.steps(side, x[k], y[k]) for k, side in enumerate(sides)))
