"""The desk of one session: the journal, what was computed from the data, and the work that is going on."""

from __future__ import annotations

import getpass
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import InputError, bad_input
from sfumato.io.files import read_table
from sfumato.io.formats.endings import sniff_format, table_format
from sfumato.io.texts import read_texts, sniff_document
from sfumato.studio.admission import Admission
from sfumato.studio.confinement import find_input
from sfumato.studio.kinds.proposed_work import KINDS, propose_work
from sfumato.studio.kinds.room_work import RoomWork
from sfumato.studio.live_recoding import LatestWins, LiveRecoding
from sfumato.studio.long_run import LongRun, WorkerPool
from sfumato.studio.project import DecisionJournal, Origin, Project, Protection
from sfumato.studio.purse import Purse
from sfumato.studio.workspace import Workspace
from sfumato.study.own.publishing import looks_like
from sfumato.study.preview import Preview
from sfumato.table.core.proposal.schema_proposal import propose_reasons, propose_schema
from sfumato.table.core.schema import Schema
from sfumato.table.publishing import WORST, smallest_class
from sfumato.validate import choice

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Desk", "Opened"]

WARM = ("sfumato.studio.jobs", "sfumato.table.examples", "sfumato.study.own.publishing")
"""What a worker loads while it waits."""

LOOKED_AT = 10**7
"""Bytes at the beginning of a file by which its format is told."""
KEPT = 3
"""How many tables, summaries and results of each kind are kept, the latest first."""


@dataclass(frozen=True)
class Opened:
    """A table that was read, and what was guessed or looked odd."""

    table: pa.Table
    notes: tuple[str, ...]


class Kept:
    """The last few things that were made from other things; both are kept, so that no identity is used twice."""

    def __init__(self) -> None:
        self._entries: list[tuple[tuple[Any, ...], Any]] = []
        self._lock = threading.RLock()

    def find(self, *key: Any) -> Any:
        """What was made from this key, or None."""
        with self._lock:
            return next((value for known, value in self._entries if _equal(known, key)), None)

    def put(self, value: Any, *key: Any) -> Any:
        """Keep a value."""
        with self._lock:
            self._entries = [(key, value), *(one for one in self._entries if not _equal(one[0], key))][:KEPT]
        return value

    def get(self, make: Callable[[], Any], *key: Any) -> Any:
        """What was made from this key, made now if it was not."""
        with self._lock:
            found = self.find(*key)
            return self.put(make(), *key) if found is None else found


def _shown_format(path: Path, ending: str) -> str | None:
    """The format that a file shows by its content, where its ending does not say."""
    if path.is_dir() or ending not in ("", ".txt"):
        return None
    with path.open("rb") as file:
        content = file.read(LOOKED_AT)
    found = sniff_format(content)
    return (sniff_document(content) or found) if found in ("csv", "xlsx", "npz") else found


def _said_here(words: str) -> str:
    """What a reader guessed, with the remedy that the page has instead of that of a command.

    >>> _said_here("a.csv has a semicolon between fields; delimiter= says another")
    'a.csv has a semicolon between fields; choose another below if that is wrong'
    """
    return re.sub(r"(delimiter|encoding)= says another", "choose another below if that is wrong", words)


def _stamp(path: Path) -> tuple[int, int]:
    """When a file, or any in a folder, was last changed, and the size of all; zeros for what is gone."""
    try:
        found = [one.stat() for one in (path, *(sorted(path.rglob("*")) if path.is_dir() else ()))]
    except OSError:
        return 0, 0
    return max(one.st_mtime_ns for one in found), sum(one.st_size for one in found)


