"""Risk now: class sizes, three attackers and the columns that make the risk, before anything is changed."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from sfumato.studio.code_samples import sample_of
from sfumato.studio.desk import Desk
from sfumato.studio.figures import class_bars
from sfumato.studio.jobs import explain_table
from sfumato.studio.pages import desk_of, render
from sfumato.table.publishing import MEAN, WORST

__all__ = ["router"]

router = APIRouter()


def page(request: Request, desk: Desk) -> Response:
    """The screen as it is now."""
    sizes = desk.live.raw.sizes
    return render(
        request,
        "risk",
        bars=class_bars(sizes),
        risk=desk.live.raw_risk,
        worst=desk.project.limits[WORST],
        mean=desk.project.limits[MEAN],
        classes=len(sizes),
        rows=int(sizes.sum()),
        explained=desk.found("risk", *desk.table_key),
        run=desk.run("risk", *desk.table_key),
        sample=sample_of(desk.project, "risk"),
    )


@router.get("/risk")
def show(request: Request) -> Response:
    return page(request, desk_of(request))


@router.post("/risk/explain")
async def explain(request: Request) -> Response:
    desk = desk_of(request)

    def start() -> Response:
        desk.start(
            "risk",
            "Looking for the columns that make the risk",
            explain_table,
            desk.opened.table,
            desk.project.schema,
            key=desk.table_key,
        )
        return page(request, desk)

    return await run_in_threadpool(start)
