"""Scrub files: a document or a folder of documents in, the same out."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from sfumato.errors import InputError, bad_input
from sfumato.io.atomic import atomic_path, check_output, output_folder, reading
from sfumato.io.redaction.edit import Document, Edit, edited
from sfumato.io.redaction.open_document import open_document
from sfumato.io.texts import document_files, document_format
from sfumato.release import Card, Column, Content, Method, Part, Terms
from sfumato.release.card import card_path
from sfumato.release.issuance import issue, write_card
from sfumato.release.verdict import folder_digest
from sfumato.text.core.records import Empty
from sfumato.text.scrub.scrubber import Scrubbed, Scrubber
from sfumato.text.scrub.writing.find_replacement import restore
from sfumato.validate import choice

__all__ = ["FileReport", "restore_files", "scrub_files"]

_LONG = 5
"""Characters of a value that is looked for everywhere."""
_NOT_COVERED = ("what pictures show", "how many files there are, and how large", *Scrubber.shown)
FOLDER = "documents"
"""The format of a release that is a folder."""


@dataclass(frozen=True, kw_only=True)
class FileReport:
    """What was written, in numbers.

    Parameters
    ----------
    files, skipped : int
        How many files were written, and how many without text were left out.
    renamed : int
        How many have another name, since theirs named somebody.
    found : dict of str to int
        How many items of each kind were replaced.
    originals : dict of str to str
        What pseudonyms stand for. Private.
    remarks : tuple of str
        What was taken out and what was not looked into.
    card : Card
        The public paper of the release, as it was written beside the files.
    """

    files: int
    skipped: int
    renamed: int
    found: dict[str, int]
    originals: dict[str, str]
    remarks: tuple[str, ...]
    card: Card


def scrub_files(
    source: str | Path,
    out: str | Path,
    *,
    scrubber: Scrubber | None = None,
    empty: Empty = "skip",
    format: str | None = None,
    encoding: str | None = None,
    terms: Terms | None = None,
    card: str | Path | None = None,
    sign: str | Path | None = None,
    notes: Callable[[str], None] | None = None,
) -> FileReport:
    """Scrub a document, or a folder of documents into a folder of the same shape.

    All texts are scrubbed together: a name found in one file is replaced in all. What was replaced once is replaced
    wherever else it stands. Names of files that name somebody are changed. A PDF is redacted: text is taken out of the
    file, and the new file is searched for it before it is written. ``OUT.card.json`` says what left, with the hash of
    every file; :func:`~sfumato.release.verify` checks it. Nothing is promised, so that a ledger records the release of
    the subject without a budget.

    Parameters
    ----------
    source, out : path
        ``out`` may end in ``.txt`` for a single document of any kind; otherwise in what ``source`` ends in.
    scrubber : Scrubber, optional
    empty : {"skip", "keep"}
        What happens to documents without text, such as scanned pages, in which nothing can be found.
    format : str, optional
        Which kind the document is, or which kinds of a folder are read.
    terms : Terms, optional
        In which ledger the release is recorded, and for whom.
    card, sign : path, optional
        Where the card goes, if not beside the output, and the private key that signs it.
    notes : callable, optional
        Is told what was taken out and what was not looked into.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "in").mkdir()
    >>> _ = (folder / "in" / "note.txt").write_text("Hi Zofia, all is well.")
    >>> _ = (folder / "in" / "zofia.html").write_text("<p>ask <b>zofia</b></p>")
    >>> report = scrub_files(folder / "in", folder / "out")
    >>> sorted(file.name for file in (folder / "out").iterdir()), (folder / "out" / "note.txt").read_text()
    (['note.txt', 'person.html'], 'Hi [PERSON], all is well.')
    """
    choice("empty", empty, get_args(Empty))
    scrubber = scrubber or Scrubber()
    source, out = Path(source), Path(out)
    files = document_files(source, format)
    single = not source.is_dir()
    if single:
        _check_kind(files[0][1], out)
        check_output(out, source)
    else:
        check_output(out / "probe", source) if out.is_dir() else check_output(out, source)
    if not single and out.is_dir() and any(out.iterdir()):
        raise bad_input("out", out.name, "a folder that is new or empty", "what lies in it would leave with the rest")
    beside = card_path(out) if card is None else Path(card)
    check_output(beside, source, out)
    private = None
    if sign is not None:
        from sfumato.release.signature import read_private

        private = read_private(sign)  # before the work, and before anything is recorded
    opened: list[tuple[str, str, Document]] = []
    remarks: list[str] = []
    skipped = 0
    for path, kind, name in files:
        with reading(path):
            content = path.read_bytes()
        document = open_document(str(path), content, kind, encoding=encoding, notes=notes)
        if not any(text.strip() for text in document.texts):
            remarks.append(
                f"{path} has no text: {'left out' if empty == 'skip' else 'kept, and nothing in it was found'}"
            )
            if empty == "skip":
                skipped += 1
                continue
        opened.append((name, kind, document))
        remarks += document.remarks
    if not opened:
        raise InputError(f"{source} has no text: scanned pages need text recognition first")
    names = [_readable(name) for name, _, _ in opened]
    texts = [text for _, _, document in opened for text in document.texts] + names
    scrubbed = scrubber.scrub(texts)
    edits = _everywhere(texts, scrubbed, scrubber)
    written: dict[str, bytes] = {}
    at = renamed = 0
    for number, (name, shape, document) in enumerate(opened):
        own = edits[at : at + len(document.texts)]
        at += len(document.texts)
        if single and document_format(out) == "txt" and shape != "txt":
            content = "\n\n".join(edited(text, one) for text, one in zip(document.texts, own, strict=True)).encode()
        else:
            content = document.rewrite(own)
        new = _unique(_renamed(name, edits[len(texts) - len(names) + number]), written)
        renamed += new != name
        written[new] = content
    papers = _papers(written, out if single else None, scrubber, terms or Terms())
    _write(out, written, single)
    if private is not None:
        from sfumato.release.signature import sign as signed

        papers = signed(papers, private)
    write_card(papers, beside)
    for remark in remarks:
        if notes is not None:
            notes(remark)
    found = Counter(span.label for spans in scrubbed.spans for span in spans)
    return FileReport(
        files=len(written),
        skipped=skipped,
        renamed=0 if single else renamed,
        found=dict(sorted(found.items())),
        originals=scrubbed.originals,
        remarks=tuple(remarks),
        card=papers,
    )


def restore_files(
    source: str | Path, out: str | Path, originals: dict[str, str], *, notes: Callable[[str], None] | None = None
) -> int:
    """Undo pseudonyms in a document or a folder of documents.

    What was taken out of a PDF is gone: those of a folder are left out, which ``notes`` is told.

    Returns
    -------
    int
        How many files were written.
    """
    source, out = Path(source), Path(out)
    single = not source.is_dir()
    written: dict[str, bytes] = {}
    for path, kind, name in document_files(source, None):
        if kind == "pdf":
            if single:
                raise bad_input("input", path.name, "documents other than PDF", "what was taken out of a PDF is gone")
            if notes is not None:
                notes(f"{path} is left out: what was taken out of a PDF is gone")
            continue
        with reading(path):
            document = open_document(str(path), path.read_bytes(), kind)
        edits = [
            [Edit(match.start(), match.end(), restore(match.group(), originals)) for match in _TOKEN.finditer(text)]
            for text in document.texts
        ]
        written[name] = document.rewrite(edits)
    if not written:
        raise bad_input("input", source.name, "documents other than PDF", "what was taken out of a PDF is gone")
    _write(out, written, single)
    return len(written)


_TOKEN = re.compile(r"\[[A-Z]+-[A-Z2-7]{10}\]")


def _check_kind(kind: str, out: Path) -> None:
    wanted = document_format(out)
    if wanted not in (kind, "txt"):
        raise bad_input(
            "out",
            out.name,
            f"a name that ends in {' or '.join(sorted({f'.{kind}', '.txt'}))}",
            "a document stays what it is",
        )


def _everywhere(texts: list[str], scrubbed: Scrubbed, scrubber: Scrubber) -> list[list[Edit]]:
    """The edits of each text: what was found, and the same values where they were not, outside of allowed phrases."""
    values: dict[str, str] = {}
    for text, spans, stand_ins in zip(texts, scrubbed.spans, scrubbed.stand_ins, strict=True):
        for span, written in zip(spans, stand_ins, strict=True):
            value = text[span.start : span.end].strip()
            if len(re.sub(r"\W", "", value)) >= _LONG:
                values.setdefault(" ".join(value.split()), written)
    listed = sorted(values, key=len, reverse=True)
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(one)}(?!\w)" for one in listed)) if listed else None
    made: list[list[Edit]] = []
    for text, spans, stand_ins in zip(texts, scrubbed.spans, scrubbed.stand_ins, strict=True):
        edits = [Edit(span.start, span.end, written) for span, written in zip(spans, stand_ins, strict=True)]
        taken = {at for edit in edits for at in range(edit.start, edit.end)}
        taken.update(at for start, end in scrubber.allowed_places(text) for at in range(start, end))
        for match in pattern.finditer(text) if pattern is not None else ():
            if taken.isdisjoint(range(match.start(), match.end())):
                edits.append(Edit(match.start(), match.end(), values[match.group()]))
        made.append(sorted(edits, key=lambda edit: edit.start))
    return made


def _readable(name: str) -> str:
    """The name of a file as a text of the same length, in which names look like names."""
    spaced = re.sub(r"[_\-.+]", " ", name)
    titled = spaced.title()
    return titled if len(titled) == len(name) else spaced


def _renamed(name: str, edits: Sequence[Edit]) -> str:
    ending = len(name) - len(Path(name).suffix)
    kept = [
        Edit(edit.start, min(edit.end, ending), re.sub(r"[^\w\-]", "", edit.written).lower() or "x")
        for edit in edits
        if edit.start < ending
    ]
    return edited(name, kept)


def _unique(name: str, taken: dict[str, bytes]) -> str:
    path, number, made = Path(name), 1, name
    while made in taken:
        number += 1
        made = path.with_name(f"{path.stem}-{number}{path.suffix}").as_posix()
    return made


def _write(out: Path, written: dict[str, bytes], single: bool) -> None:
    if single:
        with atomic_path(out) as beside:
            beside.write_bytes(next(iter(written.values())))
        return
    output_folder(out)
    for name, content in written.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(out / name) as beside:
            beside.write_bytes(content)


def _papers(written: dict[str, bytes], document: Path | None, scrubber: Scrubber, terms: Terms) -> Card:
    """Record the release and make its card: hashes of what left, nothing that was found."""
    column = (Column(name="text", role="protected", kind="document"),)
    parts = tuple(
        Part(name=name, sha256=hashlib.sha256(content).hexdigest(), bytes=len(content), rows=1, columns=column)
        for name, content in sorted(written.items())
    )
    content = Content(rows=len(parts), columns=column, order_shuffled=False)
    if document is None:
        whole = folder_digest({part.name: str(part.sha256) for part in parts})
        content = replace(
            content, format=FOLDER, sha256=whole, bytes=sum(part.bytes or 0 for part in parts), parts=parts
        )
    else:
        content = replace(content, format=document_format(document) or "", sha256=parts[0].sha256, bytes=parts[0].bytes)
    method = Method(
        name="scrubber",
        parameters={
            "documents": True,
            "column": "text",
            "recognisers": [type(one).__name__ for one in scrubber.recognisers],
            "replacement": scrubber.replacement,
            "keep": sorted(scrubber.keep),
            "allow": sorted(scrubber.allow),
        },
        technique_iso20889="pseudonymization" if scrubber.replacement == "pseudonym" else scrubber.technique,
        randomness="none",
    )
    return issue(content, method, kind="text", guarantee=scrubber.guarantee, terms=terms, not_covered=_NOT_COVERED)[0]
