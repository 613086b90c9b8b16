"""``sfumato table risk`` on the screen and as a page."""

from __future__ import annotations

from pathlib import Path

from sfumato.errors import bad_input
from sfumato.io.atomic import check_output
from sfumato.release import Card
from sfumato.release.card import card_path
from sfumato.study.console import notes, screen
from sfumato.study.door import Dialect
from sfumato.study.wording import shown
from sfumato.table.core.schema import Schema
from sfumato.table.explain.risk_explanation import explain_risk
from sfumato.validate import extra

__all__ = ["print_risk"]


def print_risk(
    dialect: Dialect,
    input: str,
    schema: Path,
    *,
    release: Path | None,
    largest: int,
    population: int | None,
    report: Path | None,
) -> None:
    """Explain the risk of the table in a file."""
    from rich.table import Table

    if report is not None:
        check_output(report, input)
        extra("jinja2", "report")  # said before the work
    levels = None
    if release is not None:
        levels = Card.read(card_path(release)).mechanism.parameters.get("levels")
        if not isinstance(levels, dict) or not all(isinstance(one, int) for one in levels.values()):
            raise bad_input("--release", str(release), "a release with one level a column", "leave it out")
    table = dialect.read(input)
    found = explain_risk(table, Schema.read(schema), levels=levels, largest=largest, population=population)
    listing = Table("column", "share of the score", "unique without it", "average risk without it", box=None)
    for one in found.columns:
        listing.add_row(one.column, f"{one.share:.0%}", f"{one.unique_without:.1%}", f"{one.average_without:.3f}")
    screen.print(str(found.risk), markup=False, soft_wrap=True)
    screen.print(listing)
    for what, value in found.population.items():
        screen.print(f"{what}: {shown(value)}", markup=False, soft_wrap=True)
    for sentence in found.advice:
        screen.print(sentence, markup=False, soft_wrap=True)
    if report is not None:
        found.write_report(report)
        notes.print(f"page in {report}; it names values of the raw data and is not to be handed on", markup=False)
