"""The long work of the studio: what the processes of :class:`~sfumato.studio.long_run.LongRun` do."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, SfumatoError
from sfumato.release import Card, Key, Release, Terms
from sfumato.study.door import Dialect
from sfumato.study.own.decisions import Decisions
from sfumato.study.report.certificate import write_certificate
from sfumato.study.score import Finding
from sfumato.table.core.schema import Schema
from sfumato.table.explain.risk_explanation import RiskExplanation, explain_risk
from sfumato.text.publishing import REVIEW_FILE
from sfumato.text.scrub.review.span_review import SpanReview
from sfumato.text.scrub.span import Span

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.studio.project import Origin
    from sfumato.studio.purse import Purse

__all__ = [
    "OWN_CERTIFICATE",
    "Attacked",
    "Beside",
    "Filed",
    "SeenPath",
    "attack_table",
    "explain_table",
    "file_release",
    "scan_texts",
]

Note = Callable[[str], None]
OWN_CERTIFICATE = "own-certificate.html"


@dataclass(frozen=True)
class Attacked:
    """What the attacks on a release achieved, and what is left of the data."""

    attacks: Sequence[Finding]
    uses: Sequence[Finding]
    promised: str


@dataclass(frozen=True)
class Beside:
    """What the decisions rest on, in a file beside them that is read again and must be the same."""

    name: str
    value: Any
    write: Callable[[Path], Any]
    read: Callable[[Path], Any]

    @classmethod
    def schema(cls, schema: Schema, reasons: dict[str, str]) -> Beside:
        """Roles and hierarchies of a table."""
        return cls("table.toml", schema, partial(schema.write, reasons=reasons), Schema.read)

    @classmethod
    def review(cls, review: SpanReview) -> Beside:
        """What a reviewer decided about texts."""
        return cls(REVIEW_FILE, review, review.write, SpanReview.read)


@dataclass(frozen=True)
class Filed:
    """The papers of a release: which files there are, that each was read again, and the card."""

    card: Card
    public: tuple[str, ...]
    private: tuple[str, ...]
    checked: tuple[str, ...]
    disarmed: int
    notices: tuple[str, ...]
    seen: SeenPath | None = None


@dataclass(frozen=True)
class SeenPath:
    """What left of a trace, and where an attacker looks for what is hidden: metres beside the true path.

    Parameters
    ----------
    seen : ndarray of shape (n, 2)
        NaN for a point that was left out.
    guesses : list of (east, north, deviation, error)
        For each hidden visit the attacker's best guess, how unsure it is, and how far off, in metres.
    """

    seen: NDArray[np.float64]
    guesses: list[tuple[float, float, float, float]]

    @classmethod
    def of(cls, origin: Origin, dialect: Dialect, release: Release) -> SeenPath:
        """A release beside the path it was made from."""
        from sfumato.trace.attacks.evidence import place_belief
        from sfumato.trace.returned.beside_original import BesideOriginal

        own = BesideOriginal.read(dialect.read(origin.path), release)
        guesses = []
        for start, end in own.intervals:
            belief = place_belief(own.sighting, (start, end))
            truth = own.truth[(own.times >= start) & (own.times <= end)].mean(0)
            error = float(np.linalg.norm(truth - belief.mean))
            guesses.append((float(belief.mean[0]), float(belief.mean[1]), float(np.sqrt(belief.variance)), error))
        return cls(own.seen, guesses)


def scan_texts(note: Note, texts: list[str], names: str) -> list[list[Span]]:
    """What the scrubber finds in texts."""
    from sfumato.text.scrub.scrubber import Scrubber
    from sfumato.text.text_method import recognisers_of

    note(f"looking for names, numbers and addresses in {len(texts):,} texts")
    return Scrubber(recognisers=recognisers_of(names)).spans(texts)


def explain_table(note: Note, table: pa.Table, schema: Schema) -> RiskExplanation:
    """Which column makes the risk."""
    note("looking for the smallest sets of columns in which records are unique")
    return explain_risk(table, schema)


def attack_table(note: Note, table: pa.Table, schema: Schema, arguments: dict[str, Any]) -> Attacked:
    """Protect as the sliders say, attack the release and measure what is left. Nothing leaves."""
    from sfumato.table.protection import attack, measure, protect

    note("protecting the table")
    release = protect(table, schema, **arguments, terms=Terms(ledger=False))
    attacks = attack(table, release, schema=schema, note=lambda words: note(f"attack {words}"))
    uses = measure(table, release, schema=schema, note=lambda words: note(f"use {words}"))
    return Attacked(attacks, uses, release.card.promised)


def file_release(
    note: Note,
    origin: Origin,
    decisions: Decisions,
    beside: Beside | None,
    notebook: str,
    purse: Purse | None,
    out: Path,
) -> Filed:
    """Publish with these decisions and put all papers together in ``out``, each read again.

    A ledger that was named notes the release: no budget can pay for one that is only k-anonymous.
    """
    from sfumato.io.files import read_table
    from sfumato.io.formats.formulas import disarmed_cells
    from sfumato.study.own.publishing import publish
    from sfumato.study.report.pdf_file import print_pdf

    shutil.rmtree(out, ignore_errors=True)
    private = out / "private"
    private.mkdir(parents=True, mode=0o700)
    if beside is not None:
        beside.write(private / beside.name)
    decisions.write(private / "decisions.toml")
    dialect = Dialect(format=origin.format, delimiter=origin.delimiter, encoding=origin.encoding)
    done = publish(
        origin.path,
        out,
        decisions=private / "decisions.toml",
        dialect=dialect,
        terms=Terms(ledger=False) if purse is None else purse.terms,
        spreadsheet=True,
        note=note,
    )
    notices, checked = [], []
    files = ["release.csv", "release.csv.card.json", "certificate.html"]
    note("writing Parquet and Excel")
    for ending in ("parquet", "xlsx"):
        try:
            done.release.write(out / f"release.{ending}")
            files += [f"release.{ending}", f"release.{ending}.card.json"]
        except SfumatoError as error:
            (out / f"release.{ending}").unlink(missing_ok=True)
            notices.append(f"no release.{ending}: {error}")
    note("printing the certificate")
    try:
        print_pdf(out / "certificate.html", out / "certificate.pdf")
        files.append("certificate.pdf")
    except SfumatoError as error:
        notices.append(f"no certificate.pdf: {error}")
    (private / "notebook.ipynb").write_text(notebook, encoding="utf-8")
    note("reading everything again")
    _require_same(done.release.arrow, read_table(out / "release.csv"), "release.csv")
    checked.append("release.csv")
    for name in ("release.parquet", "release.xlsx"):
        if name in files:
            try:
                _require_same(done.release.arrow, read_table(out / name), name)
                checked.append(name)
            except InputError as error:  # a cell of Excel has fewer digits than a number: the others are right
                files = [one for one in files if not one.startswith(name)]
                notices.append(f"no {name}: {error}")
    for name in files:
        if name.endswith(".card.json"):
            Card.read(out / name)
            checked.append(name)
    again = Decisions.read(private / "decisions.toml")
    same = {**again.protect, **decisions.protect} == again.protect  # a proposal may have added to them
    if not same or (beside is not None and beside.read(private / beside.name) != beside.value):
        raise InputError("the decisions that were read again are not those that were written")
    write_certificate(Card.read(out / "release.csv.card.json"), out / "again.html")
    if (out / "again.html").read_bytes() != (out / "certificate.html").read_bytes():
        raise InputError("the certificate that was made again from its card is another one")
    (out / "again.html").unlink()
    checked.append("certificate.html")
    Key.read(private / "release.key").belongs_to(done.release.card.id, done.release.arrow.num_rows)
    checked.append("release.key")
    if "certificate.pdf" in files and find_spec("pypdf") is not None:
        try:
            _require_printed(out / "certificate.pdf", done.release.card)
            checked.append("certificate.pdf")
        except InputError as error:  # print the page by hand: it is right
            files.remove("certificate.pdf")
            notices.append(f"no certificate.pdf: {error}")
    json.loads((private / "notebook.ipynb").read_text(encoding="utf-8"))
    checked += ["decisions.toml", *([] if beside is None else [beside.name]), "notebook.ipynb"]
    _pack(out, files, out / "release.zip")
    kept = ["decisions.toml", *([] if beside is None else [beside.name]), "release.key", "notebook.ipynb"]
    if (private / "certificate.html").is_file():  # with numbers that only the owner may see
        (private / "certificate.html").rename(private / OWN_CERTIFICATE)
        kept.append(OWN_CERTIFICATE)
    seen = None
    if decisions.kind == "trace":
        note("guessing the hidden places as an attacker would")
        seen = SeenPath.of(origin, dialect, Release.read(out / "release.csv", key=private / "release.key"))
    kept += [path.relative_to(private).as_posix() for path in sorted(private.rglob("*.csv"))]
    _pack(private, kept, out / "private.zip")
    return Filed(
        done.release.card,
        tuple(files),
        tuple(kept),
        tuple(checked),
        disarmed_cells(done.release.arrow),
        tuple(notices),
        seen,
    )


def _require_same(written: pa.Table, again: pa.Table, name: str) -> None:
    """Refuse a file in which a reader would find another table."""
    if again.column_names != written.column_names or again.num_rows != written.num_rows:
        raise InputError(f"{name} was read again and has another shape than what was written")
    for column in written.column_names:
        if _texts(written[column]) != _texts(again[column]):
            raise InputError(f"{name} was read again and differs in column {column!r}")


def _require_printed(path: Path, card: Card) -> None:
    """Refuse a printed certificate that is not that of the release: its id and its hash must stand in it."""
    from pypdf import PdfReader

    text = "".join("".join(page.extract_text().split()) for page in PdfReader(path).pages)
    if card.id[:8] not in text or str(card.release.sha256) not in text:
        raise InputError("certificate.pdf was read again and does not name the release")


def _texts(column: Any) -> list[str]:
    from sfumato.table.core.hierarchy import text

    return ["" if value is None or value != value else text(value) for value in column.to_pylist()]


def _pack(folder: Path, names: Sequence[str], target: Path) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in names:
            packed.write(folder / name, name)
