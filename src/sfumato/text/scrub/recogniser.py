"""What finds personal things in texts: one small shape, so that recognisers of any origin work side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from sfumato.errors import bad_input
from sfumato.validate import probability

__all__ = ["PresidioRecogniser", "Recogniser", "Span", "check_recognisers", "resolve_overlaps"]


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


@runtime_checkable
class Recogniser(Protocol):
    """Finds spans in texts: one list of spans for each text, in any order, overlapping or not."""

    def find(self, texts: Sequence[str]) -> list[list[Span]]: ...


def check_recognisers(name: str, value: Any) -> None:
    """Refuse anything but one or more recognisers. A string has a ``find`` too, but finds no spans."""
    several = isinstance(value, Sequence) and not isinstance(value, (str, bytes)) and len(value) > 0
    if not several:
        raise bad_input(name, type(value).__name__, "a sequence of recognisers", "(Cascade(),)")
    for recogniser in value:
        if isinstance(recogniser, (str, bytes)) or not isinstance(recogniser, Recogniser):
            raise bad_input(name, type(recogniser).__name__, "recognisers: objects with find(texts) → spans")


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


@dataclass(frozen=True, kw_only=True, eq=False)
class PresidioRecogniser:
    """A Presidio ``AnalyzerEngine``, made and configured by you, as a recogniser.

    Parameters
    ----------
    analyzer : presidio_analyzer.AnalyzerEngine
        Anything with ``analyze(text=…, language=…)`` that returns results with ``start``, ``end``, ``entity_type`` and
        ``score``.
    language : str
    least : float
        Results with a smaller score are left out.
    labels : mapping
        Other names for its entity types; by default those that the recognisers here use.
    options : mapping
        Further arguments of ``analyze``, such as ``entities``.
    """

    analyzer: Any
    language: str = "en"
    least: float = 0.4
    labels: Mapping[str, str] = field(
        default_factory=lambda: {
            "EMAIL_ADDRESS": "EMAIL",
            "PHONE_NUMBER": "PHONE",
            "CREDIT_CARD": "CARD",
            "IBAN_CODE": "IBAN",
            "IP_ADDRESS": "IP",
            "DATE_TIME": "DATE",
            "LOCATION": "PLACE",
            "US_SSN": "ID",
        }
    )
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not callable(getattr(self.analyzer, "analyze", None)):
            raise bad_input(
                "analyzer", type(self.analyzer).__name__, "an object with analyze(text, language)", "AnalyzerEngine()"
            )
        probability("least", self.least, zero=True)

    def find(self, texts: Sequence[str]) -> list[list[Span]]:
        """What the analyzer finds, text by text."""
        return [
            [
                Span(r.start, r.end, self.labels.get(r.entity_type, r.entity_type), max(r.score, 1e-3), "presidio")
                for r in self.analyzer.analyze(text=text, language=self.language, **self.options)
                if r.score >= self.least and r.end > r.start
            ]
            for text in texts
        ]
