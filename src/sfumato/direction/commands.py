"""``sfumato direction protect | attack | measure | choose``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.io.files import check_table_output, read_table, write_table
from sfumato.io.geography import EARTH_RADIUS
from sfumato.study.console import command_rng, notes, print_scores, screen
from sfumato.study.score import Score
from sfumato.validate import choice

if TYPE_CHECKING:
    from sfumato.direction.data.check_ins import CheckIns

__all__ = ["attack", "choose", "measure", "protect"]

_MECHANISMS = {
    "purkayastha": "Purkayastha",
    "vmf": "VonMisesFisher",
    "wrapped": "WrappedLaplace",
    "cap": "SphericalCap",
}

Input = Annotated[str, typer.Argument(help="CSV, Parquet or JSON Lines; - for standard input.", show_default=False)]
Release = Annotated[str, typer.Argument(help="What protect made of it, row by row.", show_default=False)]
Columns = Annotated[
    list[str],
    typer.Option("--column", "-c", help="The column; twice for latitude and longitude.", show_default=False),
]
KindOption = Annotated[str, typer.Option(help="hour, angle (radians), latlon (degrees) or vector.")]
Name = Annotated[str, typer.Option("--mechanism", "-m", help="purkayastha, vmf, wrapped (circle only) or cap.")]
Epsilon = Annotated[float | None, typer.Option(help="Loss per radian (chord for vmf).", show_default=False)]
Level = Annotated[float | None, typer.Option(help="Loss within --radius.", show_default=False)]
Radius = Annotated[
    float | None,
    typer.Option(help="In hours for hour, metres for latlon, radians otherwise.", show_default=False),
]
Pure = Annotated[float | None, typer.Option(help="Loss between any two directions.", show_default=False)]
User = Annotated[str | None, typer.Option(help="The column that says whose record it is.", show_default=False)]
Seed = Annotated[int | None, typer.Option(help="For experiments only: makes the noise repeatable.", show_default=False)]


def _mechanism(name: str, kind: str, radius: float | None, **parameters: Any) -> Any:
    import sfumato.direction as direction

    maker = getattr(direction, _MECHANISMS[choice("mechanism", name, list(_MECHANISMS))])
    if radius is not None:
        parameters["radius"] = direction.metres_to_radians(radius) if kind == "latlon" else radius
        if kind == "hour":
            parameters["radius"] = radius * 2 * np.pi / 24
    return maker(kind=kind, **{key: value for key, value in parameters.items() if value is not None})


def protect(
    input: Input,
    column: Columns,
    kind: KindOption = "hour",
    mechanism: Name = "purkayastha",
    epsilon: Epsilon = None,
    level: Level = None,
    radius: Radius = None,
    pure: Pure = None,
    wrap: Annotated[bool, typer.Option("--wrap", help="Take hours and angles modulo their period.")] = False,
    normalise: Annotated[bool, typer.Option("--normalise", help="Take the direction of vectors.")] = False,
    out: Annotated[str, typer.Option("--out", "-o", help="Where the table goes; - for standard output.")] = "-",
    seed: Seed = None,
) -> None:
    """Replace directions in a table by protected ones; the other columns stay as they are.

    Examples:

      sfumato direction protect poll.csv -c wakes --pure 1 -o protected.csv

      sfumato direction protect visits.csv -c lat -c lon --kind latlon --level 1 --radius 200 -o protected.csv
    """
    from sfumato.direction import release_columns

    extras = {"wrap": wrap or None, "normalise": normalise or None}
    made = _mechanism(mechanism, kind, radius, epsilon=epsilon, level=level, pure=pure, **extras)
    check_table_output(out)
    released = release_columns(read_table(input), column, made, rng=command_rng(seed))
    write_table(released, out)
    notes.print(f"promise: {made.guarantee}", markup=False, soft_wrap=True)
    rest = [name for name in released.column_names if name not in column]
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
    hour: Annotated[
        str | None, typer.Option(help="For places: the column of the hour, to know the night.", show_default=False)
    ] = None,
    tolerance: Annotated[
        float | None, typer.Option(help="A guess so near counts: hours, or metres.", show_default="0.5 or 100")
    ] = None,
    seed: Seed = None,
) -> None:
    """Find each user's habit (hours) or home (places) from all their protected records. For the owner's eyes.

    With the parameters that protect had, the attacker knows the noise; without, they take the release at its word.

    Example: sfumato direction attack poll.csv protected.csv -c wakes --user person --pure 1
    """
    from sfumato.direction import HabitAttack, HistogramLinkageAttack, HomeAttack

    choice("kind", kind, ("hour", "latlon"), "attacks are made for hours and places")
    raw, seen = _pair(input, release)
    known = None
    if any(value is not None for value in (epsilon, level, pure)):
        known = _mechanism(mechanism, kind, radius, epsilon=epsilon, level=level, pure=pure)
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
    """Measure what is left: error of each record, of the mean and of the histogram.

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
    spread = 1.96 * errors.std() / np.sqrt(len(errors))
    mean = float(errors.mean())
    scores = [
        (f"mean error ({unit})", Score(mean, mean - spread, mean + spread, 0.0)),
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
    """Say which mechanism has the least expected error under a promise, and why.

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


def _pair(input: str, release: str) -> tuple[Any, Any]:
    raw, seen = read_table(input), read_table(release)
    if raw.num_rows != seen.num_rows:
        raise bad_input("release", seen.num_rows, f"{raw.num_rows} records, row by row those of the input")
    return raw, seen


def _codes(table: Any, user: str) -> NDArray[np.int64]:
    from sfumato.io.frames import column as read_column

    return np.unique(read_column(table, user), return_inverse=True)[1].astype(np.int64)


def _hours(table: Any, column: list[str], user: str) -> CheckIns:
    from sfumato.direction.core.frame_columns import read_columns
    from sfumato.direction.data.check_ins import CheckIns

    values = read_columns(table, column)
    if values.shape[1] != 1:
        raise bad_input("column", column, "one column of hours")
    nowhere = np.zeros((1, 2))
    count = len(values)
    return CheckIns(
        user=_codes(table, user),
        hour=values[:, 0],
        latlon=np.zeros((count, 2)),
        place=np.zeros(count, dtype=np.int64),
        places=nowhere,
    )


def _visits(raw: Any, seen: Any, column: list[str], user: str, hour: str | None) -> tuple[CheckIns, CheckIns]:
    """Both tables as check-ins at the distinct places of the raw one, which the attacker knows as a map."""
    from sfumato.direction import nearest_place
    from sfumato.direction.core.frame_columns import read_columns
    from sfumato.direction.data.check_ins import CheckIns
    from sfumato.io.frames import numbers

    if len(column) != 2:
        raise bad_input("column", column, "latitude and longitude")
    places = np.unique(read_columns(raw, column), axis=0)
    both = []
    for table in (raw, seen):
        latlon = read_columns(table, column)
        both.append(
            CheckIns(
                user=_codes(table, user),
                hour=np.zeros(len(latlon)) if hour is None else numbers(table, hour),
                latlon=latlon,
                place=nearest_place(latlon, places),
                places=places,
            )
        )
    return both[0], both[1]
