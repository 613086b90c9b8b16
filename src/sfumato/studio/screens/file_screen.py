"""File: the release with its papers, each read again, and nothing raw among what is handed on."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, Response

from sfumato.errors import bad_input
from sfumato.release import Card
from sfumato.studio.code_samples import notebook_of, sample_of
from sfumato.studio.desk import Desk
from sfumato.studio.guard import PAPERS
from sfumato.studio.jobs import OWN_CERTIFICATE, Beside, Filed, file_release
from sfumato.studio.kinds.text_work import TextWork
from sfumato.studio.pages import desk_of, fields_of, render
from sfumato.studio.project import Project
from sfumato.studio.screens.ledger_screen import cannot_pay, promise_to_pay

__all__ = ["router"]

router = APIRouter()
SHARING = {
    "": "not stated",
    "open": "open: anyone can get it",
    "controlled": "access-controlled",
    "named": "one recipient",
}


def papers(desk: Desk) -> Path:
    """Where the papers are."""
    return desk.workspace.folder / "papers"


def paper_key(desk: Desk) -> tuple[object, ...]:
    """What the papers depend on."""
    project = desk.project
    limits = tuple(sorted((name, one.value, one.source) for name, one in project.limits.items()))
    return (*desk.release_key, limits, project.source, project.context)


def filed_now(desk: Desk) -> Filed | None:
    """The papers of what is decided now, if they are there: the folder may hold those of other decisions."""
    filed: Filed | None = desk.found("file", *paper_key(desk))
    beside = papers(desk) / "release.csv.card.json"
    if filed is None or not beside.is_file() or Card.read(beside).id != filed.card.id:
        return None
    return filed


def beside(project: Project) -> Beside | None:
    """What the decisions of a project rest on."""
    if isinstance(project.work, TextWork):
        return Beside.review(project.work.review)
    return Beside.schema(project.roles, dict(project.reasons)) if project.work is None else None


def page(request: Request, desk: Desk) -> Response:
    """The screen as it is now."""
    return render(
        request,
        "file",
        filed=filed_now(desk),
        run=desk.run("file", *paper_key(desk)),
        sharing=SHARING,
        promise=promise_to_pay(desk),
        cannot_pay=cannot_pay(desk),
        known=lambda value: value is not None and not math.isnan(value),
        sample=sample_of(desk.project, "file", desk.budget),
    )


@router.get("/file")
def show(request: Request) -> Response:
    desk = desk_of(request)
    _ = desk.opened
    return page(request, desk)


@router.post("/file/start")
async def start(request: Request) -> Response:
    """Take down for whom and what for, and publish."""
    desk, given = desk_of(request), await fields_of(request)

    def begin() -> Response:
        project = desk.project
        model = given.get("sharing", "")
        if model not in SHARING:
            raise bad_input("sharing", model, "one of " + ", ".join(filter(None, SHARING)))
        context = replace(
            project.context,
            recipient=given.get("recipient", "").strip(),
            purpose=given.get("purpose", "").strip(),
            sharing_model=model,
        )
        source = replace(project.source, description=given.get("description", "").strip())
        if (context, source) != (project.context, project.source):
            project = replace(project, context=context, source=source)
            desk.decide(f"for whom: {context.recipient or 'not stated'}", project, slider=True)
        assert project.origin is not None
        desk.require_unchanged()
        desk.start(
            "file",
            "Putting the papers together",
            file_release,
            project.origin,
            project.decisions("table.toml"),
            beside(project),
            notebook_of(project),
            desk.budget,
            papers(desk),
            key=paper_key(desk),
        )
        return page(request, desk)

    return await run_in_threadpool(begin)


@router.get("/file/{name}")
def give(request: Request, name: str) -> Response:
    """One of the papers: the certificate to be looked at, all others to be kept."""
    desk = desk_of(request)
    filed = filed_now(desk)
    known = {} if filed is None else {one: papers(desk) / one for one in (*filed.public, "release.zip", "private.zip")}
    if filed is not None:
        known |= {one: papers(desk) / "private" / one for one in filed.private if "/" not in one}
    path = known.get(name)
    if path is None or not path.is_file():
        raise bad_input("paper", name, "one of those on the screen", "put them together first")
    if name in ("certificate.html", OWN_CERTIFICATE):
        return FileResponse(path, media_type="text/html", headers={"content-security-policy": PAPERS})
    return FileResponse(path, filename=name, content_disposition_type="attachment")
