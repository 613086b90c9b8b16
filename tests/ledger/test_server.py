"""The ledger on a PostgreSQL server: the same entries, and nothing is lost when writers or the server die."""

from __future__ import annotations

import os
import pickle
import random
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers import ledger_killer
from helpers.door_contract import run as sfumato
from helpers.postgres import Server, find_programs
from sfumato.errors import BudgetError, InputError
from sfumato.ledger import Ledger, Vault, chain_table
from sfumato.promise import KAnonymity, PureDP

psycopg = pytest.importorskip("psycopg")
PROGRAMS = find_programs()
pytestmark = pytest.mark.skipif(PROGRAMS is None, reason="no PostgreSQL server here (Debian package postgresql)")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    assert PROGRAMS is not None
    with tempfile.TemporaryDirectory(prefix="sfumato-pg-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)
        running = Server(PROGRAMS, Path(folder))
        yield running
        running.stop()


@pytest.fixture
def url(server: Server) -> Iterator[str]:
    """A server without a ledger."""
    yield server.url
    execute(server.url, f"DROP TABLE IF EXISTS {chain_table.TABLE}")


def execute(url: str, query: str, *values: Any) -> Any:
    with psycopg.connect(url, autocommit=True) as connection:
        done = connection.execute(query, values)
        return done.fetchall() if done.description else None


def test_it_is_the_same_ledger(url: str, tmp_path: Path) -> None:
    """The same calls give the same answers as on a file, and the rows are lines of a file."""
    said = []
    for place in (tmp_path / "budget.db", url):
        with Ledger(place) as ledger:
            ledger.set("clinic", PureDP(1.0))
            first = ledger.spend("clinic", PureDP(0.7), note="ages", release="r1")
            ledger.record("patients", KAnonymity(5))
            ledger.spend_all(["clinic"] * 3, PureDP(0.1))
            with pytest.raises(BudgetError, match="only ε = 0 of ε = 1 is left"):
                ledger.spend("clinic", PureDP(0.1))
            assert ledger.entry(2) == first
            assert ledger.verify(ledger.anchor()).count == 6
            entries = [(e.id, e.subject, e.action, e.promise, e.cost, e.note) for e in ledger.history()]
            said.append((entries, ledger.subjects(), str(ledger.left("clinic")), len(ledger.releases("clinic"))))
            with pytest.raises(InputError, match="from 1 to 6"):
                ledger.entry(7)
    assert said[0] == said[1]
    rows = execute(url, f"SELECT line FROM {chain_table.TABLE} ORDER BY place")
    (tmp_path / "copy.db").write_bytes(b"".join(bytes(row[0]) for row in rows))
    with Ledger(url) as there, Ledger(tmp_path / "copy.db", create=False) as copy:
        assert copy.verify(there.anchor()) == there.anchor()


def test_rolls_of_people(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines of a roll are the same on a server; one that is refused leaves nothing there."""
    monkeypatch.setattr("sfumato.ledger.payment.AT_ONCE", 300)
    monkeypatch.setattr("sfumato.ledger.chain_table._AHEAD", 2000)  # less than a line with people
    people = [f"p{i}" for i in range(1000)]
    with Ledger(url) as ledger:
        ledger.set("people", PureDP(1.0))
        assert ledger.enrol("people", people) == 1000
        ledger.spend("people", PureDP(0.5))
        ledger.spend("people", PureDP(0.5), people=people[:10])
        with pytest.raises(BudgetError, match="10 of them have not that much left"):
            ledger.spend("people", PureDP(0.25))
        anchor = ledger.verify(ledger.anchor())
        assert anchor.count == 7
    rows = execute(url, f"SELECT line FROM {chain_table.TABLE} ORDER BY place")
    (tmp_path / "copy.db").write_bytes(b"".join(bytes(row[0]) for row in rows))
    for place in (url, tmp_path / "copy.db"):
        with Ledger(place, create=False) as copy:
            assert copy.verify(anchor) == anchor
            assert [(one.spent.statement, one.people) for one in copy.crowd("people").levels] == [
                ("ε = 0.5", 990),
                ("ε = 1", 10),
            ]


def test_an_empty_and_a_missing_ledger(url: str) -> None:
    with pytest.raises(InputError, match="existing ledger"):
        Ledger(url, create=False)
    with Ledger(url) as ledger:
        assert ledger.anchor().count == 0
        assert ledger.verify().count == 0
        assert ledger.balances() == []
        assert str(pickle.loads(pickle.dumps(ledger)).anchor()) == str(ledger.anchor())


def test_what_is_not_a_ledger(url: str) -> None:
    execute(url, f"CREATE TABLE {chain_table.TABLE} (place bigint, number bigint, line bytea)")
    with pytest.raises(InputError, match="is something else"):
        Ledger(url)


def test_no_password_is_shown(url: str) -> None:
    secret = url.replace("sfumato@", "sfumato:s3cret@")
    with Ledger(secret) as ledger:
        assert "s3cret" not in repr(ledger) + ledger._repr_html_()
    with pytest.raises(InputError) as caught:
        Ledger("postgresql://sfumato:s3cret@127.0.0.1:1/postgres", timeout=2)
    assert "s3cret" not in str(caught.value)
    assert "a PostgreSQL server that answers" in str(caught.value)
    with pytest.raises(InputError, match="a ledger in a file"):
        Vault(secret)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        ("UPDATE {0} SET line = line || 'x' WHERE number = 2", "is not a line of a ledger"),
        ("DELETE FROM {0} WHERE number = 2", "missing|does not"),
        ("UPDATE {0} SET number = 7 WHERE number = 2", "anchored|last one here|missing|number"),
    ],
)
def test_edited_rows_are_found(url: str, edit: str, said: str) -> None:
    with Ledger(url) as ledger:
        ledger.set("s", PureDP(1.0))
        for _ in range(3):
            ledger.spend("s", PureDP(0.1))
        execute(url, edit.format(chain_table.TABLE))
        with pytest.raises(InputError, match=said):
            ledger.entry(2) if "number = 7" in edit else ledger.verify()


def test_rows_taken_back_are_found(url: str) -> None:
    with Ledger(url) as ledger, Ledger(url) as other:
        ledger.set("s", PureDP(1.0))
        ledger.spend("s", PureDP(0.9))
        anchor = ledger.anchor()
        execute(url, f"DELETE FROM {chain_table.TABLE} WHERE number = 2")
        with pytest.raises(InputError, match="gone or changed"):
            ledger.spend("s", PureDP(0.9))
        with pytest.raises(InputError, match="cut off"):
            other.verify(anchor)


def test_roles_and_settings(url: str) -> None:
    Ledger(url).close()
    execute(url, "DROP ROLE IF EXISTS writer; DROP ROLE IF EXISTS reader")
    execute(url, "CREATE ROLE writer LOGIN; CREATE ROLE reader LOGIN")
    execute(
        url, f"GRANT SELECT, INSERT ON {chain_table.TABLE} TO writer; GRANT SELECT ON {chain_table.TABLE} TO reader"
    )
    with Ledger(url.replace("sfumato@", "writer@")) as writer:
        writer.set("s", PureDP(1.0))
        writer.spend("s", PureDP(0.5))
    with Ledger(url.replace("sfumato@", "reader@")) as reader:
        assert str(reader.left("s").statement) == "ε = 0.5"
        with pytest.raises(InputError, match="can be written"):
            reader.spend("s", PureDP(0.1))
    execute(url, "ALTER SYSTEM SET fsync = off")
    execute(url, "SELECT pg_reload_conf()")
    try:
        while execute(url, "SHOW fsync") != [("off",)]:  # the server reads its settings when it comes to it
            time.sleep(0.01)
        with pytest.raises(InputError, match="fsync = off"):
            Ledger(url)
    finally:
        execute(url, "ALTER SYSTEM RESET fsync")
        execute(url, "SELECT pg_reload_conf()")
        while execute(url, "SHOW fsync") != [("on",)]:
            time.sleep(0.01)


def test_a_busy_ledger_is_waited_for(url: str) -> None:
    with Ledger(url) as ledger, Ledger(url, timeout=0.3) as hasty:
        ledger.set("s", PureDP(1.0))
        with ledger._chain.writing(), pytest.raises(InputError, match="free within the timeout"):
            hasty.spend("s", PureDP(0.1))
        hasty.spend("s", PureDP(0.1))


def test_a_cut_connection_is_mended_and_said(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sfumato'"
    with Ledger(url) as ledger:
        ledger.set("s", PureDP(1.0))
        execute(url, cut)
        with pytest.raises(InputError, match="nothing was spent"):
            ledger.spend("s", PureDP(0.1))
        assert ledger.spend("s", PureDP(0.1)).id == 2  # by a new connection
        commit = chain_table.ChainTable.commit

        def cut_after(self: Any, *given: Any) -> None:
            commit(self, *given)
            execute(url, cut)

        monkeypatch.setattr(chain_table.ChainTable, "commit", cut_after)
        with pytest.raises(InputError, match="may be in the ledger or not"):
            ledger.spend("s", PureDP(0.1))
        monkeypatch.undo()
        assert ledger.spend("s", PureDP(0.1)).id == 3  # here it was not
        assert ledger.verify().count == 3


def test_killed_writers_lose_nothing(url: str, tmp_path: Path) -> None:
    """8 writers, killed at random moments; the claims hold whatever the timing."""
    releases, log, kills, moments = 600, tmp_path / "released.log", 0, random.Random(7)
    with Ledger(url) as ledger:
        for subject in ("shared", "left hand", "right hand"):
            ledger.set(subject, PureDP(releases / 1000))
        anchor = str(ledger.anchor())
    names: list[Any] = [url] * 4
    for turn in range(8):
        kills += ledger_killer.strike(names, log, turn, 8, moments)
    found, _ = ledger_killer.check(names, log, anchor, kills, releases)
    assert found["released"] > 0
    for fault in ("lost", "overspent", "torn", "unexplained", "broken"):
        assert found[fault] == 0, found
    assert ledger_killer.spend_the_rest(names[2], releases - found["paid"], releases)


def test_a_killed_server_loses_nothing(url: str, server: Server, tmp_path: Path) -> None:
    """Writers release while the server is killed −9; what they handed out is paid for after it starts again."""
    log = tmp_path / "released.log"
    with Ledger(url) as ledger:
        for subject in ("shared", "left hand", "right hand"):
            ledger.set(subject, PureDP(10.0))
        anchor = str(ledger.anchor())
    children = []
    for writer in range(4):
        child = os.fork()
        if child == 0:
            try:
                ledger_killer.write(url, log, str(writer))  # type: ignore[arg-type]
            finally:
                os._exit(0)
        children.append(child)
    patience = time.monotonic() + 600
    while ledger_killer.size_of(log) < 200 and time.monotonic() < patience:
        time.sleep(0.01)
    server.kill()
    time.sleep(0.2)
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    server.start()
    found, _ = ledger_killer.check([url] * 4, log, anchor, len(children), 10_000)  # type: ignore[list-item]
    assert found["released"] > 10
    for fault in ("lost", "overspent", "torn", "unexplained", "broken"):
        assert found[fault] == 0, found


def test_the_command_line_pays_there(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("age\n" + "\n".join(str(20 + i % 50) for i in range(100)) + "\n")
    assert sfumato("budget", "set", "people.csv", "--epsilon", "1", "--ledger", url) == 0
    question = ("statistic", "protect", "people.csv", "--mechanism", "mean", "--column", "age", "--epsilon", "0.6")
    bounds = ("--low", "0", "--high", "100")
    monkeypatch.setenv("SFUMATO_LEDGER", url)
    assert sfumato(*question, *bounds, "-o", "mean.csv") == 0
    assert sfumato("verify", "mean.csv", "--ledger", url) == 0
    assert sfumato(*question, *bounds, "-o", "again.csv") != 0
    assert not (tmp_path / "again.csv").exists()
    assert sfumato("budget", "verify") == 0
    for file in tmp_path.glob("*.json"):
        assert "postgresql" not in file.read_text()
