"""The whole check of a ledger: the chain, the totals, the way to every subject, and an anchor."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.ledger.account import check_step
from sfumato.ledger.chain import Chain, Tail
from sfumato.ledger.entry import Anchor
from sfumato.ledger.index import way_to
from sfumato.ledger.line import STRANGE, DamagedError, Line, Ref
from sfumato.ledger.roll import Roll, follow
from sfumato.promise import Guarantee

__all__ = ["check_chain"]


@dataclass
class _Standing:
    """The last line of a subject so far, and its budget."""

    ref: Ref
    line: Line
    budget: Guarantee | None
    roll: Roll | None


def check_chain(chain: Chain, tail: Tail, anchor: Anchor | None) -> None:
    """Raise :class:`DamagedError` with the first thing that is wrong, from the first line to ``tail``."""
    if anchor is not None and anchor.count == 0 and anchor.hash != chain.header_hash:
        raise DamagedError("the anchor is of another ledger")
    standings: dict[str, _Standing] = {}
    newest: dict[int, Line] = {}  # the last line of each subject, by its place
    last, more, count = None, 0, 0
    for ref, line in chain.lines(tail):
        count = line.number
        if anchor is not None and anchor.count == count and anchor.hash != ref.hash:
            raise DamagedError(
                f"entry {count} is not the one that was anchored: an older copy was put back and went on, the ledger "
                "was rewritten, or the anchor is of another one"
            )
        if more and line.more != more - 1:
            raise DamagedError(f"entry {count} breaks off the commit before it")
        try:
            before = standings.get(line.subject)
            _check_line(line, before, last, newest)
            roll = follow(before.roll if before else None, line)
        except STRANGE as error:
            raise DamagedError(f"entry {count} has amounts that do not add up") from error
        if before is not None:
            del newest[before.ref.offset]
        kept = None if before is None else before.budget
        standings[line.subject] = _Standing(ref, line, line.guarantee if line.action == "set" else kept, roll)
        newest[ref.offset], last, more = line, ref, line.more
    if anchor is not None and anchor.count > count:
        raise DamagedError(
            f"the anchor is entry {anchor.count}, and the last one here is {count}: entries were cut off, or an older "
            "copy was put back"
        )


def _check_line(line: Line, before: _Standing | None, last: Ref | None, newest: dict[int, Line]) -> None:
    check_step(line, before.ref if before else None, before.line if before else None)
    if way_to(line.key, last, lambda ref: newest[ref.offset]).others != line.others:
        raise DamagedError(f"entry {line.number} leads to other subjects by a wrong way")
    budget = before.budget if before else None
    if line.action == "set":
        given = line.guarantee
        if line.spends and budget is not None and not budget.same_currency(given):
            raise DamagedError(f"entry {line.number} changes the kind of a budget in use")
        budget = given
    if budget is not None and line.spent.exceeds(budget.cost()):
        raise DamagedError(f"entry {line.number} spends more than the budget of {line.subject!r:.80}")
