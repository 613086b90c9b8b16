"""``sfumato trace protect | attack | measure``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, get_args

import typer

from sfumato.cli.options import Settings, leaving, mechanism_help, returning, shared_options
from sfumato.io.files import table_format
from sfumato.study.console import notes
from sfumato.study.door import Door, Returned, print_findings
from sfumato.study.settings import read_settings
from sfumato.trace.core.gps import as_track
from sfumato.trace.mechanisms.trace_noise import DesignName
from sfumato.trace.protection import ERROR, SECRETS
from sfumato.trace.protection import protect as protect_trace
from sfumato.trace.trace_method import kinds
from sfumato.validate import choice

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["attack", "measure", "protect"]

_SECRET = "An interval of the first day at which the place is secret, such as 12:00-12:30; repeatable."


@shared_options(leaving)
def protect(
    door: Door,
    *,
    secret: Annotated[list[str] | None, typer.Option(help=f"trace-noise: {_SECRET}", show_default=False)] = None,
    zone: Annotated[str, typer.Option(help="Time zone of --secret, such as Europe/Berlin.")] = "UTC",
    mechanism: Annotated[str, typer.Option("--mechanism", "-m", help=mechanism_help(kinds()))] = "trace-noise",
    radius: Annotated[float, typer.Option(help="Two places this far apart must not be told apart, in metres.")] = 200.0,
    epsilon: Annotated[
        float | None,
        typer.Option(
            help="Loss between two places --radius apart: the Rényi ε of each secret (trace-noise), "
            "the ε of each point (remapped-planar).",
            show_default="1",
        ),
    ] = None,
    order: Annotated[float | None, typer.Option(help="trace-noise: the Rényi order λ > 1.", show_default="2")] = None,
    length: Annotated[
        float | None,
        typer.Option(
            help="Length scale of the path in seconds: public knowledge of how people move.",
            show_default="6 sampling periods",
        ),
    ] = None,
    spread: Annotated[
        float, typer.Option(help="Standard deviation of a place around the middle of the path, in metres.")
    ] = 3000.0,
    jointly: Annotated[
        bool, typer.Option("--jointly", help="trace-noise: hide all times of a secret together, not each of them.")
    ] = False,
    design: Annotated[
        str | None,
        typer.Option(help=f"trace-noise: one of {', '.join(get_args(DesignName))}.", show_default="optimal"),
    ] = None,
    setting: Settings = None,
) -> None:
    """Hide where somebody was at secret times, also from those who know how people move.

    Times and places leave; elevation, names and all other fields do not. The times of the secrets are in the private
    key (--key), which an attack needs later.

    Examples:

      sfumato trace protect day.gpx -o hidden.gpx --secret 12:00-12:30 --radius 200 --epsilon 1 --key day.key

      sfumato trace protect day.gpx -o hidden.gpx --mechanism remapped-planar --radius 200 --epsilon 1
    """
    choice("mechanism", mechanism, list(kinds()))  # before a long file is read
    table = _track(door)
    release = protect_trace(
        table,
        secrets=tuple(secret or ()),
        mechanism=mechanism,
        epsilon=epsilon,
        radius=radius,
        order=order,
        design=design,
        jointly=jointly,
        length=length,
        spread=spread,
        zone=zone,
        settings=read_settings(setting),
        terms=door.terms,
        rng=door.rng,
    )
    door.hand_over(release, table)
    held = release.key.secrets
    if ERROR in held:
        points = release.card.release.rows
        notes.print(f"{len(held[SECRETS])} secrets in {points} points; {ERROR} {held[ERROR]:.0f} m", soft_wrap=True)


@shared_options(returning)
def attack(returned: Returned) -> None:
    """Try to locate the secret places and the stops in a protected trace. For the owner's eyes: uses the raw data.

    Example: sfumato trace attack day.gpx hidden.gpx --key day.key
    """
    returned.check_kind("trace")
    found = returned.release.attack(returned.original, seed=returned.seed)
    print_findings(found, title=returned.title, reference="chance")


@shared_options(returning)
def measure(returned: Returned) -> None:
    """Measure the error of a protected trace: path, speeds, stops and map. For the owner's eyes: uses the raw data.

    Example: sfumato trace measure day.gpx hidden.gpx
    """
    returned.check_kind("trace")
    found = returned.release.measure(returned.original, seed=returned.seed)
    print_findings(found, title=returned.title, reference="raw data")


def _track(door: Door) -> pa.Table:
    """The input; for a release as GPX with the names and moments of GPX, since that holds no others."""
    table = door.read()
    return as_track(table) if table_format(door.out) == "gpx" else table
