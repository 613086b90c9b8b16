"""``sfumato text scrub`` and ``sfumato text restore``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, cast

import typer

from sfumato.cli.options import CardFile, Encoding, LedgerPlace, Sign, Subject, terms_of
from sfumato.errors import bad_input
from sfumato.study.console import notes
from sfumato.study.door import say
from sfumato.text.core.records import Empty
from sfumato.text.scrub.scrubber import Scrubber
from sfumato.text.scrub.writing.find_replacement import Replacement
from sfumato.text.scrub.writing.pseudonym_key import PseudonymKey
from sfumato.text.scrub.writing.restored_files import restore_files
from sfumato.text.scrub.writing.scrubbed_files import scrub_files
from sfumato.text.text_method import NAMES, default_names, recognisers_of

__all__ = ["restore", "scrub"]

KeyFile = Annotated[
    Path | None,
    typer.Option("--key-file", help="The private key of the pseudonyms; made if it is not there.", show_default=False),
]
Out = Annotated[Path, typer.Option("--out", "-o", help="Where the scrubbed document or folder goes.")]


def scrub(
    *,
    input: Annotated[Path, typer.Argument(help="A document (txt, html, eml, mbox, docx, pdf) or a folder of them.")],
    out: Out,
    replace: Annotated[str, typer.Option(help="What is written: label, pseudonym or mask.")] = "label",
    key_file: KeyFile = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            help="A kind that stays, such as DATE, or a phrase, such as a firm; repeat it.", show_default=False
        ),
    ] = None,
    names: Annotated[
        str | None,
        typer.Option(
            help="How names are known. " + "; ".join(f"{k}: {v}" for k, v in NAMES.items()) + ".",
            show_default="cautious with the extra text, else lists",
        ),
    ] = None,
    empty: Annotated[str, typer.Option(help="Documents without text, such as scanned pages: skip or keep.")] = "skip",
    ledger: LedgerPlace = None,
    subject: Subject = None,
    card: CardFile = None,
    sign: Sign = None,
    format: Annotated[str | None, typer.Option(help="The kind of document.", show_default="by its name")] = None,
    encoding: Encoding = None,
) -> None:
    """Replace names, addresses, numbers and ids in documents. A folder comes out as the same folder.

    Text is taken out of PDFs, not covered; what pictures show is not looked into. Nothing is promised: what no
    recogniser knows stays readable. The card beside the output holds the hash of every file, which sfumato verify
    checks; a ledger records the release without a budget.

    Examples:

      sfumato text scrub mails -o scrubbed --keep DATE

      sfumato text scrub mails -o scrubbed --ledger budget.db --subject mails

      sfumato text scrub letter.pdf -o redacted.pdf

      sfumato text scrub mails -o linked --replace pseudonym --key-file linked.key
    """
    if names is not None and names not in NAMES:
        raise bad_input("--names", names, "one of " + ", ".join(NAMES))
    if (replace == "pseudonym") != (key_file is not None):
        raise bad_input("--key-file", str(key_file), "a file with --replace pseudonym, and none without it")
    key = None
    if key_file is not None:
        key = PseudonymKey.read(key_file) if key_file.exists() else PseudonymKey()
    kinds = [one for one in keep or () if one.isupper() and one.isalpha()]
    scrubber = Scrubber(
        recognisers=recognisers_of(names or default_names()),
        replacement=cast(Replacement, replace),
        key=None if key is None else key.secret,
        keep=tuple(kinds),
        allow=tuple(one for one in keep or () if one not in kinds),
    )
    report = scrub_files(
        input,
        out,
        scrubber=scrubber,
        empty=cast(Empty, empty),
        format=format,
        encoding=encoding,
        terms=terms_of(str(input), ledger=ledger, subject=subject),
        card=card,
        sign=sign,
        key_file=key_file,
        notes=_note,
    )
    found = ", ".join(f"{count} {label}" for label, count in report.found.items()) or "nothing"
    _note(f"{report.files} files written, {report.skipped} left out, {report.renamed} renamed; replaced: {found}")
    say(report.card)


def restore(
    *,
    input: Annotated[Path, typer.Argument(help="Documents that were scrubbed with pseudonyms.")],
    out: Out,
    key_file: Annotated[Path, typer.Option("--key-file", help="The private key of the pseudonyms.")],
) -> None:
    """Put back what pseudonyms stand for, in its fullest form. For the owner's eyes.

    Example: sfumato text restore linked -o again --key-file linked.key
    """
    count = restore_files(input, out, dict(PseudonymKey.read(key_file).originals), notes=_note)
    _note(f"{count} files written")


def _note(text: str) -> None:
    notes.print(text, markup=False, soft_wrap=True)
