"""Options of ``sfumato table init`` and ``sfumato table risk``, and the weights of columns."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["DatesWritten", "Force", "Largest", "LevelsOf", "PopulationSize", "RiskPage", "Update", "Weights"]

Force = Annotated[bool, typer.Option("--force", help="Replace a proposal that is already there.")]
Update = Annotated[bool, typer.Option("--update", help="Add what a new file has and the proposal there has not.")]
DatesWritten = Annotated[
    str | None,
    typer.Option(help="How dates are written if they do not tell: day-first or month-first.", show_default=False),
]
LevelsOf = Annotated[
    Path | None,
    typer.Option("--release", help="A release by global recoding: start from its levels.", show_default=False),
]
Largest = Annotated[int, typer.Option(help="Columns that an attacker knows, at most, for minimal uniques.", min=1)]
PopulationSize = Annotated[
    int | None,
    typer.Option(help="How many members the population has of which the table is a sample.", show_default=False),
]
RiskPage = Annotated[Path | None, typer.Option(help="Also write it as a page (HTML).", show_default=False)]
Weights = Annotated[
    list[str] | None,
    typer.Option(
        "--weight",
        help="How much a column matters when information must be lost, such as age=3; repeatable.",
        show_default=False,
    ),
]
