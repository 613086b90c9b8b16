"""``AnalyzerEngine`` as Presidio's users know it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.errors import bad_input
from sfumato.text.scrub.scrubber import Scrubber
from sfumato.text.scrub.span import Span

__all__ = ["ENTITIES", "AnalyzerEngine", "RecognizerResult"]

ENTITIES = {
    "EMAIL": "EMAIL_ADDRESS",
    "PHONE": "PHONE_NUMBER",
    "CARD": "CREDIT_CARD",
    "IBAN": "IBAN_CODE",
    "IP": "IP_ADDRESS",
    "DATE": "DATE_TIME",
    "PLACE": "LOCATION",
    "ADDRESS": "LOCATION",
    "WALLET": "CRYPTO",
    "NAME": "PERSON",
}
"""What Presidio calls the labels here; the others keep their name."""
_IDS = {
    "us_ssn": "US_SSN",
    "ssn": "US_SSN",
    "us_itin": "US_ITIN",
    "gb_nhs": "UK_NHS",
    "nino": "UK_NINO",
    "es_dni": "ES_NIF",
    "es_nie": "ES_NIE",
    "it_codicefiscale": "IT_FISCAL_CODE",
    "pl_pesel": "PL_PESEL",
    "fi_hetu": "FI_PERSONAL_IDENTITY_CODE",
    "in_aadhaar": "IN_AADHAAR",
    "pan": "IN_PAN",
    "au_tfn": "AU_TFN",
    "mac": "MAC_ADDRESS",
}


@dataclass(frozen=True)
class RecognizerResult:
    """One find: where, what and how sure. The text itself is not in it."""

    entity_type: str
    start: int
    end: int
    score: float
    recognition_metadata: dict[str, Any] = field(default_factory=dict, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """The four fields that Presidio prints."""
        return {"entity_type": self.entity_type, "start": self.start, "end": self.end, "score": self.score}


@dataclass(frozen=True, kw_only=True, eq=False)
class AnalyzerEngine:
    """Finds personal items, called as Presidio's engine is: ``from sfumato.text import AnalyzerEngine``.

    Parameters
    ----------
    scrubber : Scrubber
        What finds them; the default is that of :class:`Scrubber`.

    Examples
    --------
    >>> results = AnalyzerEngine().analyze(text="Hi Anna, mail ann@example.org", language="en")
    >>> [(one.entity_type, one.start, one.end) for one in results]
    [('PERSON', 3, 7), ('EMAIL_ADDRESS', 14, 29)]
    """

    scrubber: Scrubber = field(default_factory=Scrubber)

    def analyze(
        self,
        text: str,
        language: str = "en",
        entities: Sequence[str] | None = None,
        score_threshold: float | None = None,
        allow_list: Sequence[str] | None = None,
        allow_list_match: str = "exact",
        **ignored: Any,
    ) -> list[RecognizerResult]:
        """The finds in one text, in their order, none overlapping another.

        Parameters
        ----------
        language : str
            For compatibility: every text is read with all packs.
        entities : sequence of str, optional
            Only these kinds.
        score_threshold : float, optional
            Only finds with at least this score.
        allow_list : sequence of str, optional
            Values that are no finds; patterns with ``allow_list_match="regex"``.
        """
        unknown = set(ignored) - {"correlation_id", "return_decision_process", "ad_hoc_recognizers", "context",
                                  "nlp_artifacts", "regex_flags"}  # fmt: skip
        if unknown or ignored.get("ad_hoc_recognizers"):
            raise bad_input("analyze", sorted(unknown) or ["ad_hoc_recognizers"], "the arguments of Presidio's analyze",
                            "give recognisers of your own to Scrubber(recognisers=…)")  # fmt: skip
        results = [
            RecognizerResult(_entity(span), span.start, span.end, span.score, {"recognizer_name": span.source})
            for span in self.scrubber.spans([text])[0]
        ]
        return [
            one
            for one in results
            if (entities is None or one.entity_type in entities)
            and (score_threshold is None or one.score >= score_threshold)
            and not _allowed(text[one.start : one.end], allow_list, allow_list_match)
        ]

    def get_supported_entities(self, language: str | None = None) -> list[str]:
        """The kinds that can be found."""
        from sfumato.text.scrub.pattern_recogniser import LABELS

        return sorted({ENTITIES.get(label, label) for label in (*LABELS, "PERSON", "PLACE")} | set(_IDS.values()))


def _entity(span: Span) -> str:
    detail = span.source.partition(":")[2]
    return _IDS.get(detail, ENTITIES.get(span.label, span.label)) if detail else ENTITIES.get(span.label, span.label)


def _allowed(value: str, allowed: Sequence[str] | None, match: str) -> bool:
    if not allowed:
        return False
    return any(re.fullmatch(one, value) for one in allowed) if match == "regex" else value in allowed
