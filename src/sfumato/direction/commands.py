"""``sfumato direction protect | attack | measure | choose``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from sfumato.cli.options import Input, Out, Release, Seed, Settings, mechanism_help
from sfumato.direction.room import ROOM
from sfumato.errors import bad_input
from sfumato.io.files import check_table_output, read_table, write_table
from sfumato.io.geography import EARTH_RADIUS
from sfumato.study.console import command_rng, notes, print_scores, screen
from sfumato.study.score import Score
from sfumato.study.settings import build, read_settings
from sfumato.validate import choice

if TYPE_CHECKING:
    from sfumato.direction.data.check_ins import CheckIns

__all__ = ["attack", "choose", "measure", "protect"]

_KINDS = ROOM.mechanisms()
_PARAMETERS = {name: {field.name for field in fields(kind)} for name, kind in _KINDS.items()}
_NOISES = {name: kind for name, kind in _KINDS.items() if "kind" in _PARAMETERS[name]}
"""Mechanisms that perturb directions themselves; the others work with one of these inside."""
_AROUND = [name for name in _KINDS if name not in _NOISES]

Columns = Annotated[
    list[str],
    typer.Option("--column", "-c", help="The column; twice for latitude and longitude.", show_default=False),
]
KindOption = Annotated[str, typer.Option(help="hour, angle (radians), latlon (degrees) or vector.")]
Name = Annotated[str, typer.Option("--mechanism", "-m", help=mechanism_help(_KINDS))]
NoiseName = Annotated[
    str, typer.Option("--noise", help=f"The noise inside {', '.join(_AROUND)}: one of {', '.join(_NOISES)}.")
]
Epsilon = Annotated[
    float | None, typer.Option(help="Loss per radian (von-mises-fisher: per chord).", show_default=False)
]
Level = Annotated[float | None, typer.Option(help="Loss within --radius.", show_default=False)]
Radius = Annotated[
    float | None,
    typer.Option(help="In hours for hour, metres for latlon, radians otherwise.", show_default=False),
]
Pure = Annotated[float | None, typer.Option(help="Loss between any two directions.", show_default=False)]
HourColumn = Annotated[
    str | None, typer.Option("--hour", help="For places: the column of the time of day.", show_default=False)
]
Hours = Annotated[float, typer.Option(help="protected-check-ins: --level holds within so many hours of the day.")]


def protect(
    input: Input,
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
    group: Annotated[
        str | None, typer.Option(help="For surveys: the column of the group, which is public.", show_default=False)
    ] = None,
    public: Annotated[
        str | None,
        typer.Option(
            help="A table of public directions in the same columns: the candidates of bayesian-remap, "
            "the places of protected-check-ins.",
            show_default=False,
        ),
    ] = None,
    wrap: Annotated[bool, typer.Option("--wrap", help="Take hours and angles modulo their period.")] = False,
    normalise: Annotated[bool, typer.Option("--normalise", help="Take the direction of vectors.")] = False,
    settings: Settings = None,
    out: Out = "-",
    seed: Seed = None,
) -> None:
    """Replace directions in a table by protected ones; the other columns stay as they are.

    Surveys have one row a person and one column of hours a night. naive-central-survey releases the means only.

    Examples:

      sfumato direction protect poll.csv -c wakes --pure 1 -o protected.csv

      sfumato direction protect visits.csv -c lat -c lon --kind latlon --level 1 --radius 200 -o protected.csv

      sfumato direction protect visits.csv -m protected-check-ins -c lat -c lon --hour hour --public venues.csv
      --level 1 --radius 200 -o protected.csv
    """
    from sfumato.direction.table_release import release_table

    options = {"epsilon": epsilon, "level": level, "pure": pure, "wrap": wrap or None, "normalise": normalise or None}
    made = _mechanism(mechanism, noise, kind, radius, hours, {**options, **read_settings(settings)})
    check_table_output(out)
    table = read_table(input)
    known = None if public is None else read_table(public)
    released, protected = release_table(
        table, column, made, hour=hour, group=group, public=known, rng=command_rng(seed)
    )
    write_table(released, out)
    notes.print(f"promise: {made.guarantee}", markup=False, soft_wrap=True)
    rest = [name for name in released.column_names if name not in protected]
    if rest:
        notes.print(f"not protected: {', '.join(rest)}", markup=False, soft_wrap=True)


def attack(
    input: Input,
    release: Release,
    column: Columns,
    user: Annotated[str, typer.Option(help="The column that says whose record it is.", show_default=False)],
    kind: KindOption = "hour",
    mechanism: Name = "purkayastha",
    epsilon: Epsilon = None,
    level: Level = None,
    radius: Radius = None,
    pure: Pure = None,
    noise: NoiseName = "purkayastha",
    hour: HourColumn = None,
    hours: Hours = 3.0,
    tolerance: Annotated[
        float | None, typer.Option(help="A guess so near counts: hours, or metres.", show_default="0.5 or 100")
    ] = None,
    settings: Settings = None,
    seed: Seed = None,
) -> None:
    """Infer each user's habit (hours) or home (places) from all their protected records.

    Needs the original data, so it is for their owner. With the parameters that protect had, the attacker knows the law
    of the noise; without them, they take the release as if it were true.

    Example: sfumato direction attack poll.csv protected.csv -c wakes --user person --pure 1
    """
    from sfumato.direction import HabitAttack, HistogramLinkageAttack, HomeAttack

    choice("kind", kind, ("hour", "latlon"), "attacks are made for hours and places")
    raw, seen = _pair(input, release)
    known = None
    options = {"epsilon": epsilon, "level": level, "pure": pure, **read_settings(settings)}
    if any(value is not None for value in options.values()):
        known = _mechanism(mechanism, noise, kind, radius, hours, options)
    rng = command_rng(seed)
    if kind == "hour":
        data, protected = (_hours(table, column, user) for table in (raw, seen))
        found: Any = HabitAttack(tolerance=0.5 if tolerance is None else tolerance)
    else:
        data, protected = _visits(raw, seen, column, user, hour)
        night = (22.0, 6.0) if hour is not None else (0.0, 23.999_999)
        found = HomeAttack(tolerance=100.0 if tolerance is None else tolerance, night=night)
    scores = [(found.name, found.attack(data, protected, mechanism=known, rng=rng))]
    if data.users > 1:
        linkage = HistogramLinkageAttack(adaptive=False)
        scores.append((linkage.name, linkage.attack(data, protected, rng=rng)))
    print_scores(scores, title=f"{data.users} users, {len(data)} records", reference="chance")


def measure(
    input: Input,
    release: Release,
    column: Columns,
    kind: KindOption = "hour",
) -> None:
    """Measure the error of each record, of the mean and of the histogram.

    Example: sfumato direction measure poll.csv protected.csv -c wakes
    """
    from sfumato.direction import circular_emd, circular_histogram, globe_emd, globe_histogram, mean_direction
    from sfumato.direction.core.coordinates import Kind, as_vectors, period_of
    from sfumato.direction.core.frame_columns import read_columns
    from sfumato.direction.core.sphere import angle_between

    raw, seen = _pair(input, release)
    choice("kind", kind, ("hour", "angle", "latlon", "vector"))
    true, noisy = (read_columns(table, column) for table in (raw, seen))
    named: Kind = kind  # type: ignore[assignment]
    unit, scale = {"hour": ("h", 24 / (2 * np.pi)), "latlon": ("km", EARTH_RADIUS / 1000)}.get(kind, ("rad", 1.0))
    here, there = (as_vectors("column", values, named) for values in (true, noisy))
    errors = scale * angle_between(here, there).ravel()
    scores = [
        (f"mean error ({unit})", Score.of_mean(errors, 0.0)),
        (f"median error ({unit})", Score(float(np.median(errors)), reference=0.0)),
        (
            f"shift of the mean ({unit})",
            Score(float(scale * angle_between(mean_direction(here), mean_direction(there))), reference=0.0),
        ),
    ]
    if kind in ("hour", "angle"):
        period = period_of(named)
        counts = [circular_histogram(values, 24, period) for values in (true, noisy)]
        moved = float(circular_emd(counts[0], counts[1], period))
        scores.append((f"histogram error ({unit})", Score(moved, reference=0.0)))
    elif kind == "latlon":
        cells = [part for values in (true, noisy) for part in globe_histogram(values)]
        scores.append(("histogram error (km)", Score(globe_emd(*cells), reference=0.0)))
    print_scores(scores, title=f"{len(errors)} directions", reference="raw")


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


def _mechanism(name: str, noise: str, kind: str, radius: float | None, hours: float, options: Mapping[str, Any]) -> Any:
    """The mechanism that the options describe; what a mechanism with noise inside does not have goes to the noise."""
    from sfumato.direction import ProtectedCheckIns

    choice("mechanism", name, list(_KINDS))
    given = {key: value for key, value in options.items() if value is not None}
    if name in _NOISES:
        return build(_KINDS, name, _within(given, kind, radius), kind=kind)
    inside = {key: value for key, value in given.items() if key not in _PARAMETERS[name]}
    outside = {key: value for key, value in given.items() if key in _PARAMETERS[name]}

    def part(kind: str, radius: float | None) -> Any:
        return build(_NOISES, noise, _within(inside, kind, radius), what="noise", kind=kind)

    if issubclass(_KINDS[name], ProtectedCheckIns):
        time = None if radius is None else hours
        return build(_KINDS, name, outside, place=part("latlon", radius), time=part("hour", time))
    return build(_KINDS, name, outside, noise=part(kind, radius))


def _within(options: Mapping[str, Any], kind: str, radius: float | None) -> dict[str, Any]:
    """The options with the radius in radians, from metres on the ground, hours of the day or radians."""
    from sfumato.direction import metres_to_radians

    if radius is None:
        return dict(options)
    if kind == "latlon":
        radius = metres_to_radians(radius)
    elif kind == "hour":
        radius = radius * 2 * np.pi / 24
    return {**options, "radius": radius}


def _pair(input: str, release: str) -> tuple[Any, Any]:
    raw, seen = read_table(input), read_table(release)
    if raw.num_rows != seen.num_rows:
        raise bad_input("release", seen.num_rows, f"{raw.num_rows} records, row by row those of the input")
    return raw, seen


def _hours(table: Any, column: list[str], user: str) -> CheckIns:
    from sfumato.direction.core.frame_columns import label_codes, read_columns
    from sfumato.direction.data.check_ins import CheckIns

    values = read_columns(table, column)
    if values.shape[1] != 1:
        raise bad_input("column", column, "one column of hours")
    count = len(values)
    return CheckIns(
        user=label_codes(table, user)[1],
        hour=values[:, 0],
        latlon=np.zeros((count, 2)),
        place=np.zeros(count, dtype=np.int64),
        places=np.zeros((1, 2)),
    )


def _visits(raw: Any, seen: Any, column: list[str], user: str, hour: str | None) -> tuple[CheckIns, CheckIns]:
    """Both tables as check-ins at the distinct places of the raw one, which the attacker knows as a map."""
    from sfumato.direction.core.frame_columns import check_ins_of_columns, read_columns

    places = np.unique(read_columns(raw, column), axis=0)
    first, second = (check_ins_of_columns(table, column, places, hour=hour, user=user) for table in (raw, seen))
    return first, second
