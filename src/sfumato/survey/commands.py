"""``sfumato survey protect | attack | measure``."""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer

from sfumato.cli.options import EngineName, Master, Settings, leaving, mechanism_help, returning, shared_options
from sfumato.release import Card
from sfumato.study.console import notes
from sfumato.study.door import Door, Returned, print_findings
from sfumato.study.settings import read_settings
from sfumato.survey.protection import protect as protect_answers
from sfumato.survey.question import kinds

__all__ = ["attack", "measure", "protect"]

Column = Annotated[str, typer.Option("--column", "-c", help="The column with the answers.")]
MechanismName = Annotated[str, typer.Option("--mechanism", "-m", help=mechanism_help(kinds()))]
Group = Annotated[
    list[str] | None,
    typer.Option("--group", help="A column of the public place, such as lat; repeat it.", show_default=False),
]
Alpha = Annotated[
    float | None, typer.Option(help="Promise on who sent which report; 0 is uniform.", show_default=False)
]
Radius = Annotated[
    float | None,
    typer.Option(help="Hide among all within this distance (km on the globe).", show_default=False),
]
Radii = Annotated[
    str | None,
    typer.Option(help="A public column with each owner's own radius instead; it is released.", show_default=False),
]
Nearest = Annotated[int | None, typer.Option(help="Hide among this many nearest instead.", show_default=False)]
Friends = Annotated[
    str | None,
    typer.Option(
        help="A public table of two columns of names: hide among friends instead; --group is the column of names.",
        show_default=False,
    ),
]
Hops = Annotated[int, typer.Option(help="With --friends: so many steps of friendship.", min=1)]
Epsilon = Annotated[
    float | None,
    typer.Option(help="Randomise each answer first; without it they are shuffled as they are.", show_default=False),
]
Category = Annotated[
    list[str] | None,
    typer.Option(help="A possible answer; repeat it. Needed with --epsilon.", show_default=False),
]
Geometry = Annotated[str | None, typer.Option(help="plane or globe.", show_default="globe for latitude and longitude")]
Order = Annotated[str, typer.Option(help="Reference order: best (of them, for the map), linked, cuthill-mckee or bfs.")]
Metric = Annotated[str, typer.Option(help="kendall (near places) or hamming (anywhere).")]
Keep = Annotated[
    list[str] | None,
    typer.Option("--keep", help="A further column that is released unchanged; repeat it.", show_default=False),
]
Privileged = Annotated[
    list[str] | None,
    typer.Option(help="A column that the attacker knows, numbers or words; repeat it.", show_default=False),
]
Near = Annotated[
    float | None, typer.Option(help="How near is near.", show_default="the radius, or the reach of a typical group")
]


@shared_options(leaving)
def protect(
    door: Door,
    *,
    column: Column = "answer",
    mechanism: MechanismName = "collection",
    group: Group = None,
    radius: Radius = None,
    radii: Radii = None,
    nearest: Nearest = None,
    friends: Friends = None,
    hops: Hops = 1,
    alpha: Alpha = None,
    epsilon: Epsilon = None,
    category: Category = None,
    geometry: Geometry = None,
    order: Order = "best",
    metric: Metric = "kendall",
    keep: Keep = None,
    setting: Settings = None,
    engine: EngineName = None,
    master: Master = None,
) -> None:
    """Shuffle the answers of a survey so that each is lost among its owner's neighbours.

    A row becomes a slot, not a person: its place stays, its answer comes from somewhere near. Only the places, the
    answer and the columns named by --keep are written, the rows in random order. --epsilon randomises the answers
    first. unary-encoding and hadamard-response encode each answer and shuffle nothing; they need no places, and with
    --engine the file need not fit in memory.

    Example: sfumato survey protect answers.csv -o shuffled.csv --group lat --group lon --radius 5 --alpha 4
    """
    table, runs = door.open(engine, master)
    release = protect_answers(
        table,
        column,
        mechanism=mechanism,
        epsilon=epsilon,
        alpha=alpha,
        group=tuple(group or ()),
        radius=radius,
        radii=radii,
        nearest=nearest,
        friends=None if friends is None else door.dialect.read(friends),
        hops=hops,
        categories=tuple(category or ()),
        geometry=geometry,
        order=order,
        metric=metric,
        keep=tuple(keep or ()),
        settings=read_settings(setting),
        engine=runs or "duckdb",
        terms=door.terms,
        rng=door.rng,
    )
    _say_movement(door.hand_over(release, table))


@shared_options(returning)
def attack(returned: Returned, *, privileged: Privileged = None, near: Near = None) -> None:
    """Attack protected answers: who said what? For the owner's eyes: uses the raw answers and the key.

    Example: sfumato survey attack answers.csv shuffled.csv --key shuffled.key --privileged age
    """
    returned.check_kind("survey")
    options: dict[str, Any] = {"privileged": tuple(privileged or ()), "near": near}
    found = returned.release.attack(returned.original, seed=returned.seed, **options)
    print_findings(found, title=returned.title, reference="without the release")


@shared_options(returning)
def measure(returned: Returned, *, near: Near = None) -> None:
    """Measure what protected answers leave to learn. For the owner's eyes: uses the raw answers and the key.

    Example: sfumato survey measure answers.csv shuffled.csv --key shuffled.key
    """
    returned.check_kind("survey")
    found = returned.release.measure(returned.original, seed=returned.seed, near=near)
    print_findings(found, title=returned.title, reference="exact")


def _say_movement(card: Card) -> None:
    """Say how far the reports were moved, and warn of what protects nobody or keeps nothing."""
    parameters, owners = card.mechanism.parameters, card.release.rows or 0
    groups = parameters.get("groups")
    if groups is None:
        return
    alpha = float(parameters["settings"].get("alpha", parameters["alpha"]))
    places = math.inf if alpha == 0 else groups["sensitivity"] / alpha
    moved = f"about {places:.0f} places" if places < owners else "anywhere"
    _note(
        f"{owners} reports, each moved {moved} along the order (width {groups['width']}, Δ = {groups['sensitivity']})"
    )
    _say_map(parameters.get("map"))
    if groups["alone"]:
        alone = f"{groups['alone']} of {owners} owners are alone in their group"
        _warn(f"{alone} and hide among nobody: a larger radius helps.")
    if parameters["epsilon"] is None:
        _warn(
            "the answers are shuffled as they are: unless they were randomised before, what a group answered as a "
            "whole is told. --epsilon randomises them."
        )
    if places >= owners and alpha > 0:
        _warn(
            "groups this large make the shuffle practically uniform; "
            "a smaller radius or a larger alpha keeps more of the map."
        )


def _say_map(kept: dict[str, Any] | None) -> None:
    """Say what stays of the map, and how more of it would."""
    if kept is None:
        return
    _note(
        f"order: {kept['order']}; of eight equal parts of the map, {kept['stay']:.0%} of the reports stay in theirs "
        "(13% by chance)"
    )
    if kept["half"]:
        ways = [f"--{name} {value:.3g}" for name, value in kept["half"].items()]
        _warn(f"little of the map is left. About half of it stays with {' or with '.join(ways)}, the rest as it is.")


def _note(text: str) -> None:
    notes.print(text, markup=False, soft_wrap=True)


def _warn(text: str) -> None:
    notes.print(f"[yellow]note:[/] {text}", soft_wrap=True)
