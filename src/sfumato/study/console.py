"""What a command says while it works: progress, notes and warnings, all on standard error.

Standard output belongs to the result, so that it can be piped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from rich.console import Console

from sfumato.noise import Rng, secure_rng, seeded_rng

if TYPE_CHECKING:
    from sfumato.study.score import Score

__all__ = ["command_rng", "notes", "print_scores", "progress", "progress_bar", "screen"]

T = TypeVar("T")

screen = Console(highlight=False)
"""Standard output: tables and results for the reader."""

notes = Console(stderr=True, highlight=False)
"""Standard error: progress, notes and warnings."""


def command_rng(seed: int | None) -> Rng:
    """The generator of a command: cryptographic, or seeded for an experiment, with a warning."""
    if seed is None:
        return secure_rng()
    rng = seeded_rng(seed)  # a seed that is none is refused before anything is said about it
    notes.print(
        "[yellow]warning:[/] --seed makes the noise repeatable: who knows the seed can subtract it. "
        "Use this release for experiments only, it protects nothing.",
        soft_wrap=True,
    )
    return rng


def print_scores(scores: Iterable[tuple[str, Score]], *, title: str = "", reference: str) -> None:
    """A table of scores on standard output; ``reference`` says what the last column is: chance, the raw data, …"""
    from rich.table import Table

    def number(value: float) -> str:
        return "" if value != value else f"{value:.4g}"

    heads = ("measure", "value", "95 % interval", *([reference] if reference else []))
    table = Table(*heads, title=title or None, box=None, pad_edge=False, title_justify="left", header_style="bold")
    for name, score in scores:
        interval = "" if score.low != score.low else f"{number(score.low)} to {number(score.high)}"
        table.add_row(*(name, number(score.value), interval, number(score.reference))[: len(heads)])
    screen.print(table, width=screen.width if screen.is_terminal else 120)


@contextmanager
def progress_bar(description: str, total: int | None, *, show: bool = True) -> Iterator[Callable[[int], None]]:
    """A bar with rate and remaining time on a terminal, a line in a notebook, nothing elsewhere.

    Yields ``advance(steps)``.
    """
    if show and notes.is_jupyter:
        with _notebook_line(description, total) as advance:
            yield advance
        return
    if not show or not notes.is_terminal:
        yield lambda steps: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=notes, transient=True) as bar:
        task = bar.add_task(description, total=total, rate="")

        def advance(steps: int = 1) -> None:
            bar.advance(task, steps)
            speed = bar.tasks[0].finished_speed or bar.tasks[0].speed
            bar.update(task, rate="" if speed is None else f"{speed:.3g}/s")

        yield advance


@contextmanager
def _notebook_line(description: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """One line that a notebook updates in place, at most five times a second; it needs no widgets.

    (rich would draw its bar with ipywidgets, and warn where they are not installed.)
    """
    from html import escape

    from IPython.display import HTML, display  # type: ignore[import-not-found]

    start = time.monotonic()
    done, shown = 0, start

    def line() -> HTML:
        whole = "" if total is None else f" max='{total}'"
        of = "" if total is None else f" of {total:,}"
        bar = f"<progress value='{done}'{whole}></progress>"
        return HTML(f"{escape(description)} {bar} {done:,}{of}, {time.monotonic() - start:.0f} s")

    handle = display(line(), display_id=True)

    def advance(steps: int = 1) -> None:
        nonlocal done, shown
        done += steps
        if time.monotonic() - shown >= 0.2:
            shown = time.monotonic()
            handle.update(line())

    try:
        yield advance
    finally:
        handle.update(line())


def progress(items: Iterable[T], description: str, *, total: int | None = None) -> Iterator[T]:
    """The items, with a progress bar while they are consumed.

    >>> sum(progress([1, 2, 3], "adding"))
    6
    """
    if total is None and isinstance(items, Sized):
        total = len(items)
    with progress_bar(description, total) as advance:
        for item in items:
            yield item
            advance(1)
