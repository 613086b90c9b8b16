"""Long work: its progress as a stream of events, and a button that ends it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from sfumato.errors import bad_input
from sfumato.studio.long_run import LongRun
from sfumato.studio.pages import desk_of

__all__ = ["router"]

router = APIRouter()
NAMES = ("risk", "attack", "file", "scan")
QUIET_SECONDS = 1.0


async def events(run: LongRun) -> AsyncIterator[str]:
    """The words about the progress, one event each, and at last that it is over."""
    seen = 0
    while True:
        news = await run_in_threadpool(run.wait_for_news, seen, QUIET_SECONDS)
        seen += len(news)
        for words in news:
            yield f"data: {json.dumps(words)}\n\n"
        if run.over.is_set() and seen == len(run.notes):
            yield "event: over\ndata: {}\n\n"
            return
        if not news:
            yield ": still at it\n\n"  # notices a reader that is gone


@router.get("/running/{name}")
async def stream(request: Request, name: str) -> Response:
    run = desk_of(request).runs.get(name)
    if run is None:
        return Response(status_code=204)  # tells the browser not to ask again
    return StreamingResponse(events(run), media_type="text/event-stream")


@router.post("/running/{name}/stop")
async def stop(request: Request, name: str) -> Response:
    if name not in NAMES:
        raise bad_input("work", name, "one of " + ", ".join(NAMES))
    desk = desk_of(request)
    await run_in_threadpool(desk.stop, name)
    return Response(status_code=204, headers={"hx-refresh": "true"})
