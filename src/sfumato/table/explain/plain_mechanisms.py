"""Mechanisms that do not recode, from the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sfumato.errors import bad_input
from sfumato.study.console import notes
from sfumato.study.door import Door

if TYPE_CHECKING:
    from sfumato.table.table_file import TableFile

__all__ = ["apply_mechanism", "private_settings"]

DELTA = 1e-6


def private_settings(
    mechanism: str | None, epsilon: float | None, delta: float | None, sizes: Mapping[str, float | None]
) -> tuple[str | None, dict[str, float]]:
    """The mechanism that --epsilon stands for, and its parameters; the same mechanism and none without --epsilon."""
    if epsilon is None:
        if delta is not None:
            raise bad_input("delta", delta, "--epsilon with it")
        return mechanism, {}
    for name, value in sizes.items():
        if value is not None:
            raise bad_input(name, value, "none with --epsilon", "ε and δ say how large a class must be")
    return mechanism or "sampled-generalisation", {"epsilon": epsilon, "delta": DELTA if delta is None else delta}


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
    if mechanism.plan:  # said before it is paid for
        notes.print(mechanism.plan, markup=False, soft_wrap=True)
    table = door.read()
    release = protect_with(table, mechanism, terms=door.terms, rng=door.rng)
    door.hand_over(release, table)
    if anatomy:
        beside = part_path(door.out, VALUES)
        notes.print(f"the sensitive values of each group are in {beside}", markup=False, soft_wrap=True)
    if not release.card.release.rows:
        notes.print(
            "warning: no class was large enough, and the release has no records: it takes more people, a larger ε, or "
            "fewer columns",
            markup=False,
            soft_wrap=True,
        )
    elif mechanism.makes_up:
        notes.print(f"{release.card.release.rows} records made up", markup=False)
    else:
        notes.print(f"{release.card.release.rows} of {table.num_rows} records released", markup=False)
