"""The journal: every decision can be taken back, and made again."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from sfumato.errors import bad_input
from sfumato.studio.pages import desk_of, fields_of

__all__ = ["router"]

router = APIRouter()


@router.post("/journal/{verb}")
async def act(request: Request, verb: str) -> Response:
    """Take back, make again, or go to a place; then show the screen anew."""
    desk, given = desk_of(request), await fields_of(request)
    with desk.lock:
        if verb == "undo":
            desk.journal.undo()
        elif verb == "redo":
            desk.journal.redo()
        elif verb == "go" and given.get("place", "").isdecimal():
            desk.journal.go_to(int(given["place"]))
        else:
            raise bad_input("verb", verb, "undo, redo or go")
    return Response(status_code=204, headers={"hx-refresh": "true"})
