"""Options and arguments that the commands of several kinds of data share: one name and one help text for one thing."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

__all__ = [
    "Input",
    "LedgerFile",
    "Out",
    "Release",
    "Seed",
    "Settings",
    "Subject",
    "mechanism_help",
    "shared_options",
]

Read = TypeVar("Read")

Input = Annotated[str, typer.Argument(help="CSV, Parquet or JSON Lines; - for standard input.", show_default=False)]
Release = Annotated[str, typer.Argument(help="The release that protect made of it.", show_default=False)]
Out = Annotated[str, typer.Option("--out", "-o", help="Where the release goes; - for standard output.")]
Seed = Annotated[
    int | None, typer.Option(min=0, help="For experiments only: makes the noise repeatable.", show_default=False)
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", help="One more parameter of the mechanism, name=value as in TOML; repeatable.", show_default=False
    ),
]
LedgerFile = Annotated[
    Path | None,
    typer.Option("--ledger", help="Pay from this ledger first (sfumato budget).", show_default=False),
]
Subject = Annotated[
    str | None, typer.Option(help="Whose budget in the ledger; by default the input's name.", show_default=False)
]


def mechanism_help(names: Iterable[str]) -> str:
    """The help text of ``--mechanism``."""
    return "One of " + ", ".join(names) + "."


def shared_options(read: Callable[..., Read]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the parameters of ``read`` as well as its own.

    The command is called with what ``read`` makes of them as its first argument, in their place. Both functions carry
    typer annotations as if they were commands; parameters of the command follow those of ``read``.

    Examples
    --------
    >>> def _table(rows: int, columns: int = 2) -> list[int]:
    ...     return [rows, columns]
    >>> @shared_options(_table)
    ... def show(table: list[int], *, title: str = "") -> None:
    ...     print(title, table)
    >>> show(rows=3, title="size")
    size [3, 2]
    >>> str(inspect.signature(show))
    "(*, rows: int, columns: int = 2, title: str = '') -> None"
    """
    shared = list(inspect.signature(read, eval_str=True).parameters.values())

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
        parameters = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in (*shared, *own)]

        def run(**given: Any) -> None:
            command(read(**{one.name: given.pop(one.name) for one in shared if one.name in given}), **given)

        run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
        run.__signature__ = inspect.Signature(parameters, return_annotation=None)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return decorate
