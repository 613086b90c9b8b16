"""Protect any other kind of data: the arguments of its ``protect``, one a line; the rest is done when it is filed."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from sfumato.errors import bad_input
from sfumato.studio.code_samples import sample_of
from sfumato.studio.desk import Desk
from sfumato.studio.kinds.proposed_work import KINDS
from sfumato.studio.kinds.room_work import HINTS, RoomWork, argument_names, mechanism_names
from sfumato.studio.pages import desk_of, fields_of, render

__all__ = ["router"]

router = APIRouter()


def work_of(desk: Desk) -> RoomWork:
    """What is decided about the open file."""
    _ = desk.opened
    work = desk.project.work
    if not isinstance(work, RoomWork):
        raise bad_input("kind of data", desk.project.kind, "another kind", "this one has screens of its own")
    return work


def page(request: Request, desk: Desk) -> Response:
    """The screen as it is now."""
    work = work_of(desk)
    return render(
        request,
        "settings",
        work=work,
        what=KINDS[work.kind],
        hint=HINTS[work.kind],
        arguments=argument_names(work.kind),
        mechanisms=mechanism_names(work.kind),
        columns=desk.opened.table.column_names,
        sample=sample_of(desk.project, "settings"),
    )


@router.get("/settings")
def show(request: Request) -> Response:
    return page(request, desk_of(request))


@router.post("/settings")
async def settle(request: Request) -> Response:
    """Take the settings that were typed; unknown names are refused at once."""
    desk, given = desk_of(request), await fields_of(request)

    def change() -> Response:
        before = work_of(desk)
        work = RoomWork.typed(before.kind, given.get("settings", ""))
        known = argument_names(work.kind)
        for name in work.settings:
            if name not in known:
                raise bad_input("settings", name, "one of " + ", ".join(known))
        if work != before:
            desk.decide(f"settings: {work.words}", replace(desk.project, work=work), slider=True)
        return page(request, desk)

    return await run_in_threadpool(change)
