"""Places in a text that hold something personal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Span", "resolve_overlaps", "span_scores"]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one text that is taken for something personal. It holds places, never the text itself.

    Parameters
    ----------
    start, end : int
        The stretch is ``text[start:end]``.
    label : str
        What it is: ``"PERSON"``, ``"EMAIL"``, …
    score : float
        How sure the recogniser is, in (0, 1].
    source : str
        Which recogniser found it.
    """

    start: int
    end: int
    label: str
    score: float = 1.0
    source: str = ""


def resolve_overlaps(spans: Iterable[Span]) -> list[Span]:
    """Spans that do not overlap and together cover everything that the given ones cover.

    Spans that overlap become one, from the first character of any to the last of any, with the label of the surest (of
    equals, the longest): dropping the loser instead would leave a part of it readable.

    >>> for span in resolve_overlaps([Span(0, 10, "PERSON", 0.8), Span(5, 20, "EMAIL"), Span(30, 34, "DATE")]):
    ...     print(span.start, span.end, span.label)
    0 20 EMAIL
    30 34 DATE
    """
    resolved: list[Span] = []
    best, reach = None, -1
    begin = 0
    for span in sorted(spans, key=lambda span: span.start):
        if best is not None and span.start < reach:
            reach = max(reach, span.end)
            if (span.score, span.end - span.start) > (best.score, best.end - best.start):
                best = span
            continue
        if best is not None:
            resolved.append(Span(begin, reach, best.label, best.score, best.source))
        best, begin, reach = span, span.start, span.end
    if best is not None:
        resolved.append(Span(begin, reach, best.label, best.score, best.source))
    return resolved


def span_scores(
    found: Sequence[Sequence[Span]], truth: Sequence[Sequence[Span]]
) -> dict[str, tuple[float, float, int]]:
    """Recall, precision and count of true spans, for each label and as ``"all"``.

    Recall is the share of true spans *all* of whose characters are covered by found ones, whatever their label: what
    counts is that nothing of it can be read. Precision is the share of found spans that touch a true one; that of a
    label counts the found spans with that label.

    >>> span_scores([[Span(0, 4, "PERSON"), Span(9, 12, "DATE")]], [[Span(0, 4, "PERSON"), Span(20, 22, "PERSON")]])
    {'all': (0.5, 0.5, 2), 'DATE': (nan, 0.0, 0), 'PERSON': (0.5, 1.0, 2)}
    """
    hidden: Counter[str] = Counter()
    true: Counter[str] = Counter()
    right: Counter[str] = Counter()
    claimed: Counter[str] = Counter()
    for ours, theirs in zip(found, truth, strict=True):
        covered = {at for span in ours for at in range(span.start, span.end)}
        real = {at for span in theirs for at in range(span.start, span.end)}
        for span in theirs:
            complete = covered.issuperset(range(span.start, span.end))
            for name in ("all", span.label):
                true[name] += 1
                hidden[name] += complete
        for span in ours:
            touches = not real.isdisjoint(range(span.start, span.end))
            for name in ("all", span.label):
                claimed[name] += 1
                right[name] += touches
    nan = float("nan")
    return {
        name: (
            hidden[name] / true[name] if true[name] else nan,
            right[name] / claimed[name] if claimed[name] else nan,
            true[name],
        )
        for name in ["all", *sorted((set(true) | set(claimed)) - {"all"})]
    }
