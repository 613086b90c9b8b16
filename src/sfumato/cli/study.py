"""``sfumato study``: run one study and write its report."""

from __future__ import annotations

import datetime
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato import registry
from sfumato.errors import bad_input
from sfumato.study import Recipe, Study
from sfumato.study.console import notes
from sfumato.study.request import OWN, Request, build_study, read_request
from sfumato.study.settings import read_settings
from sfumato.study.threshold import Limits
from sfumato.study.wording import count

__all__ = ["read_limits", "request_of", "study_command", "today"]


def study_command(
    what: Annotated[
        str, typer.Argument(help="A kind of data, or a TOML file.", metavar="FILE.toml|KIND", show_default=False)
    ],
    recipe: Annotated[
        str | None, typer.Option(help="Which ready study; the first one if not given.", show_default=False)
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder for results and report.")] = None,
    seeds: Annotated[int | None, typer.Option(help="Repetitions of each cell.", min=1)] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; by default one a processor.", min=1)] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="An option of the recipe, name=value as in TOML; repeatable.", show_default=False),
    ] = None,
    data: Annotated[
        str | None, typer.Option(help="A file of your own, in place of the data of a recipe.", show_default=False)
    ] = None,
    schema: Annotated[
        str | None,
        typer.Option("--schema", "-s", help="What its columns are: table.toml for a table.", show_default=False),
    ] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            help="The risk you accept: a number for the first attack, ATTACK=NUMBER for another (repeatable), or "
            "default for the customary limits. Nothing is recommended without it.",
            show_default=False,
        ),
    ] = None,
    public: Annotated[
        bool, typer.Option("--public", help="Also write report-public.html, the edition that may be published.")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Compute everything again.")] = False,
) -> None:
    """Protect, attack and measure every setting of a study, then write its report.

    Interrupted, the same command goes on where it stopped.

    Examples:

      sfumato study statistic --out out/mean --seeds 10

      sfumato study table --data people.csv --schema table.toml --limit 0.05 --public

      sfumato study my-study.toml

    A study file holds room = "…" (the kind of data) and, if wanted, data and schema (paths relative to it), recipe,
    limit, title, seeds, workers, out and \\[options].
    """
    from sfumato.study.frontier import frontier
    from sfumato.study.publication import publish_study
    from sfumato.study.report.sentences import finding

    request = request_of(
        what,
        recipe=recipe,
        seeds=seeds,
        workers=workers,
        out=out,
        data=data,
        schema=schema,
        limit=read_limits(limit),
        options=read_settings(settings),
    )
    chosen, study = build_study(request)
    limits = Limits.of(request.limit, [attack.name for attack in study.attacks], study.customary)
    folder = Path(request.out or Path("out") / request.room / chosen.name)
    try:
        outcome = publish_study(
            study,
            folder,
            workers=request.workers,
            resume=not fresh,
            made=today(),
            command=_command(what, request, chosen, study),
            limits=limits,
            public=public,
        )
    except KeyboardInterrupt:
        notes.print(f"interrupted: finished cells are kept in {folder}, the same command goes on", soft_wrap=True)
        raise
    kept = f", {count(outcome.kept, 'cell')} kept from before" if outcome.kept else ""
    for line in (
        f"{count(outcome.computed, 'cell')} computed{kept}, {outcome.seconds:.0f} s",
        finding(frontier(outcome), limits),
        f"report: {folder / 'report.html'}",
        *([f"to publish: {folder / 'report-public.html'}"] if public else []),
    ):
        notes.print(line, soft_wrap=True, markup=False)


def _command(what: str, request: Request, recipe: Recipe, study: Study) -> str:
    """The command that repeats the study."""
    if Path(what).suffix == ".toml":
        return f"sfumato study {shlex.quote(what)} --seeds {study.seeds}"
    own = [("--data", request.data), ("--schema", request.schema), ("--recipe", request.recipe or recipe.name)]
    words = [f"{flag} {shlex.quote(value)}" for flag, value in own if value is not None and value != OWN.name]
    return " ".join(["sfumato study", shlex.quote(what), *words, f"--seeds {study.seeds}"])


def read_limits(given: list[str] | None) -> Any:
    """What ``--limit`` says: a number, ``default``, or numbers by attack.

    >>> read_limits(["0.05"]), read_limits(["users linked=0.1", "home=0.2"]), read_limits(None)
    (0.05, {'users linked': 0.1, 'home': 0.2}, None)
    """
    if not given or given == ["default"]:
        return given[0] if given else None
    named = {}
    for text in given:
        attack, equals, value = text.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            raise bad_input("--limit", text, "a number, ATTACK=NUMBER, or default") from None
        if not equals and len(given) == 1:
            return number
        if not attack or attack in named:
            raise bad_input("--limit", text, "ATTACK=NUMBER, each attack once", "say which attack each limit is on")
        named[attack] = number
    return named


def request_of(what: str, **changes: Any) -> Request:
    """The settings of a study: from the file or the defaults, changed by the options of the command line."""
    if what.endswith(".toml") or (what not in registry.rooms() and Path(what).exists()):
        request = read_request(what)
    else:
        request = Request(room=what)
    given = {name: value for name, value in changes.items() if value is not None}
    if "out" in given:
        given["out"] = str(given["out"])
    return Request(**(vars(request) | given | {"options": {**request.options, **changes["options"]}}))


def today() -> str:
    """The date for the report."""
    date = datetime.date.today()
    return f"{date.day} {date:%B %Y}"
