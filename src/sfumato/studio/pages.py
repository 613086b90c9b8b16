"""The pages of the studio: templates, what all of them show, and errors in one line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

import jinja2
from fastapi import Request
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, Response

from sfumato.studio.desk import Desk
from sfumato.study.wording import count, shown

__all__ = ["desk_of", "fields_of", "render", "say"]

OPEN, FILE = ("open", "/", "Open"), ("file", "/file", "File")
TABLE = (
    OPEN,
    ("roles", "/roles", "Roles"),
    ("risk", "/risk", "Risk now"),
    ("protect", "/protect", "Protect"),
    ("attack", "/attack", "Attack"),
    ("compare", "/compare", "Compare"),
    FILE,
    ("questions", "/questions", "Questions"),
)
STEPS = {
    "table": TABLE,
    "text": (OPEN, ("review", "/review", "Review"), ("stretches", "/stretches", "Missed?"), FILE),
    "trace": (OPEN, ("trace", "/trace", "Trace"), FILE),
}
"""The screens of each kind of data: name, address, title."""
OTHERS = (OPEN, ("settings", "/settings", "Protect"), FILE)


@cache
def templates() -> jinja2.Environment:
    """The templates; every value is escaped where it stands."""
    found = jinja2.Environment(
        loader=jinja2.PackageLoader("sfumato.studio", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.globals |= {"shown": shown, "count": count}
    found.tests["tested"] = lambda one: not math.isnan(getattr(one, "score", getattr(one, "value", math.nan)))
    found.filters["exact"] = exact
    found.filters["at_most"] = lambda value: f"{math.ceil(round(1000 * value, 9)) / 10:.1f} %"  # a bound, rounded up
    found.filters["percent"] = lambda value: f"{100 * value:.1f} %" if value < 0.9995 else "100 %"
    return found


def exact(text: str) -> Markup:
    """A text escaped so that a browser has the same characters: it would read a carriage return as a line feed."""
    return Markup(escape(text).replace("\r", Markup("&#13;")))


def desk_of(request: Request) -> Desk:
    """The desk of this session."""
    found: Desk = request.app.state.desk
    return found


def render(request: Request, screen: str, template: str = "", **words: Any) -> Response:
    """A screen: the whole page, or only what is in it for a request by the page's own script.

    Parameters
    ----------
    screen : str
        The name of the screen, also that of its template.
    template : str
        The template of a part of the screen, for a slider that moved. Commands and decisions are sent beside it.
    """
    desk = desk_of(request)
    partial = request.headers.get("hx-request") == "true"
    names = [f"{template}.html.j2", "beside.html.j2"] if template else [f"{screen}.html.j2"]
    steps = STEPS.get(desk.project.kind, OTHERS)
    words |= {
        "desk": desk,
        "project": desk.project,
        "journal": desk.journal,
        "screen": screen,
        "steps": steps,
        "step": step_words(screen, steps),
        "partial": partial,
        "secret": desk.admission.secret,
        "balance": None if desk.budget is None else desk.budget.balance,
    }
    return HTMLResponse("".join(templates().get_template(name).render(**words) for name in names))


def step_words(screen: str, steps: Sequence[tuple[str, str, str]]) -> str:
    """Where a screen is on the way to the papers; nothing for one that is beside it.

    >>> step_words("trace", STEPS["trace"]), step_words("questions", STEPS["table"])
    ('Step 2 of 3', '')
    """
    way = [name for name, _, _ in steps]
    way = way[: way.index("file") + 1]
    return f"Step {way.index(screen) + 1} of {len(way)}" if screen in way else ""


def say(words: str, code: int = 422) -> Response:
    """An error in one line, where the page shows it."""
    return HTMLResponse(templates().get_template("error.html.j2").render(words=words), status_code=code)


async def fields_of(request: Request) -> dict[str, str]:
    """The fields of a form. The guard has limited its size by its header; here the bytes are counted."""
    from urllib.parse import parse_qsl

    from sfumato.studio.guard import LARGEST_FORM

    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LARGEST_FORM:
            raise OverflowError
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=2000))
