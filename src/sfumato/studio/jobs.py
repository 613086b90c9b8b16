"""The long work of the studio: what the processes of :class:`~sfumato.studio.long_run.LongRun` do."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import InputError, SfumatoError
from sfumato.release import Card, Terms
from sfumato.study.door import Dialect
from sfumato.study.own.decisions import Decisions
from sfumato.study.score import Finding
from sfumato.table.core.schema import Schema
from sfumato.table.explain.risk_explanation import RiskExplanation, explain_risk

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.studio.project import Origin
    from sfumato.studio.purse import Purse

__all__ = ["Attacked", "Filed", "attack_table", "explain_table", "file_release"]

Note = Callable[[str], None]


@dataclass(frozen=True)
class Attacked:
    """What the attacks on a release achieved, and what is left of the data."""

    attacks: Sequence[Finding]
    uses: Sequence[Finding]
    promised: str


@dataclass(frozen=True)
class Filed:
    """The papers of a release: which files there are, that each was read again, and the card."""

    card: Card
    public: tuple[str, ...]
    private: tuple[str, ...]
    checked: tuple[str, ...]
    disarmed: int
    notices: tuple[str, ...]


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
    schema: Schema,
    reasons: dict[str, str],
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
    schema.write(private / "table.toml", reasons=reasons)
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
    for ending in ("csv", "parquet", "xlsx"):
        if f"release.{ending}" in files:
            again = read_table(out / f"release.{ending}")
            _require_same(done.release.arrow, again, f"release.{ending}")
            checked.append(f"release.{ending}")
    for name in files:
        if name.endswith(".card.json"):
            Card.read(out / name)
            checked.append(name)
    if (
        Decisions.read(private / "decisions.toml").protect != decisions.protect
        or Schema.read(private / "table.toml") != schema
    ):
        raise InputError("the decisions that were read again are not those that were written")
    json.loads((private / "notebook.ipynb").read_text(encoding="utf-8"))
    checked += ["decisions.toml", "table.toml", "notebook.ipynb"]
    _pack(out, files, out / "release.zip")
    kept = ["decisions.toml", "table.toml", "release.key", "notebook.ipynb"]
    kept += [path.relative_to(private).as_posix() for path in sorted(private.rglob("*.csv"))]
    _pack(private, kept, out / "private.zip")
    return Filed(
        done.release.card,
        tuple(files),
        tuple(kept),
        tuple(checked),
        disarmed_cells(done.release.arrow),
        tuple(notices),
    )


def _require_same(written: pa.Table, again: pa.Table, name: str) -> None:
    """Refuse a file in which a reader would find another table."""
    if again.column_names != written.column_names or again.num_rows != written.num_rows:
        raise InputError(f"{name} was read again and has another shape than what was written")
    for column in written.column_names:
        if _texts(written[column]) != _texts(again[column]):
            raise InputError(f"{name} was read again and differs in column {column!r}; choose another format")


def _texts(column: Any) -> list[str]:
    from sfumato.table.core.hierarchy import text

    return ["" if value is None or value != value else text(value) for value in column.to_pylist()]


def _pack(folder: Path, names: Sequence[str], target: Path) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in names:
            packed.write(folder / name, name)
