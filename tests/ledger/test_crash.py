"""The ledger under two writers, kill −9, races and forks."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from helpers import TESTS
from sfumato.errors import BudgetError
from sfumato.ledger import Ledger
from sfumato.promise import PureDP

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
WRITERS = TESTS / "helpers" / "ledger_writers.py"


def test_killed_writers_lose_no_spend_and_release_nothing_unpaid(tmp_path: Path) -> None:
    """120 kills at random moments under two writers: the claims hold whatever the timing, so this cannot flake."""
    path, log = tmp_path / "budget.db", tmp_path / "released.log"
    with Ledger(path) as ledger:
        ledger.set("shared", PureDP(10.0))
    run = subprocess.run(
        [sys.executable, str(WRITERS), str(path), str(log), "60", "7"], capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 0, run.stderr
    kills = int(run.stdout)
    assert kills > 10  # some writers had spent everything before the blow fell
    released = log.read_text().splitlines()
    with Ledger(path, create=False) as ledger:
        ledger.verify()  # the file is intact and its totals match its entries
        paid = [entry.note for entry in ledger.history("shared") if entry.action == "spend"]
        assert len(released) == len(set(released)) > 0
        assert len(paid) == len(set(paid)) == ledger.balance("shared").spends
        assert set(released) <= set(paid)  # no release without a spend
        assert len(paid) - len(released) <= kills  # at most the one in flight is paid without having come out
        ledger.spend_all(["shared"] * (10_000 - len(paid)), PureDP(0.001))  # what is left can be spent to the last ...
        with pytest.raises(BudgetError):  # ... and no further
            ledger.spend("shared", PureDP(0.001))
        assert ledger.spent("shared") == PureDP(10.0)


def _spend_all(path: str, barrier: object, count: object) -> None:
    barrier.wait()  # type: ignore[attr-defined]
    ledger = Ledger(path)
    done = 0
    while True:
        try:
            ledger.spend("shared", PureDP(0.01))
        except BudgetError:
            break
        done += 1
    count.put(done)  # type: ignore[attr-defined]


def test_racing_processes_spend_the_budget_exactly(tmp_path: Path) -> None:
    path = str(tmp_path / "budget.db")
    with Ledger(path) as ledger:
        ledger.set("shared", PureDP(1.0))
    context = multiprocessing.get_context("spawn")
    barrier, count = context.Barrier(3), context.Queue()
    processes = [context.Process(target=_spend_all, args=(path, barrier, count)) for _ in range(3)]
    for process in processes:
        process.start()
    total = sum(count.get(timeout=120) for _ in processes)
    for process in processes:
        process.join()
    assert total == 100
    with Ledger(path) as ledger:
        ledger.verify()
        assert ledger.left("shared") == PureDP(0.0)


def test_processes_that_create_the_same_ledger_agree(tmp_path: Path) -> None:
    code = (
        "import sys; from sfumato.ledger import Ledger; from sfumato.promise import PureDP\n"
        "ledger = Ledger(sys.argv[1]); ledger.set(sys.argv[2], PureDP(1.0)); ledger.spend(sys.argv[2], PureDP(0.5))"
    )
    path = tmp_path / "new.db"
    running = [subprocess.Popen([sys.executable, "-c", code, str(path), str(i)]) for i in range(4)]
    assert [process.wait(timeout=120) for process in running] == [0] * 4
    with Ledger(path, create=False) as ledger:
        ledger.verify()
        assert [balance.spends for balance in ledger.balances()] == [1] * 4
    assert not list(tmp_path.glob(".*.new*"))


def test_threads_share_a_ledger(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "budget.db")
    ledger.set("shared", PureDP(1.0))
    done: list[int] = []

    def spend() -> None:
        for _ in range(40):
            try:
                ledger.spend("shared", PureDP(0.01))
                done.append(1)
            except BudgetError:
                pass

    threads = [threading.Thread(target=spend) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 100
    ledger.verify()


def test_a_pickled_ledger_is_the_same_ledger(tmp_path: Path) -> None:
    with Ledger(tmp_path / "budget.db") as ledger:
        ledger.set("shared", PureDP(1.0))
        with pickle.loads(pickle.dumps(ledger)) as copy:
            copy.spend("shared", PureDP(0.25))
        assert ledger.left("shared") == PureDP(0.75)


def test_a_ledger_crosses_a_fork(tmp_path: Path) -> None:
    """The parent closes first: with a connection carried over the fork, SQLite would delete the log under the child."""
    code = """
import os, sys
from sfumato.ledger import Ledger
from sfumato.promise import PureDP
ledger = Ledger(sys.argv[1])
ledger.set("shared", PureDP(1.0))
(closed, tell_closed), (begun, tell_begun) = os.pipe(), os.pipe()
child = os.fork()
if child:
    os.read(begun, 1)
    ledger.spend("shared", PureDP(0.25), note="parent")
    ledger.close()
    os.write(tell_closed, b".")
    assert os.waitpid(child, 0)[1] == 0
else:
    ledger.spend("shared", PureDP(0.25), note="child, before")
    os.write(tell_begun, b".")
    os.read(closed, 1)
    ledger.spend("shared", PureDP(0.25), note="child, after")
    os._exit(0)  # without closing, as a killed process
"""
    path = tmp_path / "budget.db"
    subprocess.run([sys.executable, "-W", "ignore", "-c", code, str(path)], check=True, timeout=60)
    with Ledger(path) as ledger:
        ledger.verify()
        assert ledger.left("shared") == PureDP(0.25)
