"""Files that appear whole or not at all, and errors of the disk in one line."""

from __future__ import annotations

import contextlib
import errno
import gzip
import os
import secrets
import shutil
import zlib
from collections.abc import Iterator
from pathlib import Path

from sfumato.errors import InputError, SfumatoError

__all__ = ["atomic_folder", "atomic_path", "check_output", "output_folder", "reading", "writing"]

_DISK = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file is too large",
}


@contextlib.contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """A path beside ``path`` to write to; renamed into its place when the block ends well, removed when it does not.

    The content is on the disk before the rename, so a crash leaves the old file or the whole new one.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with atomic_path(folder / "count.txt") as beside:
    ...     _ = beside.write_text("42")
    >>> [file.name for file in folder.iterdir()]
    ['count.txt']
    """
    target = Path(os.path.realpath(path))  # a link stays a link, what it points to is replaced
    if target.exists() and not target.is_file():
        raise InputError(f"cannot write {path}: it is not a regular file; use - for a pipe")
    beside = target.with_name(f".{target.stem}.{secrets.token_hex(6)}{target.suffix}")
    with writing(path, beside):
        os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        try:
            yield beside
            with beside.open("rb") as written:
                os.fsync(written.fileno())
            if target.exists():
                shutil.copymode(target, beside)
            os.replace(beside, target)
        except BaseException:  # KeyboardInterrupt too: nothing half written stays
            beside.unlink(missing_ok=True)
            raise
    _sync_folder(target.parent)


@contextlib.contextmanager
def atomic_folder(path: str | Path) -> Iterator[Path]:
    """A folder beside ``path`` to write files to; takes its place when the block ends well, goes when it does not.

    ``path`` must be new or an empty folder. All files are on the disk before the rename.

    >>> import tempfile
    >>> place = Path(tempfile.mkdtemp()) / "out"
    >>> with atomic_folder(place) as beside:
    ...     _ = (beside / "a.txt").write_text("42")
    ...     seen = place.exists()
    >>> seen, [file.name for file in place.iterdir()]
    (False, ['a.txt'])
    """
    target = Path(os.path.realpath(path))
    with writing(path, target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f".{target.name}.{secrets.token_hex(6)}")
    with writing(path, beside):
        beside.mkdir()
        try:
            yield beside
            for folder, _, files in os.walk(beside, topdown=False):
                for name in files:
                    with Path(folder, name).open("rb") as written:
                        os.fsync(written.fileno())
                _sync_folder(Path(folder))
            if target.is_dir():
                target.rmdir()  # an empty one; not every system renames over it
            os.rename(beside, target)
        except BaseException:  # KeyboardInterrupt too: nothing half written stays
            shutil.rmtree(beside, ignore_errors=True)
            raise
    _sync_folder(target.parent)


def check_output(path: str | Path, *inputs: str | Path) -> None:
    """Check that a file can be written and is none of the inputs, before the work begins.

    Raises what :func:`atomic_path` would raise, and an error if the file is an input by any name (a link, a second name
    of the same file) or lies in a folder that is one.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "people.csv").write_text("age\\n31\\n")
    >>> check_output(folder / "release.csv", folder / "people.csv")
    >>> check_output(folder / "people.csv", folder / "people.csv")
    Traceback (most recent call last):
    sfumato.errors.InputError: cannot write ...people.csv: it is the input; choose another name
    """
    if str(path) == "-":
        return
    for source in inputs:
        if str(source) != "-":
            _keep(Path(path), Path(source))
    with contextlib.suppress(_Untouched), atomic_path(path):
        raise _Untouched


def _keep(target: Path, source: Path) -> None:
    """Raise an error if writing the target would change the source."""
    real, kept = Path(os.path.realpath(target)), Path(os.path.realpath(source))
    same = real == kept
    with contextlib.suppress(OSError):  # one of them does not exist: the names decide
        same = same or os.path.samefile(real, kept)
    if same:
        called = "" if Path(target) == Path(source) else f" {source}"
        raise InputError(f"cannot write {target}: it is the input{called}; choose another name")
    if kept.is_dir() and any(_same_folder(kept, folder) for folder in real.parents):
        raise InputError(f"cannot write {target}: it lies in the folder {source} that is read; choose another place")


def _same_folder(one: Path, other: Path) -> bool:
    try:
        return one == other or os.path.samefile(one, other)
    except OSError:
        return False


def output_folder(path: str | Path) -> Path:
    """Make a folder if it is not there, and check that it can be written to."""
    folder = Path(path)
    with writing(folder, folder):
        folder.mkdir(parents=True, exist_ok=True)
    check_output(folder / "probe")
    return folder


@contextlib.contextmanager
def reading(path: str | Path) -> Iterator[None]:
    """Turn the errors of opening and reading ``path`` into one line."""
    shown = "standard input" if str(path) == "-" else str(path)
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(f"{shown} does not exist: check the path") from error
    except IsADirectoryError as error:
        raise InputError(f"{shown} is a folder: expected a file") from error
    except PermissionError as error:
        raise InputError(f"{shown} cannot be read: permission denied") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        packed = "Zstandard" if shown.lower().endswith(".zst") else "gzip"
        raise InputError(f"{shown} is not a complete {packed} file: fetch or compress it again") from error


class _Untouched(Exception):
    """Leaves :func:`atomic_path` without writing."""


@contextlib.contextmanager
def writing(path: str | Path, beside: Path) -> Iterator[None]:
    """Turn the errors of making and writing ``beside``, on behalf of ``path``, into one line."""
    try:
        yield
    except OSError as error:
        if error.errno in _DISK:
            raise SfumatoError(f"cannot write {path}: {_DISK[error.errno]}; nothing was written") from error
        if error.filename is None or Path(error.filename) not in (beside, Path(path)):
            raise
        if isinstance(error, FileNotFoundError) and not beside.parent.exists():
            raise InputError(
                f"cannot write {path}: the folder {beside.parent} does not exist; make it first"
            ) from error
        if isinstance(error, FileExistsError | NotADirectoryError):
            raise InputError(f"cannot write {path}: a file is where a folder should be") from error
        reason = (
            "the folder is read-only" if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS) else error.strerror
        )
        raise InputError(f"cannot write {path}: {reason}; choose another place") from error


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where the system lets a folder be opened."""
    with contextlib.suppress(PermissionError, NotImplementedError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
