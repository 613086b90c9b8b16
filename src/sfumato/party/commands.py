"""``sfumato party compare | listen | identity | plan | protect | attack | measure``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.options import Settings, leaving, mechanism_help, returning, shared_options, terms_of
from sfumato.party.protection import protect as protect_column
from sfumato.party.room import ROOM
from sfumato.party.task import Task
from sfumato.study.console import screen
from sfumato.study.door import Dialect, Door, Returned, print_findings
from sfumato.study.settings import read_settings

__all__ = ["attack", "compare", "identity", "listen", "measure", "protect", "show_plan"]

_WHO = "Who the peer is"
_HOW = "What both sides must agree on"

Column = Annotated[str, typer.Option("--column", "-c", help="The column with the answers.", show_default=False)]
Name = Annotated[str, typer.Option("--mechanism", "-m", help=mechanism_help(ROOM.mechanisms()))]
Epsilon = Annotated[float | None, typer.Option(help="The privacy loss of each answer.", show_default=False)]


def comparing(
    value: Annotated[
        str | None, typer.Option(help="Your number; - reads it from standard input.", show_default=False)
    ] = None,
    input: Annotated[str | None, typer.Option("--input", help="A file with many.", show_default=False)] = None,
    column: Annotated[str | None, typer.Option("--column", "-c", help="Their column.", show_default=False)] = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", help="Where the answers to many go.", show_default=False)
    ] = None,
    answer: Annotated[
        str, typer.Option(help="Who gets the answers: both, me, peer or shares.", rich_help_panel=_HOW)
    ] = "both",
    bits: Annotated[int, typer.Option(help="Numbers are below 2^bits.", rich_help_panel=_HOW)] = 32,
    key_bits: Annotated[
        int, typer.Option(help="Length of the keys: 2048, 3072 or 4096; 1024 protects nothing.", rich_help_panel=_HOW)
    ] = 2048,
    comparator: Annotated[str, typer.Option(help="tree, bitwise, dgk or boolean.", rich_help_panel=_HOW)] = "tree",
    chunk: Annotated[int, typer.Option(help="Rows at a time.", rich_help_panel=_HOW)] = 64,
    pool: Annotated[int, typer.Option(help="Encryptions of zero to make before the first row.", min=0)] = 0,
    epsilon: Annotated[
        float | None, typer.Option(help="Turn the answers you show, with this loss each.", show_default=False)
    ] = None,
    ledger: Annotated[
        str | None, typer.Option(envvar="SFUMATO_LEDGER", help="Pay from this ledger first.", show_default=False)
    ] = None,
    subject: Annotated[str | None, typer.Option(help="Whose budget pays.", show_default=False)] = None,
    timeout: Annotated[float, typer.Option(help="Seconds that the peer may take for a message.", min=0.1)] = 60.0,
    secret: Annotated[
        Path | None,
        typer.Option(
            help="A file with a secret that both sides know (or set SFUMATO_PARTY_SECRET).",
            show_default=False,
            rich_help_panel=_WHO,
        ),
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="Your certificate (PEM).", show_default=False, rich_help_panel=_WHO)
    ] = None,
    private_key: Annotated[
        Path | None, typer.Option(help="Its private key (PEM).", show_default=False, rich_help_panel=_WHO)
    ] = None,
    peer_certificate: Annotated[
        Path | None, typer.Option(help="The peer's certificate (PEM).", show_default=False, rich_help_panel=_WHO)
    ] = None,
    format: Annotated[str | None, typer.Option(help="Of the input.", show_default="by its name")] = None,
) -> Task:
    """What ``compare`` and ``listen`` take."""
    return Task(
        value=value,
        input=input,
        column=column,
        out=out,
        answer=answer,
        bits=bits,
        key_bits=key_bits,
        comparator=comparator,
        chunk=chunk,
        pool=pool,
        epsilon=epsilon,
        timeout=timeout,
        secret=secret,
        certificate=certificate,
        private_key=private_key,
        peer_certificate=peer_certificate,
        terms=terms_of(input or "-", ledger=ledger, subject=subject),
        dialect=Dialect(format=format),
    )


@shared_options(comparing)
def compare(
    task: Task,
    *,
    peer: Annotated[str, typer.Option(help="Where the peer listens, HOST:PORT.", show_default=False)],
) -> None:
    """Is your number at least the peer's? Connect to a peer that listens, and compare without showing the numbers.

    Prints yes or no. Many numbers: --input FILE --column NAME -o OUT; the same command after an interruption continues.

    Example: sfumato party compare --peer bidder.example:7917 --value 1200 --secret phrase.txt
    """
    task.compare(peer)


@shared_options(comparing)
def listen(
    task: Task,
    *,
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0 takes a free one.", min=0, max=65535)] = 7917,
    wait: Annotated[
        float | None, typer.Option(help="Seconds until a peer must have come.", show_default="no limit")
    ] = None,
) -> None:
    """Wait for a peer who compares its number with yours. Prints whether the peer's number is at least yours.

    Example: sfumato party listen --host 0.0.0.0 --value 1100 --secret phrase.txt
    """
    task.listen(host, port, wait)


def identity(
    path: Annotated[Path, typer.Argument(help="The name of the two files, without an ending.", show_default=False)],
    name: Annotated[str, typer.Option(help="The name in the certificate.")] = "sfumato party",
    days: Annotated[int, typer.Option(help="How long it is valid.", min=1)] = 365,
) -> None:
    """Make a certificate and its private key; give the certificate to the peer.

    Example: sfumato party identity mine
    """
    from sfumato.party.transports.tls import make_identity

    for file in make_identity(path, name=name, days=days):
        screen.print(str(file), markup=False, soft_wrap=True)


def show_plan(
    type: Annotated[str, typer.Argument(help="Such as SS-SS-SS, or a number from 1 to 8.", show_default=False)],
    shares: Annotated[str, typer.Option(help="Shares of the answer: additive or bits.")] = "additive",
) -> None:
    """Say how a type of comparison is computed: who holds what, each step, what travels.

    ES, SE: one holds an encryption, the other the key. SS: shares. PN, NP, PP: who holds the number itself.

    Example: sfumato party plan PN-NP-PP
    """
    from sfumato.party.protocols.router import plan

    screen.print(plan(type, shares=shares).explain(), markup=False, soft_wrap=True)  # type: ignore[arg-type]


@shared_options(leaving)
def protect(
    door: Door,
    *,
    column: Column,
    mechanism: Name = "private-answers",
    epsilon: Epsilon = None,
    settings: Settings = None,
) -> None:
    """Release answers of comparisons, each turned by a coin, or their noisy number.

    Example: sfumato party protect answers.csv --column at_least --epsilon 1 -o release.csv
    """
    table = door.read()
    release = protect_column(
        table,
        column,
        mechanism=mechanism,
        epsilon=epsilon,
        settings=read_settings(settings),
        terms=door.terms,
        rng=door.rng,
    )
    door.hand_over(release, table)


@shared_options(returning)
def attack(returned: Returned) -> None:
    """Infer the true answers from a release, with the original at hand. For the owner's eyes.

    Example: sfumato party attack answers.csv release.csv --key release.key
    """
    returned.check_kind("party")
    found = returned.release.attack(returned.original, seed=returned.seed)
    print_findings(found, title=returned.title, reference="chance")


@shared_options(returning)
def measure(returned: Returned) -> None:
    """Measure what is left of the answers in a release.

    Example: sfumato party measure answers.csv release.csv --key release.key
    """
    returned.check_kind("party")
    found = returned.release.measure(returned.original, seed=returned.seed)
    print_findings(found, title=returned.title, reference="raw data")
