"""A file as one kind of data, with what is proposed for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.studio.kinds.room_work import RoomWork
from sfumato.studio.kinds.text_work import TextWork
from sfumato.studio.kinds.trace_work import TraceWork
from sfumato.studio.project import Work

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["KINDS", "propose_work"]

KINDS = {
    "table": "a table with a record for each person",
    "text": "texts: mails, letters, notes",
    "trace": "the places of one person in the order of time",
    "activity": "who did what when",
    "survey": "answers to one question",
    "direction": "directions, hours of the day, vectors of unit length",
    "statistic": "numbers to be summed up",
    "model": "records from which made-up ones are learned",
}
"""The kinds of data that can be opened, each in words."""


def propose_work(kind: str, table: pa.Table, *, reviewer: str) -> Work:
    """What is proposed for a table that is no table of people."""
    if kind == "text":
        return TextWork.of(table, reviewer)
    if kind == "trace":
        return TraceWork.of(table)
    return RoomWork.of(kind, table)
