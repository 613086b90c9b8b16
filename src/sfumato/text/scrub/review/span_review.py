"""What a reviewer decided about findings: places, never text, so that a release can be repeated with them."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Self, get_args

from sfumato.errors import InputError, bad_input
from sfumato.io.atomic import atomic_path, reading
from sfumato.noise import Rng
from sfumato.release.plain import from_plain, to_plain
from sfumato.text.core.corpus import check_texts
from sfumato.text.scrub.review.stretch_sample import Stretch, sample_stretches
from sfumato.text.scrub.span import Span, resolve_overlaps
from sfumato.validate import choice

__all__ = ["MISSED", "SpanDecision", "SpanReview", "equal_places", "places_of_words"]

Verdict = Literal["hide", "keep"]
MISSED = "reviewer"
"""The source of a span that no recogniser found and a reviewer added."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SpanDecision:
    """What shall happen to one place of one text.

    Parameters
    ----------
    text : int
        The number of the text, from 0.
    start, end : int
        The place is ``texts[text][start:end]``.
    label, source : str
        What it is, and who found it; ``"reviewer"`` for what was missed.
    verdict : {"hide", "keep"}
    reviewer : str
        Who decided.
    """

    text: int
    start: int
    end: int
    label: str
    source: str
    verdict: Verdict
    reviewer: str = ""

    def __post_init__(self) -> None:
        choice("verdict", self.verdict, get_args(Verdict))
        if not (self.text >= 0 and 0 <= self.start < self.end):
            raise bad_input("place", (self.text, self.start, self.end), "a text ≥ 0 and 0 ≤ start < end")

    @property
    def place(self) -> tuple[int, int, int]:
        """Text, start and end."""
        return self.text, self.start, self.end


