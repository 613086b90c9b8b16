"""Files below one folder, and no others."""

from __future__ import annotations

import os
from pathlib import Path

from sfumato.errors import InputError
from sfumato.io.formats.endings import table_format

__all__ = ["find_file", "list_files"]

MOST_LISTED = 300


def find_file(root: Path, given: str) -> Path:
    """The regular file below ``root`` that a path means. What is elsewhere, or nowhere, is refused in the same words.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "people.csv").write_text("age")
    >>> find_file(folder, "people.csv").name
    'people.csv'
    >>> find_file(folder, "../etc/passwd")
    Traceback (most recent call last):
    sfumato.errors.InputError: no such file below the folder of this session: ...
    """
    refusal = InputError(
        "no such file below the folder of this session: start sfumato studio in the folder that holds it, or drop it "
        "on the page"
    )
    try:
        home = root.resolve(strict=True)
        found = (home / given).resolve(strict=True)
        if found.is_relative_to(home) and found.is_file():
            return found
    except (OSError, ValueError, RuntimeError) as error:  # absent, a NUL byte, a circle of links
        raise refusal from error
    raise refusal


def list_files(root: Path) -> list[str]:
    """The tables below a folder, at most two levels deep, by their path in it. Hidden ones are left out."""
    found: list[str] = []
    home = root.resolve()
    for folder, folders, files in os.walk(home):
        depth = len(Path(folder).relative_to(home).parts)
        folders[:] = sorted(name for name in folders if not name.startswith(".")) if depth < 2 else []
        for name in sorted(files):
            path = (Path(folder) / name).relative_to(home)
            if not name.startswith(".") and _is_table(path):
                found.append(path.as_posix())
        if len(found) >= MOST_LISTED:
            break
    return found[:MOST_LISTED]


def _is_table(path: Path) -> bool:
    try:
        return table_format(path) not in (None, "npy", "npz", "gpx", "geojson", "geoparquet")
    except InputError:
        return False
