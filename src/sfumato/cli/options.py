"""Options and arguments that the commands of several kinds of data share: one name and one help text for one thing."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from sfumato.errors import bad_input
from sfumato.release import Terms
from sfumato.study.door import Dialect, Door, Returned
from sfumato.study.settings import read_settings

__all__ = ["Settings", "leaving", "mechanism_help", "returning", "shared_options"]

Read = TypeVar("Read")

_FILES = "Privacy papers"
_HOW = "How the input is written"

Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", help="One more parameter of the mechanism, name=value as in TOML; repeatable.", show_default=False
    ),
]
Input = Annotated[
    str, typer.Argument(help="The data: CSV, Parquet, JSON Lines, xlsx, …; - for standard input.", show_default=False)
]
Out = Annotated[str, typer.Option("--out", "-o", help="Where the release goes; - for standard output.")]
Seed = Annotated[
    int | None,
    typer.Option(
        help="For experiments only: the noise can be repeated, and nothing is promised.", min=0, show_default=False
    ),
]
EngineName = Annotated[
    str | None,
    typer.Option(
        help="Stream from the file with duckdb (this machine) or spark (a cluster).",
        show_default="duckdb for large tables, none for others",
    ),
]
Master = Annotated[str | None, typer.Option(help="Where Spark runs, such as spark://host:7077.", show_default=False)]
InputFormat = Annotated[
    str | None,
    typer.Option("--format", help="csv, parquet, jsonl, …", show_default="by its name", rich_help_panel=_HOW),
]
Delimiter = Annotated[str | None, typer.Option(help="Of a CSV file.", show_default="found in it", rich_help_panel=_HOW)]
Encoding = Annotated[str | None, typer.Option(help="Of a text file.", show_default="found in it", rich_help_panel=_HOW)]
LedgerPlace = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        metavar="PLACE",
        envvar="SFUMATO_LEDGER",
        help="Pay from this ledger, a file or postgresql://…, before anything is written (sfumato budget).",
        show_default=False,
        rich_help_panel=_FILES,
    ),
]
Subject = Annotated[
    str | None,
    typer.Option(help="Whose budget pays.", show_default="the input's name, with --ledger", rich_help_panel=_FILES),
]
PersonColumn = Annotated[
    str | None,
    typer.Option(
        "--person",
        help="The column that says whose record it is: the promise is stated and paid for all records of a person.",
        show_default=False,
        rich_help_panel=_FILES,
    ),
]
Most = Annotated[
    int | None,
    typer.Option(
        help="How many records one person may have, known without the data.",
        show_default="the most found",
        min=1,
        rich_help_panel=_FILES,
    ),
]
Public = Annotated[
    list[str] | None,
    typer.Option(
        help="Where that comes from what the promise takes as public, such as bounds='codebook 2021'; repeatable.",
        show_default=False,
        rich_help_panel=_FILES,
    ),
]
KeepOrder = Annotated[
    bool,
    typer.Option("--keep-order", help="Keep the order of the rows, which often tells who is who."),
]
KeyOut = Annotated[
    Path | None,
    typer.Option(
        "--key",
        help="Also write the private key: which input row each row was. Needed to attack and measure later.",
        show_default=False,
        rich_help_panel=_FILES,
    ),
]
KeyIn = Annotated[
    Path | None, typer.Option("--key", help="The private key that protect --key wrote.", show_default=False)
]
CardFile = Annotated[
    Path | None,
    typer.Option("--card", help="Where the card is.", show_default="OUT.card.json", rich_help_panel=_FILES),
]
Sign = Annotated[
    Path | None,
    typer.Option(help="Sign the card with this key (sfumato keygen).", show_default=False, rich_help_panel=_FILES),
]
AttackFlag = Annotated[bool, typer.Option("--attack", help="Attack the release first and put the result on its card.")]
ReportFile = Annotated[
    Path | None,
    typer.Option("--report", help="Also attack, measure and write a certificate (HTML).", show_default=False),
]
Original = Annotated[str, typer.Argument(help="The data that were protected.", show_default=False)]
Released = Annotated[
    str, typer.Argument(help="The release that protect made of them; its card is beside it.", show_default=False)
]
LearnerSeed = Annotated[int, typer.Option(help="Of the attackers and learners.", min=0)]


def leaving(
    input: Input,
    out: Out,
    ledger: LedgerPlace = None,
    subject: Subject = None,
    person: PersonColumn = None,
    most: Most = None,
    public: Public = None,
    keep_order: KeepOrder = False,
    key: KeyOut = None,
    card: CardFile = None,
    sign: Sign = None,
    attack: AttackFlag = False,
    report: ReportFile = None,
    seed: Seed = None,
    format: InputFormat = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
) -> Door:
    """What every ``protect`` takes."""
    return Door(
        input=input,
        out=out,
        terms=terms_of(
            input,
            ledger=ledger,
            subject=subject,
            person=person,
            most=most,
            public=public,
            keep_order=keep_order,
        ),
        dialect=Dialect(format=format, delimiter=delimiter, encoding=encoding),
        seed=seed,
        key=key,
        card=card,
        sign=sign,
        attack=attack,
        report=report,
    )


def terms_of(
    input: str,
    *,
    ledger: str | None,
    subject: str | None,
    person: str | None = None,
    most: int | None = None,
    public: list[str] | None = None,
    keep_order: bool = False,
) -> Terms:
    """The terms that the options name; with a ledger, the subject is the input's name unless another is given."""
    if ledger is not None and subject is None:
        if input == "-":
            raise bad_input("--subject", None, "whose budget pays", "standard input has no name")
        subject = Path(input).name
    declared = {name: str(value) for name, value in read_settings(public, option="--public").items()}
    return Terms(ledger=ledger, subject=subject, person=person, most=most, public=declared, keep_order=keep_order)


def returning(
    input: Original,
    release: Released,
    key: KeyIn = None,
    card: CardFile = None,
    seed: LearnerSeed = 0,
    format: InputFormat = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
) -> Returned:
    """What every ``attack`` and ``measure`` takes."""
    dialect = Dialect(format=format, delimiter=delimiter, encoding=encoding)
    return Returned(input=input, path=release, key=key, card=card, dialect=dialect, seed=seed)


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
