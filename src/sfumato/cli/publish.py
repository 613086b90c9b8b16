"""``sfumato publish``: one's own file through the whole loop."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.options import (
    Delimiter,
    Encoding,
    Input,
    InputFormat,
    LedgerPlace,
    PersonColumn,
    Public,
    Sign,
    Subject,
    terms_of,
)
from sfumato.study.console import notes, screen
from sfumato.study.settings import read_settings

__all__ = ["publish_command"]


def publish_command(
    input: Input,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the release and its papers.")],
    room: Annotated[
        str | None, typer.Option("--kind", "--room", help="The kind of data.", show_default="what it looks like")
    ] = None,
    decisions: Annotated[
        Path | None, typer.Option(help="Repeat these decisions, without a proposal.", show_default=False)
    ] = None,
    limit: Annotated[
        float | None,
        typer.Option(help="The largest risk of a record that you accept.", show_default="0.09, with its source"),
    ] = None,
    recipient: Annotated[str | None, typer.Option(help="Who gets the release.", show_default=False)] = None,
    purpose: Annotated[str | None, typer.Option(help="What for.", show_default=False)] = None,
    sharing: Annotated[
        str | None, typer.Option(help="open, controlled or named (one recipient).", show_default=False)
    ] = None,
    description: Annotated[str | None, typer.Option(help="What the data are, in words.", show_default=False)] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="An argument of protect, name=value as in TOML; repeatable.", show_default=False),
    ] = None,
    format: Annotated[str, typer.Option("--to", help="Format of the release: csv, parquet, jsonl, …")] = "csv",
    spreadsheet: Annotated[
        bool, typer.Option("--spreadsheet", help="Put an apostrophe before texts that a spreadsheet would run.")
    ] = False,
    sign: Sign = None,
    ledger: LedgerPlace = None,
    subject: Subject = None,
    person: PersonColumn = None,
    public: Public = None,
    input_format: InputFormat = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
) -> None:
    """Propose roles, try the sensible methods, attack, measure, and write the release with its papers.

    The folder then holds release.csv, its card and certificate.html, which may leave, and private/, which may not:
    decisions.toml repeats everything without questions.

    Examples:

      sfumato publish patients.csv --out out --recipient "the university" --purpose "research on costs"

      sfumato publish patients.csv --out again --decisions out/private/decisions.toml
    """
    from rich.table import Table

    from sfumato.study.door import Dialect, say
    from sfumato.study.own.publishing import publish

    context = {"recipient": recipient, "purpose": purpose, "sharing_model": sharing}
    done = publish(
        input,
        out,
        kind=room,
        decisions=decisions,
        protect=read_settings(settings),
        limit=limit,
        context={name: value for name, value in context.items() if value is not None},
        description=description,
        terms=terms_of(input, ledger=ledger, subject=subject, person=person, public=public),
        dialect=Dialect(format=input_format, delimiter=delimiter, encoding=encoding),
        sign=sign,
        format=format,
        spreadsheet=spreadsheet,
        note=_note,
    )
    shown = Table("tried", "limits", "what is lost", box=None, pad_edge=False, header_style="bold")
    for trial in done.trials:
        kept = "kept" if trial.kept else trial.reason or "; ".join(trial.broken)
        chosen = " (released)" if trial.release is not None and trial is done.chosen else ""
        lost: Any = f"{trial.candidate.cost(trial.measured):.4g}" if trial.release is not None else ""
        shown.add_row(trial.candidate.name + chosen, kept, lost)
    screen.print(shown, width=screen.width if screen.is_terminal else 120)
    say(done.release.card)
    for file in (f"release.{format}", "certificate.html", "private/decisions.toml (not to be handed on)"):
        _note(f"{out / file}")


def _note(text: str) -> None:
    notes.print(text, markup=False, soft_wrap=True)
