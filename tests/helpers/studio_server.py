"""A studio that runs in a process of its own, as a user starts it, and a browser beside it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType
from urllib.parse import unquote

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class StudioServer:
    """``sfumato studio`` without a browser of its own.

    ``door`` is the page that admits, ``sessions`` the folder in which sessions have theirs.
    """

    def __init__(self, folder: Path, sessions: Path, *arguments: str) -> None:
        environment = {**os.environ, "XDG_RUNTIME_DIR": str(sessions), "COLUMNS": "400"}
        self.sessions = sessions
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sfumato", "studio", "--no-browser", "--folder", str(folder), *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert self.process.stderr is not None
        self.said: list[str] = []
        self.door = Path()
        for line in self.process.stderr:
            self.said.append(line)
            found = re.search(r"file://(\S+open\.html)", line)
            if found:
                self.door = Path(unquote(found[1]))
            if "goes when it ends" in line:
                break
        else:
            raise AssertionError("".join(self.said))
        self._token = self.token()
        # The pipe is emptied, so that the server can go on talking; what it says is kept.
        self._reader = threading.Thread(target=lambda: self.said.extend(self.process.stderr or ()), daemon=True)
        self._reader.start()

    @property
    def workspace(self) -> Path:
        return self.door.parent

    def token_was_said(self) -> bool:
        """Whether the token stood in the terminal."""
        return self._token in "".join(self.said)

    def token(self) -> str:
        found = re.search(r'name="token" value="([^"]+)"', self.door.read_text())
        assert found is not None
        return found[1]

    def address(self) -> str:
        found = re.search(r'action="([^"]+)/enter"', self.door.read_text())
        assert found is not None
        return found[1]

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal and wait."""
        self.process.send_signal(number)
        code = self.process.wait(300)
        self._reader.join(100)
        return code

    def __enter__(self) -> StudioServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.end()
        if self.process.stderr is not None:
            self.process.stderr.close()
