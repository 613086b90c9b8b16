"""Who may use the page: a one-time token for a cookie, and a secret header for what changes something."""

from __future__ import annotations

import hmac
import secrets
import threading
from pathlib import Path

from sfumato.io.atomic import atomic_path

__all__ = ["Admission"]


class Admission:
    """The tokens, cookies and secrets of one session.

    A token admits once and is replaced by a new one, which goes to the same file: whoever can read that file (mode
    0600) may come back after closing the browser.

    Examples
    --------
    >>> session = Admission()
    >>> token = session.token
    >>> cookie = session.admit(token)
    >>> session.knows(cookie), session.admit(token), session.knows("guess")
    (True, None, False)
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cookies: list[str] = []
        self.token = secrets.token_urlsafe(32)
        self.secret = secrets.token_urlsafe(32)
        self.host = f"{secrets.token_hex(8)}.localhost"
        self._page: Path | None = None
        self._address = ""

    def admit(self, token: str) -> str | None:
        """A new cookie for a token that was not used before; None for any other."""
        with self._lock:
            if not _same(token, self.token):
                return None
            self.token = secrets.token_urlsafe(32)
            cookie = secrets.token_urlsafe(32)
            self._cookies.append(cookie)
            self._write()
            return cookie

    def knows(self, cookie: str) -> bool:
        """Whether a cookie was given out by this session."""
        return sum(_same(cookie, one) for one in self._cookies) > 0  # all are compared: time tells nothing

    def write_door(self, page: Path, address: str) -> None:
        """Write a page that takes whoever opens it to ``address``, token in hand. It is kept up to date.

        The token is posted: it is in no address, no history and no list of processes.
        """
        self._page, self._address = page, address
        self._write()

    def _write(self) -> None:
        if self._page is None or not self._page.parent.exists():
            return
        with atomic_path(self._page) as beside:
            beside.chmod(0o600)
            beside.write_text(_DOOR.format(address=self._address, token=self.token), encoding="utf-8")


_DOOR = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>sfumato studio</title>
</head><body><form method="post" action="{address}"><input type="hidden" name="token" value="{token}">
<button>Open the studio</button></form><script>document.forms[0].submit()</script></body></html>
"""


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())
