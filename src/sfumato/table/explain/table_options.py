"""Options of the commands on tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "ClassSize",
    "Closeness",
    "Column",
    "Control",
    "Delta",
    "Epsilon",
    "LossLimit",
    "MechanismName",
    "Minimised",
    "Population",
    "Promises",
    "Published",
    "SchemaFile",
    "Suppressed",
    "Suppression",
    "Together",
    "Values",
]

SchemaFile = Annotated[
    Path, typer.Option("--schema", "-s", help="Roles and hierarchies: table.toml, made by sfumato table init.")
]
Column = Annotated[
    str | None,
    typer.Option("--column", "-c", help="The sensitive column; by default the first.", show_default=False),
]
MechanismName = Annotated[
    str | None,
    typer.Option(
        "--mechanism",
        "-m",
        help="Name of the mechanism, such as local-recoding; a wrong name lists all. By default what the schema file "
        "says, or global-recoding: one level a column, optimal.",
        show_default=False,
    ),
]
ClassSize = Annotated[
    int | None,
    typer.Option(help="At least k records a class; 5 if nothing else is promised.", min=1, show_default=False),
]
Values = Annotated[
    int | None, typer.Option(help="At least l different values of each sensitive column.", show_default=False)
]
Closeness = Annotated[
    float | None, typer.Option(help="Each class is distributed like the table, up to t.", show_default=False)
]
Promises = Annotated[
    list[str] | None,
    typer.Option(
        help="One more promise in words, such as 'risk limit=0.05 attacker=marketer'; repeatable.", show_default=False
    ),
]
Suppression = Annotated[
    float | None, typer.Option(help="Share of records that may be suppressed (global).", show_default=False)
]
Suppressed = Annotated[
    str | None, typer.Option(help="What becomes of them: star (rows of *, the default) or drop.", show_default=False)
]
Minimised = Annotated[
    str | None,
    typer.Option(
        help="What is minimised (global): generalised (the default), entropy, discernibility, class-size or "
        "classification:COLUMN.",
        show_default=False,
    ),
]
Published = Annotated[
    str | None, typer.Option(help="hierarchy (the default), set or interval (local).", show_default=False)
]
Population = Annotated[
    str | None,
    typer.Option(help="The table of the population, for the journalist's risk and presence.", show_default=False),
]
Epsilon = Annotated[
    float | None,
    typer.Option(
        help="Differential privacy instead: a generalised random sample, at most this loss for each record.",
        show_default=False,
    ),
]
LossLimit = Annotated[float, typer.Option("--epsilon", help="The privacy loss for each record, at most.")]
Delta = Annotated[
    float | None,
    typer.Option(help="The chance with which it may be more; 1e-6 if nothing is said.", show_default=False),
]
Together = Annotated[int, typer.Option("--order", help="How many columns are counted together, at most: 2 or 3.")]
Control = Annotated[
    Path | None,
    typer.Option(
        help="People like those in the table who are not in it: can members be told from them?", show_default=False
    ),
]
