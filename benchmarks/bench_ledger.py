"""Durable spends a second, beside what the disk itself can do.

    python benchmarks/bench_ledger.py [FOLDER]
    python benchmarks/bench_ledger.py --people 1000000 [FOLDER or postgresql://…]

The folder decides which disk is measured (default: the current one). No other tool keeps a durable budget, so the
yardstick is an append with fdatasync, the least that any durable commit costs, timed in the same run. With --people, as
many personal budgets are charged in one commit, on a file or, without an address, also on a PostgreSQL server that is
started for it (Debian package postgresql).
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sfumato.ledger import Ledger
from sfumato.promise import PureDP

SECONDS = 2.0


def rate(step: Callable[[], int]) -> tuple[float, float]:
    """Things done a second, by wall clock and by CPU."""
    step()
    done, wall, cpu = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - wall < SECONDS:
        done += step()
    return done / (time.perf_counter() - wall), done / (time.process_time() - cpu)


def append(folder: Path) -> Callable[[], int]:
    descriptor = os.open(folder / "log", os.O_CREAT | os.O_WRONLY | os.O_APPEND)

    def step() -> int:
        os.write(descriptor, b"x" * 200)
        os.fdatasync(descriptor)
        return 1

    return step


def one_by_one(path: Path, subject: str = "one") -> Callable[[], int]:
    ledger = Ledger(path)
    ledger.set(subject, PureDP(1e6))
    promise = PureDP(0.001)

    def step() -> int:
        ledger.spend(subject, promise, note="benchmark")
        return 1

    return step


def together(path: Path, size: int) -> Callable[[], int]:
    ledger = Ledger(path)
    subjects = [f"subject {i}" for i in range(size)]
    for subject in subjects:
        ledger.set(subject, PureDP(1e6))
    promise = PureDP(0.001)

    def step() -> int:
        return len(ledger.spend_all(subjects, promise, note="benchmark"))

    return step


def opened_anew(path: Path, size: int) -> Callable[[], int]:
    """As a command does it: open, spend, close. The history must not matter."""
    with Ledger(path) as ledger:
        ledger.set("one", PureDP(1e6))
        for _ in range(size // 1000):
            ledger.spend_all(["one"] * 1000, PureDP(0.001))

    def step() -> int:
        with Ledger(path, create=False) as ledger:
            ledger.spend("one", PureDP(0.001))
        return 1

    return step


def verified(path: Path) -> Callable[[], int]:
    return lambda: Ledger(path, create=False).verify().count


def writer(path: Path, subject: str, start: object, results: object) -> None:
    step = one_by_one(path, subject)
    start.wait()  # type: ignore[attr-defined]
    results.put(rate(step)[0])  # type: ignore[attr-defined]


def two_processes(path: Path) -> float:
    context = multiprocessing.get_context("spawn")
    start, results = context.Barrier(2), context.Queue()
    processes = [context.Process(target=writer, args=(path, name, start, results)) for name in ("first", "second")]
    for process in processes:
        process.start()
    total = sum(results.get() for _ in processes)
    for process in processes:
        process.join()
    return total


def people_charged(place: Path | str, size: int) -> list[tuple[str, float, float]]:
    """Seconds by wall clock and CPU for a roll of ``size`` people with all of them named, half of them, one of them."""
    ids = [f"person {i}" for i in range(size)]
    promise, found = PureDP(0.001, unit="person"), []

    def timed(name: str, step: Callable[[Ledger], object]) -> None:
        with Ledger(place) as ledger:  # as a command does it: nothing is in memory
            wall, cpu = time.perf_counter(), time.process_time()
            step(ledger)
            found.append((name, time.perf_counter() - wall, time.process_time() - cpu))

    timed("budget set", lambda ledger: ledger.set("roll", PureDP(1e6, unit="person")))
    timed("enrolled", lambda ledger: ledger.enrol("roll", ids))
    timed("all charged by name", lambda ledger: ledger.spend("roll", promise, people=ids))
    timed("every second charged", lambda ledger: ledger.spend("roll", promise, people=ids[::2]))
    timed("one charged", lambda ledger: ledger.spend("roll", promise, people=ids[:1]))
    timed("verified", lambda ledger: ledger.verify())
    return found


def charge_people(size: int, place: str) -> None:
    from contextlib import ExitStack

    with ExitStack() as closing:
        scratch = closing.enter_context(tempfile.TemporaryDirectory(dir=None if "://" in place else place))
        places: dict[str, Path | str] = {"file": Path(scratch) / "people.db"}
        if "://" in place:
            places = {"PostgreSQL": place}
        else:
            sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
            from helpers.postgres import Server, find_programs

            programs = find_programs()
            if programs is not None:
                folder = Path(closing.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
                folder.chmod(0o755)
                server = Server(programs, folder)
                closing.callback(server.stop)
                places["PostgreSQL"] = server.url
        print(f"{size:,} people; seconds by wall clock and by this process's CPU")
        for name, where in places.items():
            for step, wall, cpu in people_charged(where, size):
                print(f"{name:12}{step:24}{wall:10.2f}{cpu:10.2f}")


def main(folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        place = Path(scratch)
        floor, _ = rate(append(place))
        rows = [("append and fdatasync (yardstick)", floor, None)]
        rows.append(("spend, one commit each", *rate(one_by_one(place / "one.db"))))
        rows.append(("spend_all, 100 subjects a commit", *rate(together(place / "many.db", 100))))
        rows.append(("spend, two processes together", two_processes(place / "two.db"), None))
        for size in (1_000, 30_000):
            rows.append((f"open, spend, close; {size:,} entries", *rate(opened_anew(place / f"{size}.db", size))))
        rows.append(("entries verified", *rate(verified(place / "30000.db"))))
    print(f"{'':36}{'a second':>12}{'a CPU second':>14}{'to yardstick':>14}")
    for name, wall, cpu in rows:
        print(f"{name:36}{wall:12,.0f}{'' if cpu is None else f'{cpu:14,.0f}':>14}{wall / floor:14.2f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--people"]:
        charge_people(int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else ".")
    else:
        main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
