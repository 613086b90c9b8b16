"""Trace: the path without a map, the secret hours as bands on a time line, and what the rest tells of each minute."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from sfumato.errors import SfumatoError, bad_input
from sfumato.studio.code_samples import sample_of
from sfumato.studio.desk import Desk
from sfumato.studio.kinds.path_figure import path_map, risk_line
from sfumato.studio.kinds.trace_work import DAY, MOST_BANDS, LivePath, TraceWork
from sfumato.studio.pages import desk_of, fields_of, render
from sfumato.studio.screens.file_screen import filed_now
from sfumato.trace.returned.moment_risk import moment_risk

__all__ = ["router"]

router = APIRouter()
MOMENTS = 120
"""Points of the risk curve."""


def work_of(desk: Desk) -> TraceWork:
    """What is decided about the open trace."""
    _ = desk.opened
    work = desk.project.work
    if not isinstance(work, TraceWork):
        raise bad_input("kind of data", desk.project.kind, "a trace", "change it on the first screen")
    return work


def words_of(desk: Desk, day: int) -> dict[str, Any]:
    """The map, the curve and the numbers; what cannot be done is said in words. Nothing is drawn at random here."""
    work = work_of(desk)
    live = LivePath.read(desk.opened.table, work.zone, day)
    filed = filed_now(desk)
    seen = None if filed is None else filed.seen
    hidden = np.zeros(len(live.times), bool)
    words: dict[str, Any] = {"error": "", "curve": None, "numbers": None, "live": live, "bands": work.on_day(day)}
    try:
        made = work.mechanism(live.times)
        for place in made.places:
            hidden |= place.during(live.times)
        minutes = live.shown_minutes(MOMENTS)
        near = moment_risk(made, live.midnight + 60 * minutes)
        middles = np.array([(low + high) / 2 for place in made.places for low, high in place.visits])
        words["curve"] = risk_line(minutes, near, work.radius)
        words["numbers"] = {
            "epsilon": made.certified_epsilon,
            "error": made.plane_error if work.keep_times else None,
            "cut": None if work.keep_times else int((~made.kept).sum()),
            "points": len(live.times),
            "nearest": float(moment_risk(made, middles).min()),
        }
    except SfumatoError as error:
        words["error"] = str(error)
    return words | {"map": path_map(live.path, hidden, seen), "guesses": [] if seen is None else seen.guesses}


def page(request: Request, desk: Desk, template: str = "", *, day: int = 0) -> Response:
    """The screen as it is now, or only its results, with the time line of one day."""
    return render(
        request,
        "trace",
        template,
        work=work_of(desk),
        **words_of(desk, day),
        most=MOST_BANDS,
        sample=sample_of(desk.project, "trace"),
    )


@router.get("/trace")
def show(request: Request) -> Response:
    return page(request, desk_of(request))


@router.get("/trace/{day}")
def show_day(request: Request, day: int) -> Response:
    return page(request, desk_of(request), day=day - 1)


@router.post("/trace/live")
async def live(request: Request) -> Response:
    """Decide for what the form says, and show what follows."""
    desk, given = desk_of(request), await fields_of(request)

    def change() -> Response:
        return page(request, desk, "traced", day=_settle(desk, given))

    return await run_in_threadpool(change)


@router.post("/trace/bands/{verb}")
async def change_bands(request: Request, verb: str) -> Response:
    """One band more, or one less."""
    desk, given = desk_of(request), await fields_of(request)

    def change() -> Response:
        day = _settle(desk, given)
        work = work_of(desk)
        hours, band = work.on_day(day), given.get("band", "")
        if verb == "add":
            hours = _with_one_more(hours, LivePath.read(desk.opened.table, work.zone, day))
        elif verb == "remove" and band.isdecimal() and int(band) < len(hours) and len(work.bands) > 1:
            hours.pop(int(band))
        else:
            raise bad_input("band", band, "one of the secret hours, and not the last one")
        work = work.with_day(day, hours, daily=work.daily)
        desk.decide(f"secret: {', '.join(work.hours)}", replace(desk.project, work=work))
        return page(request, desk, day=day)

    return await run_in_threadpool(change)


def _settle(desk: Desk, given: dict[str, str]) -> int:
    """Decide for what the form says; gives the day that it is about."""
    work = work_of(desk)
    try:
        day = int(given.get("day", "1")) - 1
        hours = sorted(
            (_minute(given[f"s{n}"]), _minute(given[f"e{n}"])) for n in range(MOST_BANDS) if f"s{n}" in given
        )
        zone = given.get("zone", "").strip() or "UTC"
        first_day = LivePath.read(desk.opened.table, zone, day).first_day
        changed = replace(
            work.with_day(day, hours, daily=given.get("daily") == "on"),
            first_day=first_day,
            keep_times=given.get("way") == "noise",
            radius=float(given.get("radius", work.radius)),
            epsilon=float(given.get("epsilon", work.epsilon)),
            margin=int(given.get("margin", work.margin)),
            zone=zone,
        )
    except (KeyError, ValueError) as error:
        raise bad_input("settings", "what came from the page", "hours and numbers from the form") from error
    if changed != work:
        desk.decide(
            f"secret: {changed.words.removeprefix('secret ')}", replace(desk.project, work=changed), slider=True
        )
    return day


def _with_one_more(bands: list[tuple[int, int]], path: LivePath) -> list[tuple[int, int]]:
    """Half an hour in the widest gap."""
    edges = [path.first_minute - 1, *(edge for band in bands for edge in band), path.last_minute + 1]
    gaps = [(edges[n + 1] - edges[n], edges[n]) for n in range(0, len(edges), 2)]
    width, start = max(gaps)
    if width < 4:
        raise bad_input("secret hours", len(bands), "room for one more between them")
    long = min(30, width // 2)
    low = start + (width - long) // 2
    return sorted([*bands, (max(low, 0), min(low + long, DAY - 1))])


def _minute(text: str) -> int:
    hour, minute = (int(part) for part in text.split(":")[:2])
    if not (0 <= hour < 24 and 0 <= minute < 60):
        raise ValueError(text)
    return 60 * hour + minute
