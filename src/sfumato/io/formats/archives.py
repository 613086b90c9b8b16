"""Office files are archives: what they unpack to is checked before anything reads them."""

from __future__ import annotations

import io
import zipfile
import zlib

from sfumato.errors import InputError

__all__ = ["MOST_BYTES", "check_archive"]

MOST_BYTES = 1 << 30
"""What an office file may unpack to: 1 GiB."""
_PIECE = 1 << 20


def check_archive(shown: str, content: bytes, what: str, *, most: int | None = None) -> None:
    """Raise an error if an archive is damaged, unpacks to more than ``most`` bytes, or has XML that declares entities.

    Sizes are checked as declared and as unpacked: ``zipfile`` stops at the declared size, and then the checksum fails.
    """
    most = MOST_BYTES if most is None else most
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
            if sum(entry.file_size for entry in entries) > most:
                raise InputError(
                    f"{shown} unpacks to more than {most >> 20} MiB: expected a {what} of less; save it as CSV or text"
                )
            for entry in entries:
                with archive.open(entry) as part:
                    start = part.read(_PIECE)
                    is_xml = entry.filename.lower().endswith((".xml", ".rels"))
                    if is_xml and (b"<!DOCTYPE" in start or b"<!ENTITY" in start):
                        raise InputError(f"{shown} declares a document type: entities can hide anything; not read")
                    while part.read(_PIECE):
                        pass
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise InputError(f"{shown} is not a whole {what}: fetch or save it again") from error
