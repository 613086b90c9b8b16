"""Undo the pseudonyms of files."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from sfumato.errors import bad_input
from sfumato.io.atomic import reading
from sfumato.io.redaction.edit import Edit
from sfumato.io.redaction.open_document import open_document
from sfumato.io.texts import document_files
from sfumato.text.scrub.writing.file_places import check_place, written_files
from sfumato.text.scrub.writing.find_replacement import restore

__all__ = ["restore_files"]

_TOKEN = re.compile(r"\[[A-Z]+-[A-Z2-7]{10}\]")


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
    check_place(source, out)
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
    with written_files(out, written, single):
        return len(written)
