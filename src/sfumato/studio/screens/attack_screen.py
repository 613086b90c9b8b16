"""Attack: one button, every attack against chance, and three verdicts."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from sfumato.errors import bad_input
from sfumato.studio.code_samples import sample_of
from sfumato.studio.desk import Desk
from sfumato.studio.jobs import Attacked, attack_table
from sfumato.studio.pages import desk_of, fields_of, render
from sfumato.study.door import risks_of
from sfumato.study.report.certificate import CRITERIA, strongest_of
from sfumato.study.threshold import Threshold

__all__ = ["router"]

router = APIRouter()
QUESTIONS = {
    "singling out": "Can one person be picked out?",
    "linkability": "Can records of one person be linked?",
    "inference": "Can a secret be guessed?",
}


def verdicts(desk: Desk, found: Attacked) -> list[dict[str, Any]]:
    """For each criterion the strongest attack, and whether the limits are kept."""
    limits = desk.project.limits
    rows = []
    risks = risks_of(found.attacks)
    for criterion in CRITERIA:
        best = strongest_of(risks, criterion)
        limited = [one for one in risks if one.criterion == criterion and one.attack in limits]
        broken = [one for one in limited if not one.score <= limits[one.attack].value]
        verdict = "not tested" if best is None else "above the limit" if broken else "within the limits"
        if best is not None and not limited:
            verdict = "no limit set"
        rows.append({"criterion": criterion, "question": QUESTIONS[criterion], "risk": best, "verdict": verdict})
    return rows


def page(request: Request, desk: Desk) -> Response:
    """The screen as it is now."""
    found = desk.found("attack", *desk.release_key)
    return render(
        request,
        "attack",
        found=found,
        verdicts=[] if found is None else verdicts(desk, found),
        limits=desk.project.limits,
        run=desk.run("attack", *desk.release_key),
        known=lambda value: value is not None and not math.isnan(value),
        sample=sample_of(desk.project, "attack"),
    )


@router.get("/attack")
def show(request: Request) -> Response:
    desk = desk_of(request)
    _ = desk.opened
    return page(request, desk)


@router.post("/attack/start")
async def start(request: Request) -> Response:
    desk = desk_of(request)

    def begin() -> Response:
        project = desk.project
        desk.start(
            "attack",
            "Attacking the release",
            attack_table,
            desk.opened.table,
            project.roles,
            project.protection.arguments,
            key=desk.release_key,
        )
        return page(request, desk)

    return await run_in_threadpool(begin)


@router.post("/attack/limits")
async def limit(request: Request) -> Response:
    """Set other limits; whoever sets one says who they are."""
    desk, given = desk_of(request), await fields_of(request)
    project, limits = desk.project, dict(desk.project.limits)
    for place, name in enumerate(project.limits):
        try:
            value = float(given.get(f"value{place}", "").replace(",", "."))
        except ValueError as error:
            raise bad_input("limit", given.get(f"value{place}"), "a risk between 0 and 1") from error
        if not 0 < value <= 1:
            raise bad_input("limit", value, "a risk above 0 and at most 1")
        if value != limits[name].value:
            limits[name] = Threshold(value=value, source=given.get(f"source{place}", "").strip())
    desk.decide("limits: " + ", ".join(f"{one.value:g}" for one in limits.values()), replace(project, limits=limits))
    return page(request, desk)
