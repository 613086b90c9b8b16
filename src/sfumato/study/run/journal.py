"""The durable record of a running study: every finished cell is a line on the disk before the next one counts.

A line torn by a crash is ignored and its cell computed again; a second run on the same folder is refused while the
first one lives.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from sfumato.errors import SfumatoError
from sfumato.io.atomic import writing
from sfumato.study.run.cell import Row

__all__ = ["Journal"]


class Journal:
    """Finished cells by fingerprint, appended to one JSON Lines file.

    Parameters
    ----------
    path
        The file; made if it is not there.
    fresh : bool
        Forget what it holds.
    """

    def __init__(self, path: str | Path, *, fresh: bool = False) -> None:
        self.path = Path(path)
        self.fresh = fresh
        self.done: dict[str, list[Row]] = {}
        self._stream: BinaryIO | None = None

    def __enter__(self) -> Self:
        with writing(self.path, self.path):
            self._stream = self.path.open("a+b")
        self._lock(self._stream)
        if self.fresh:
            self._stream.truncate(0)
        self._stream.seek(0)
        content = self._stream.read()
        for line in content.splitlines():
            try:
                record = json.loads(line)
                self.done[record["cell"]] = record["rows"]
            except (ValueError, TypeError, KeyError):
                continue  # torn by a crash
        if content and not content.endswith(b"\n"):
            self._write(b"\n")
        return self

    def add(self, fingerprint: str, rows: list[Row]) -> None:
        """Append one finished cell; on return it survives a crash."""
        self.done[fingerprint] = rows
        self._write(json.dumps({"cell": fingerprint, "rows": rows}, ensure_ascii=False).encode() + b"\n")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stream is not None:
            self._stream.close()  # releases the lock
            self._stream = None

    def _write(self, line: bytes) -> None:
        assert self._stream is not None, "the journal is not open"
        with writing(self.path, self.path):
            self._stream.write(line)
            self._stream.flush()
            os.fsync(self._stream.fileno())

    def _lock(self, stream: BinaryIO) -> None:
        if os.name != "posix":
            return
        import fcntl

        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            stream.close()
            raise SfumatoError(
                f"another study is writing to {self.path.parent}: wait for it or choose --out"
            ) from error
