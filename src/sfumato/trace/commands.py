"""``sfumato trace protect | attack | measure``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.options import EngineName, Master, Settings, leaving, mechanism_help, returning, shared_options
from sfumato.errors import bad_input
from sfumato.io.atomic import check_output
from sfumato.io.files import table_format
from sfumato.study.console import notes, progress_bar
from sfumato.study.door import Dialect, Door, Returned, print_findings
from sfumato.study.settings import read_settings
from sfumato.trace.core.gps import as_track
from sfumato.trace.core.hidden_place import HiddenPlace
from sfumato.trace.core.hidden_times import visits_in_words
from sfumato.trace.people.cohort_release import protect_people
from sfumato.trace.people.own_traces import COLUMNS, FILE, PEOPLE, parse_columns, read_people, renamed
from sfumato.trace.protection import ERROR, OTHER_VISITS, read_prior
from sfumato.trace.protection import protect as protect_trace
from sfumato.trace.release_pictures import write_pictures
from sfumato.trace.returned.beside_original import PLACES
from sfumato.trace.returned.evaluation import pictures_of
from sfumato.trace.returned.other_releases import with_keys
from sfumato.trace.trace_method import kinds
from sfumato.validate import choice

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.release import Release

__all__ = ["attack", "map", "measure", "protect"]

_BACK = (
    "was near the hidden place at other times too, which shows it: hide those times as well, or the place with --home"
)
_WHAT, _HOW, _PEOPLE = "What is hidden", "How it is hidden", "Many people"


@shared_options(leaving)
def protect(
    door: Door,
    *,
    home: Annotated[
        str | None,
        typer.Option(
            metavar="LAT,LON",
            help="Hide this place for ever: a zone around it, drawn once and kept beside --ledger, is left out of "
            "every release of --subject.",
            show_default=False,
            rich_help_panel=_WHAT,
        ),
    ] = None,
    secret: Annotated[
        list[str] | None,
        typer.Option(
            help="A stay on the first day whose place is secret, such as 12:00-12:30, or a moment on the way, such as "
            "12:05; '2024-05-02 12:00-12:30' is on another day; repeatable.",
            show_default=False,
            rich_help_panel=_WHAT,
        ),
    ] = None,
    daily: Annotated[
        list[str] | None,
        typer.Option(
            help="Hours of every day at one secret place, such as 22:00-06:00; repeatable. All days in one call are "
            "one secret; days released one after the other add up.",
            show_default=False,
            rich_help_panel=_WHAT,
        ),
    ] = None,
    keep_times: Annotated[
        bool,
        typer.Option("--keep-times", help="Keep every point and add noise; else points are cut.", rich_help_panel=_HOW),
    ] = False,
    for_ever: Annotated[
        bool,
        typer.Option(
            "--for-ever",
            help="With --keep-times: one noise for all days and calls, drawn once and kept beside --ledger. Without it "
            "only the days of one call share a noise.",
            rich_help_panel=_HOW,
        ),
    ] = False,
    place: Annotated[str, typer.Option(help="The name of the place that is kept, if there are several.")] = "home",
    zone: Annotated[
        str | None,
        typer.Option(
            help="Time zone of --secret and --daily, and of times that do not say theirs: Europe/Berlin.",
            show_default="UTC; times in the file must say theirs",
        ),
    ] = None,
    mechanism: Annotated[
        str | None,
        typer.Option("--mechanism", "-m", help=mechanism_help(kinds()), show_default="by what is hidden"),
    ] = None,
    radius: Annotated[float, typer.Option(help="Two places this far apart must not be told apart, in metres.")] = 200.0,
    epsilon: Annotated[
        float | None,
        typer.Option(
            help="Loss between two places --radius apart: the Rényi ε of each place, or the ε of each point "
            "(remapped-planar). That of a cut follows from --margin and may not be larger.",
            show_default="1; any of a cut",
        ),
    ] = None,
    order: Annotated[float | None, typer.Option(help="The Rényi order λ > 1.", show_default="2")] = None,
    margin: Annotated[
        float | None,
        typer.Option(help="Minutes cut out on either side of a secret stay.", show_default="20", rich_help_panel=_HOW),
    ] = None,
    max_error: Annotated[
        float | None,
        typer.Option(
            help="Refuse noise with a larger root mean square error, in metres.",
            show_default="5 times the radius",
            rich_help_panel=_HOW,
        ),
    ] = None,
    prior: Annotated[
        str | None,
        typer.Option(
            help="For experts: another family of kernels, as JSON or a file with it.",
            show_default="the shipped family",
            rich_help_panel=_HOW,
        ),
    ] = None,
    dedupe: Annotated[bool, typer.Option("--dedupe", help="Keep the first of several points with one time.")] = False,
    thin: Annotated[
        float | None, typer.Option(help="Keep no point sooner than this many seconds after the last.")
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(
            help="The column that says whose point it is: everybody is protected on their own, in parallel, and "
            "numbered in random order. Of a folder, each file or folder in it is a person.",
            show_default=False,
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            help="Which columns hold times and places: time=stamp,lat=y,lon=x.",
            show_default="time, latitude, longitude",
            rich_help_panel=_PEOPLE,
        ),
    ] = None,
    skip: Annotated[
        bool, typer.Option("--skip", help="Leave out people who cannot be released.", rich_help_panel=_PEOPLE)
    ] = False,
    workers: Annotated[
        int | None, typer.Option(help="Processes.", show_default="one for each processor", rich_help_panel=_PEOPLE)
    ] = None,
    setting: Settings = None,
    engine: EngineName = None,
    master: Master = None,
) -> None:
    """Hide where somebody was, also from those who know how people move.

    What you say decides how. --home deletes a zone for ever. --secret and --daily cut out the points around a stay;
    with --keep-times all points stay and noise hides the place. Times and places leave; elevation, names and all other
    fields do not. What was hidden is in the private key (--key), which an attack needs later. With --engine and --user,
    the people of a CSV or Parquet file stream past one by one.

    Examples:

      sfumato trace protect day.gpx -o out.gpx --home 52.5163,13.3777 --ledger me.ledger --subject me

      sfumato trace protect day.gpx -o out.gpx --secret 12:00-12:30 --zone Europe/Berlin --key day.key

      sfumato trace protect day.gpx -o out.gpx --secret 12:00-12:30 --keep-times --epsilon 1 --radius 200

      sfumato trace protect everybody.csv -o out.csv --user name --daily 22:00-06:00 --key people.key
    """
    if mechanism is not None:
        choice("mechanism", mechanism, list(kinds()))  # before a long file is read
    names = parse_columns(columns)
    if engine is not None and user is None:
        raise bad_input("engine", engine, "--user with it", "one person's trace fits in memory")
    table, runs = (_read(door.input, door.dialect, names), None) if engine is None else door.open(engine, master)
    options: dict[str, Any] = {
        "home": None if home is None else _point(home),
        "secrets": tuple(secret or ()),
        "daily": tuple(daily or ()),
        "keep_times": keep_times,
        "for_ever": for_ever,
        "place": place,
        "mechanism": mechanism,
        "epsilon": epsilon,
        "radius": radius,
        "order": order,
        "margin": None if margin is None else 60 * margin,
        "max_error": max_error,
        "prior": None if prior is None else read_prior(prior),
        "zone": zone,
        "dedupe": dedupe,
        "thin": thin,
        "settings": read_settings(setting),
    }
    gpx = table_format(door.out) == "gpx"
    if user is not None or Path(door.input).is_dir():
        if gpx:
            raise bad_input("--out", door.out, "a table for many people", "GPX does not say whose track it is")
        people: dict[str, Any] = {
            "user": user or FILE,
            "columns": names,
            "skip": skip,
            "workers": workers,
            "engine": runs or "duckdb",
        }
        if runs is not None:
            door.hand_over(protect_people(table, **people, **options, terms=door.terms, rng=door.rng), table)
            return
        _protect_people(door, table, people, options)
        return
    own = as_track(renamed(table, names), zone=zone) if gpx else renamed(table, names)  # GPX holds moments only
    release = _with_columns(protect_trace(own, **options, terms=door.terms, rng=door.rng), names)
    if release.path is not None:
        notes.print("released before: the same release is handed out again, nothing is drawn or paid", soft_wrap=True)
    door.hand_over(release, table)
    for line in _for_the_owner(release, table.num_rows, zone):
        notes.print(line, markup=False, soft_wrap=True)


def _protect_people(door: Door, table: pa.Table, people: dict[str, Any], options: dict[str, Any]) -> None:
    """Protect everybody in a table, with a bar that shows how far it is."""
    count = len(table[people["user"]].unique()) if people["user"] in table.column_names else None
    with progress_bar("people", count) as advance:
        release = protect_people(table, **people, **options, advance=advance, terms=door.terms, rng=door.rng)
    door.hand_over(release, table)
    left_out = release.card.release.rows_suppressed
    if left_out:
        notes.print(f"{left_out} people were left out: they could not be released", soft_wrap=True)
    held = release.key.secrets[PEOPLE].values()
    there = sum(OTHER_VISITS in one["secrets"] for one in held)
    if there:
        notes.print(f"{there} of {len(held)} people {_BACK}", soft_wrap=True)


def _for_the_owner(release: Release, points: int, zone: str | None) -> list[str]:
    """What was hidden and what it cost, in words. Not for the card: times and errors tell about the secrets."""
    held, lines = release.key.secrets, []
    if PLACES in held:
        places = [HiddenPlace(tuple((start, end) for start, end in visits)) for visits in held[PLACES]]
        lines.append(f"hidden: {visits_in_words(places, zone)}")
    if ERROR in held:
        lines.append(f"{ERROR} {held[ERROR]:.0f} m")
    if OTHER_VISITS in held:
        lines.append(f"by {held[OTHER_VISITS]} released points this person {_BACK}")
    if release.card.earlier_releases and PLACES in held:
        lines.append("released on other days too: --home, or --keep-times --for-ever, hides a place on all of them")
    left = release.card.release.rows
    if left is not None and left < points:
        lines.append(f"{left} of {points} points are released")
    return lines


def _point(text: str) -> tuple[float, float]:
    try:
        latitude, longitude = (float(part) for part in text.split(","))
    except ValueError:
        raise bad_input("--home", text, "latitude and longitude, such as 52.5,13.4") from None
    return latitude, longitude


@shared_options(returning)
def attack(
    returned: Returned,
    *,
    earlier: Annotated[
        list[Path] | None,
        typer.Option(
            help="Another release of the same person or people, of the same path or of another day; repeatable.",
            show_default=False,
        ),
    ] = None,
    earlier_key: Annotated[
        list[Path] | None,
        typer.Option(
            help="The private key of an --earlier release; repeatable. Without it the hidden hours are taken to be "
            "the same.",
            show_default=False,
        ),
    ] = None,
    others: Annotated[
        Path | None,
        typer.Option(
            help="Points of other people, a file or a folder: a map of where people go, which is outside the promise.",
            show_default="those released of the others, if there are many people",
        ),
    ] = None,
) -> None:
    """Try to locate the secret places and the stops in a protected trace. For the owner's eyes: uses the raw data.

    What the strongest attacker achieves is said at the end. Everything that was released of a person counts: name
    earlier releases.

    Examples:

      sfumato trace attack day.gpx hidden.gpx --key day.key

      sfumato trace attack tuesday.gpx out.gpx --key tue.key --earlier monday.out.gpx --earlier-key mon.key

      sfumato trace attack day.gpx hidden.gpx --key day.key --others city.csv
    """
    returned.check_kind("trace")
    names = returned.release.card.mechanism.parameters.get(COLUMNS, {})
    found = returned.release.attack(
        _original(returned),
        seed=returned.seed,
        earlier=with_keys(earlier or (), earlier_key or ()),
        others=None if others is None else _places(str(others), returned.dialect, names),
    )
    print_findings(found, title=returned.title, reference="chance")


@shared_options(returning)
def measure(returned: Returned) -> None:
    """Measure the error of a protected trace: path, speeds, stops and map. For the owner's eyes: uses the raw data.

    Example: sfumato trace measure day.gpx hidden.gpx
    """
    returned.check_kind("trace")
    found = returned.release.measure(_original(returned), seed=returned.seed)
    print_findings(found, title=returned.title, reference="raw data")


@shared_options(returning)
def map(
    returned: Returned,
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the page goes (HTML).", show_default=False)],
) -> None:
    """Draw the true path, the release and where an attacker looks, without tiles. For the owner's eyes only.

    Example: sfumato trace map day.gpx hidden.gpx --key day.key -o map.html
    """
    returned.check_kind("trace")
    check_output(out, returned.input, returned.path)
    write_pictures(pictures_of(_original(returned), returned.release), out, title="A release, for its owner only")
    notes.print(f"{out} shows the true path: keep it to yourself", soft_wrap=True)


def _with_columns(release: Release, names: dict[str, str]) -> Release:
    """The release with the names that its columns had on its card, for the attack later."""
    if not names:
        return release
    method = release.card.mechanism
    parameters = method.parameters | {COLUMNS: names}
    return replace(release, card=replace(release.card, mechanism=replace(method, parameters=parameters)))


def _places(path: str, dialect: Dialect, names: dict[str, str]) -> pa.Table:
    """Points of other people, under the usual names."""
    table = read_people(path, dialect.read) if Path(path).is_dir() else dialect.read(path)
    return renamed(table, {what: name for what, name in names.items() if name in table.column_names})


def _original(returned: Returned) -> pa.Table:
    """The data that were protected."""
    if not Path(returned.input).is_dir():
        return returned.original
    return _read(returned.input, returned.dialect, returned.release.card.mechanism.parameters.get(COLUMNS, {}))


def _read(path: str, dialect: Dialect, names: dict[str, str]) -> pa.Table:
    """A file, or a folder of them with the person in a column; under the names that its columns have there."""
    if not Path(path).is_dir():
        return dialect.read(path)
    table = read_people(path, dialect.read, columns=names)
    return table.rename_columns([names.get(name, name) for name in table.column_names])
