"""Bytes in and out of files and pipes, packed or not, and records of JSON one a line."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import math
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from sfumato.errors import InputError, bad_input
from sfumato.io.atomic import atomic_path, reading
from sfumato.io.formats.charset import not_text
from sfumato.io.formats.endings import compression

__all__ = [
    "json_lines_writer",
    "open_input",
    "open_output",
    "print_record",
    "read_json_lines",
    "shown_path",
    "stream_json_lines",
    "unpacked",
]


def stream_json_lines(path: str | Path, *, longest: int | None = None) -> Iterator[dict[str, Any]]:
    """The records of a JSON Lines file one by one, without holding the file in memory.

    ``longest`` refuses lines of more bytes before reading the rest of them.
    """
    number = 0
    with reading(path), open_input(path) as stream:
        lines = stream if longest is None else iter(partial(stream.readline, longest + 1), b"")
        for number, line in enumerate(lines, 1):
            if longest is not None and len(line) > longest:
                raise InputError(
                    f"{shown_path(path)}, line {number}, has more than {longest} bytes: write one record a line, "
                    "or allow longer lines"
                )
            try:
                record = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
            except UnicodeDecodeError as error:
                raise not_text(shown_path(path), "utf-8", number, error.start, "in that line") from error
            except json.JSONDecodeError as error:
                if not line.strip():
                    continue
                raise InputError(
                    f"{shown_path(path)}, line {number}, is not JSON: {error.msg} at column {error.colno}"
                ) from error
            if not isinstance(record, dict):
                raise InputError(
                    f"{shown_path(path)}, line {number}, is not a JSON object {{…}}: write one record a line"
                )
            yield record
    if number == 0:
        raise InputError(f"{shown_path(path)} is empty: expected JSON Lines")


def read_json_lines(path: str | Path) -> list[dict[str, Any]]:
    """All records of a JSON Lines file."""
    return list(stream_json_lines(path))


@contextlib.contextmanager
def json_lines_writer(path: str | Path) -> Iterator[Callable[[dict[str, Any]], None]]:
    """A function that writes one record; the file appears, whole, when the block ends well.

    >>> with json_lines_writer("-") as write:
    ...     write({"angle": 1.5})
    {"angle": 1.5}
    """
    with open_output(path) as stream:
        yield lambda record: print_record(record, stream)


def shown_path(path: str | Path) -> str:
    """The path as a message names it."""
    return "standard input" if str(path) == "-" else str(path)


@contextlib.contextmanager
def open_input(path: str | Path) -> Iterator[BinaryIO]:
    """Bytes from a file, unpacked if its name ends in .gz or .zst, or from standard input."""
    if str(path) == "-":
        yield sys.stdin.buffer
        return
    with Path(path).open("rb") as raw:
        packed = compression(path)
        if packed == "gzip":
            with gzip.GzipFile(fileobj=raw, mode="rb") as stream:
                yield cast(BinaryIO, stream)
        elif packed == "zstd":
            from pyarrow import CompressedInputStream

            with CompressedInputStream(raw, "zstd") as stream, io.BufferedReader(_Zstandard(stream)) as lines:
                yield lines
        else:
            yield raw


class _Zstandard(io.RawIOBase):
    """An Arrow stream as Python reads it; what is not Zstandard is an error of the file."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            content = self.stream.read(len(buffer))
        except OSError as error:
            raise EOFError(str(error)) from error
        buffer[: len(content)] = content
        return len(content)


def unpacked(content: bytes) -> bytes:
    """What came through a pipe, unpacked if its first bytes say that it is packed."""
    if content[:2] == b"\x1f\x8b":
        return gzip.decompress(content)
    if content[:4] == b"\x28\xb5\x2f\xfd":
        from pyarrow import BufferReader, CompressedInputStream

        with CompressedInputStream(BufferReader(content), "zstd") as stream:
            return _Zstandard(stream).readall() or b""
    return content


@contextlib.contextmanager
def open_output(path: str | Path) -> Iterator[BinaryIO]:
    """Bytes to a file, atomically and packed if its name ends in .gz or .zst, or to standard output."""
    if str(path) == "-":
        held = io.BytesIO()  # a failure half-way must not leave half a table in the pipe
        yield held
        _to_stdout(held.getvalue())
        return
    with atomic_path(path) as beside:
        packed = compression(path)
        if packed == "gzip":
            with beside.open("wb") as raw, gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as stream:
                yield cast(BinaryIO, stream)
        elif packed == "zstd":
            from pyarrow import CompressedOutputStream

            with beside.open("wb") as raw, CompressedOutputStream(raw, "zstd") as stream:
                yield stream
        else:
            with beside.open("wb") as stream:
                yield stream


def _to_stdout(content: bytes) -> None:
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:  # a text stream put in its place, as doctest does
        sys.stdout.write(content.decode())
    else:
        sys.stdout.flush()
        binary.write(content)
        binary.flush()


def print_record(record: dict[str, Any], stream: BinaryIO) -> None:
    """One record as a line of JSON."""
    try:
        line = json.dumps(record, ensure_ascii=False, allow_nan=False, default=_json_value)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{_shown_infinite(record)} cannot be written: JSON has no NaN or infinity") from error
    stream.write(line.encode() + b"\n")


def _shown_infinite(record: dict[str, Any]) -> str:
    for name, value in record.items():
        if isinstance(value, float) and not math.isfinite(value):
            return f"column {name!r} = {value}"
    return "a value in a list"


def _json_value(value: Any) -> Any:
    if hasattr(value, "tolist"):  # numpy
        return value.tolist()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    raise bad_input("value", type(value).__name__, "text, number, date, list or null", "JSON has no such thing")
