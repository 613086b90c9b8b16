"""Questions: a private statistic; its accuracy or its ε is chosen on public things, and the answer is paid once."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from sfumato.errors import InputError, SfumatoError, bad_input
from sfumato.release import Release
from sfumato.statistic import Histogram, Mean, Quantile, protect
from sfumato.statistic.core.wanted_accuracy import epsilon_for_margin
from sfumato.studio.code_samples import CodeSample, question_sample
from sfumato.studio.desk import Desk
from sfumato.studio.kinds.plain_field import is_numeric
from sfumato.studio.pages import desk_of, fields_of, render
from sfumato.studio.project import Origin
from sfumato.studio.screens.role_screen import words_in
from sfumato.study.preview import Foreseen, best_guess, epsilon_for_guess

__all__ = ["router"]

router = APIRouter()
LEVEL = 0.95
BINS = 10


@dataclass(frozen=True)
class Plan:
    """A question with its price: nothing in it is computed from the data but the public number of records.

    Parameters
    ----------
    arguments : dict
        Of :func:`sfumato.statistic.protect`, but for the column.
    margin : float
        How far the answer is from the truth at most, with probability 0.95: in the unit of the column for a mean, in
        records for a histogram, as a share of the records for a quantile.
    """

    column: str
    arguments: dict[str, Any]
    epsilon: float
    margin: float
    unit: str
    span: float
    guess: Foreseen

    @property
    def words(self) -> str:
        """The question in a few words."""
        what = {"mean": "mean of", "histogram": "counts of", "quantile": "quantile of"}[self.arguments["mechanism"]]
        level = f"{self.arguments['quantiles'][0]:g}-" if self.arguments["mechanism"] == "quantile" else ""
        return f"{level}{what} {self.column}"


@dataclass(frozen=True)
class Answer:
    """An answer that was paid for, and the table that it is about."""

    plan: Plan
    release: Release
    origin: Origin

    @property
    def rows(self) -> list[tuple[str, str]]:
        """What was released: each part and its value."""
        table = self.release.arrow
        pairs = zip(table["part"].to_pylist(), table["value"].to_pylist(), strict=True)
        return [(str(part), f"{value:.6g}") for part, value in pairs]


def typed(given: dict[str, str], name: str, what: str) -> float:
    """A number that was typed."""
    try:
        return float(given.get(name, "").replace(",", "."))
    except ValueError as error:
        raise bad_input(what, given.get(name, ""), "a number") from error


def origin_of(desk: Desk) -> Origin:
    """The open file: a question, and its answer, is about one."""
    _ = desk.opened
    origin = desk.project.origin
    assert origin is not None
    return origin


def plan_of(desk: Desk, given: dict[str, str]) -> Plan:
    """The question that the fields say, priced."""
    names, size = desk.opened.table.column_names, desk.opened.table.num_rows
    place = given.get("column", "")
    if not place.isdecimal() or int(place) >= len(names):
        raise bad_input("column", place, "one of the columns")
    kind = given.get("kind", "mean")
    name = names[int(place)]
    arguments: dict[str, Any] = {"mechanism": kind, "clip": True}
    make: Callable[[float], Any]
    categories = words_in(given.get("categories", ""))
    if kind == "histogram" and categories:
        arguments = {"mechanism": kind, "categories": tuple(categories)}
        make, unit, span = (lambda e: Histogram(epsilon=e, categories=categories)), "records", float(size)
    else:
        if not is_numeric(desk.opened.table, name):
            raise bad_input("column", name, "a column of numbers", "of words a histogram counts those that you list")
        low, high = (
            typed(given, "low", "the smallest possible value"),
            typed(given, "high", "the largest possible value"),
        )
        arguments |= {"low": low, "high": high}
        if kind == "mean":
            make, unit, span = (lambda e: Mean(epsilon=e, bounds=(low, high))), "", high - low
        elif kind == "histogram":
            edges = [low + (high - low) * n / BINS for n in range(BINS + 1)]
            arguments["bins"] = BINS
            make, unit, span = (lambda e: Histogram(epsilon=e, edges=edges)), "records", float(size)
        elif kind == "quantile":
            level = typed(given, "level", "the quantile")
            arguments["quantiles"] = (level,)
            make, unit, span = (lambda e: Quantile(epsilon=e, bounds=(low, high), q=level)), "of the ranks", 1.0
        else:
            raise bad_input("statistic", kind, "mean, histogram or quantile")
    if given.get("by") == "epsilon":
        epsilon = typed(given, "epsilon", "ε")
    elif given.get("by") == "risk":
        epsilon = epsilon_for_guess(typed(given, "risk", "the chance of a right guess") / 100)
    else:
        wanted = typed(given, "margin", "accuracy") / (100 if kind == "quantile" else 1)
        epsilon = epsilon_for_margin(make, size, wanted, level=LEVEL)
    arguments["epsilon"] = epsilon
    made = make(epsilon)
    guess = best_guess(made.guarantee, "two records")
    return Plan(name, arguments, epsilon, made.margin_for(size, LEVEL), unit, span, guess)


def words_of(desk: Desk, given: dict[str, str]) -> dict[str, Any]:
    """What is shown of a question before it is paid."""
    words: dict[str, Any] = {"plan": None, "error": "", "paid": False, "sample": CodeSample("", ""), "asked": given}
    if not given:
        return words
    try:
        plan = plan_of(desk, given)
    except SfumatoError as error:
        return words | {"error": str(error)}
    sample = question_sample(desk.project, desk.budget, plan.column, plan.arguments)
    return words | {"plan": plan, "sample": sample, "paid": was_paid(desk, plan)}


def was_paid(desk: Desk, plan: Plan) -> bool:
    """Whether this question about this table was answered before: its answer is there and costs nothing more."""
    paid = [(one.plan.column, one.plan.arguments) for one in desk.answers if one.origin == origin_of(desk)]
    return (plan.column, plan.arguments) in paid


def page(request: Request, desk: Desk) -> Response:
    """The screen as it is now."""
    columns = list(enumerate(desk.opened.table.column_names))
    return render(
        request,
        "questions",
        columns=columns,
        first=next((place for place, name in columns if is_numeric(desk.opened.table, name)), 0),
        size=desk.opened.table.num_rows,
        answers=[(place, one) for place, one in enumerate(desk.answers) if one.origin == desk.project.origin],
        subject=origin_of(desk).subject,
        **words_of(desk, desk.asked.get(origin_of(desk), {})),
    )


@router.get("/questions")
def show(request: Request) -> Response:
    return page(request, desk_of(request))


@router.post("/questions/price")
async def price(request: Request) -> Response:
    """What the question costs; it looks at nothing but the number of records."""
    desk, given = desk_of(request), await fields_of(request)

    def ask() -> Response:
        desk.asked[origin_of(desk)] = given
        return render(request, "questions", "price", **words_of(desk, given))

    return await run_in_threadpool(ask)


@router.post("/questions/pay")
async def pay(request: Request) -> Response:
    """Pay and release, once: the same question again gives the answer that was paid for."""
    desk, given = desk_of(request), await fields_of(request)

    def release() -> Response:
        with desk.lock:
            if desk.budget is None:
                raise InputError("no ledger is named: name the one that pays first")
            plan = plan_of(desk, given)
            desk.asked[origin_of(desk)] = given
            if not was_paid(desk, plan):
                made = protect(desk.opened.table, plan.column, **plan.arguments, terms=desk.budget.terms)
                desk.answers.append(Answer(plan, made, origin_of(desk)))
        return page(request, desk)

    return await run_in_threadpool(release)


@router.get("/questions/{place}/answer.csv")
def give(request: Request, place: int) -> Response:
    """A released answer as a file."""
    import pyarrow.csv as pc

    answers = desk_of(request).answers
    if not 0 <= place < len(answers):
        raise bad_input("answer", place, "one that was paid for")
    text = io.BytesIO()
    pc.write_csv(answers[place].release.arrow, text)
    headers = {"content-disposition": 'attachment; filename="answer.csv"'}
    return Response(text.getvalue(), media_type="text/csv", headers=headers)
