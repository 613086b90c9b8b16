"""``sfumato party protect | attack | measure``."""

from __future__ import annotations

from typing import Annotated

import typer

from sfumato.cli.options import Settings, leaving, returning, shared_options
from sfumato.party.protection import protect as protect_column
from sfumato.study.door import Door, Returned, print_findings
from sfumato.study.settings import read_settings

__all__ = ["attack", "measure", "protect"]

Column = Annotated[str, typer.Option("--column", "-c", help="The column to protect.", show_default=False)]
Name = Annotated[str, typer.Option("--mechanism", "-m", help="Which mechanism; a wrong name lists all.")]
Epsilon = Annotated[float | None, typer.Option(help="The privacy loss of each number.", show_default=False)]
Low = Annotated[float | None, typer.Option(help="The public lower bound of the numbers.", show_default=False)]
High = Annotated[float | None, typer.Option(help="The public upper bound of the numbers.", show_default=False)]


@shared_options(leaving)
def protect(
    door: Door,
    *,
    column: Column,
    mechanism: Name = "party-noise",
    epsilon: Epsilon = None,
    low: Low = None,
    high: High = None,
    settings: Settings = None,
) -> None:
    """Add noise to one column of a table and release that column alone.

    Example: sfumato party protect people.csv --column value --epsilon 1 --low 0 --high 100 -o release.csv
    """
    table = door.read()
    release = protect_column(
        table,
        column,
        mechanism=mechanism,
        epsilon=epsilon,
        low=low,
        high=high,
        settings=read_settings(settings),
        terms=door.terms,
        rng=door.rng,
    )
    door.hand_over(release, table)


@shared_options(returning)
def attack(returned: Returned) -> None:
    """Attack a release with the original data at hand. For the owner's eyes.

    Example: sfumato party attack people.csv release.csv --key release.key
    """
    returned.check_kind("party")
    found = returned.release.attack(returned.original, seed=returned.seed)
    print_findings(found, title=returned.title, reference="chance")


@shared_options(returning)
def measure(returned: Returned) -> None:
    """Measure what is left of the data in a release.

    Example: sfumato party measure people.csv release.csv --key release.key
    """
    returned.check_kind("party")
    found = returned.release.measure(returned.original, seed=returned.seed)
    print_findings(found, title=returned.title, reference="raw data")
