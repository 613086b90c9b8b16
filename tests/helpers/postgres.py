"""A PostgreSQL server of the tests' own, on this machine and in a folder that is thrown away."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path

__all__ = ["Server", "find_programs"]


def find_programs() -> Path | None:
    """The folder of ``initdb``, or None: Debian's package ``postgresql`` has it outside the PATH."""
    named = shutil.which("initdb")
    found = [Path(named)] if named else sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


class Server:
    """A running server; ``url`` names its database."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs, self._data = programs, folder / "data"
        # PostgreSQL refuses to run as root; Debian's package brings a user for it.
        self._user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if self._user:
            shutil.chown(folder, "postgres")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self._run("initdb", "-D", self._data, "-U", "sfumato", "-A", "trust", "--no-sync")
        self.url = f"postgresql://sfumato@127.0.0.1:{self._port}/postgres"
        self.start()

    def start(self) -> None:
        """Start it and wait until it answers."""
        options = f"-c listen_addresses=127.0.0.1 -c unix_socket_directories= -p {self._port}"
        self._run("pg_ctl", "-D", self._data, "-o", options, "-l", self._data / "log", "-w", "-t", "60", "start")

    def kill(self) -> None:
        """kill −9 of the server and of all that it runs, as at a power cut."""
        main = int((self._data / "postmaster.pid").read_text().split()[0])
        children = subprocess.run(["ps", "--ppid", str(main), "-o", "pid="], capture_output=True, text=True).stdout
        for process in (main, *map(int, children.split())):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
        (self._data / "postmaster.pid").unlink(missing_ok=True)

    def stop(self) -> None:
        """Stop it at once."""
        self._run("pg_ctl", "-D", self._data, "-m", "immediate", "-w", "stop")

    def _run(self, program: str, *arguments: object) -> None:
        words = [*self._user, str(self._programs / program), *map(str, arguments)]
        # Not captured: the server would keep the pipe open.
        subprocess.run(words, check=True, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
