"""Stretches of texts in which nothing was found, and a random sample of them for a reviewer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.errors import bad_input
from sfumato.noise import Rng, resolve_rng
from sfumato.text.scrub.span import Span
from sfumato.validate import integer

__all__ = ["Stretch", "sample_stretches", "stretches_without_findings"]

MOST_WORDS = 12
"""Words of a stretch: few, so that it rarely holds two personal things, which count as one place."""

_ENDS = re.compile(r"[.!?;:][\"')\]]*$")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A few words of a text, by their place."""

    text: int
    start: int
    end: int


def stretches_without_findings(texts: Sequence[str], found: Sequence[Sequence[Span]]) -> list[Stretch]:
    """Everything outside the findings, cut at sentences, lines and every twelve words.

    >>> stretches_without_findings(["Hi Anna, see you. Bring cake"], [[Span(3, 7, "PERSON")]])
    ... # doctest: +NORMALIZE_WHITESPACE
    [Stretch(text=0, start=0, end=2), Stretch(text=0, start=9, end=17), Stretch(text=0, start=18, end=28)]
    """
    if len(texts) != len(found):
        raise bad_input("found", f"{len(found)} texts", f"findings of {len(texts)} texts")
    cut: list[Stretch] = []
    for number, (text, spans) in enumerate(zip(texts, found, strict=True)):
        at = 0
        for span in [*sorted(spans, key=lambda one: one.start), Span(len(text), len(text), "")]:
            cut += _cut(text, number, at, span.start)
            at = max(at, span.end)
    return cut


def _cut(text: str, number: int, low: int, high: int) -> list[Stretch]:
    found: list[Stretch] = []
    start, end, words = -1, -1, 0
    for match in re.compile(r"\S*\w\S*").finditer(text, low, high):
        broken = start >= 0 and "\n" in text[end : match.start()]
        if start >= 0 and (broken or words == MOST_WORDS or _ENDS.search(text[start:end])):
            found.append(Stretch(number, start, end))
            start = -1
        if start < 0:
            start, words = match.start(), 0
        end, words = match.end(), words + 1
    if start >= 0:
        found.append(Stretch(number, start, end))
    return found


def sample_stretches(stretches: Sequence[Stretch], count: int, *, rng: Rng | None = None) -> tuple[Stretch, ...]:
    """A simple random sample, without replacement and in random order: whoever stops early has a random sample, too."""
    integer("count", count)
    if not stretches:
        return ()
    chosen = resolve_rng(rng).permutation(len(stretches))[:count]
    return tuple(stretches[place] for place in chosen.tolist())
