"""A ledger on a PostgreSQL server, for several hosts: the lines of the file as rows of a table.

- A row is a line, byte for byte as a file would hold it: hashes, references and anchors mean the same, and an edited
  row is found in the same way.
- A commit is one transaction under an advisory lock, so two hosts cannot spend the same budget together. Places and
  numbers are unique: whoever writes past the lock fails. It returns when the server has it on its disk.
- A connection that breaks while a commit is sent leaves open whether it took place. This is said; nothing is released,
  so at worst something was paid for that never came out.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from sfumato.errors import InputError, bad_input
from sfumato.ledger.chain import RESTORE, Chain, Tail, check_link, parsed
from sfumato.ledger.disk import VERSION, new_header
from sfumato.ledger.line import DamagedError, Line, Ref, parse_header
from sfumato.validate import extra

if TYPE_CHECKING:
    import psycopg

__all__ = ["ChainTable"]

TABLE: Final = "sfumato_ledger"
_LOCK: Final = int.from_bytes(hashlib.sha256(TABLE.encode()).digest()[:4])
_CREATE = f"""
CREATE TABLE IF NOT EXISTS {TABLE} (
    place bigint PRIMARY KEY CHECK (place >= 0),
    number bigint NOT NULL UNIQUE CHECK (number >= 0),
    line bytea NOT NULL)
