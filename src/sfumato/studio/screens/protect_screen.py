"""Protect: sliders, and at once the risk, the loss and a few records before and after."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from sfumato.errors import SfumatoError, bad_input
from sfumato.studio.code_samples import sample_of
from sfumato.studio.desk import Desk
from sfumato.studio.figures import class_bars
from sfumato.studio.live_recoding import Superseded, View
from sfumato.studio.pages import desk_of, fields_of, render
from sfumato.studio.project import Project, Protection
from sfumato.studio.screens.attack_screen import verdicts
from sfumato.validate import choice

__all__ = ["router"]

router = APIRouter()
LARGEST_K = 100
MOST_WEIGHT = 5
WANTED = {"worst": "highest risk", "average": "average risk", "loss": "information lost, in %"}
"""What can be asked for instead of a k."""
MOST_LOCAL = 50_000
"""Records up to which classes of their own are offered here; they take seconds, and sliders wait for them."""


def words_of(desk: Desk, *, moving: bool = False) -> dict[str, Any]:
    """What the results show; an aim that cannot be reached is said in words.

    While a slider is ``moving``, a question that is followed by a newer one needs no answer (:class:`Superseded`).
    """
    project = desk.project
    words: dict[str, Any] = {"view": None, "error": "", "bars": [], "raw": None, "heights": {}}
    try:
        asked = desk.live.latest if moving else desk.live.now
        view: View = asked(project.protection, project.roles)
    except SfumatoError as error:
        return words | {"error": str(error)}
    attacked = desk.found("attack", *desk.release_key)
    heights = {name: tree.height - 1 for name, tree in project.roles.quasi.items()}
    found = {"view": view, "bars": class_bars(view.decision.sizes), "heights": heights}
    return words | found | {"attacked": [] if attacked is None else verdicts(desk, attacked)}


def page(request: Request, desk: Desk) -> Response:
    """The screen as it is now."""
    return render(
        request,
        "protect",
        **words_of(desk),
        largest_k=max(min(LARGEST_K, desk.opened.table.num_rows), desk.project.protection.k),
        most_weight=MOST_WEIGHT,
        wanted=WANTED,
        local=desk.opened.table.num_rows <= MOST_LOCAL,
        limits=desk.project.limits,
        sample=sample_of(desk.project, "protect"),
    )


@router.get("/protect")
def show(request: Request) -> Response:
    return page(request, desk_of(request))


def protection_of(given: dict[str, str], project: Project) -> tuple[Protection, dict[str, float]]:
    """The settings that the sliders say."""
    assert project.schema is not None
    try:
        k, suppression = int(given["k"]), float(given["suppression"]) / 100
        wanted = int(given["l"]) if given.get("l") and project.schema.sensitive else 1
        near = float(given["t"]) / 100 if given.get("t") and project.schema.sensitive else 1.0
        names = list(project.schema.quasi)
        weights = {name: float(given[f"w{place}"]) for place, name in enumerate(names) if f"w{place}" in given}
    except (KeyError, ValueError) as error:
        raise bad_input("settings", "what came from the page", "numbers from the sliders", "reload the page") from error
    recoding = choice("recoding", given.get("recoding", "global"), ("global", "local"))
    protection = Protection(
        k=k,
        l=wanted if wanted > 1 else None,
        t=near if near < 1 else None,
        suppression=suppression,
        recoding=recoding,  # type: ignore[arg-type]
    )
    return protection, {name: weight for name, weight in weights.items() if weight != 1}


def moved(before: Project, after: Project) -> str:
    """Which slider was moved, in words."""
    old, new = before.protection, after.protection
    for name in ("k", "l", "t", "suppression", "recoding"):
        value = getattr(new, name)
        if getattr(old, name) != value:
            return f"{name}: {'off' if value is None else f'{value:g}' if isinstance(value, float) else value}"
    for name in {**before.weights, **after.weights}:
        if before.weights.get(name, 1) != after.weights.get(name, 1):
            return f"weight of {name}: {after.weights.get(name, 1):g}"
    return ""


@router.post("/protect/live")
async def live(request: Request) -> Response:
    """Decide for what the sliders say; if they are moved on meanwhile, this answer is left out."""
    desk, given = desk_of(request), await fields_of(request)

    def decide() -> Response:
        with desk.lock:
            before = desk.project
            protection, weights = protection_of(given, before)
            after = replace(before, protection=protection, weights=weights)
            words = moved(before, after)
            if words:
                desk.decide(words, after, slider=True)
        try:
            found = words_of(desk, moving=True)
        except Superseded:
            return Response(status_code=204)
        return render(
            request, "protect", "results", **found, limits=desk.project.limits, sample=sample_of(after, "protect")
        )

    return await run_in_threadpool(decide)


@router.post("/protect/want")
async def want(request: Request) -> Response:
    """Solve for k: what is wanted is a risk, or the loss that is accepted."""
    desk, given = desk_of(request), await fields_of(request)

    def solve() -> Response:
        named = [name for name in WANTED if given.get(name, "").strip()]
        if len(named) != 1:
            raise bad_input("what is wanted", ", ".join(named) or "nothing", "one number")
        try:
            wanted = float(given[named[0]].replace(",", ".").rstrip(" %"))
        except ValueError as error:
            raise bad_input(WANTED[named[0]], given[named[0]], "a number") from error
        project = desk.project
        asked = wanted / 100 if named[0] == "loss" else wanted
        found = desk.live.solved(project.protection, project.roles, named[0], asked)
        if found != project.protection:
            desk.decide(f"k: {found.k}", replace(project, protection=found), slider=True)
        return page(request, desk)

    return await run_in_threadpool(solve)


@router.post("/protect/pin")
async def pin(request: Request) -> Response:
    desk = desk_of(request)

    def put_aside() -> Response:
        project = desk.project
        view = desk.live.now(project.protection, project.roles)
        chosen = view.pin(project.protection, dict(project.weights))
        desk.decide(f"pin: {project.protection.words}", project.pinned(chosen))
        return page(request, desk)

    return await run_in_threadpool(put_aside)
