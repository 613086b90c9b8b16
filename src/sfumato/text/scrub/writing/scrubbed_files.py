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
from sfumato.io.atomic import check_output, reading
from sfumato.io.redaction.edit import Document, Edit, edited
from sfumato.io.redaction.open_document import open_document
from sfumato.io.texts import document_files, document_format
from sfumato.release import Card, Column, Content, Method, Part, Terms
from sfumato.release.card import card_path
from sfumato.release.issuance import issue, write_card
from sfumato.release.verdict import folder_digest
from sfumato.text.core.records import Empty
from sfumato.text.scrub.scrubber import Scrubbed, Scrubber
from sfumato.text.scrub.writing.file_places import check_place, written_files
from sfumato.text.scrub.writing.pseudonym_key import PseudonymKey
from sfumato.validate import choice

__all__ = ["FileReport", "scrub_files"]

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
    key_file: str | Path | None = None,
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
    key_file : path, optional
        Where what the pseudonyms stand for is added to: a :class:`PseudonymKey` with the secret of the scrubber. It is
        on the disk before the first scrubbed file leaves. A folder appears whole or not at all.
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
    files = document_files(source, format, notes=notes)
    single = not source.is_dir()
    if single:
        _check_kind(files[0][1], out)
    check_place(source, out)
    beside = card_path(out) if card is None else Path(card)
    check_output(beside, source, out)
    private = None
    if sign is not None:
        from sfumato.release.signature import read_private

        private = read_private(sign)  # before the work, and before anything is recorded
    key = None
    if key_file is not None:
        key = _key_of(scrubber, Path(key_file))
        check_output(key_file, source, out)
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
    if not opened:
        raise InputError(f"{source} has no text: scanned pages need text recognition first")
    names = [_readable(name) for name, _, _ in opened]
    texts = [text for _, _, document in opened for text in document.texts] + names
    scrubbed = scrubber.scrub(texts)
    edits, labels = _everywhere(texts, scrubbed, scrubber)
    found: Counter[str] = Counter()
    written: dict[str, bytes] = {}
    at = renamed = 0
    for number, (name, shape, document) in enumerate(opened):
        own = edits[at : at + len(document.texts)]
        found += _counted(document, own, labels[at : at + len(document.texts)])
        at += len(document.texts)
        if single and document_format(out) == "txt" and shape != "txt":
            content = document.plain(own).encode()
        else:
            content = document.rewrite(own)
        remarks += document.remarks  # some are known only now
        new = _unique(_renamed(name, edits[len(texts) - len(names) + number]), written)
        renamed += new != name
        written[new] = content
    if key is not None and key_file is not None:  # an interruption from here on does not lose the way back
        key.with_originals(scrubbed.originals).write(key_file)
    papers = _papers(written, out if single else None, scrubber, terms or Terms())
    if private is not None:
        from sfumato.release.signature import sign as signed

        papers = signed(papers, private)
    with written_files(out, written, single):  # whole, but in its place only once its card is
        write_card(papers, beside)
    for remark in remarks:
        if notes is not None:
            notes(remark)
    return FileReport(
        files=len(written),
        skipped=skipped,
        renamed=0 if single else renamed,
        found=dict(sorted(found.items())),
        originals=scrubbed.originals,
        remarks=tuple(remarks),
        card=papers,
    )


def _check_kind(kind: str, out: Path) -> None:
    wanted = document_format(out)
    if wanted not in (kind, "txt"):
        raise bad_input(
            "out",
            out.name,
            f"a name that ends in {' or '.join(sorted({f'.{kind}', '.txt'}))}",
            "a document stays what it is",
        )


def _key_of(scrubber: Scrubber, path: Path) -> PseudonymKey:
    """The key that a file has, or a new one; its secret must be that of the scrubber."""
    if scrubber.replacement != "pseudonym" or scrubber.key is None:
        raise bad_input("key_file", path.name, "none without pseudonyms", "Scrubber(replacement='pseudonym', key=…)")
    key = PseudonymKey.read(path) if path.exists() else PseudonymKey(secret=scrubber.key)
    if key.secret != scrubber.key:
        raise bad_input("key_file", path.name, "a key with the secret of the scrubber", "or the name of a new file")
    return key


def _counted(document: Document, edits: Sequence[Sequence[Edit]], labels: Sequence[Sequence[str]]) -> Counter[str]:
    """How many items of each kind are replaced; one that several readings of a place have counts once."""
    found: Counter[str] = Counter()
    seen: set[int] = set()
    for number, (own, kinds) in enumerate(zip(edits, labels, strict=True)):
        signs = document.signs(number)
        for edit, label in zip(own, kinds, strict=True):
            if signs is not None:
                here = {id(sign) for sign in signs[edit.start : edit.end] if sign is not None}
                known = not here.isdisjoint(seen)
                seen |= here
                if known:
                    continue
            found[label] += 1
    return found


def _everywhere(texts: list[str], scrubbed: Scrubbed, scrubber: Scrubber) -> tuple[list[list[Edit]], list[list[str]]]:
    """The edits of each text and their kinds: what was found, and the same values where they were not.

    Allowed phrases stay.
    """
    values: dict[str, tuple[str, str]] = {}
    for text, spans, stand_ins in zip(texts, scrubbed.spans, scrubbed.stand_ins, strict=True):
        for span, written in zip(spans, stand_ins, strict=True):
            value = text[span.start : span.end].strip()
            if len(re.sub(r"\W", "", value)) >= _LONG:
                values.setdefault(" ".join(value.split()), (written, span.label))
    listed = sorted(values, key=len, reverse=True)
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(one)}(?!\w)" for one in listed)) if listed else None
    made: list[list[tuple[Edit, str]]] = []
    for text, spans, stand_ins in zip(texts, scrubbed.spans, scrubbed.stand_ins, strict=True):
        edits = [
            (Edit(span.start, span.end, written), span.label) for span, written in zip(spans, stand_ins, strict=True)
        ]
        taken = {at for edit, _ in edits for at in range(edit.start, edit.end)}
        taken.update(at for start, end in scrubber.allowed_places(text) for at in range(start, end))
        for match in pattern.finditer(text) if pattern is not None else ():
            if taken.isdisjoint(range(match.start(), match.end())):
                written, label = values[match.group()]
                edits.append((Edit(match.start(), match.end(), written), label))
        made.append(sorted(edits, key=lambda one: one[0].start))
    return [[edit for edit, _ in one] for one in made], [[label for _, label in one] for one in made]


def _readable(name: str) -> str:
    """The name of a file as a text of the same length, in which names look like names and the ending is blank."""
    ending = Path(name).suffix
    spaced = re.sub(r"[_\-.+]", " ", name.removesuffix(ending)) + " " * len(ending)
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
