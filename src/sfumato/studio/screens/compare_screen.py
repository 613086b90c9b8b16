"""Compare: the candidates that were pinned, on the plane of loss and risk."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from sfumato.errors import bad_input
from sfumato.studio.code_samples import sample_of
from sfumato.studio.desk import Desk
from sfumato.studio.figures import risk_plane
from sfumato.studio.pages import desk_of, fields_of, render
from sfumato.table.publishing import MEAN, WORST

__all__ = ["router"]

router = APIRouter()
SIZES = (2, 3, 5, 8, 12, 20, 35, 60)
LETTERS = "ABCD"


def page(request: Request, desk: Desk) -> Response:
    """The screen as it is now."""
    project = desk.project
    swept = desk.live.sweep(project.protection, project.roles, SIZES)
    points = []
    for k, decision in swept:
        average = desk.live.risk(decision).marketer
        points.append((decision.information_loss, average, "", f"k = {k}", "curve"))
    for letter, pin in zip(LETTERS, project.pins, strict=False):
        points.append((pin.information_loss, pin.average, letter, pin.protection.words, "pin"))
    limit = project.limits.get(MEAN)
    worst = project.limits.get(WORST)
    return render(
        request,
        "compare",
        plane=risk_plane(points, None if limit is None else limit.value),
        pins=list(zip(LETTERS, project.pins, strict=False)),
        limit=limit,
        worst=worst,
        sample=sample_of(project, "compare"),
    )


@router.get("/compare")
def show(request: Request) -> Response:
    return page(request, desk_of(request))


@router.post("/compare/{verb}")
async def act(request: Request, verb: str) -> Response:
    """Take a candidate's settings, or take it away."""
    desk, given = desk_of(request), await fields_of(request)

    def change() -> Response:
        project = desk.project
        letter = given.get("pin", "")
        place = LETTERS.find(letter) if len(letter) == 1 else -1
        if not 0 <= place < len(project.pins) or verb not in ("take", "remove"):
            raise bad_input("pin", letter, "one of the pinned candidates")
        pin = project.pins[place]
        if verb == "take":
            changed = replace(project, protection=pin.protection, weights=dict(pin.weights))
            desk.decide(f"take {letter}: {pin.protection.words}", changed)
        else:
            kept = tuple(one for one in project.pins if one is not pin)
            desk.decide(f"remove {letter}", replace(project, pins=kept))
        return page(request, desk)

    return await run_in_threadpool(change)
