"""Check a release against its card: hash, signature, ledger entry, and whatever can be computed again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sfumato.errors import InputError, SfumatoError
from sfumato.ledger import Ledger
from sfumato.promise import Guarantee
from sfumato.registry import room_module
from sfumato.release.card import Card, card_path, part_path
from sfumato.release.release import Release

__all__ = ["Check", "Verdict", "verify"]


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing that was checked: it holds, it fails, or it could not be checked; one sentence says why."""

    name: str
    result: Literal["holds", "fails", "not checked"]
    words: str

    @classmethod
    def that(cls, name: str, holds: bool, good: str, bad: str) -> Check:
        """A check that was made, with the sentence for each result.

        >>> Check.that("rows", False, "as many as the card says", "some are missing").words
        'some are missing'
        """
        return cls(name=name, result="holds" if holds else "fails", words=good if holds else bad)

    @classmethod
    def of_shape(cls, release: Release) -> Check:
        """Whether columns and rows are those of the card, in all tables of the release."""
        content = release.card.release
        tables = [(release.arrow, content.columns, content.rows)]
        tables += [(release.part(part.name), part.columns, part.rows) for part in content.parts]
        same = all(
            table.column_names == [column.name for column in columns] and table.num_rows == rows
            for table, columns, rows in tables
        )
        good, bad = "columns and rows are those of the card", "columns or rows differ from the card"
        return cls.that("columns", same, good, bad)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """All checks of one release."""

    path: str
    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing failed."""
        return all(check.result != "fails" for check in self.checks)

    def __str__(self) -> str:
        lines = [f"{self.path}: {'verified' if self.holds else 'NOT VERIFIED'}"]
        return "\n".join([*lines, *(f"  {check.result}: {check.name}: {check.words}" for check in self.checks)])


def verify(
    path: str | Path,
    *,
    card: str | Path | None = None,
    ledger: str | Path | None = None,
    public_key: str | Path | None = None,
) -> Verdict:
    """Check a release that was written before.

    Parameters
    ----------
    path
        The data, a file or a folder of documents; the card is expected beside them (``path.card.json``) unless ``card``
        says where.
    ledger : path, optional
        The ledger that the card names its entry of: the entry must be there, unedited, with the same release and cost.
    public_key : path, optional
        The public key that must have signed the card. A signature proves nothing without knowing whose key it is.

    Examples
    --------
    >>> import tempfile, pyarrow as pa, sfumato as sf
    >>> people = pa.table({"age": [31, 47, 52]})
    >>> release = sf.statistic.protect(people, "age", mechanism="mean", low=0, high=100, epsilon=1.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = release.write(f"{folder}/mean.csv")
    ...     sf.verify(f"{folder}/mean.csv").holds
    True
    """
    beside = card_path(path) if card is None else Path(card)
    checks: list[Check] = []

    def run(name: str, check: Callable[[], tuple[Literal["holds", "fails", "not checked"], str]]) -> None:
        try:
            result, words = check()
        except SfumatoError as error:
            result, words = "fails", str(error)
        checks.append(Check(name=name, result=result, words=words))

    if not Path(path).exists():
        raise InputError(f"{path} does not exist: expected a release that protect wrote")
    if not beside.exists():
        missing = Check(name="card", result="fails", words=f"{beside.name} is missing: what left without papers?")
        return Verdict(path=str(path), checks=(missing,))
    try:
        found = Card.read(beside)
    except SfumatoError as error:
        return Verdict(path=str(path), checks=(Check(name="card", result="fails", words=str(error)),))
    run("data", lambda: _data(Path(path), found))
    run("signature", lambda: _signature(found, public_key))
    run("ledger", lambda: _ledger(found, ledger))
    if checks[0].result == "holds":
        try:
            release = Release.read(path, card=beside)
            checks += room_module(found.kind, "protection").recompute(release)
        except SfumatoError as error:
            checks.append(Check(name="content", result="fails", words=str(error)))
    return Verdict(path=str(path), checks=tuple(checks))


def _data(path: Path, card: Card) -> tuple[Literal["holds", "fails", "not checked"], str]:
    if card.release.sha256 is None:
        return "not checked", "the card names no hash"
    if path.is_dir():
        return _folder(path, card)
    files = {path: card.release.sha256} | {part_path(path, one.name): one.sha256 for one in card.release.parts}
    for file, expected in files.items():
        if not file.is_file():
            return "fails", f"{file.name}, a table of the release, is missing"
        with file.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
        if found != expected:
            which = "" if file == path else f" in {file.name}"
            return "fails", f"the data{which} are not those that the card was written for: they were edited or replaced"
    return "holds", "the data are those that the card was written for"


def folder_digest(files: Mapping[str, str]) -> str:
    """One SHA-256 for the files of a folder, from their names and hashes.

    >>> folder_digest({"b.txt": "22", "a.txt": "11"}) == folder_digest({"a.txt": "11", "b.txt": "22"})
    True
    """
    lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(files.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def _folder(path: Path, card: Card) -> tuple[Literal["holds", "fails", "not checked"], str]:
    """Whether the folder has the files of the card, unedited, and no others."""
    expected = {part.name: str(part.sha256) for part in card.release.parts}
    found: dict[str, str] = {}
    for file in sorted(one for one in path.rglob("*") if not one.is_dir()):
        with file.open("rb") as stream:
            found[file.relative_to(path).as_posix()] = hashlib.file_digest(stream, "sha256").hexdigest()
    for name in sorted({*expected, *found}):
        if name not in found:
            return "fails", f"{name}, a file of the release, is missing"
        if name not in expected:
            return "fails", f"{name} is not a file of the release: it came later"
        if found[name] != expected[name]:
            return "fails", f"{name} is not the file that the card was written for: it was edited or replaced"
    if folder_digest(found) != card.release.sha256:
        return "fails", "the hashes on the card contradict each other: it was edited"
    return "holds", f"the {len(found)} files are those that the card was written for"


def _signature(card: Card, public_key: str | Path | None) -> tuple[Literal["holds", "fails", "not checked"], str]:
    if card.signature is None:
        if public_key is None:
            return "not checked", "the card is not signed: whoever holds it can have edited it"
        return "fails", "the card is not signed"
    if public_key is None:
        return "not checked", f"signed by key {card.signature.key_id}; say whose key it must be with --public-key"
    from sfumato.release.signature import key_id, read_public, signature_holds

    key = read_public(public_key)
    if card.signature.key_id != key_id(key):
        return "fails", f"signed by key {card.signature.key_id}, not by {key_id(key)}"
    if not signature_holds(card, key):
        return "fails", "the card was edited after it was signed"
    return "holds", f"signed by key {key_id(key)}"


def _ledger(card: Card, ledger: str | Path | None) -> tuple[Literal["holds", "fails", "not checked"], str]:
    paid = card.ledger
    if ledger is None:
        if paid is None:
            return "not checked", "the card names no ledger entry: nothing was charged"
        return "not checked", f"the card names entry {paid.entry} of {paid.subject!r}; say --ledger to look it up"
    if paid is None:
        return "fails", "the card names no ledger entry: the release was not paid"
    with Ledger(ledger, create=False) as book:
        book.verify()
        entry = book.entry(paid.entry)
        if entry.release != card.id or entry.subject != paid.subject:
            return "fails", f"entry {paid.entry} of the ledger is not this release: it was not paid"
        if entry.hash != paid.entry_hash:
            return "fails", f"entry {paid.entry} of the ledger is not the one the card was given"
        promise = card.promise.get("per_person") or card.promise
        if not paid.paid:
            return "holds", f"recorded as an unpaid release of {paid.subject!r} (entry {paid.entry})"
        charged = book.budget(paid.subject).price(_promised(promise))
        if charged != entry.cost:
            return "fails", f"entry {paid.entry} paid {entry.cost}, the promise of the card costs {charged}"
    return "holds", f"paid by {paid.subject!r}, entry {paid.entry}: {paid.spent}"


def _promised(record: dict[str, object]) -> Guarantee:
    written = record.get("parameters")
    if not isinstance(written, dict):
        raise InputError("the card's promise has no parameters: what it costs cannot be computed")
    return Guarantee.from_dict({"kind": record["kind"], **written})
