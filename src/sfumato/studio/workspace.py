"""The folder of a session: only for its owner, and gone when the session is, however it ends."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from sfumato.io.private_folder import PrivateFolder

__all__ = ["PREFIX", "Workspace", "session_parent"]

PREFIX = "sfumato-studio-"


class Workspace(PrivateFolder):
    """A private folder that holds what a session has on the disk.

    Parameters
    ----------
    parent : path, optional
        Where it is made; by default the user's run-time folder, or that of temporary files.

    Examples
    --------
    >>> with Workspace() as place:
    ...     place.private_file("upload").write_bytes(b"age")
    3
    >>> place.folder.exists()
    False
    """

    def __init__(self, parent: str | Path | None = None) -> None:
        super().__init__(session_parent() if parent is None else parent, prefix=PREFIX, watched=True)

    def private_file(self, name: str) -> Path:
        """A path in the folder, whose file is there, empty and readable by the owner only."""
        path = self.folder / name
        path.unlink(missing_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        return path


def session_parent() -> Path:
    """The user's run-time folder, which other users cannot read, or that of temporary files."""
    run = os.environ.get("XDG_RUNTIME_DIR")
    if run and os.path.isdir(run) and os.access(run, os.W_OK):
        return Path(run)
    return Path(tempfile.gettempdir())
