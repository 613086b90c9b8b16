"""Protect any other kind of data: the arguments of its ``protect``, and what follows from them before it is made."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from sfumato.errors import SfumatoError, bad_input
from sfumato.studio.code_samples import sample_of
from sfumato.studio.desk import Desk
from sfumato.studio.kinds.plain_field import plain_fields, with_plain_fields
from sfumato.studio.kinds.proposed_work import KINDS
from sfumato.studio.kinds.room_work import HINTS, RoomWork, argument_names, mechanisms_of
from sfumato.studio.live_recoding import Superseded
from sfumato.studio.pages import desk_of, fields_of, render
from sfumato.study.preview import Preview

__all__ = ["router"]

router = APIRouter()
DIAL, FIGURE = "dial-", "figure-"
"""How the fields of sliders begin: an argument of ``protect``, or a figure that is wanted."""


def work_of(desk: Desk) -> RoomWork:
    """What is decided about the open file."""
    _ = desk.opened
    work = desk.project.work
    if not isinstance(work, RoomWork):
        raise bad_input("kind of data", desk.project.kind, "another kind", "this one has screens of its own")
    return work


def words_of(desk: Desk) -> dict[str, Any]:
    """What is known before anything is released; what is still missing is said in words."""
    work = work_of(desk)
    words: dict[str, Any] = {"work": work, "preview": None, "unclear": "", "moved": ""}
    try:
        words["preview"] = desk.foreseen
    except SfumatoError as error:
        # An option of a command is a line of the settings here.
        said = re.sub(r"; say \w+=…$", "", str(error).replace("--category", "categories"))
        words["unclear"] = re.sub(r"--([a-z]+)", r"\1", said)
    return words | {"sample": sample_of(desk.project, "settings")}


def page(request: Request, desk: Desk) -> Response:
    """The screen as it is now."""
    words = words_of(desk)
    work, preview = words["work"], words["preview"]
    turned = {dial.name for dial in preview.dials} if preview else set()
    return render(
        request,
        "settings",
        what=KINDS[work.kind],
        hint=HINTS[work.kind],
        arguments=argument_names(work.kind),
        mechanisms=list(mechanisms_of(work.kind)),
        columns=desk.opened.table.column_names,
        fields=[one for one in plain_fields(work, desk.opened.table) if one.name not in turned],
        **words,
    )


@router.get("/settings")
def show(request: Request) -> Response:
    return page(request, desk_of(request))


@router.post("/settings")
async def settle(request: Request) -> Response:
    """Take the settings that were typed; unknown names are refused at once."""
    desk, given = desk_of(request), await fields_of(request)

    def change() -> Response:
        _decide(desk, _typed(desk, given))
        return page(request, desk)

    return await run_in_threadpool(change)


@router.post("/settings/fields")
async def fill_in(request: Request) -> Response:
    """Take what the plain fields say; all other settings stay."""
    desk, given = desk_of(request), await fields_of(request)

    def change() -> Response:
        _decide(desk, with_plain_fields(work_of(desk), desk.opened.table, given))
        return page(request, desk)

    return await run_in_threadpool(change)


@router.post("/settings/live")
async def live(request: Request) -> Response:
    """Take what a slider says, with what was typed, and show what follows. Nothing is released."""
    desk, given = desk_of(request), await fields_of(request)

    def change() -> Response:
        moved = next((name for name in given if name.startswith((DIAL, FIGURE))), "")
        asked = _typed(desk, given)
        try:
            work, found = desk.turns.latest(lambda: _followed(desk, asked, moved, given.get(moved, "")))
        except Superseded:
            return Response(status_code=204)
        _decide(desk, work)
        sample = sample_of(desk.project, "settings")
        return render(request, "settings", "foreseen", work=work, preview=found, unclear="", moved=moved, sample=sample)

    return await run_in_threadpool(change)


def _followed(desk: Desk, work: RoomWork, moved: str, text: str) -> tuple[RoomWork, Preview]:
    """The settings after a slider was moved, or after a figure was asked for, and what they lead to."""
    table = desk.opened.table
    try:
        value = float(text.replace(",", "."))
    except ValueError as error:
        raise bad_input("slider", text, "a number") from error
    if moved.startswith(FIGURE):
        work = work.solved(table, moved.removeprefix(FIGURE), value)
    else:
        work = work.turned(moved.removeprefix(DIAL), int(text) if text.isdecimal() else value)
    found = work.preview(table)
    if moved.startswith(DIAL):
        dial = found.dial(moved.removeprefix(DIAL))
        if not dial.low <= value <= dial.high:
            raise bad_input(dial.name, value, f"{dial.low:g} to {dial.high:g}", "type others in the settings")
    return work, found


def _typed(desk: Desk, given: dict[str, str]) -> RoomWork:
    """The settings in the field, with names that this kind of data knows."""
    return RoomWork.typed(work_of(desk).kind, given.get("settings", ""))


def _decide(desk: Desk, work: RoomWork) -> None:
    if work != work_of(desk):
        desk.decide(f"settings: {work.words}", replace(desk.project, work=work), slider=True)
