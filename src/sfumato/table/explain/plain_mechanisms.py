"""Mechanisms that do not recode, from the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sfumato.errors import bad_input
from sfumato.study.console import notes
from sfumato.study.door import Door

if TYPE_CHECKING:
    from sfumato.table.table_file import TableFile

__all__ = ["apply_mechanism"]


def apply_mechanism(file: TableFile, promises: list[Any], door: Door) -> None:
    """Run a mechanism that does not recode, in memory."""
    from sfumato.io.atomic import check_output
    from sfumato.release.card import part_path
    from sfumato.table.mechanisms.anatomy import VALUES, Anatomy
    from sfumato.table.protection import protect_with

    mechanism: Any = file.build(promises)
    anatomy = isinstance(mechanism, Anatomy)
    if anatomy and door.out == "-":
        raise bad_input("out", door.out, "a file", "anatomy writes two tables")
    if anatomy:
        check_output(part_path(door.out, VALUES), door.input)
    table = door.read()
    release = protect_with(table, mechanism, terms=door.terms, rng=door.rng)
    door.hand_over(release, table)
    if anatomy:
        beside = part_path(door.out, VALUES)
        notes.print(f"the sensitive values of each group are in {beside}", markup=False, soft_wrap=True)
    notes.print(f"{release.card.release.rows} of {table.num_rows} records released", markup=False)
