"""The web application: the screens behind their guard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import resources

from fastapi import Depends, FastAPI, Request
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles

from sfumato.errors import InputError, SfumatoError, bad_input
from sfumato.studio.desk import Desk
from sfumato.studio.guard import COOKIE, ENTRANCE, Guard
from sfumato.studio.pages import desk_of, fields_of, render, say, templates
from sfumato.studio.screens import (
    attack_screen,
    compare_screen,
    file_screen,
    journal_screen,
    ledger_screen,
    open_screen,
    protect_screen,
    question_screen,
    review_screen,
    risk_screen,
    role_screen,
    running_screen,
    setting_screen,
    trace_screen,
)
from sfumato.study.report.rendering import page_file


def static_file(name: str) -> str:
    """A file of the page itself."""
    return resources.files("sfumato.studio").joinpath("static", name).read_text(encoding="utf-8")


__all__ = ["make_application"]

SCREENS = (
    open_screen,
    role_screen,
    risk_screen,
    protect_screen,
    attack_screen,
    compare_screen,
    file_screen,
    question_screen,
    review_screen,
    trace_screen,
    setting_screen,
    ledger_screen,
    journal_screen,
    running_screen,
)


OF_TABLES = (role_screen, risk_screen, protect_screen, attack_screen, compare_screen)
"""The screens of a table of people; other kinds of data have others."""


def require_table(request: Request) -> None:
    """Refuse what asks for the roles of a file that has none."""
    project = desk_of(request).project
    if project.work is not None:
        raise bad_input("kind of data", project.kind, "a table of people", "change it on the first screen")


def require_same_file(request: Request) -> None:
    """Refuse what a page asks that shows another file: one was opened in another window."""
    desk, shown = desk_of(request), request.headers.get("x-file")
    opens = request.url.path in ("/open", "/upload") or request.url.path.startswith("/journal/")
    if shown is not None and shown != desk.file_mark and not opens:
        raise InputError("another file was opened in another window: expected this page's one; load the page again")


def make_application(desk: Desk, port: int) -> FastAPI:
    """The application of one session. It has no documentation page, no schema and no other door."""

    @asynccontextmanager
    async def life(application: FastAPI) -> AsyncIterator[None]:
        desk.pool.warm()
        try:
            yield
        finally:
            desk.close()

    uploads = tuple(path for screen in SCREENS for path in getattr(screen, "UPLOADS", ()))
    guard = Middleware(Guard, admission=desk.admission, port=port, uploads=uploads)
    application = FastAPI(
        docs_url=None, redoc_url=None, openapi_url=None, lifespan=life, middleware=[guard], redirect_slashes=False
    )
    application.state.desk = desk
    for screen in SCREENS:
        asked = [Depends(require_same_file), *([Depends(require_table)] if screen in OF_TABLES else [])]
        application.include_router(screen.router, dependencies=asked)

    @application.get("/static/style.css")
    def style() -> Response:
        """The style of our reports, and what the studio adds."""
        return Response(page_file("page.css") + static_file("studio.css"), media_type="text/css")

    home = str(resources.files("sfumato.studio").joinpath("static"))
    application.mount("/static", StaticFiles(directory=home), name="static")

    @application.get(ENTRANCE)
    def ask(request: Request) -> Response:
        """A form for the token, for browsers that may not open the page beside the session."""
        return HTMLResponse(templates().get_template("enter.html.j2").render(wrong=False))

    @application.post(ENTRANCE)
    async def enter(request: Request) -> Response:
        """A token for a cookie; it works once."""
        cookie = desk.admission.admit((await fields_of(request)).get("token", ""))
        if cookie is None:
            return HTMLResponse(templates().get_template("enter.html.j2").render(wrong=True), status_code=403)
        # A page that goes on by itself, not a redirect: the request after a redirect would count as begun elsewhere,
        # and a strict cookie would not be sent with it.
        answer = HTMLResponse(templates().get_template("entered.html.j2").render())
        answer.set_cookie(COOKIE, cookie, httponly=True, samesite="strict", path="/")
        return answer

    def whole(request: Request, words: str) -> Response:
        """A page for an address that leads nowhere now, such as a screen of another kind of data."""
        answer = render(request, "refused", words=words)
        answer.status_code = 422
        return answer

    @application.exception_handler(SfumatoError)
    async def refused(request: Request, error: SfumatoError) -> Response:
        if request.method == "GET" and request.headers.get("hx-request") != "true":
            return RedirectResponse("/", 303) if desk.project.origin is None else whole(request, str(error))
        return say(str(error))

    @application.exception_handler(OverflowError)
    async def too_large(request: Request, error: OverflowError) -> Response:
        return say(str(error) or "too large: expected at most 1 MB in a form; send less at once", 413)

    @application.exception_handler(Exception)
    async def mistaken(request: Request, error: Exception) -> Response:
        # Its words may quote a value of the data: only its kind is shown, and nothing is logged.
        return say(f"this is a mistake in sfumato ({type(error).__name__})", 500)

    return application
