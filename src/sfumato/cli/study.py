"""``sfumato study``: run one study and write its report."""

from __future__ import annotations

import datetime
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato import registry
from sfumato.study.console import notes
from sfumato.study.request import Request, build_study, read_request
from sfumato.study.settings import read_settings
from sfumato.study.wording import count

__all__ = ["request_of", "study_command", "today"]


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
    fresh: Annotated[bool, typer.Option("--fresh", help="Compute everything again.")] = False,
) -> None:
    """Protect, attack and measure every setting of a study, then write its report.

    Interrupted, the same command goes on where it stopped.

    Examples:

      sfumato study statistic --out out/mean --seeds 10

      sfumato study my-study.toml

    A study file holds room = "…" (the kind of data) and, if wanted, recipe, seeds, workers, out and \\[options].
    """
    from sfumato.study.frontier import frontier
    from sfumato.study.publication import publish
    from sfumato.study.report.sentences import finding

    request = request_of(what, recipe=recipe, seeds=seeds, workers=workers, out=out, options=read_settings(settings))
    chosen, study = build_study(request)
    folder = Path(request.out or Path("out") / request.room / chosen.name)
    try:
        outcome = publish(
            study,
            folder,
            workers=request.workers,
            resume=not fresh,
            made=today(),
            command=f"sfumato study {shlex.quote(what)} --recipe {chosen.name} --seeds {study.seeds}",
        )
    except KeyboardInterrupt:
        notes.print(f"interrupted: finished cells are kept in {folder}, the same command goes on", soft_wrap=True)
        raise
    kept = f", {count(outcome.kept, 'cell')} kept from before" if outcome.kept else ""
    for line in (
        f"{count(outcome.computed, 'cell')} computed{kept}, {outcome.seconds:.0f} s",
        finding(frontier(outcome)),
        f"report: {folder / 'report.html'}",
    ):
        notes.print(line, soft_wrap=True, markup=False)


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
