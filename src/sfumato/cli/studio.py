"""``sfumato studio``: the local page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.options import LedgerPlace, Subject
from sfumato.study.console import notes
from sfumato.validate import extra

__all__ = ["studio_command"]


def studio_command(
    file: Annotated[Path | None, typer.Argument(help="The table to open.", show_default=False)] = None,
    folder: Annotated[
        Path | None,
        typer.Option(help="The folder whose files may be opened.", show_default="that of FILE, or the current one"),
    ] = None,
    ledger: LedgerPlace = None,
    subject: Subject = None,
    port: Annotated[int, typer.Option(help="The port on this machine.", show_default="a free one")] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
) -> None:
    """Look at a table, move a slider, attack, and file the certificate, on a page that only this machine serves.

    Example: sfumato studio people.csv
    """
    for module in ("fastapi", "uvicorn", "jinja2"):
        extra(module, "studio")
    from sfumato.studio.server import serve

    serve(
        file,
        folder=folder,
        ledger=ledger,
        subject=subject,
        port=port,
        browser=browser,
        say=lambda words: notes.print(words, markup=False, soft_wrap=True),
    )
