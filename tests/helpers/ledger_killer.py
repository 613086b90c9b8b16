"""Processes that release through one ledger under several names and are killed at random moments, over and over.

    python tests/helpers/ledger_killer.py [FOLDER] [--rounds 1000] [--writers 8] [--seed 7]

Each process opens the ledger under one of its names: its own, a hard link, a hard link in another folder, a symbolic
link. Each release is logged by its token after it was handed out. After every 25 rounds the log is held against the
ledger, the anchor of the last check included, and a new ledger is begun. Prints what was found as JSON: ``lost`` are
releases without a payment, ``overspent`` is what was paid beyond the budget, ``torn`` are ledgers in which a payment of
two subjects arrived for one only, ``unexplained`` are payments without a release beyond one for each kill, ``broken``
are refusals of ``verify``, ``unspendable`` are ledgers whose rest could not be spent to the last.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from sfumato.errors import BudgetError, SfumatoError
from sfumato.ledger import Ledger
from sfumato.promise import Guarantee, PureDP

COST = 1 / 1000
RELEASES = (20, 1000)  # how many the budget of a ledger is enough for: some are spent to the last, some are not
CHECK_EVERY = 25


class Echo:
    """A mechanism without noise: only the order of events matters here."""

    @property
    def guarantee(self) -> Guarantee:
        return PureDP(COST)

    def release(self, data: Any, *, rng: Any = None) -> Any:
        return data


def write(ledger_path: Path, log_path: Path, name: str) -> None:
    """Release until killed; the log is appended to after each release came out of the ledger."""
    log = os.open(log_path, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    ledger = Ledger(ledger_path, create=False)
    number = 0
    while True:
        token = f"{name}:{number}"
        try:
            released = ledger.release(Echo(), token, subject="shared", note=token)
            if number % 5 == 0:
                ledger.spend_all(["left hand", "right hand"], PureDP(COST), note=token)
        except BudgetError:
            return
        os.write(log, f"{released}\n".encode())
        number += 1


def make_names(folder: Path, releases: int) -> list[Path]:
    """A new ledger with its budgets, under four names."""
    (folder / "elsewhere").mkdir(parents=True)
    names = [folder / "budget.db", folder / "hard.db", folder / "elsewhere" / "hard.db", folder / "soft.db"]
    with Ledger(names[0]) as ledger:
        for subject in ("shared", "left hand", "right hand"):
            ledger.set(subject, PureDP(releases / 1000))
    os.link(names[0], names[1])
    os.link(names[0], names[2])
    names[3].symlink_to(names[0])
    return names


def size_of(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _is_running(child: int) -> bool:
    return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None


def strike(names: list[Path], log: Path, turn: int, writers: int, moments: random.Random) -> int:
    """One round: start the writers, kill them one by one, and count the blows that struck a running one."""
    children, struck, before = [], 0, size_of(log)
    for writer in range(writers):
        path = names[(turn + writer) % len(names)]
        child = os.fork()
        if child == 0:
            try:
                write(path, log, f"{turn}.{writer}")
                os._exit(0)
            except BaseException as error:
                sys.stderr.write(f"{error}\n")
                os._exit(1)
        children.append(child)
    # On a busy machine nobody may have come far enough to be worth a blow; or all may have found the budget spent.
    while size_of(log) == before and any(map(_is_running, children)):
        time.sleep(0.0005)
    for child in moments.sample(children, len(children)):
        time.sleep(moments.uniform(0.0, 0.08 / writers))
        os.kill(child, signal.SIGKILL)
    for child in children:
        _, status = os.waitpid(child, 0)
        struck += os.WIFSIGNALED(status)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status):
            raise SystemExit("a writer failed")
    return struck


def check(names: list[Path], log: Path, anchor: str, kills: int, releases: int) -> tuple[Counter[str], str]:
    """Hold the log against the ledger; the counts, and the new anchor."""
    released = log.read_text().splitlines() if log.exists() else []
    found: Counter[str] = Counter(released=len(released), lost=len(released) - len(set(released)))
    with Ledger(names[1], create=False) as ledger:
        try:
            anchor = str(ledger.verify(anchor))
        except SfumatoError as error:
            sys.stderr.write(f"{error}\n")
            found["broken"] += 1
        paid = [entry.note for entry in ledger.releases("shared")]
        hands = [[entry.note for entry in ledger.releases(f"{side} hand")] for side in ("left", "right")]
    found["paid"] = len(paid)
    found["lost"] += len(set(released) - set(paid))
    found["overspent"] = max(0, len(paid) - releases)
    found["torn"] = hands[0] != hands[1]
    found["unexplained"] = max(0, len(paid) - len(released) - kills)  # more than one in flight for each kill
    found["exhausted"] = len(paid) == releases
    return found, anchor


def spend_the_rest(path: Path, count: int, releases: int) -> bool:
    """Whether what is left can be spent to the last, and no further."""
    with Ledger(path, create=False) as ledger:
        ledger.spend_all(["shared"] * count, PureDP(COST))
        try:
            ledger.spend("shared", PureDP(COST))
        except BudgetError:
            return ledger.spent("shared") == PureDP(releases / 1000)
    return False


def main(folder: Path, rounds: int, writers: int, seed: int) -> None:
    moments = random.Random(seed)
    total: Counter[str] = Counter()
    for begin in range(0, rounds, CHECK_EVERY):
        place = folder / str(begin)
        releases = moments.randint(*RELEASES)
        names, log = make_names(place, releases), place / "released.log"
        with Ledger(names[0]) as ledger:
            anchor = str(ledger.anchor())
        kills = 0
        for turn in range(begin, min(begin + CHECK_EVERY, rounds)):
            kills += strike(names, log, turn, writers, moments)
            if turn % 10 == 0:
                _, anchor = check(names, log, anchor, kills, releases)
        found, _ = check(names, log, anchor, kills, releases)
        found["unspendable"] = not spend_the_rest(names[2], releases - found["paid"], releases)
        total += found + Counter(kills=kills)
    shown = (
        "kills",
        "released",
        "paid",
        "exhausted",
        "lost",
        "overspent",
        "torn",
        "unexplained",
        "broken",
        "unspendable",
    )
    sys.stdout.write(json.dumps({"rounds": rounds, "writers": writers} | {key: total[key] for key in shown}) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, help="an empty folder on the disk to try; a new one by default")
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as scratch:
        main(Path(scratch), given.rounds, given.writers, given.seed)
