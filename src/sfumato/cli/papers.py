"""``sfumato keygen`` and ``sfumato verify``: sign the papers of a release, and check them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.study.console import notes, screen

__all__ = ["keygen_command", "verify_command"]


def keygen_command(
    path: Annotated[Path, typer.Argument(help="Where the private key goes; the public one gets .pub behind it.")],
) -> None:
    """Make a pair of keys for signing cards (Ed25519). Keep the private one; hand the public one to your readers.

    Example: sfumato keygen office.key
    """
    from sfumato.release.signature import key_id, make_keys, read_public

    private, public = make_keys(path)
    notes.print(f"private key in {private} (keep it secret), public key in {public}", markup=False, soft_wrap=True)
    screen.print(key_id(read_public(public)), markup=False)


def verify_command(
    releases: Annotated[list[Path], typer.Argument(help="Releases with their cards beside them.", show_default=False)],
    ledger: Annotated[
        str | None,
        typer.Option(metavar="PLACE", help="The ledger that must hold the entry of each release.", show_default=False),
    ] = None,
    public_key: Annotated[
        Path | None,
        typer.Option(help="The public key that must have signed each card.", show_default=False),
    ] = None,
) -> None:
    """Check releases against their cards: data, signature, ledger entry, and what can be computed again (k, l, t, …).

    The exit code is 1 if anything fails. Nothing is believed because a card says it: an unsigned card can have been
    edited together with its data.

    Example: sfumato verify release.csv --ledger budget.db --public-key office.key.pub
    """
    from sfumato.release import verify

    verdicts = [verify(path, ledger=ledger, public_key=public_key) for path in releases]
    for verdict in verdicts:
        screen.print(str(verdict), markup=False, soft_wrap=True)
    if not all(verdict.holds for verdict in verdicts):
        raise typer.Exit(1)
