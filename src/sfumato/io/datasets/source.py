"""Where the public data sets are found.

They are not shipped: their licences differ, and some are about real people. ``$SFUMATO_DATA`` names a folder with one
sub-folder a set.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from sfumato.errors import InputError

__all__ = ["DataMissingError", "data_file"]


class DataMissingError(InputError):
    """A public data set is not on this machine; the message says where its original is."""


def data_file(name: str, file: str, *, origin: str, size: int | None = None, sha256: str | None = None) -> Path:
    """The path of one file of a public data set.

    Parameters
    ----------
    name, file : str
        The folder of the set below ``$SFUMATO_DATA`` and the file in it.
    origin : str
        Where the public original is, for the message if it is missing.
    size, sha256
        What the file must measure; a different file is refused rather than silently used.
    """
    home = os.environ.get("SFUMATO_DATA")
    if not home:
        raise DataMissingError(
            f"{name}/{file} is needed; set SFUMATO_DATA to the folder that holds it. Origin: {origin}"
        )
    path = Path(home) / name / file
    if not path.is_file():
        raise DataMissingError(f"{path} is missing. Origin: {origin}")
    if size is not None and path.stat().st_size != size:
        raise InputError(f"{path} has {path.stat().st_size} bytes: expected {size}; fetch it again from {origin}")
    if sha256 is not None:
        with path.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
        if found != sha256:
            raise InputError(f"{path} has SHA-256 {found[:12]}…: expected {sha256[:12]}…; fetch it again from {origin}")
    return path
