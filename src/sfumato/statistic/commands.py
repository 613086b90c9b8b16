"""``sfumato statistic protect | attack | measure``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from sfumato.cli.options import EngineName, Master, Settings, leaving, mechanism_help, returning, shared_options
from sfumato.statistic.foresight import preview
from sfumato.statistic.protection import protect as protect_column
from sfumato.statistic.question import kinds, record_mechanisms
from sfumato.study.door import Door, Returned, print_findings, print_foreseen
from sfumato.study.settings import read_settings

__all__ = ["attack", "measure", "protect"]

Columns = Annotated[
    list[str],
    typer.Option("--column", "-c", help="The column; repeatable, for a mechanism on several.", show_default=False),
]
MechanismName = Annotated[str, typer.Option("--mechanism", "-m", help=mechanism_help(kinds()), show_default=False)]
Epsilon = Annotated[float | None, typer.Option(help="The privacy loss of the release.", show_default=False)]
Low = Annotated[float | None, typer.Option(help="The public lower bound of the values.", show_default=False)]
High = Annotated[float | None, typer.Option(help="The public upper bound of the values.", show_default=False)]
Delta = Annotated[float | None, typer.Option(help="δ, for t-tests and Gaussian noise.", show_default=False)]
Neighbours = Annotated[
    str | None, typer.Option(help="replace-one (n is public) or add-remove (n is private).", show_default="replace-one")
]
Clip = Annotated[bool, typer.Option("--clip", help="Move values outside the bounds to the nearest bound.")]
Bins = Annotated[int, typer.Option(help="Equal bins between the bounds, for a histogram.", min=1)]
Category = Annotated[list[str] | None, typer.Option(help="A public category; repeat it.", show_default=False)]
Quantiles = Annotated[list[float] | None, typer.Option("--q", help="Which quantile; repeat it.", show_default="0.5")]
Group = Annotated[str, typer.Option(help="The column that tells the two groups apart, for t-tests.")]
Labels = Annotated[
    list[str] | None,
    typer.Option(
        "--label",
        help="What the groups are called in that column; give two, the first first: t > 0 if its mean is larger.",
        show_default="A, B",
    ),
]
Deviation = Annotated[
    float | None, typer.Option(help="A public guess of the standard deviation, for welch-test.", show_default=False)
]


@shared_options(leaving)
def protect(
    door: Door,
    *,
    column: Columns,
    mechanism: MechanismName,
    epsilon: Epsilon = None,
    low: Low = None,
    high: High = None,
    delta: Delta = None,
    neighbours: Neighbours = None,
    clip: Clip = False,
    bins: Bins = 10,
    category: Category = None,
    q: Quantiles = None,
    group: Group = "group",
    label: Labels = None,
    deviation: Deviation = None,
    setting: Settings = None,
    engine: EngineName = None,
    master: Master = None,
) -> None:
    """Release a statistic of a column, or the column itself with noise, under differential privacy.

    Statistics (count, sum, mean, …) give one row for each number. Mechanisms on records (laplace, gaussian,
    bounded-number, randomized-response, planar-laplace, multivariate-gaussian) give the named columns with noise on
    every record, in random order, and nothing else of the table. exponential names the commonest category.

    With --engine, a CSV or Parquet file streams past and need not fit in memory: count, sum, mean, histogram, quantile,
    variance with add-remove neighbours, and all mechanisms on records.

    Example: sfumato statistic protect people.csv -o mean.csv --column age --mechanism mean --low 0 --high 120
    --epsilon 1
    """
    table, runs = door.open(engine, master, to_file=mechanism in record_mechanisms())
    asked: dict[str, Any] = {
        "mechanism": mechanism,
        "epsilon": epsilon,
        "low": low,
        "high": high,
        "delta": delta,
        "neighbours": neighbours,
        "clip": clip,
        "bins": bins,
        "categories": tuple(category or ()),
        "quantiles": tuple(q or (0.5,)),
        "group": group,
        "labels": tuple(label or ()),
        "deviation": deviation,
        "settings": read_settings(setting),
    }
    print_foreseen(preview(table, column, **asked))
    release = protect_column(table, column, **asked, engine=runs or "duckdb", terms=door.terms, rng=door.rng)
    door.hand_over(release, table)


@shared_options(returning)
def attack(
    returned: Returned,
    *,
    repeats: Annotated[int, typer.Option(help="Releases drawn in each of the attacker's worlds.", min=20)] = 2000,
) -> None:
    """Attack a protected statistic: membership, empirical ε, differencing. For the owner's eyes: uses the raw data.

    Example: sfumato statistic attack people.csv mean.csv
    """
    returned.check_kind("statistic")
    found = returned.release.attack(returned.original, seed=returned.seed, repeats=repeats)
    print_findings(found, title=returned.title, reference="chance")


@shared_options(returning)
def measure(
    returned: Returned,
    *,
    repeats: Annotated[int, typer.Option(help="How many releases are measured.", min=1)] = 200,
) -> None:
    """Measure how far a protected statistic is off, over many releases. For the owner's eyes: uses the raw data.

    Example: sfumato statistic measure people.csv mean.csv
    """
    returned.check_kind("statistic")
    found = returned.release.measure(returned.original, seed=returned.seed, repeats=repeats)
    print_findings(found, title=returned.title, reference="exact")
