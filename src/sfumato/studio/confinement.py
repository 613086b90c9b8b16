"""Files below one folder, and no others."""

from __future__ import annotations

import os
from pathlib import Path

from sfumato.errors import InputError
from sfumato.io.formats.endings import table_format
from sfumato.io.texts import document_format

__all__ = ["find_file", "find_input", "list_files"]

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
    found = _inside(root, given)
    if found is None or not found.is_file():
        raise _refusal()
    return found


def find_input(root: Path, given: str) -> Path:
    """The regular file, or the folder of documents, below ``root`` that a path means; others are refused alike.

    A folder with a link out of ``root`` in it is refused whole.
    """
    found = _inside(root, given)
    if found is None or found == root.resolve():
        raise _refusal()
    if found.is_file():
        return found
    if not found.is_dir():
        raise _refusal()
    home, documents = root.resolve(), 0
    for folder, folders, files in os.walk(found):
        for name in (*folders, *files):
            path = Path(folder) / name
            if path.is_symlink() and not path.resolve().is_relative_to(home):
                raise _refusal()
            documents += path.is_file() and document_format(path) is not None
    if not documents:
        raise _refusal()
    return found


def _refusal() -> InputError:
    return InputError(
        "no such file below the folder of this session: start sfumato studio in the folder that holds it, or drop it "
        "on the page"
    )


def _inside(root: Path, given: str) -> Path | None:
    try:
        home = root.resolve(strict=True)
        found = (home / given).resolve(strict=True)
        return found if found.is_relative_to(home) else None
    except (OSError, ValueError, RuntimeError):  # absent, a NUL byte, a circle of links
        return None


def list_files(root: Path) -> list[str]:
    """Tables, tracks and documents below a folder, and folders of documents, at most two levels deep.

    They are named by their path in it. Hidden ones are left out, and so are documents in a folder that is listed whole.
    """
    found: list[str] = []
    home = root.resolve()
    for folder, folders, files in os.walk(home):
        depth = len(Path(folder).relative_to(home).parts)
        folders[:] = sorted(name for name in folders if not name.startswith(".")) if depth < 2 else []
        papers = [name for name in files if not name.startswith(".") and document_format(name) is not None]
        whole = depth > 0 and len(papers) > 1
        if whole:
            found.append(Path(folder).relative_to(home).as_posix() + "/")
            files = [name for name in files if name not in papers]
        for name in sorted(files):
            path = (Path(folder) / name).relative_to(home)
            if not name.startswith(".") and _can_be_opened(path):
                found.append(path.as_posix())
        if len(found) >= MOST_LISTED:
            break
    return found[:MOST_LISTED]


def _can_be_opened(path: Path) -> bool:
    if document_format(path) is not None:
        return True
    try:
        return table_format(path) not in (None, "npz")
    except InputError:
        return False
