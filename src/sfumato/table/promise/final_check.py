"""Check of a finished release against its promises, before it leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sfumato.errors import BrokenPromiseError
from sfumato.promise import Guarantee
from sfumato.table.core.classes import Classes
from sfumato.table.core.label_classes import as_it_is
from sfumato.table.core.schema import Schema
from sfumato.table.promise.base import table_promises

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["verify_classes", "verify_table"]


def verify_classes(promises: Sequence[Guarantee], classes: Classes, *, complete: bool = True) -> None:
    """Refuse a release with these classes if it breaks one of the promises.

    Parameters
    ----------
    promises : sequence of Guarantee
    classes : Classes
        As they are released.
    complete : bool
        Whether all records are released; otherwise promises that compare with the table must also hold for what is
        left of it.
    """
    for promise in table_promises(promises):
        if not promise.kept_by(classes) or not (complete or promise.holds_without(classes)):
            raise BrokenPromiseError(
                f"release refused: {promise.statement} was promised and does not hold for the finished table; "
                "nothing was released; this is an error in sfumato, please report it"
            )


def verify_table(promises: Sequence[Guarantee], table: pa.Table, schema: Schema) -> None:
    """Refuse a released table if its classes, by their labels, break one of the promises."""
    verify_classes(promises, Classes.by_value(as_it_is(table, schema)[0]))
