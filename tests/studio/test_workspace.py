"""A session's folder is gone when the session is, however it ends."""

from __future__ import annotations

import signal
import socket
import time
from pathlib import Path

import pytest

from helpers.studio_server import StudioServer
from sfumato.io.private_folder import sweep
from sfumato.studio.workspace import PREFIX, Workspace


def gone(folder: Path) -> bool:
    """Whether a folder disappears; the watcher needs a moment."""
    end = time.monotonic() + 600
    while folder.exists() and time.monotonic() < end:
        time.sleep(0.02)
    return not folder.exists()


def test_it_is_for_the_owner_only(tmp_path: Path) -> None:
    with Workspace(tmp_path) as place:
        assert place.folder.stat().st_mode & 0o777 == 0o700
        assert place.private_file("upload").stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == []


def test_sessions_that_are_over_are_swept_and_living_ones_are_not(tmp_path: Path) -> None:
    left = tmp_path / f"{PREFIX}left"
    left.mkdir()
    (left / "lock").write_text(socket.gethostname())
    (left / "upload-1").write_text("raw")
    other = tmp_path / "other"
    other.mkdir()
    with Workspace(tmp_path) as living:
        assert not left.exists()
        assert sweep(tmp_path, PREFIX) == []
        assert living.folder.exists()
    assert list(tmp_path.iterdir()) == [other]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_server_that_is_ended_leaves_no_file(root: Path, sessions: Path, number: signal.Signals) -> None:
    with StudioServer(root, sessions, str(root / "people.csv")) as server:
        folder = server.workspace
        assert folder.parent == sessions
        assert sorted(path.name for path in folder.iterdir()) == ["lock", "open.html"]
        (folder / "upload-1").write_text("raw")
        server.end(number)
        assert gone(folder)
    assert list(sessions.iterdir()) == []
    assert server.token_was_said() is False
