"""Options of the command line for people with several records and several releases, and what they do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.errors import bad_input
from sfumato.study.console import notes
from sfumato.study.door import Door

if TYPE_CHECKING:
    from sfumato.release import Release
    from sfumato.table.mechanisms.recoding.recoder import Recoder

__all__ = [
    "Append",
    "CountedPerson",
    "Previous",
    "PreviousKey",
    "PseudonymKey",
    "Successors",
    "earlier_releases",
    "protect_beside",
    "remind_of_key",
]

MANY = 0.25
"""Share of records left out from which the command says what helps."""

Previous = Annotated[
    list[Path] | None,
    typer.Option(
        "--previous",
        help="An earlier release of the same people, of this or another table: what both show together keeps the "
        "promises too. Needs --person. Repeatable, oldest first.",
        show_default=False,
    ),
]
PreviousKey = Annotated[
    list[Path] | None,
    typer.Option("--previous-key", help="The private key of each --previous, in their order.", show_default=False),
]
Append = Annotated[
    bool,
    typer.Option("--append", help="With --previous: no finer labels than there, so that the rows can be put below."),
]
Successors = Annotated[
    bool,
    typer.Option(
        help="With --previous: newcomers may take the places of people who left and had the same values. Without, the "
        "promises hold even against someone who is told which records belong to one person, and far more are left out.",
    ),
]
PseudonymKey = Annotated[
    Path | None,
    typer.Option(
        "--pseudonyms",
        help="The column of --person leaves as a stable pseudonym made with this key file (made, mode 0600, if it is "
        "not there).",
        show_default=False,
    ),
]

CountedPerson = Annotated[
    str | None,
    typer.Option("--person", help="The column that says whose record it is, if not in the schema.", show_default=False),
]


def earlier_releases(paths: list[Path] | None, keys: list[Path] | None) -> list[Release]:
    """The earlier releases with their keys."""
    from sfumato.release import Release

    if len(paths or ()) != len(keys or ()):
        raise bad_input(
            "--previous-key", [str(key) for key in keys or ()], f"one for each of {len(paths or ())} --previous"
        )
    return [Release.read(path, key=key) for path, key in zip(paths or (), keys or (), strict=True)]


def remind_of_key(recoder: Recoder, door: Door) -> None:
    """Say that later releases of the same people need the key of this one."""
    if recoder.schema.person is not None and door.key is None:
        notes.print(
            "no --key: a later release of the same people cannot be made safe beside this one",
            markup=False,
            soft_wrap=True,
        )


def protect_beside(
    recoder: Recoder, door: Door, previous: list[Release], append: bool, successors: bool, pseudonyms: Path | None
) -> None:
    """Recode beside earlier releases, or with pseudonyms, and say who was left out."""
    from sfumato.table.core.proposal.schema_proposal import near_unique
    from sfumato.table.people.keyed_pseudonyms import Pseudonyms
    from sfumato.table.people.next_release import protect_next

    if recoder.schema.person is None:
        raise bad_input(
            "--person", None, "the column that says whose record it is", "name it, or person= in table.toml"
        )
    table = door.read()
    names = None if pseudonyms is None else Pseudonyms.read_or_make(pseudonyms)
    release = protect_next(
        table,
        recoder,
        previous=previous,
        append=append,
        successors=successors,
        pseudonyms=names,
        terms=door.terms,
        rng=door.rng,
    )
    door.hand_over(release, table, previous=previous)
    remind_of_key(recoder, door)
    found = release.decision
    assert found is not None
    notes.print(
        f"information loss {found.information_loss:.5f}, {len(found.sizes)} classes of {found.sizes.min()} to "
        f"{found.sizes.max()}, levels {found.levels}; {found.suppressed} of {table.num_rows} records left out, so that "
        "nobody stands out in what the releases show together",
        markup=False,
        soft_wrap=True,
    )
    if previous and found.suppressed > MANY * table.num_rows:
        schema = recoder.schema
        telling = near_unique(table, replace(schema, insensitive=[*schema.insensitive, *schema.secrets], sensitive=()))
        remedy = (
            f"the values of {', '.join(telling)} tell which records of two releases belong together, so that newcomers "
            "cannot take the places of people who left: leave them out (identifiers), or round them"
            if telling and pseudonyms is None
            else "where more deliveries follow, the first keeps more of them with a larger k"
        )
        notes.print(
            f"many are left out because the classes that the earlier releases show are small; {remedy}",
            markup=False,
            soft_wrap=True,
        )
    if pseudonyms is not None:
        notes.print(
            f"pseudonyms by the key in {pseudonyms}, which must not leave the house; {found.unlinked} records have a "  # type: ignore[union-attr]
            "pseudonym of their own, because together with the others of their person they would stand out",
            markup=False,
            soft_wrap=True,
        )
