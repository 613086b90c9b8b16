"""The ledger that pays: named for the open file, with a budget of the kind that its releases are charged to."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from sfumato.errors import InputError, SfumatoError, bad_input
from sfumato.promise import Guarantee, PureDP
from sfumato.studio.desk import Desk
from sfumato.studio.kinds.room_work import RoomWork
from sfumato.studio.pages import desk_of, fields_of
from sfumato.studio.purse import budget_for, new_ledger
from sfumato.validate import positive

__all__ = ["cannot_pay", "promise_to_pay", "router"]

router = APIRouter()
MOST_RELEASES = 1000


def promise_to_pay(desk: Desk) -> Guarantee | None:
    """What filing the open file will be charged for; None if nothing adds up, or if it is not said yet."""
    if not isinstance(desk.project.work, RoomWork):
        return None
    try:
        found = desk.foreseen.charged
    except SfumatoError:  # the settings are not complete: their screen says what is missing
        return None
    return None if found.budget_obstacle else found


def cannot_pay(desk: Desk) -> str:
    """Why the ledger that was named cannot pay for the open file; empty if it can, or if nothing is to be paid."""
    promise = promise_to_pay(desk)
    if desk.budget is None or promise is None:
        return ""
    try:
        return desk.budget.shortage(promise)
    except InputError as error:  # a budget of another kind
        return str(error)


@router.post("/ledger")
async def name_ledger(request: Request) -> Response:
    """Take a ledger for the open file; a new subject gets the budget that was typed."""
    desk, given = desk_of(request), await fields_of(request)

    def take() -> None:
        _ = desk.opened
        place, subject = given.get("ledger", "").strip(), given.get("subject", "").strip()
        desk.budget = new_ledger(desk.root, place, subject, _budget(desk, given))

    await run_in_threadpool(take)
    return Response(status_code=204, headers={"hx-refresh": "true"})


@router.post("/ledger/leave")
def leave(request: Request) -> Response:
    """Charge this ledger no more; what it paid stays noted in it."""
    desk_of(request).budget = None
    return Response(status_code=204, headers={"hx-refresh": "true"})


def _budget(desk: Desk, given: dict[str, str]) -> Guarantee:
    """A whole ε for the questions about a table, or enough for some releases like the one that is set up."""
    promise, releases = promise_to_pay(desk), given.get("releases", "")
    if promise is None:
        return PureDP(positive("budget", _typed(given.get("total", ""))))
    if not releases.isdecimal() or not 1 <= int(releases) <= MOST_RELEASES:
        raise bad_input("releases", releases, f"a whole number from 1 to {MOST_RELEASES}")
    return budget_for(promise, int(releases))


def _typed(text: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError as error:
        raise bad_input("budget", text, "a number") from error
