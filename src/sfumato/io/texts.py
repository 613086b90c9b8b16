"""Texts from documents, folders and tables."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from sfumato.errors import InputError, bad_input
from sfumato.io import documents
from sfumato.io.atomic import reading
from sfumato.io.files import read_table
from sfumato.io.formats.charset import Notes
from sfumato.io.formats.dialect import DELIMITERS, SAMPLE
from sfumato.io.formats.endings import TABLE_FORMATS
from sfumato.io.streams import shown_path
from sfumato.validate import extra

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["DocumentFormat", "document_files", "document_format", "read_texts", "sniff_document"]

DocumentFormat = Literal["txt", "html", "eml", "mbox", "docx", "pdf"]
_ENDINGS: dict[str, DocumentFormat] = {
    ".txt": "txt",
    ".md": "txt",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".eml": "eml",
    ".mbox": "mbox",
    ".docx": "docx",
    ".pdf": "pdf",
}
_NEEDS = {"docx": "docx", "pdf": "pypdf"}
_MAILBOX = re.compile(r"From \S+.*\d{4}\r?\n[\w-]+:")
_MAIL = re.compile(
    r"(From|To|Date|Subject|Received|Return-Path|Message-ID|MIME-Version|Delivered-To):[^\n]*\n\s*\S+", re.I
)
_ROWS = 50
_LONGEST_NAME = 60


def document_format(path: str | Path, format: str | None = None) -> DocumentFormat | None:
    """The kind of document told, or by the name of the file; ``None`` for a table, a folder or a pipe.

    >>> document_format("letter.docx"), document_format("letters.csv")
    ('docx', None)
    """
    if format is not None:
        return next((kind for kind in get_args(DocumentFormat) if kind == format), None)
    return None if str(path) == "-" else _ENDINGS.get(Path(path).suffix.lower())


def sniff_document(content: bytes) -> DocumentFormat | None:
    """What kind of document a file is by its first bytes; ``None`` for one that is a table, or none of these.

    Lines with the same number of fields below names are a table, and so are lines of a word or two. Others are a text.

    >>> sniff_document(b"Dear Anna,\\nsee you in Wexcombe.\\n"), sniff_document(b"age;town\\n31;Linz\\n")
    ('txt', None)
    """
    head = content[:SAMPLE]
    if head.startswith((b"%PDF-", b"PK\x03\x04")):
        return "pdf" if head.startswith(b"%") else "docx" if b"word/document.xml" in content else None
    text = head.decode("utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace").lstrip("\ufeff")
    start = text.lstrip()
    if start[:14].lower() == "<!doctype html" or start[:5].lower() == "<html":
        return "html"
    if _MAILBOX.match(text):
        return "mbox"
    if _MAIL.match(text):
        return "eml"
    return "txt" if _is_prose(start) else None


def _is_prose(text: str) -> bool:
    """Whether lines are sentences and no records."""
    lines = [line for line in text.splitlines() if line.strip()][:_ROWS]
    if not lines or "\0" in text or text[0] in "<{[":  # JSON and XML have readers of their own
        return False
    for delimiter in DELIMITERS:
        rows = [row for row in csv.reader(lines, delimiter=delimiter) if row]
        width, names = len(rows[0]), [name.strip() for name in rows[0]]
        named = all(names) and len(set(names)) == width and max(map(len, names)) <= _LONGEST_NAME
        alike = sum(len(row) == width for row in rows) >= 0.9 * len(rows)
        bare = len(rows) > 1 or not any(" " in name for name in names)
        if width > 1 and named and alike and bare:
            return False
    return not all(len(line.split()) <= 3 and line.rstrip()[-1] not in ".!?,;:" for line in lines)


def read_texts(
    path: str | Path,
    *,
    column: str = "text",
    format: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    notes: Notes = None,
) -> pa.Table:
    """A table of texts from a document, a folder of documents, or a table with a column of texts.

    Parameters
    ----------
    path
        A file that ends in .txt, .md, .html, .eml, .mbox, .docx or .pdf; a folder of such files, whose folders are
        looked into, too; or a table in any format of :func:`~sfumato.io.read_table`, ``-`` included.
    column : str
        The column that holds the texts of a table, and its name for documents.
    format : str, optional
        ``txt``, ``html``, ``eml``, ``mbox``, ``docx``, ``pdf``, or a format of tables. For a folder it says which files
        are read.
    delimiter, encoding : str, optional
        Of text files; found if not given.
    notes : callable, optional
        Is told what was guessed, left out or looks odd.

    Returns
    -------
    pyarrow.Table
        For documents: ``file`` and the texts, in the order of the names of the files; a mail of a mailbox is
        ``name#number``. For a table: all its columns.

    Notes
    -----
    Names of files often name people. A release should leave the column ``file`` out.
    """
    if format is not None and format not in (*get_args(DocumentFormat), *TABLE_FORMATS):
        raise bad_input("format", format, "one of " + ", ".join((*get_args(DocumentFormat), *TABLE_FORMATS)))
    if str(path) != "-" and Path(path).is_dir():
        return _folder(Path(path), column, format, encoding, notes)
    kind = document_format(path, format)
    if kind is not None:
        if delimiter is not None:
            raise bad_input(
                "delimiter", delimiter, "none for a document", "a delimiter stands between the fields of CSV"
            )
        _require([kind])
        rows = list(_texts(Path(path), Path(path).name, kind, encoding, notes))
        if len(rows) == 1 and not rows[0][1].strip():
            how = "scanned pages need text recognition first" if kind == "pdf" else "expected a text"
            raise InputError(f"{shown_path(path)} has no text: {how}")
        return _table(rows, column)
    table = read_table(path, format=format, delimiter=delimiter, encoding=encoding, notes=notes)
    return _checked(table, column, shown_path(path))


def _folder(folder: Path, column: str, format: str | None, encoding: str | None, notes: Notes) -> pa.Table:
    chosen, left = _chosen(folder, format)
    if left and notes is not None:
        notes(f"{folder} has {left} files of other kinds or hidden: not read")
    _require(sorted({kind for _, kind in chosen}))
    rows = [
        row for file, kind in chosen for row in _texts(file, file.relative_to(folder).as_posix(), kind, encoding, notes)
    ]
    blank = sum(not text.strip() for _, text in rows)
    if blank == len(rows):
        raise InputError(f"{folder} has no text in {blank} files: scanned pages need text recognition first")
    if blank and notes is not None:
        notes(f"{folder} has {blank} files without text; a scanned page has none")
    return _table(rows, column)


def _chosen(folder: Path, format: str | None) -> tuple[list[tuple[Path, DocumentFormat]], int]:
    """The documents of a folder, and how many files are of other kinds."""
    with reading(folder):
        files = sorted(
            (file for file in folder.rglob("*") if file.is_file()),
            key=lambda file: file.relative_to(folder).as_posix(),
        )
    chosen = [
        (file, kind)
        for file in files
        if (kind := document_format(file)) and format in (None, kind) and not _hidden(file.relative_to(folder))
    ]
    if not chosen:
        raise InputError(f"{folder} has no texts: expected files that end in " + ", ".join(_ENDINGS))
    return chosen, len(files) - len(chosen)


def document_files(
    path: str | Path, format: str | None = None, *, notes: Notes = None
) -> list[tuple[Path, DocumentFormat, str]]:
    """The documents at a path: files with their kinds and their names within the folder.

    ``notes`` is told how many files of a folder are of other kinds.

    Raises
    ------
    InputError
        If there is no document.
    """
    path = Path(path)
    if path.is_dir():
        chosen, left = _chosen(path, format)
        if left and notes is not None:
            notes(f"{path} has {left} files of other kinds or hidden: not read")
        return [(file, kind, file.relative_to(path).as_posix()) for file, kind in chosen]
    kind = document_format(path, format)
    if kind is None:
        raise bad_input("input", path.name, "a document or a folder", "one that ends in " + ", ".join(_ENDINGS))
    return [(path, kind, path.name)]


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _require(kinds: list[str] | list[DocumentFormat]) -> None:
    for kind in kinds:
        if kind in _NEEDS:
            extra(_NEEDS[kind], "documents")


def _texts(
    path: Path, name: str, kind: DocumentFormat, encoding: str | None, notes: Notes
) -> Iterator[tuple[str, str]]:
    """The names and the texts in one file."""
    with reading(path):
        content = path.read_bytes()
    shown = str(path)
    if kind == "mbox":
        for number, mail in enumerate(documents.mailbox_parts(shown, content), 1):
            yield f"{name}#{number}", documents.mail_text(f"{shown}, mail {number}", mail, notes)
    elif kind == "eml":
        yield name, documents.mail_text(shown, content, notes)
    elif kind == "docx":
        yield name, documents.word_text(shown, content)
    elif kind == "pdf":
        yield name, documents.pdf_text(shown, content)
    elif kind == "html":
        yield name, documents.html_text(shown, content, encoding, notes)
    else:
        yield name, documents.plain_text(shown, content, encoding, notes)


def _table(rows: list[tuple[str, str]], column: str) -> pa.Table:
    import pyarrow as pa

    names, texts = zip(*rows, strict=True)
    if column == "file":
        raise bad_input("column", column, "another name", "the column file has the names of the files")
    return pa.table({"file": pa.array(names, pa.string()), column: pa.array(texts, pa.string())})


def _checked(table: pa.Table, column: str, shown: str) -> pa.Table:
    """The table, whose column is text."""
    import pyarrow as pa

    from sfumato.io.frames import missing_columns

    missing_columns([column], table.column_names, shown)
    kind = table.schema.field(column).type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        raise bad_input(f"column {column!r}", str(kind), "texts", f"{shown} has no texts in it; column= names another")
    return table
