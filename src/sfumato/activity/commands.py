"""``sfumato activity protect | attack | measure``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.activity.protection import protect as protect_log
from sfumato.activity.question import kinds
from sfumato.cli.options import EngineName, Master, Settings, leaving, mechanism_help, returning, shared_options
from sfumato.errors import bad_input
from sfumato.io.atomic import reading
from sfumato.study.door import Door, Returned, print_findings
from sfumato.study.settings import read_settings

__all__ = ["attack", "measure", "protect"]

_WINDOWS = "Windows of time"

Name = Annotated[str, typer.Option("--mechanism", "-m", help=mechanism_help(kinds()))]
User = Annotated[str, typer.Option(help="The column of the users.")]
Item = Annotated[str, typer.Option(help="The column of what they used.")]
Time = Annotated[str, typer.Option(help="The column of the times: ISO 8601, or Unix seconds.")]
Every = Annotated[str, typer.Option(help="hour, day, week, month, or '10 minutes'.", rich_help_panel=_WINDOWS)]
Zone = Annotated[str, typer.Option("--timezone", help="Whose calendar: Europe/Vienna.", rich_help_panel=_WINDOWS)]
Hours = Annotated[
    str | None,
    typer.Option(help="Only these hours of the local day: 16-24.", show_default=False, rich_help_panel=_WINDOWS),
]
Weekdays = Annotated[bool, typer.Option("--weekdays", help="Without Saturdays and Sundays.", rich_help_panel=_WINDOWS)]
Intervals = Annotated[
    list[str] | None,
    typer.Option(
        "--window",
        help="Instead of --every: 2024-03-01T16:00/2024-03-02; repeat it.",
        show_default=False,
        rich_help_panel=_WINDOWS,
    ),
]
Counts = Annotated[bool, typer.Option("--counts", help="How often, instead of whether.")]
Items = Annotated[
    Path | None,
    typer.Option("--items", help="The public list of items, one a line; others stay behind.", show_default=False),
]
K = Annotated[int | None, typer.Option("--k", help="Everybody hides among k.", min=1, show_default=False)]
Epsilon = Annotated[float | None, typer.Option(help="The privacy loss.", show_default=False)]
Delta = Annotated[float | None, typer.Option(help="δ, for private-factorisation.", show_default=False)]
Rank = Annotated[int | None, typer.Option(help="Of a factorisation.", min=1, show_default=False)]
Scale = Annotated[float | None, typer.Option(help="φ, the scale of Laplace noise.", show_default=False)]


@shared_options(leaving)
def protect(
    door: Door,
    *,
    mechanism: Name = "grouped-rows",
    user: User = "user",
    item: Item = "item",
    time: Time = "time",
    every: Every = "week",
    timezone: Zone = "UTC",
    hours: Hours = None,
    weekdays: Weekdays = False,
    window: Intervals = None,
    counts: Counts = False,
    items: Items = None,
    k: K = None,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rank: Rank = None,
    scale: Scale = None,
    settings: Settings = None,
    engine: EngineName = None,
    master: Master = None,
) -> None:
    """Release who did what in each window of time, under a fresh pseudonym in every window.

    With --engine, the events of a CSV or Parquet file are counted as they stream past and need not fit in memory.

    Example: sfumato activity protect log.csv -o release.csv --every week --timezone Europe/Vienna --k 12 --key
    release.key
    """
    table, runs = door.open(engine, master, to_file=False)
    release = protect_log(
        table,
        mechanism=mechanism,
        user=user,
        item=item,
        time=time,
        every=every,
        timezone=timezone,
        hours=_hours(hours),
        weekdays=weekdays,
        intervals=tuple(window or ()),
        counts=counts,
        items=_lines(items),
        k=k,
        epsilon=epsilon,
        delta=delta,
        rank=rank,
        scale=scale,
        settings=read_settings(settings),
        engine=runs or "duckdb",
        terms=door.terms,
        rng=door.rng,
    )
    door.hand_over(release, table)


@shared_options(returning)
def attack(returned: Returned) -> None:
    """Attack a release with the original log at hand: re-identification, linkage. For the owner's eyes.

    Example: sfumato activity attack log.csv release.csv --key release.key
    """
    returned.check_kind("activity")
    found = returned.release.attack(returned.original, seed=returned.seed)
    print_findings(found, title=returned.title, reference="chance")


@shared_options(returning)
def measure(returned: Returned) -> None:
    """Measure what is left of the log in a release. For the owner's eyes.

    Example: sfumato activity measure log.csv release.csv --key release.key
    """
    returned.check_kind("activity")
    found = returned.release.measure(returned.original, seed=returned.seed)
    print_findings(found, title=returned.title, reference="raw data")


def _hours(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    first, dash, last = text.partition("-")
    if not (dash and first.strip().isdigit() and last.strip().isdigit()):
        raise bad_input("--hours", text, "two hours of the day, such as 16-24")
    return int(first), int(last)


def _lines(path: Path | None) -> tuple[str, ...]:
    if path is None:
        return ()
    with reading(path):
        text = path.read_text(encoding="utf-8")
    lines = tuple(line.strip() for line in text.splitlines() if line.strip())
    if not lines:
        raise bad_input("--items", path.name, "a file with one item a line")
    return lines
