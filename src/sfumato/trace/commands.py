"""``sfumato trace protect | attack | measure``."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import typer
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.study import Attack, Utility
from sfumato.study.console import command_rng, notes, print_scores

if TYPE_CHECKING:
    from sfumato.trace import Kernel

__all__ = ["attack", "measure", "protect"]

Interval = tuple[float, float]
_MOST_JOINTLY = 12

_Input = Annotated[Path, typer.Argument(help="A GPX file, or CSV, Parquet or JSON Lines with columns t, lat, lon.")]
_Secret = Annotated[
    list[str], typer.Option(help="When the place is secret: 12:00-12:30 of the first day; may be repeated.")
]
_Zone = Annotated[str, typer.Option(help="Time zone of --secret, such as Europe/Berlin.")]
_Radius = Annotated[float, typer.Option(help="How far apart two places are that must not be told apart, in metres.")]
_Length = Annotated[
    float | None, typer.Option(help="Length scale of the path in seconds, public knowledge of how people move.")
]


def protect(
    input: _Input,
    secret: _Secret,
    zone: _Zone = "UTC",
    output: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where to write; by default day.gpx gives day-protected.gpx.")
    ] = None,
    radius: _Radius = 200.0,
    epsilon: Annotated[float, typer.Option(help="Rényi ε of each secret, at the given order.")] = 1.0,
    order: Annotated[float, typer.Option(help="Rényi order λ > 1.")] = 2.0,
    length: _Length = None,
    spread: Annotated[float, typer.Option(help="How far people usually are from the middle, in metres.")] = 3000.0,
    jointly: Annotated[bool, typer.Option(help="Hide all times of a secret together, not each of them.")] = False,
    design: Annotated[
        str, typer.Option(help="optimal, block, published, dominate, uniform or concentrated.")
    ] = "optimal",
    seed: Annotated[int | None, typer.Option(help="Repeatable noise, for experiments only.")] = None,
) -> None:
    """Hide where somebody was at secret times, also from those who know how people move.

    Example: sfumato trace protect day.gpx --secret 12:00-12:30 --radius 200 --epsilon 1 -o hidden.gpx
    """
    from sfumato.trace import GpsTrace, Projection, Secret, TraceNoise, read_gps, write_gps

    target = input.with_name(f"{input.stem}-protected{input.suffix}") if output is None else output
    trace = read_gps(input)
    if len(trace.times) > 3000:
        raise bad_input("points", len(trace.times), "at most 3000", "thin the trace: the work grows with the cube")
    secrets: list[Secret] = []
    for text in secret:
        found = Secret.during(trace.times, *parse_interval(text, float(trace.times[0]), zone))
        if jointly and len(found.indices) > _MOST_JOINTLY:
            raise bad_input(
                "--jointly",
                f"{len(found.indices)} points",
                f"at most {_MOST_JOINTLY}",
                "hide each of them, or thin the trace",
            )
        secrets += [found] if jointly else [Secret((index,)) for index in found.indices]
    plane = Projection.about(trace)
    mechanism = TraceNoise(
        prior=walking_prior(trace.times, length, spread),
        times=trace.times,
        secrets=tuple(dict.fromkeys(secrets)),
        radius=radius,
        epsilon=epsilon,
        order=order,
        design=design,  # type: ignore[arg-type]
    )
    hidden = mechanism.release(plane.to_metres(trace.latitude, trace.longitude), rng=command_rng(seed))
    promise = mechanism.guarantee
    write_gps(GpsTrace(trace.times, *plane.to_degrees(hidden)), target)
    error = float(np.sqrt(2 * np.trace(mechanism.covariance) / len(trace.times)))
    notes.print(f"{promise}", soft_wrap=True)
    notes.print(
        f"{len(secrets)} secret times of {len(trace.times)}; root mean square error {error:.0f} m; wrote {target}"
    )


def attack(
    original: _Input,
    released: Annotated[Path, typer.Argument(help="The protected trace.")],
    secret: _Secret,
    zone: _Zone = "UTC",
    radius: _Radius = 200.0,
    error: Annotated[
        float, typer.Option(help="Standard error of the noise per coordinate, if known, in metres.")
    ] = 0.0,
    length: _Length = None,
    spread: Annotated[float, typer.Option(help="How far people usually are from the middle, in metres.")] = 3000.0,
) -> None:
    """Try to find the secret places in a protected trace, and the stops.

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


def measure(original: _Input, released: Annotated[Path, typer.Argument(help="The protected trace.")]) -> None:
    """Say what is left of a trace: path, speeds, stays and map.

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
    from sfumato.validate import positive

    scale = 6 * float(np.median(np.diff(times))) if length is None else positive("length", length)
    return RBF(length=scale, variance=positive("spread", spread) ** 2) + White(variance=25.0)


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