def _equal(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """By identity for schemas, which are long to compare; by value for the rest."""
    return len(one) == len(other) and all(
        a is b or (not isinstance(a, Schema) and type(a) is type(b) and a == b) for a, b in zip(one, other, strict=True)
    )


@dataclass(eq=False)
class Desk:
    """Everything that belongs to one session.

    Parameters
    ----------
    root : Path
        The folder whose files may be opened.
    workspace : Workspace
    admission : Admission
    """

    root: Path
    workspace: Workspace
    admission: Admission
    journal: DecisionJournal = field(default_factory=DecisionJournal)
    lock: threading.RLock = field(default_factory=threading.RLock)
    runs: dict[str, LongRun] = field(default_factory=dict)
    pool: WorkerPool = field(default_factory=lambda: WorkerPool(WARM))
    asked: dict[Origin, dict[str, str]] = field(default_factory=dict)
    answers: list[Any] = field(default_factory=list)
    turns: LatestWins = field(default_factory=LatestWins)
    _tables: Kept = field(default_factory=Kept)
    _live: Kept = field(default_factory=Kept)
    _foreseen: Kept = field(default_factory=Kept)
    _found: dict[str, Kept] = field(default_factory=dict)
    _purses: dict[Path | None, Purse | None] = field(default_factory=dict)
    _uploads: int = 0

    @property
    def project(self) -> Project:
        """What is decided now."""
        return self.journal.project

    @property
    def file_mark(self) -> str:
        """A mark of the open file and its kind, by which a page of another one is told; it says nothing of either."""
        origin = self.project.origin
        told = "" if origin is None else repr((str(origin.path), origin.format, self.project.kind))
        return blake2b(told.encode(), digest_size=8, key=self.admission.secret.encode()[:64]).hexdigest()

    # ── the table ─────────────────────────────────────────────────────────────────────────────────────────────────

    def open_path(self, given: str) -> None:
        """Open a file, or a folder of documents, below the folder of the session."""
        path = find_input(self.root, given)
        name = path.relative_to(self.root.resolve()).as_posix()
        format = _shown_format(path, path.suffix.lower())
        self._open(Origin(path=path, name=name, stamp=_stamp(path), format=format))

    def new_upload(self, ending: str = "") -> Path:
        """Where the next upload goes; ``ending`` is one that was looked up, not what a sender wrote."""
        with self.lock:
            self._uploads += 1
            return self.workspace.private_file(f"upload-{self._uploads}{ending}")

    def open_upload(self, path: Path, ending: str) -> None:
        """Open what was uploaded; the name that the sender gave it is not used."""
        format = _shown_format(path, ending)
        self._open(Origin(path=path, name=f"upload{ending or f'.{format}'}", stamp=_stamp(path), format=format))

    def rewritten(self, *, format: str | None, delimiter: str | None, encoding: str | None) -> None:
        """Read the open file again, as it is really written."""
        origin = self.project.origin
        if origin is None:
            raise bad_input("table", None, "an open table")
        self._open(replace(origin, stamp=_stamp(origin.path), format=format, delimiter=delimiter, encoding=encoding))

    def _open(self, origin: Origin) -> None:
        table = self.read(origin).table
        name = Path(origin.name) if origin.format is None else Path(origin.name).with_suffix(f".{origin.format}")
        kind = "text" if origin.is_documents else looks_like(name, table)
        project = self._proposed(origin, table, kind)
        with self.lock:
            self.journal.decide(f"open: {origin.name}", project)

    def change_kind(self, kind: str) -> None:
        """Take the open file for another kind of data."""
        opened, origin = self.opened, self.project.origin
        assert origin is not None
        project = self._proposed(origin, opened.table, choice("kind of data", kind, [*KINDS]))
        self.decide(f"kind: {kind}", project)

    def _proposed(self, origin: Origin, table: pa.Table, kind: str) -> Project:
        """The file as a kind of data, with nothing decided but what is proposed.

        For whom it is and which limits hold stays said of the same file; of another file nothing is taken over.
        """
        now = self.project
        before = now if now.origin is not None and now.origin.path == origin.path else Project()
        kept: dict[str, Any] = {"source": before.source, "context": before.context, "limits": before.limits}
        if origin.is_documents and kind != "text":
            raise bad_input("kind of data", kind, "text for documents")
        if kind != "table":
            work = propose_work(kind, table, reviewer=getpass.getuser())
            return Project(origin=origin, work=work, **kept)
        schema, reasons = propose_schema(table), propose_reasons(table)
        least = smallest_class(before.limits[WORST].value)
        return Project(
            origin=origin,
            schema=schema,
            reasons=reasons,
            protection=Protection(k=least, l=2 if schema.sensitive else None),
            **kept,
        )

    def read(self, origin: Origin) -> Opened:
        """The table of a file; it is read once."""

        def make() -> Opened:
            notes: list[str] = []
            self._require_same(origin)
            asked: dict[str, Any] = {"delimiter": origin.delimiter, "encoding": origin.encoding}
            asked["notes"] = lambda words: notes.append(_said_here(words.replace(str(origin.path), origin.name)))
            if origin.is_documents:
                table = read_texts(origin.path, format=origin.format, **asked)
            else:
                table = read_table(origin.path, format=origin.format or table_format(origin.path), **asked)
            if origin.path.is_file() and origin.path.suffix.lower() in ("", ".txt"):
                read_as = "a text" if origin.is_documents else f"a table ({origin.format})"
                notes.insert(0, f"it is read as {read_as}, by what is in it; choose another below if that is wrong")
            return Opened(table, tuple(notes))

        try:
            found: Opened = self._tables.get(make, origin)
        except InputError as error:  # the place on this disk is not the reader's business
            raise InputError(str(error).replace(str(origin.path), origin.name)) from error
        return found

    @property
    def opened(self) -> Opened:
        """The open table."""
        if self.project.origin is None:
            raise bad_input("table", None, "an open table", "open one first")
        return self.read(self.project.origin)

    def require_unchanged(self) -> None:
        """Refuse to go on if the file is another than the one that was looked at."""
        if self.project.origin is not None:
            self._require_same(self.project.origin)

    @staticmethod
    def _require_same(origin: Origin) -> None:
        if _stamp(origin.path) != origin.stamp:
            raise InputError(f"{origin.name} was changed since it was opened: open it again")

    @property
    def live(self) -> LiveRecoding:
        """The open table, ready to be decided on."""
        project, table = self.project, self.opened.table
        assert project.schema is not None  # the screens that ask for it are of tables
        schema = project.schema
        if not schema.quasi:
            raise bad_input("roles", "no quasi-identifier", "at least one column that an attacker may know")
        found: LiveRecoding = self._live.get(lambda: LiveRecoding(table, schema), project.origin, schema)
        return found

    @property
    def foreseen(self) -> Preview:
        """What can be said of the release that is set up for the open file, before it is made."""
        table, work = self.opened.table, self.project.work
        if not isinstance(work, RoomWork):
            raise bad_input("kind of data", self.project.kind, "another kind", "this one has screens of its own")
        make = lambda: self.turns.now(lambda: work.preview(table))  # noqa: E731
        found: Preview = self._foreseen.get(make, self.project.origin, work)
        return found

    # ── decisions ─────────────────────────────────────────────────────────────────────────────────────────────────

    def decide(self, words: str, project: Project, *, slider: bool = False) -> None:
        """Note a decision."""
        with self.lock:
            self.journal.decide(words, project, slider=slider)

    # ── who pays ──────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def budget(self) -> Purse | None:
        """The ledger that pays for the open file: the one named for it, or else the one named before any was open."""
        return self._purses.get(self._path, self._purses.get(None))

    @budget.setter
    def budget(self, purse: Purse | None) -> None:
        self._purses[self._path] = purse

    @property
    def _path(self) -> Path | None:
        return None if self.project.origin is None else self.project.origin.path

    # ── long work ─────────────────────────────────────────────────────────────────────────────────────────────────

    def start(self, name: str, what: str, work: Callable[..., Any], *arguments: Any, key: tuple[Any, ...]) -> LongRun:
        """Start long work; what was going on under the same name is stopped. Its result is kept for ``key``."""
        with self.lock:
            self.stop(name)
            kept = self._found.setdefault(name, Kept())
            run = LongRun(self.pool, what, work, *arguments, key=key, keep=lambda result: kept.put(result, *key))
            self.runs[name] = run
        return run

    def stop(self, name: str) -> None:
        """End the work of this name."""
        run = self.runs.pop(name, None)
        if run is not None and not run.over.is_set():
            run.stop()

    def run(self, name: str, *key: Any) -> LongRun | None:
        """The work of this name that goes on, or failed, for ``key``; that for another file or other settings is none.

        Neither its progress nor its error belongs on the screen then.
        """
        run = self.runs.get(name)
        return run if run is not None and _equal(run.key, key) else None

    def found(self, name: str, *key: Any) -> Any:
        """The result that the work of this name had for ``key``, or None."""
        return self._found.setdefault(name, Kept()).find(*key)

    @property
    def table_key(self) -> tuple[Any, ...]:
        """What a result about the raw table depends on."""
        return self.project.origin, self.project.schema

    @property
    def release_key(self) -> tuple[Any, ...]:
        """What a result about the release depends on."""
        project = self.project
        if project.work is not None:
            return project.origin, project.work
        weights = tuple(sorted(project.weights.items()))
        return (*self.table_key, project.protection, weights)

    def close(self) -> None:
        """Stop all work and remove the folder."""
        for name in list(self.runs):
            self.stop(name)
        self.pool.close()
        self.workspace.close()