"""
_LAST = f"SELECT place, line FROM {TABLE} ORDER BY place DESC LIMIT 2"
_AT = f"SELECT line FROM {TABLE} WHERE place = %s"
_NUMBERED = f"SELECT place, line FROM {TABLE} WHERE number = %s"
_FROM = f"SELECT place, line FROM {TABLE} WHERE place >= %s AND place < %s ORDER BY place LIMIT 1000"
_AHEAD: Final = 1 << 24
_COPY = f"COPY {TABLE} (place, number, line) FROM STDIN (FORMAT BINARY)"


class ChainTable(Chain):
    """A ledger in the table ``sfumato_ledger`` of a database, in the schema that the connection is in.

    Its role needs to read and to insert, nothing else: ``GRANT SELECT, INSERT``.
    """

    def __init__(self, url: str, timeout: float, *, create: bool) -> None:
        super().__init__()
        self.url = self.place = url
        self.name = shown(url)
        self._timeout = timeout
        self._connection: psycopg.Connection[Any] | None = None
        self._psycopg = extra("psycopg", "postgres")
        self._held = self._sent = False
        with self._explained():
            self._open(create=create)

    def close(self) -> None:
        """Close the connection; the next use makes another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __del__(self) -> None:
        self.close()

    @contextlib.contextmanager
    def reading(self) -> Iterator[Tail]:
        """The ledger as it is now."""
        with self._explained(), self._alone():
            self._connected()
            yield self._tail()

    @contextlib.contextmanager
    def writing(self) -> Iterator[Tail]:
        """The ledger as it is now, under the lock; at the end everything is on the server's disk."""
        with self._explained(), self._alone():
            connection, seen = self._connected(), self._seen
            try:
                with connection.transaction():
                    self._lock(connection)
                    yield self._tail()
            except BaseException:
                self._seen = seen  # what was not committed was never there
                raise

    def commit(self, tail: Tail, lines: list[bytes], newest: Ref, line: Line) -> None:
        """Send lines to the server; they count when :meth:`writing` is left."""
        place, number = tail.end, 1 if tail.line is None else tail.line.number + 1
        self._sent = True
        with self._connected().cursor().copy(_COPY) as copy:
            copy.set_types(("int8", "int8", "bytea"))
            for text in lines:
                copy.write_row((place, number, text))
                place, number = place + len(text), number + 1
        self._seen = Tail(place, newest, line)

    def find(self, number: int, tail: Tail) -> tuple[Ref, Line] | None:
        """The line with this number."""
        if tail.line is None or not 1 <= number <= tail.line.number:
            return None
        row = self._one(_NUMBERED, number)
        if row is None:
            raise DamagedError(f"entry {number} is missing")
        line, digest = parsed(bytes(row[1]), f"entry {number}")
        if line.number != number:
            raise DamagedError(f"entry {number} is kept under the number of another")
        return Ref(row[0], digest), line

    def _line_from(self, offset: int) -> bytes:
        row = self._one(_AT, offset)
        if row is None:
            raise DamagedError("a reference in it points nowhere")
        return bytes(row[0])

    def _texts(self, offset: int, end: int) -> Iterator[bytes]:
        while offset < end:
            rows = self._connected().execute(_FROM, (offset, min(end, offset + _AHEAD))).fetchall()
            for place, text in rows:
                if place != offset:
                    break
                yield bytes(text)
                offset += len(text)
            else:
                if rows:
                    continue
            raise DamagedError(f"the entry at place {offset} is missing")

    def _tail(self) -> Tail:
        self._fresh.clear()
        if self._seen is not None and self._seen.newest is not None:
            self._check_seen(self._seen.newest)
        rows = self._connected().execute(_LAST).fetchall()
        if not rows or (len(rows) == 1 and rows[0][0] != 0):
            raise DamagedError("its first line is missing")
        if len(rows) == 1:
            return Tail(self.first, None, None)
        (start, text), (before, previous) = ((place, bytes(line)) for place, line in rows)
        line, digest = parsed(text, "the last entry")
        if before + len(previous) != start:
            raise DamagedError(f"entry {line.number} does not stand behind the one before it")
        if line.more:
            raise DamagedError("the last commit is not whole")
        if before == 0:
            check_link(line, 0, self.header_hash)
        else:
            last, hash_before = parsed(previous, "the last entry but one")
            check_link(line, last.number, hash_before)
        return self._found(start + len(text), start, line, digest)

    def _check_seen(self, newest: Ref) -> None:
        try:
            self.read(newest)
        except DamagedError as error:
            raise bad_input(
                "ledger", self.name, "the entries that were there before", f"they are gone or changed; {RESTORE}"
            ) from error

    # The connection

    def _open(self, *, create: bool) -> None:
        connection = self._psycopg.connect(
            self.url,
            autocommit=True,
            connect_timeout=max(2, int(self._timeout)),
            application_name="sfumato",
            keepalives=1,  # a server that is gone without a word is noticed
            keepalives_idle=5,
            keepalives_interval=2,
            keepalives_count=3,
            tcp_user_timeout=1000 * max(2, int(self._timeout)),
        )
        try:
            self._check_server(connection)
            if create:
                self._create(connection)
            if connection.execute("SELECT to_regclass(%s)", (TABLE,)).fetchone()[0] is None:
                raise bad_input("ledger", self.name, "an existing ledger", "sfumato budget set makes one")
            self._check_header(connection)
        except BaseException:
            connection.close()
            raise
        self._connection = connection

    def _check_server(self, connection: Any) -> None:
        if connection.execute("SHOW fsync").fetchone()[0] != "on":
            raise bad_input(
                "ledger", self.name, "a server that writes to its disk", "it runs with fsync = off; switch it on"
            )
        if connection.execute("SHOW synchronous_commit").fetchone()[0] == "off":
            connection.execute("SET synchronous_commit = on")

    def _create(self, connection: Any) -> None:
        """Make the table and its first line, unless another process was faster."""
        if connection.execute("SELECT to_regclass(%s)", (TABLE,)).fetchone()[0] is None:
            with connection.transaction():
                self._lock(connection)
                connection.execute(_CREATE)
                connection.execute(
                    f"INSERT INTO {TABLE} SELECT 0, 0, %s WHERE NOT EXISTS (SELECT FROM {TABLE})", (new_header(),)
                )

    def _check_header(self, connection: Any) -> None:
        row = connection.execute(_AT, (0,)).fetchone()
        header = None if row is None else parse_header(bytes(row[0]))
        if header is None:
            raise bad_input("ledger", self.name, "a sfumato ledger", f"its table {TABLE} is something else")
        version, digest = header
        if version != VERSION:
            raise bad_input("ledger", self.name, f"version {VERSION}, not {version}", "use the matching sfumato")
        if digest != getattr(self, "header_hash", digest):
            raise bad_input("ledger", self.name, "the ledger that was opened", "it was replaced; open it again")
        self.header_hash, self.first = digest, len(row[0])

    def _lock(self, connection: Any) -> None:
        """Keep every other writer of this table out until the transaction ends."""
        connection.execute("SELECT set_config('lock_timeout', %s, true)", (f"{max(1, int(1000 * self._timeout))}ms",))
        connection.execute("SELECT pg_advisory_xact_lock(%s, hashtext(current_schema()))", (_LOCK - (1 << 31),))

    def _connected(self) -> psycopg.Connection[Any]:
        if self._connection is None or self._connection.closed:
            self._open(create=False)
        assert self._connection is not None
        return self._connection

    def _one(self, query: Any, value: int) -> Any:
        return self._connected().execute(query, (value,)).fetchone()

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        if self._held:  # in a signal handler, say: a second writer inside the first would undo its work
            raise bad_input("ledger", self.name, "one use at a time", "it is in use by this very thread")
        self._held, self._sent = True, False
        try:
            yield
        finally:
            self._held = False

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Trouble with the server as an :class:`InputError` that says what to do and names no password."""
        errors = self._psycopg.errors
        try:
            yield
        except DamagedError as error:
            raise bad_input("ledger", self.name, "an intact ledger", f"{error}; {RESTORE}") from error
        except errors.LockNotAvailable as error:
            remedy = "another process holds it; try again"
            raise bad_input("ledger", self.name, "a ledger that is free within the timeout", remedy) from error
        except (errors.ReadOnlySqlTransaction, errors.InsufficientPrivilege) as error:
            remedy = "a role that may SELECT and INSERT, on the primary server; nothing was spent"
            raise bad_input("ledger", self.name, "a server that can be written", remedy) from error
        except (errors.UniqueViolation, errors.CheckViolation) as error:
            remedy = "somebody writes to its table past the lock; nothing was spent"
            raise bad_input("ledger", self.name, "a place for the next entry", remedy) from error
        except self._psycopg.Error as error:
            raise self._lost(error) from None  # its text may name the whole connection

    def _lost(self, error: Exception) -> InputError:
        self.close()
        what = type(error).__name__
        if self._sent:
            remedy = "it broke while an entry was sent, which may be in the ledger or not: see `sfumato budget show`"
        else:
            remedy = "check the address and that it runs; nothing was spent"
        return bad_input("ledger", self.name, "a PostgreSQL server that answers", f"{remedy} ({what})")


def shown(url: str) -> str:
    """The address of a ledger without user, password and options.

    >>> shown("postgresql://anna:secret@db.example:5433/budgets?sslmode=require")
    'postgresql://db.example:5433/budgets'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
