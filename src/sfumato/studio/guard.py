"""What every request must show before it reaches a screen, and what every answer carries."""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sfumato.studio.admission import Admission

__all__ = ["COOKIE", "ENTRANCE", "SECRET", "Guard"]

COOKIE = "studio"
SECRET = "x-studio"
ENTRANCE = "/enter"
SAFE = ("GET", "HEAD")
LARGEST_FORM = 1 << 20
"""Bytes of a request that is no upload."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
PAPERS = "default-src 'none'; style-src 'unsafe-inline'; sandbox allow-modals; frame-ancestors 'none'; base-uri 'none'"
"""The policy of our own pages that are shown as files: their style is in them, no script runs."""

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}


class Guard:
    """Refuses requests that do not come from the session's own page in the session's own browser.

    Host must be the session's own random name (DNS rebinding); Origin and Sec-Fetch-Site, where a browser sends them,
    must say that the page itself asks; the cookie must be known; and what changes something must carry the secret
    header, which no other site can send. Only the entrance takes a request without a cookie.

    Parameters
    ----------
    app : ASGI application
    admission : Admission
    port : int
    uploads : tuple of str
        Paths that may receive more than a form; they count the bytes themselves.
    """

    def __init__(self, app: ASGIApp, *, admission: Admission, port: int, uploads: tuple[str, ...] = ()) -> None:
        self.app, self.admission, self.uploads = app, admission, uploads
        self.host = f"{admission.host}:{port}"
        self.origin = f"http://{self.host}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return  # nothing here speaks any other protocol

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            code, words = refusal
            await PlainTextResponse(words + "\n", status_code=code)(scope, receive, with_headers)
            return
        await self.app(scope, receive, with_headers)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers, path = Headers(scope=scope), str(scope["path"])
        changes = scope["method"] not in SAFE
        entrance = path == ENTRANCE
        if headers.getlist("host") != [self.host]:
            return 403, "this address is not the studio's"
        origin = headers.get("origin")
        if origin is not None and origin != self.origin and not (entrance and origin == "null"):
            return 403, "another site asked"
        site = headers.get("sec-fetch-site")
        if site is not None and site not in ("same-origin", "none") and not entrance:
            return 403, "another site asked"
        if changes and path not in self.uploads and _length(headers) > LARGEST_FORM:
            return 413, "too large"
        if entrance or path.startswith("/static/"):
            return None  # the entrance checks the token itself; the files of the page are no secret
        given = _cookie(headers)
        if given is None:
            return 401, "not admitted: open the page that `sfumato studio` names in the terminal"
        if not self.admission.knows(given):
            return 403, "not admitted: this session is over"
        if changes and headers.get(SECRET) != self.admission.secret:
            return 403, "the request does not come from the studio's own page"
        return None


def _cookie(headers: Headers) -> str | None:
    try:
        found: Any = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return None if found is None else str(found.value)


def _length(headers: Headers) -> int:
    try:
        return int(headers.get("content-length", "0"))
    except ValueError:
        return LARGEST_FORM + 1
