"""``sfumato direction protect | attack | measure | choose``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from sfumato.cli.options import EngineName, Master, Settings, leaving, mechanism_help, returning, shared_options
from sfumato.direction.core.frame_columns import matching_columns
from sfumato.direction.foresight import preview
from sfumato.direction.protection import protect as protect_directions
from sfumato.direction.question import kinds, noises
from sfumato.io.frames import to_arrow
from sfumato.study.console import notes, screen
from sfumato.study.door import Door, Returned, print_findings, print_foreseen
from sfumato.study.settings import read_settings

__all__ = ["attack", "choose", "measure", "protect"]

_AROUND = [name for name in kinds() if name not in noises()]

Columns = Annotated[
    list[str],
    typer.Option(
        "--column",
        "-c",
        help="The column; twice for latitude and longitude, once for each coordinate of a vector, or a pattern ('x*').",
        show_default=False,
    ),
]
KindOption = Annotated[
    str, typer.Option(help="hour or week (numbers, 07:30, timestamps), angle (radians), latlon, vector.")
]
Name = Annotated[str, typer.Option("--mechanism", "-m", help=mechanism_help(kinds()))]
NoiseName = Annotated[
    str, typer.Option("--noise", help=f"The noise inside {', '.join(_AROUND)}: one of {', '.join(noises())}.")
]
Epsilon = Annotated[
    float | None, typer.Option(help="Loss per radian (von-mises-fisher: per chord).", show_default=False)
]
Level = Annotated[float | None, typer.Option(help="Loss within --radius.", show_default=False)]
Radius = Annotated[
    float | None,
    typer.Option(help="In hours for hour and week, metres for latlon, radians otherwise.", show_default=False),
]
Pure = Annotated[float | None, typer.Option(help="Loss between any two directions.", show_default=False)]
HourColumn = Annotated[
    str | None, typer.Option("--hour", help="For places: the column of the time of day.", show_default=False)
]
KeptHour = Annotated[
    str | None,
    typer.Option("--hour", help="For places: a released column with the time of day, if any.", show_default=False),
]
Hours = Annotated[float, typer.Option(help="protected-check-ins: --level holds within so many hours of the day.")]
GroupColumn = Annotated[
    str | None, typer.Option(help="For surveys: the column of the group, which is public.", show_default=False)
]
TraceColumn = Annotated[
    str | None,
    typer.Option(help="For directional-trace: the column that says to which trace a row belongs.", show_default=False),
]
Zone = Annotated[
    str | None,
    typer.Option(help="Time zone of the clock, for timestamps with Z or an offset: Europe/Berlin.", show_default=False),
]
Known = Annotated[
    str | None,
    typer.Option(
        help="A table of public directions in the same columns: the candidates of bayesian-remap, "
        "the places of protected-check-ins.",
        show_default=False,
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option("--keep", help="A further column that is released unchanged; repeat it.", show_default=False),
]
Wrap = Annotated[bool, typer.Option("--wrap", help="Take hours and angles modulo their period.")]
Normalise = Annotated[bool, typer.Option("--normalise", help="Take the direction of vectors.")]
PersonColumn = Annotated[
    str | None,
    typer.Option(
        "--person",
        help="The column of the input that says whose record it is: their habit or home is sought.",
        show_default=False,
    ),
]
Tolerance = Annotated[
    float | None,
    typer.Option(help="A guess so near counts: hours, metres or radians.", show_default="0.5 h, 100 m, 0.1"),
]


@shared_options(leaving)
def protect(
    door: Door,
    *,
    column: Columns,
    kind: KindOption = "hour",
    mechanism: Name = "purkayastha",
    epsilon: Epsilon = None,
    level: Level = None,
    radius: Radius = None,
    pure: Pure = None,
    noise: NoiseName = "purkayastha",
    hour: HourColumn = None,
    hours: Hours = 3.0,
    group: GroupColumn = None,
    trace: TraceColumn = None,
    zone: Zone = None,
    known: Known = None,
    keep: Keep = None,
    wrap: Wrap = False,
    normalise: Normalise = False,
    setting: Settings = None,
    engine: EngineName = None,
    master: Master = None,
) -> None:
    """Release directions with noise on every one of them; other columns leave only if --keep names them.

    Surveys have one row a person and one column of hours a night. naive-central-survey releases the means only.

    With --engine, a CSV or Parquet file streams past and need not fit in memory.

    Examples:

      sfumato direction protect poll.csv -c wakes --pure 1 -o protected.csv

      sfumato direction protect calls.csv -c started --zone Europe/Berlin --level 1 --radius 3 -o protected.csv

      sfumato direction protect visits.csv -c lat -c lon --kind latlon --level 1 --radius 200 -o protected.csv

      sfumato direction protect visits.csv -m protected-check-ins -c lat -c lon --hour hour --known venues.csv
      --level 1 --radius 200 -o protected.csv
    """
    table, runs = door.open(engine, master)
    columns = matching_columns(table.columns if runs else to_arrow(table).column_names, column)
    asked: dict[str, Any] = {
        "mechanism": mechanism,
        "kind": kind,
        "epsilon": epsilon,
        "level": level,
        "radius": radius,
        "pure": pure,
        "noise": noise,
        "hour": hour,
        "hours": hours,
        "group": group,
        "trace": trace,
        "zone": zone,
        "known": None if known is None else door.dialect.read(known),
        "wrap": wrap,
        "normalise": normalise,
        "settings": read_settings(setting),
    }
    print_foreseen(preview(table, columns, **asked))
    release = protect_directions(
        table, columns, **asked, keep=tuple(keep or ()), engine=runs or "duckdb", terms=door.terms, rng=door.rng
    )
    card = door.hand_over(release, table, person=door.terms.person)
    total = card.promise.get("per_person", {}).get("totals")
    if total is not None:
        notes.print(total["words"], markup=False, soft_wrap=True)


@shared_options(returning)
def attack(
    returned: Returned, *, person: PersonColumn = None, hour: KeptHour = None, tolerance: Tolerance = None
) -> None:
    """Attack protected directions: whose is it, and what was it? With --person, what is their habit or home?

    For the owner's eyes: uses the raw data and the key. The attacker knows the law of the noise from the card.

    Example: sfumato direction attack poll.csv protected.csv --key protected.key --person name
    """
    returned.check_kind("direction")
    options: dict[str, Any] = {"person": person, "hour": hour, "tolerance": tolerance}
    found = returned.release.attack(returned.original, seed=returned.seed, **options)
    print_findings(found, title=returned.title, reference="chance")


@shared_options(returning)
def measure(returned: Returned, *, person: PersonColumn = None, hour: KeptHour = None) -> None:
    """Measure the error of each record, of the means and of the histograms. For the owner's eyes.

    Example: sfumato direction measure poll.csv protected.csv --key protected.key
    """
    returned.check_kind("direction")
    found = returned.release.measure(returned.original, seed=returned.seed, person=person, hour=hour)
    print_findings(found, title=returned.title, reference="raw")


def choose(
    n: Annotated[int, typer.Option(help="2 for angles and hours, 3 for places, else the vectors' length.", min=2)],
    epsilon: Epsilon = None,
    level: Level = None,
    radius: Annotated[float | None, typer.Option(help="In radians.", show_default=False)] = None,
    pure: Pure = None,
    sensitivity: Annotated[float | None, typer.Option(help="In radians, with --pure.", show_default=False)] = None,
    metric: Annotated[str, typer.Option(help="angle or chord, with --epsilon or --level.")] = "angle",
    criterion: Annotated[str, typer.Option(help="The expected error: angle, chord, cosine (for averages).")] = "angle",
    graceful: Annotated[bool, typer.Option("--graceful", help="Near directions must be hidden better.")] = False,
) -> None:
    """Recommend the mechanism with the least expected error under a promise.

    Example: sfumato direction choose --n 2 --pure 1
    """
    from sfumato.direction import choose as advise

    advice = advise(
        n,
        epsilon=epsilon,
        level=level,
        radius=radius,
        pure=pure,
        sensitivity=sensitivity,
        metric=metric,  # type: ignore[arg-type]
        criterion=criterion,  # type: ignore[arg-type]
        graceful=graceful,
    )
    screen.print(str(advice), markup=False, soft_wrap=True)
