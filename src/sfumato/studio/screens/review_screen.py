"""Review: prose with its findings, decided by keys; and stretches without findings, so that misses are estimated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from sfumato.errors import InputError, bad_input
from sfumato.studio.code_samples import sample_of
from sfumato.studio.desk import Desk
from sfumato.studio.jobs import scan_texts
from sfumato.studio.kinds.text_work import (
    REPLACEMENTS,
    TextWork,
    pages_of,
    pieces_of,
    stretch_pieces,
    texts_in,
)
from sfumato.studio.pages import desk_of, fields_of, render
from sfumato.text.scrub.review.recall_estimate import estimate_recall
from sfumato.text.scrub.review.span_review import MISSED, SpanReview, equal_places, places_of_words
from sfumato.text.scrub.review.stretch_sample import stretches_without_findings
from sfumato.text.scrub.span import Span
from sfumato.text.text_method import NAMES
from sfumato.validate import choice, integer

__all__ = ["router"]

router = APIRouter()
SAMPLE = 60
MOST_SAMPLED = 1000
LABELS = ("PERSON", "PLACE", "ORGANISATION", "DATE", "PHONE", "EMAIL", "ADDRESS", "NUMBER", "OTHER")


def work_of(desk: Desk) -> TextWork:
    """What is decided about the open texts."""
    _ = desk.opened
    work = desk.project.work
    if not isinstance(work, TextWork):
        raise bad_input("kind of data", desk.project.kind, "texts", "change it on the first screen")
    return work


def texts_now(desk: Desk) -> list[str]:
    """The texts of the chosen column."""
    return texts_in(desk.opened.table, work_of(desk).column)


def scan_key(desk: Desk) -> tuple[Any, ...]:
    """What the findings depend on."""
    work = work_of(desk)
    return desk.project.origin, work.column, work.names


def found_now(desk: Desk) -> list[list[Span]] | None:
    """What the scrubber found, if it has looked."""
    found: list[list[Span]] | None = desk.found("scan", *scan_key(desk))
    return found


def page(request: Request, desk: Desk, place: int = 0) -> Response:
    """One page of the texts as they are now."""
    work, texts, found = work_of(desk), texts_now(desk), found_now(desk)
    words: dict[str, Any] = {"shown_texts": [], "pages": 0, "place": 0, "totals": None}
    if found is not None:
        pages = pages_of([len(text) for text in texts])
        place = min(max(place, 0), len(pages) - 1)
        shown = [(number, pieces_of(texts[number], number, found[number], work.review)) for number in pages[place]]
        words = {"shown_texts": shown, "pages": len(pages), "place": place, "totals": totals_of(work.review, found)}
    return render(
        request,
        "review",
        work=work,
        **words,
        texts=len(texts),
        columns=desk.opened.table.column_names,
        names=NAMES,
        replacements=REPLACEMENTS,
        labels=LABELS,
        run=desk.run("scan", *scan_key(desk)),
        sample=sample_of(desk.project, "review"),
    )


def stretch_page(request: Request, desk: Desk) -> Response:
    """The sample of stretches without findings, and what it says of recall."""
    work, texts, found = work_of(desk), texts_now(desk), found_now(desk)
    review = work.review
    rows = [
        (number, stretch, stretch_pieces(texts, stretch, review), number in review.seen)
        for number, stretch in enumerate(review.sample)
    ]
    estimate = None if found is None or not review.seen else estimate_recall(review, found)
    return render(
        request,
        "stretches",
        work=work,
        found=found,
        rows=rows,
        estimate=estimate,
        usual=SAMPLE,
        labels=LABELS,
        sample=sample_of(desk.project, "review"),
    )


def totals_of(review: SpanReview, found: Sequence[Sequence[Span]]) -> dict[str, int]:
    """How much was found and decided."""
    said = review.to_card()
    decided = {one.place for one in review.decisions}
    places = [(text, span.start, span.end) for text, spans in enumerate(found) for span in spans]
    opened = sum(place not in decided for place in places)
    return {"found": len(places), "open": opened, "kept": said["kept"], "added": said["added"]}


@router.get("/review")
def show(request: Request) -> Response:
    return page(request, desk_of(request))


@router.get("/review/{place}")
def show_page(request: Request, place: int) -> Response:
    return page(request, desk_of(request), place)


@router.get("/stretches")
def show_stretches(request: Request) -> Response:
    return stretch_page(request, desk_of(request))


@router.post("/review/scan")
async def scan(request: Request) -> Response:
    """Look for what is personal, in a process of its own."""
    desk = desk_of(request)

    def start() -> Response:
        work = work_of(desk)
        desk.start("scan", "Looking for what is personal", scan_texts, texts_now(desk), work.names, key=scan_key(desk))
        return page(request, desk)

    return await run_in_threadpool(start)


@router.post("/review/settings")
async def settle(request: Request) -> Response:
    """Which column, how names are known, what is written instead, and who decides."""
    desk, given = desk_of(request), await fields_of(request)

    def change() -> Response:
        work, project = work_of(desk), desk.project
        place = whole(given, "column")
        names = desk.opened.table.column_names
        if place >= len(names):
            raise bad_input("column", place, f"0 to {len(names) - 1}")
        changed = replace(
            work,
            column=names[place],
            names=given.get("names", work.names),
            replacement=given.get("replacement", work.replacement),
            reviewer=given.get("reviewer", "").strip(),
        )
        if changed.column != work.column:
            changed = replace(changed, review=SpanReview.of(texts_in(desk.opened.table, changed.column)))
        elif changed.names != work.names:  # other findings leave other stretches without one
            changed = replace(changed, review=replace(work.review, sample=(), stretches=0, seen=()))
        if changed != work:
            desk.decide(f"texts: {changed.column}, {changed.names}", replace(project, work=changed), slider=True)
        return page(request, desk)

    return await run_in_threadpool(change)


@router.post("/review/decide")
async def decide(request: Request) -> Response:
    """Hide or keep a finding, or all that read like it; or add a place that was missed."""
    desk, given = desk_of(request), await fields_of(request)

    def change() -> Response:
        work, texts, found = work_of(desk), texts_now(desk), found_or_refuse(desk)
        text, start, end = (whole(given, name) for name in ("text", "start", "end"))
        if not (text < len(texts) and start < end <= len(texts[text])):
            raise bad_input("place", (text, start, end), "a place in one of the texts", "reload the page")
        verdict: Any = choice("verdict", given.get("verdict", ""), ("hide", "keep", "missed"))
        known = {(span.start, span.end): span for span in (*found[text], *added(work.review, text))}
        span = known.get((start, end))
        if verdict == "missed":
            label = choice("label", given.get("label", ""), LABELS)
            span = Span(start, end, label, 1.0, MISSED)
            review = work.review.decide(text, [span], "hide", reviewer=work.reviewer)
            for number, stretch in enumerate(review.sample):  # who selects something in a stretch has read it
                if stretch.text == text and start < stretch.end and stretch.start < end:
                    review = review.look(number)
            return answer(request, desk, given, review, f"added: {label} in text {text + 1}")
        if span is None:
            raise bad_input("place", (text, start, end), "a finding", "reload the page")
        if span.source == MISSED and verdict == "keep":  # it was added by a reviewer, and is taken away again
            return answer(request, desk, given, work.review.withdraw(text, start, end), "taken away again")
        every = [(text, span)]
        if given.get("all") == "1":
            every = equal_places(texts, found, texts[text][start:end]) or every
        review = work.review
        for number, one in every:
            review = review.decide(number, [one], verdict, reviewer=work.reviewer)
        words = f"{verdict}: {span.label} in text {text + 1}"
        return answer(request, desk, given, review, words if len(every) == 1 else f"{words} and {len(every) - 1} alike")

    return await run_in_threadpool(change)


@router.post("/review/words")
async def add_words(request: Request) -> Response:
    """Hide words wherever they stand: what was missed, typed instead of selected."""
    desk, given = desk_of(request), await fields_of(request)

    def change() -> Response:
        work, texts, found = work_of(desk), texts_now(desk), found_or_refuse(desk)
        label = choice("label", given.get("label", ""), LABELS)
        places = [
            (text, span)
            for text, span in places_of_words(texts, given.get("words", ""), label)
            if not any(one.start <= span.start and span.end <= one.end for one in found[text])
        ]
        if not places:
            raise InputError("these words stand nowhere in the texts, or only in what was found already")
        review = work.review
        for text, span in places:
            review = review.decide(text, [span], "hide", reviewer=work.reviewer)
        return answer(request, desk, given, review, f"added: {label} at {len(places)} places")

    return await run_in_threadpool(change)


@router.post("/review/sample")
async def draw_sample(request: Request) -> Response:
    """Draw stretches without findings at random."""
    desk, given = desk_of(request), await fields_of(request)

    def draw() -> Response:
        work, found = work_of(desk), found_or_refuse(desk)
        count = integer("stretches", whole(given, "count"), most=MOST_SAMPLED)
        cut = stretches_without_findings(texts_now(desk), found)
        review = work.review.with_sample(cut, count)
        return answer(request, desk, given, review, f"sample: {len(review.sample)} of {len(cut)} stretches")

    return await run_in_threadpool(draw)


@router.post("/review/look")
async def look(request: Request) -> Response:
    """Nothing personal stands in a stretch of the sample."""
    desk, given = desk_of(request), await fields_of(request)

    def change() -> Response:
        number = whole(given, "number")
        review = work_of(desk).review.look(number)
        return answer(request, desk, given, review, f"read: stretch {number + 1}")

    return await run_in_threadpool(change)


def answer(request: Request, desk: Desk, given: dict[str, str], review: SpanReview, words: str) -> Response:
    """Note a decision and show the screen it came from."""
    work = work_of(desk)
    desk.decide(words, replace(desk.project, work=replace(work, review=review)))
    if given.get("from") == "stretches":
        return stretch_page(request, desk)
    return page(request, desk, whole(given, "page") if given.get("page") else 0)


def added(review: SpanReview, text: int) -> list[Span]:
    """What a reviewer added to a text."""
    return [
        Span(one.start, one.end, one.label, 1.0, one.source)
        for one in review.decisions
        if one.text == text and one.source == MISSED and one.verdict == "hide"
    ]


def found_or_refuse(desk: Desk) -> list[list[Span]]:
    """What was found; decisions before that would be about nothing."""
    found = found_now(desk)
    if found is None:
        raise bad_input("findings", None, "findings", "look for what is personal first")
    return found


def whole(given: dict[str, str], name: str) -> int:
    """A whole number of a form."""
    text = given.get(name, "")
    if not text.isdecimal():
        raise bad_input(name, text, "a whole number")
    return int(text)
