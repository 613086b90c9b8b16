"""``sfumato table risk``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.options import Delimiter, Encoding, Input, InputFormat
from sfumato.errors import bad_input
from sfumato.study.console import notes, screen
from sfumato.study.door import Dialect

__all__ = ["risk"]


def risk(
    input: Input,
    schema: Annotated[
        Path, typer.Option("--schema", "-s", help="Roles and hierarchies: table.toml, made by sfumato table init.")
    ] = Path("table.toml"),
    release: Annotated[
        Path | None,
        typer.Option(help="A release by global recoding: look at its levels, not at raw values.", show_default=False),
    ] = None,
    largest: Annotated[
        int, typer.Option(help="Columns that an attacker knows, at most, for minimal uniques.", min=1)
    ] = 3,
    population: Annotated[
        int | None,
        typer.Option(help="How many members the population has of which the table is a sample.", show_default=False),
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Also write it as a page (HTML).", show_default=False)] = None,
    format: InputFormat = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
) -> None:
    """Say which column and which values make people stand out, and what coarsening would help. For the owner's eyes.

    Example: sfumato table risk people.csv --schema table.toml --report risk.html
    """
    from rich.table import Table

    from sfumato.io.atomic import check_output
    from sfumato.release import Card
    from sfumato.release.card import card_path
    from sfumato.table.core.schema import Schema
    from sfumato.table.explain.risk_explanation import explain_risk

    if report is not None:
        check_output(report, input)
    levels = None
    if release is not None:
        levels = Card.read(card_path(release)).mechanism.parameters.get("levels")
        if not isinstance(levels, dict) or not all(isinstance(one, int) for one in levels.values()):
            raise bad_input("--release", str(release), "a release with one level a column", "leave it out")
    table = Dialect(format=format, delimiter=delimiter, encoding=encoding).read(input)
    found = explain_risk(table, Schema.read(schema), levels=levels, largest=largest, population=population)
    shown = Table("column", "share of the score", "unique without it", "average risk without it", box=None)
    for one in found.columns:
        shown.add_row(one.column, f"{one.share:.0%}", f"{one.unique_without:.1%}", f"{one.average_without:.3f}")
    screen.print(str(found.risk), markup=False, soft_wrap=True)
    screen.print(shown)
    for what, value in found.population.items():
        screen.print(f"{what}: {value:.4g}", markup=False, soft_wrap=True)
    for sentence in found.advice:
        screen.print(sentence, markup=False, soft_wrap=True)
    if report is not None:
        found.write_report(report)
        notes.print(f"page in {report}; it names values of the raw data and is not to be handed on", markup=False)