@dataclass(frozen=True, kw_only=True)
class SpanReview:
    """The decisions of reviewers about the findings in some texts.

    It holds places, labels, sources and names of reviewers, and no text. The one hash of all texts is there so that the
    places are applied to these texts only. Keep it with the texts: whoever has both reads the findings.

    Parameters
    ----------
    texts : int
        How many texts there are.
    texts_sha256 : str
        The hash of all of them.
    decisions : tuple of SpanDecision
        At most one for a place.
    sample : tuple of Stretch
        Stretches without findings, drawn at random, to be looked at as well.
    stretches : int
        How many stretches without findings there are in all.
    seen : tuple of int
        Which of the sample were looked at.

    Examples
    --------
    >>> texts = ["Hi Anna, I moved to Wexcombe."]
    >>> review = SpanReview.of(texts).decide(0, [Span(20, 28, "PLACE")], "hide", source=MISSED, reviewer="me")
    >>> [texts[0][one.start : one.end] for one in review.apply([[Span(3, 7, "PERSON")]])[0]]
    ['Anna', 'Wexcombe']
    """

    texts: int
    texts_sha256: str
    decisions: tuple[SpanDecision, ...] = ()
    sample: tuple[Stretch, ...] = ()
    stretches: int = 0
    seen: tuple[int, ...] = ()

    @classmethod
    def of(cls, texts: Any) -> Self:
        """A review of some texts in which nothing is decided yet."""
        checked = check_texts(texts)
        return cls(texts=len(checked), texts_sha256=_digest(checked))

    def decide(
        self, text: int, spans: Iterable[Span], verdict: Verdict, *, source: str | None = None, reviewer: str = ""
    ) -> SpanReview:
        """The review with a decision about places of a text; one that was there for the same place is replaced."""
        if not 0 <= text < self.texts:
            raise bad_input("text", text, f"0 to {self.texts - 1}")
        made = [
            SpanDecision(
                text=text,
                start=span.start,
                end=span.end,
                label=span.label,
                source=span.source if source is None else source,
                verdict=verdict,
                reviewer=reviewer,
            )
            for span in spans
        ]
        places = {one.place for one in made}
        return replace(self, decisions=(*(one for one in self.decisions if one.place not in places), *made))

    def withdraw(self, text: int, start: int, end: int) -> SpanReview:
        """The review without a decision about a place."""
        return replace(self, decisions=tuple(one for one in self.decisions if one.place != (text, start, end)))

    def with_sample(self, stretches: Sequence[Stretch], count: int, *, rng: Rng | None = None) -> SpanReview:
        """The review with a new random sample of the stretches without findings, none of which was read yet."""
        drawn = sample_stretches(stretches, count, rng=rng)
        return replace(self, sample=drawn, stretches=len(stretches), seen=())

    def look(self, number: int) -> SpanReview:
        """The review in which one stretch of the sample was looked at."""
        if not 0 <= number < len(self.sample):
            raise bad_input("stretch", number, f"0 to {len(self.sample) - 1}")
        return self if number in self.seen else replace(self, seen=(*self.seen, number))

    def apply(self, found: Sequence[Sequence[Span]]) -> list[list[Span]]:
        """What is hidden in each text: findings that are not kept, and everything that was decided to be hidden.

        A finding is kept readable only if it lies inside a place that was decided to be kept; where a kept and a hidden
        place overlap, the hidden one wins. So a scrubber that finds more than the one that was reviewed hides more.
        """
        if len(found) != self.texts:
            raise bad_input("found", f"{len(found)} texts", f"findings of the {self.texts} texts that were reviewed")
        kept: dict[int, list[SpanDecision]] = {}
        hidden: dict[int, list[Span]] = {}
        for one in self.decisions:
            if one.verdict == "keep":
                kept.setdefault(one.text, []).append(one)
            else:
                hidden.setdefault(one.text, []).append(Span(one.start, one.end, one.label, 1.0, one.source))
        return [
            resolve_overlaps(
                [
                    *(s for s in spans if not any(k.start <= s.start and s.end <= k.end for k in kept.get(text, ()))),
                    *hidden.get(text, ()),
                ]
            )
            for text, spans in enumerate(found)
        ]

    def require(self, texts: Sequence[str]) -> None:
        """Refuse other texts than those that were reviewed: the places would hide something else."""
        if len(texts) != self.texts or _digest(texts) != self.texts_sha256:
            raise InputError("the review is of other texts: review these, or read them as they were reviewed")
        for one in self.decisions:
            if one.end > len(texts[one.text]):
                raise bad_input("place", one.place, "a place inside its text", "the file of the review was changed")

    def taken(self, rows: Sequence[int]) -> SpanReview:
        """The review of some of the texts, which are then counted from 0; the others must have no word in them."""
        place = {row: number for number, row in enumerate(rows)}
        decisions = tuple(replace(one, text=place[one.text]) for one in self.decisions if one.text in place)
        sample = tuple(replace(one, text=place[one.text]) for one in self.sample)
        return replace(self, texts=len(rows), texts_sha256="", decisions=decisions, sample=sample)

    def to_card(self) -> dict[str, int]:
        """What a card says of it: numbers only."""
        return {
            "decided": len(self.decisions),
            "kept": sum(one.verdict == "keep" for one in self.decisions),
            "added": sum(one.source == MISSED for one in self.decisions),
            "stretches_seen": len(self.seen),
        }

    def write(self, path: str | Path) -> None:
        """Write it as JSON, readable by its owner only."""
        with atomic_path(path) as beside:
            beside.touch(mode=0o600)
            os.chmod(beside, 0o600)
            beside.write_text(json.dumps(to_plain(self), indent=1) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """A review that was written."""
        try:
            with reading(path):
                content = json.loads(Path(path).read_text(encoding="utf-8"))
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{path} is not a review: it is no JSON") from error
        found = from_plain(cls, content, where=Path(path).name)
        numbers = [one.text for one in found.decisions] + [one.text for one in found.sample]
        if any(number >= found.texts for number in numbers):
            raise bad_input("text", "a larger number", f"numbers of the {found.texts} texts that were reviewed")
        return found


def _digest(texts: Sequence[str]) -> str:
    """One hash of all texts; with lengths, so that no two lists of texts are written alike."""
    summed = hashlib.sha256()
    for text in texts:
        content = text.encode("utf-8", "surrogatepass")
        summed.update(len(content).to_bytes(8, "big") + content)
    return summed.hexdigest()


def equal_places(texts: Sequence[str], found: Sequence[Sequence[Span]], like: str) -> list[tuple[int, Span]]:
    """All findings that read like a given one, whatever their case and spaces.

    >>> found = [[Span(0, 4, "PERSON")], [Span(0, 4, "PERSON"), Span(9, 12, "X")]]
    >>> equal_places(["Anna", "anna and Ben"], found, "Anna")
    ... # doctest: +NORMALIZE_WHITESPACE
    [(0, Span(start=0, end=4, label='PERSON', score=1.0, source='')),
     (1, Span(start=0, end=4, label='PERSON', score=1.0, source=''))]
    """
    wanted = _read_alike(like)
    return [
        (number, span)
        for number, (text, spans) in enumerate(zip(texts, found, strict=True))
        for span in spans
        if _read_alike(text[span.start : span.end]) == wanted
    ]


def places_of_words(texts: Sequence[str], words: str, label: str) -> list[tuple[int, Span]]:
    """Everywhere some words stand as whole words, whatever their case and spaces.

    >>> places_of_words(["In Wexcombe.", "wexcombes, WEXCOMBE"], "Wexcombe", "PLACE")
    ... # doctest: +NORMALIZE_WHITESPACE
    [(0, Span(start=3, end=11, label='PLACE', score=1.0, source='reviewer')),
     (1, Span(start=11, end=19, label='PLACE', score=1.0, source='reviewer'))]
    """
    parts = [re.escape(part) for part in words.split()]
    if not parts:
        raise bad_input("words", words, "at least one word")
    head = r"(?<!\w)" if re.match(r"\w", words.split()[0]) else ""
    tail = r"(?!\w)" if re.search(r"\w$", words.split()[-1]) else ""
    pattern = re.compile(head + r"\s+".join(parts) + tail, re.IGNORECASE)
    return [
        (number, Span(*match.span(), label, 1.0, MISSED))
        for number, text in enumerate(texts)
        for match in pattern.finditer(text)
    ]


def _read_alike(text: str) -> str:
    return " ".join(text.split()).casefold()
