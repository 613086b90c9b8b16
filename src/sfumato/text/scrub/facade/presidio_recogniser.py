"""Presidio as a recogniser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.errors import bad_input
from sfumato.text.scrub.span import Span
from sfumato.validate import probability

__all__ = ["PresidioRecogniser"]


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
