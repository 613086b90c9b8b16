"""``sfumato studio``: a server for one person on one machine."""

from __future__ import annotations

import contextlib
import logging
import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sfumato.errors import SfumatoError, bad_input
from sfumato.studio.admission import Admission
from sfumato.studio.desk import Desk
from sfumato.studio.guard import ENTRANCE
from sfumato.studio.purse import opened_purse
from sfumato.studio.workspace import Workspace

__all__ = ["serve"]

LOOPBACK = "127.0.0.1"
SHUTDOWN_SECONDS = 1


def serve(
    file: Path | None = None,
    *,
    folder: Path | None = None,
    ledger: str | None = None,
    subject: str | None = None,
    port: int = 0,
    browser: bool = True,
    say: Callable[[str], None] = lambda words: None,
) -> None:
    """Serve the studio until it is interrupted, on this machine only.

    Parameters
    ----------
    file : Path, optional
        The table to open.
    folder : Path, optional
        The folder whose files may be opened; by default that of ``file``, or the current one.
    ledger, subject : str, optional
        The ledger that pays for answers, and whose budget it is; by default the name of ``file``.
    port : int
        A free one by default.
    browser : bool
        Open a browser.
    say : callable
        Takes words for the terminal. The token is not among them.
    """
    root = folder or (file.parent if file is not None else Path.cwd())
    if not root.is_dir():
        raise bad_input("folder", str(root), "a folder whose files may be opened")
    listening = _listen(port)
    port = listening.getsockname()[1]
    admission = Admission()
    with contextlib.closing(listening), Workspace() as workspace:
        desk = Desk(root=root.resolve(), workspace=workspace, admission=admission)
        if file is not None:
            desk.open_path(str(file.resolve().relative_to(desk.root)) if file.exists() else str(file))
        if ledger is not None:
            desk.budget = opened_purse(ledger, subject or (file.name.partition(".")[0] if file is not None else ""))
        door = workspace.private_file("open.html")
        address = f"http://{admission.host}:{port}"
        admission.write_door(door, address + ENTRANCE)
        say(f"The studio is open on this machine only, for files below {desk.root}.")
        say(f"Open {door.as_uri()} in a browser; it admits once, and again after that. Ctrl-C ends the studio.")
        say("What it holds on the disk goes when it ends.")
        if browser:
            webbrowser.open(door.as_uri())
        _server(desk, port).run(sockets=[listening])


def _server(desk: Desk, port: int) -> Any:
    import uvicorn

    from sfumato.studio.application import make_application

    config = uvicorn.Config(
        make_application(desk, port),
        log_level=logging.CRITICAL,  # nothing of a request is written anywhere
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    return uvicorn.Server(config)


def _listen(port: int) -> socket.socket:
    # The protocol is named: asyncio switches Nagle's delay off only where it reads TCP, and an answer would wait 40 ms.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
    except OSError as error:
        listening.close()
        raise SfumatoError(f"port {port} cannot be used ({error.strerror}): leave --port out for a free one") from error
    listening.listen(64)
    return listening
