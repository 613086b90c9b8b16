"""The ledger under many writers and several names, kill −9, races and forks."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from helpers import TESTS
from sfumato.errors import BudgetError, InputError
from sfumato.ledger import Ledger
from sfumato.promise import PureDP

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
KILLER = TESTS / "helpers" / "ledger_killer.py"
FAULTS = ("lost", "overspent", "torn", "unexplained", "broken", "unspendable")


def test_killed_writers_lose_no_spend_and_release_nothing_unpaid() -> None:
    """60 rounds of 8 writers under four names of one file, killed at random moments.

    The claims hold whatever the timing, so this cannot flake.
    """
    run = subprocess.run([sys.executable, str(KILLER), "--rounds", "60"], capture_output=True, text=True, timeout=3600)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found["kills"] > 50  # some writers had spent everything before the blow fell
    assert found["paid"] >= found["released"] > 0
    assert {name: found[name] for name in FAULTS} == dict.fromkeys(FAULTS, 0), run.stderr


def test_the_killer_notices_a_ledger_without_a_lock() -> None:
    """The test above can fail: without the lock, 8 writers write over each other within a few of 50 rounds."""
    code = f"""
import contextlib, runpy, sys
import sfumato.ledger.chain_file as chain
chain.locked = lambda *_, **__: contextlib.nullcontext()
sys.argv = ["killer", "--rounds", "50"]
runpy.run_path({str(KILLER)!r}, run_name="__main__")
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=3600)
    assert run.returncode != 0 or any(json.loads(run.stdout)[name] for name in FAULTS)


def test_one_file_under_several_names_is_one_ledger(tmp_path: Path) -> None:
    names = [tmp_path / name for name in ("budget.db", "hard.db", "soft.db")]
    ledgers = [Ledger(names[0])]
    ledgers[0].set("s", PureDP(1.0))
    os.link(names[0], names[1])
    names[2].symlink_to(names[0])
    ledgers += [Ledger(name, create=False) for name in names[1:]]
    for turn in range(10):
        ledgers[turn % 3].spend("s", PureDP(0.1))
    for ledger in ledgers:
        assert ledger.left("s") == PureDP(0.0)
        with pytest.raises(BudgetError):
            ledger.spend("s", PureDP(0.1))
    with ledgers[0]._writing(1), pytest.raises(InputError, match="another process holds it"):
        Ledger(names[1], timeout=0.01).spend("s", PureDP(0.1))
    for ledger in ledgers:
        ledger.verify()
        ledger.close()
    assert {file.name for file in tmp_path.iterdir()} == {name.name for name in names}  # and nothing beside them


def test_a_bind_mount_is_the_same_ledger(tmp_path: Path) -> None:
    """As two containers have it that are given one file."""
    path, other = tmp_path / "budget.db", tmp_path / "container" / "ledger.db"
    with Ledger(path) as ledger:
        ledger.set("shared", PureDP(1.0))
    other.parent.mkdir()
    other.touch()
    code = """
import sys
from sfumato.errors import BudgetError, InputError
from sfumato.ledger import Ledger
from sfumato.promise import PureDP
ledgers, paid = [Ledger(name, create=False) for name in sys.argv[1:]], 0
while True:
    try:
        ledgers[paid % 2].spend("shared", PureDP(0.125))
    except BudgetError:
        break
    paid += 1
sys.stdout.write(str(paid))
"""
    script = 'mount --bind "$1" "$2" || exit 77; exec "$3" -c "$4" "$1" "$2"'
    try:
        command = ["unshare", "--mount", "sh", "-c", script, "sh", path, other, sys.executable, code]
        run = subprocess.run(command, capture_output=True, text=True, timeout=3600)
    except FileNotFoundError:
        pytest.skip("needs unshare")
    if run.returncode and not run.stdout and "Traceback" not in run.stderr:
        pytest.skip(f"needs the right to mount: {run.stderr.strip()}")
    assert run.stdout == "8", run.stderr


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
    total = sum(count.get(timeout=3600) for _ in processes)
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
    assert [process.wait(timeout=3600) for process in running] == [0] * 4
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
    subprocess.run([sys.executable, "-W", "ignore", "-c", code, str(path)], check=True, timeout=3600)
    with Ledger(path) as ledger:
        ledger.verify()
        assert ledger.left("shared") == PureDP(0.25)
