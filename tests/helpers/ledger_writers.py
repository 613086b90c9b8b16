"""Two processes that release through one ledger and are killed at random moments, over and over.

    python ledger_writers.py LEDGER LOG ROUNDS SEED

Each release is logged by its token after it was handed out. Prints the number of kills that struck a running writer.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from typing import Any

from sfumato.errors import BudgetError
from sfumato.ledger import Ledger
from sfumato.promise import Guarantee, PureDP

COST = 0.001


class Echo:
    """A mechanism without noise: only the order of events matters here."""

    @property
    def guarantee(self) -> Guarantee:
        return PureDP(COST)

    def release(self, data: Any, *, rng: Any = None) -> Any:
        return data


def write(ledger_path: str, log_path: str, name: str) -> None:
    """Release until killed; the log is appended to after each release came out of the ledger."""
    log = os.open(log_path, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    ledger = Ledger(ledger_path)
    number = 0
    while True:
        token = f"{name}:{number}"
        try:
            released = ledger.release(Echo(), token, subject="shared", note=token)
        except BudgetError:
            return
        os.write(log, f"{released}\n".encode())
        number += 1


def main(ledger_path: str, log_path: str, rounds: int, seed: int) -> None:
    moments = random.Random(seed)
    struck = 0
    for turn in range(rounds):
        children = []
        for writer in range(2):
            child = os.fork()
            if child == 0:
                try:
                    write(ledger_path, log_path, f"{turn}.{writer}")
                finally:
                    os._exit(0)
            children.append(child)
        for child in children:
            time.sleep(moments.uniform(0.0, 0.04))
            os.kill(child, signal.SIGKILL)
        for child in children:
            _, status = os.waitpid(child, 0)
            struck += os.WIFSIGNALED(status)
    sys.stdout.write(str(struck))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
