"""``sfumato trace protect | attack | measure``."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import typer
from numpy.typing import NDArray

from sfumato.cli.options import Seed, Settings, mechanism_help
from sfumato.errors import bad_input
from sfumato.study import Attack, Utility
from sfumato.study.console import command_rng, notes, print_scores
from sfumato.study.settings import build, read_settings
from sfumato.trace.mechanisms.trace_noise import DesignName
from sfumato.trace.room import ROOM
from sfumato.validate import choice, positive

if TYPE_CHECKING:
    from sfumato.trace import Kernel, Secret

__all__ = ["attack", "measure", "protect"]

Interval = tuple[float, float]
_MOST_JOINTLY = 12
_MOST_POINTS = 3000

Trace = Annotated[Path, typer.Argument(help="A GPX file, or CSV, Parquet or JSON Lines with columns t, lat, lon.")]
Protected = Annotated[Path, typer.Argument(help="The trace that protect made of it.")]
Zone = Annotated[str, typer.Option(help="Time zone of --secret, such as Europe/Berlin.")]
Radius = Annotated[float, typer.Option(help="Two places this far apart must not be told apart, in metres.")]
Length = Annotated[
    float | None,
    typer.Option(
        help="Length scale of the path in seconds: public knowledge of how people move.",
        show_default="6 sampling periods",
    ),
]
Spread = Annotated[float, typer.Option(help="Standard deviation of a place around the middle of the path, in metres.")]
_SECRET = "An interval of the first day at which the place is secret, such as 12:00-12:30; repeatable."


def protect(
    input: Trace,
    secret: Annotated[list[str] | None, typer.Option(help=f"trace-noise: {_SECRET}", show_default=False)] = None,
    zone: Zone = "UTC",
    output: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Where the release goes.", show_default="day.gpx gives day-protected.gpx"),
    ] = None,
    mechanism: Annotated[
        str, typer.Option("--mechanism", "-m", help=mechanism_help(ROOM.mechanisms()))
    ] = "trace-noise",
    radius: Radius = 200.0,
    epsilon: Annotated[
        float | None,
        typer.Option(
            help="Loss between two places --radius apart: the Rényi ε of each secret (trace-noise), "
            "the ε of each point (remapped-planar).",
            show_default="1",
        ),
    ] = None,
    order: Annotated[float | None, typer.Option(help="trace-noise: the Rényi order λ > 1.", show_default="2")] = None,
    length: Length = None,
    spread: Spread = 3000.0,
    jointly: Annotated[
        bool, typer.Option("--jointly", help="trace-noise: hide all times of a secret together, not each of them.")
    ] = False,
    design: Annotated[
        str | None,
        typer.Option(help=f"trace-noise: one of {', '.join(get_args(DesignName))}.", show_default="optimal"),
    ] = None,
    settings: Settings = None,
    seed: Seed = None,
) -> None:
    """Hide where somebody was at secret times, also from those who know how people move.

    Examples:

      sfumato trace protect day.gpx --secret 12:00-12:30 --radius 200 --epsilon 1 -o hidden.gpx

      sfumato trace protect day.gpx --mechanism remapped-planar --radius 200 --epsilon 1 -o hidden.gpx
    """
    from sfumato.trace import GpsTrace, Projection, RemappedPlanar, read_gps, write_gps

    kinds = ROOM.mechanisms()
    kind = kinds[choice("mechanism", mechanism, list(kinds))]
    target = input.with_name(f"{input.stem}-protected{input.suffix}") if output is None else output
    options = {"order": order, "design": design}
    chosen = {**{key: value for key, value in options.items() if value is not None}, **read_settings(settings)}
    trace = read_gps(input)
    if len(trace.times) > _MOST_POINTS:
        raise bad_input(
            "points", len(trace.times), f"at most {_MOST_POINTS}", "thin the trace: the work grows with the cube"
        )
    secrets: Sequence[Secret] = ()
    if issubclass(kind, RemappedPlanar):
        if secret or jointly:
            raise bad_input("--secret", secret, f"none with {mechanism}", "it protects every point, each on its own")
        chosen.setdefault("epsilon", (1.0 if epsilon is None else epsilon) / radius)
    else:
        secrets = _secrets(secret, trace.times, zone, jointly=jointly)
        if epsilon is not None or not {"epsilon", "error"} & chosen.keys():
            chosen["epsilon"] = 1.0 if epsilon is None else epsilon
    prior = walking_prior(trace.times, length, spread)
    made = build(kinds, mechanism, chosen, prior=prior, times=trace.times, secrets=secrets, radius=radius)
    plane = Projection.about(trace)
    hidden = made.release(plane.to_metres(trace.latitude, trace.longitude), rng=command_rng(seed))
    promise = made.guarantee
    write_gps(GpsTrace(trace.times, *plane.to_degrees(hidden)), target)
    notes.print(f"promise: {promise}", markup=False, soft_wrap=True)
    notes.print(f"{_summary(made, len(trace.times))}; wrote {target}", markup=False, soft_wrap=True)


def attack(
    original: Trace,
    released: Protected,
    secret: Annotated[list[str], typer.Option(help=_SECRET)],
    zone: Zone = "UTC",
    radius: Radius = 200.0,
    error: Annotated[
        float, typer.Option(help="Standard error of the noise per coordinate, if known, in metres.")
    ] = 0.0,
    length: Length = None,
    spread: Spread = 3000.0,
) -> None:
    """Try to locate the secret places and the stops in a protected trace.

    Example: sfumato trace attack day.gpx hidden.gpx --secret 12:00-12:30
    """
    from sfumato.trace import PosteriorAttack, Secret, StopAttack, TraceNoise

    times, truth, seen = _aligned(original, released)
    secrets = [Secret.during(times, *parse_interval(text, float(times[0]), zone)) for text in secret]
    prior = walking_prior(times, length, spread)
    noise = None
    if error > 0:
        noise = TraceNoise(
            prior=prior, times=times, secrets=secrets, radius=radius, error=error, design="uniform"
        )  # what an attacker who does not know the shape assumes
    gap = float(np.median(np.diff(times)))
    attacks: list[Attack] = [
        PosteriorAttack(prior=prior, times=times, secrets=secrets, radius=radius),
        StopAttack(times=times, radius=radius, duration=4 * gap),
    ]
    print_scores([(one.name, one.attack(truth, seen, mechanism=noise)) for one in attacks], reference="chance")


def measure(original: Trace, released: Protected) -> None:
    """Measure the error of a protected trace: path, speeds and map.

    Example: sfumato trace measure day.gpx hidden.gpx
    """
    from sfumato.trace import HeatMap, PathError, SpeedProfile

    times, truth, seen = _aligned(original, released)
    utilities: list[Utility] = [
        PathError(name="path error, m"),
        SpeedProfile(times=times, name="speed error, m/s"),
        HeatMap(cell=500.0),
    ]
    print_scores([(one.name, one.measure(truth, seen)) for one in utilities], reference="raw data")


def parse_interval(text: str, start: float, zone: str = "UTC") -> Interval:
    """``12:00-12:30`` on the day of ``start`` in a time zone, as Unix seconds.

    >>> parse_interval("00:01-00:02", 86400.0)
    (86460.0, 86520.0)
    """
    try:
        clock = ZoneInfo(zone)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        raise bad_input("--zone", zone, "a time zone such as UTC or Europe/Berlin") from None
    day = datetime.fromtimestamp(start, clock).replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        first, second = (datetime.strptime(part.strip(), "%H:%M") for part in text.split("-"))
    except ValueError:
        raise bad_input("secret", text, "an interval such as 12:00-12:30") from None
    low, high = ((day.replace(hour=t.hour, minute=t.minute)).timestamp() for t in (first, second))
    if not low <= high:
        raise bad_input("secret", text, "an interval that begins before it ends")
    return low, high


def walking_prior(times: NDArray[np.float64], length: float | None, spread: float) -> Kernel:
    """A public prior of movement: smooth over six sampling periods unless told otherwise, receiver error of 5 m."""
    from sfumato.trace import RBF, White

    scale = 6 * float(np.median(np.diff(times))) if length is None else positive("length", length)
    return RBF(length=scale, variance=positive("spread", spread) ** 2) + White(variance=25.0)


def _secrets(texts: Sequence[str] | None, times: NDArray[np.float64], zone: str, *, jointly: bool) -> list[Secret]:
    """The secrets of ``--secret``: each point of an interval, or the interval as a whole; no secret twice."""
    from sfumato.trace import Secret

    if not texts:
        raise bad_input("--secret", None, "an interval such as 12:00-12:30", "say when the place is secret")
    found: list[Secret] = []
    for text in texts:
        during = Secret.during(times, *parse_interval(text, float(times[0]), zone))
        if jointly and len(during.indices) > _MOST_JOINTLY:
            raise bad_input(
                "--jointly",
                f"{len(during.indices)} points",
                f"at most {_MOST_JOINTLY}",
                "hide each of them, or thin the trace",
            )
        found += [during] if jointly else [Secret((index,)) for index in during.indices]
    return list(dict.fromkeys(found))


def _summary(mechanism: Any, points: int) -> str:
    """What was hidden, and at which expected error where the mechanism knows it."""
    from sfumato.trace import TraceNoise

    if not isinstance(mechanism, TraceNoise):
        return f"{points} points"
    error = float(np.sqrt(2 * np.trace(mechanism.covariance) / points))
    return f"{len(mechanism.secrets)} secrets in {points} points; root mean square error {error:.0f} m"


def _aligned(original: Path, released: Path) -> tuple[NDArray[np.float64], ...]:
    from sfumato.trace import Projection, read_gps

    first, second = read_gps(original), read_gps(released)
    if len(first.times) != len(second.times) or np.abs(first.times - second.times).max() > 1:
        raise bad_input(
            "released", released.name, "the same times as the original", "compare a trace with its own release"
        )
    plane = Projection.about(first)
    return (
        first.times,
        plane.to_metres(first.latitude, first.longitude),
        plane.to_metres(second.latitude, second.longitude),
    )
