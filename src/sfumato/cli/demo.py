"""``sfumato demo``: the ready studies of every kind of data on shipped data, and one page that lists the reports."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from sfumato.errors import SfumatoError, bad_input
from sfumato.io import output_folder
from sfumato.study import Outcome, Recipe, Room, find_room, find_rooms
from sfumato.study.console import notes
from sfumato.study.threshold import Limits
from sfumato.study.wording import count

__all__ = ["demo_command"]


def demo_command(
    rooms: Annotated[list[str] | None, typer.Argument(help="Only these kinds of data.", show_default=False)] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the reports.")] = Path("out/demo"),
    workers: Annotated[int | None, typer.Option(help="Processes; by default one a processor.", min=1)] = None,
) -> None:
    """Protect, attack, measure and report on shipped data; under a minute for each kind of data.

    Examples:

      sfumato demo

      sfumato demo statistic --out out/demo
    """
    from sfumato.cli.study import today
    from sfumato.study.frontier import frontier
    from sfumato.study.publication import publish_study
    from sfumato.study.report.page import IndexEntry, report_index
    from sfumato.study.report.sentences import finding

    chosen = _recipes(rooms or [])
    folder = output_folder(out)
    start = time.perf_counter()
    entries: list[IndexEntry] = []
    for room, recipe in chosen:
        place = folder / room.name / recipe.name
        command = f"sfumato study {room.name} --recipe {recipe.name}"
        outcome = publish_study(recipe.build(), place, workers=workers, resume=False, made=today(), command=command)
        link = f"{room.name}/{recipe.name}/report.html"
        entries.append(IndexEntry(room=room.name, outcome=outcome, link=link))
        line = f"{room.name}/{recipe.name} ({outcome.seconds:.0f} s): {finding(frontier(outcome), Limits())}"
        notes.print(line, soft_wrap=True, markup=False)
    index = folder / "index.html"
    report_index(
        entries,
        index,
        title="What protection costs, and what it buys",
        lead="Each study protects one kind of data in several ways, attacks the result and measures what is left.",
        made=today(),
    )
    for line in _last_lines([entry.outcome for entry in entries], index, time.perf_counter() - start):
        notes.print(line, soft_wrap=True, markup=False)


def _recipes(names: list[str]) -> list[tuple[Room, Recipe]]:
    rooms = [find_room(name) for name in names] or list(find_rooms().values())
    chosen = [(room, recipe) for room in rooms for recipe in room.recipes if recipe.demo]
    if not chosen:
        if names:
            raise bad_input("room", ", ".join(names), "a kind of data with a demo", "sfumato rooms lists them")
        raise SfumatoError("no kind of data has a demo: reinstall sfumato")
    return chosen


def _last_lines(outcomes: list[Outcome], index: Path, seconds: float) -> list[str]:
    """Where the report is and what it found, in three lines. No limit was named, so nothing is recommended."""
    from sfumato.study.frontier import frontier
    from sfumato.study.report.sentences import attack_sentence, no_limit_sentence

    planes = [frontier(outcome) for outcome in outcomes]
    settings = sum(len(plane.points) for plane in planes)
    studies = count(len(planes), "study", "studies")
    where = f"Report: {index} ({studies}, {count(settings, 'setting')}, {seconds:.0f} s)"
    if len(planes) == 1:
        return [where, attack_sentence(planes[0]), no_limit_sentence(planes[0], outcomes[0].customary)]
    wins = [plane for plane in planes if plane.span[0] < plane.span[1]]
    return [
        where,
        f"Risk: without protection the attack beats chance in {len(wins)} of {studies}.",
        "Nothing is recommended: name the risk that you accept, with the slider in a report or with sfumato study "
        "KIND --limit.",
    ]
