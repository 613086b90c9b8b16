"""Scrubbing: find names, addresses, numbers and ids in texts and write something else in their place.

A baseline, and a first stage before a mechanism with a promise; never a promise itself (Weggenmann B4; his E2 shows
that scrubbed texts still give their author away).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.promise import NoGuarantee
from sfumato.text.core.corpus import check_texts
from sfumato.text.mechanisms.base import TextMechanism
from sfumato.text.scrub.name_recogniser import NameRecogniser
from sfumato.text.scrub.pattern_recogniser import PatternRecogniser
from sfumato.text.scrub.recogniser import Recogniser, check_recognisers
from sfumato.text.scrub.span import Span, resolve_overlaps
from sfumato.validate import choice, probability

__all__ = ["Replacement", "ScrubReport", "Scrubber"]

Replacement = Literal["label", "pseudonym", "mask"]
"""What is written in place of a span: what it was, a name that is the same for the same thing, or nothing."""

_REASON = "what no recogniser knows stays readable, and style, topic and rare facts still point to the writer"
_MASK = "•••"
_LEAST_KEY = 16
_DIGITS_ONLY = frozenset({"PHONE", "CARD"})


@dataclass(frozen=True, kw_only=True)
class ScrubReport:
    """What was found, in numbers: no text, no names.

    Parameters
    ----------
    texts, touched : int
        How many texts were read, and in how many something was found.
    characters, covered : int
        How long they are, and how much of that was replaced.
    labels, sources : dict
        How many spans of each kind, and by which recogniser.
    """

    texts: int
    touched: int
    characters: int
    covered: int
    labels: dict[str, int]
    sources: dict[str, int]


@dataclass(frozen=True, kw_only=True, eq=False)
class Scrubber(TextMechanism):
    """Replaces personal items that its recognisers find in texts.

    Overlapping finds are replaced as one. The same text always gives the same result, whatever else is scrubbed with
    it and whatever ``rng`` is.

    Parameters
    ----------
    recognisers : sequence of Recogniser
        By default patterns and name lists, which need no model. ``(Cascade(),)`` asks a model where they are not sure.
    replacement : {"label", "pseudonym", "mask"}
        ``[PERSON]``, or ``[PERSON-K3UZ5FQ2WM]``, the same for the same thing in all texts scrubbed with one key, or
        ``•••``. A pseudonym lets an analyst count and link, and so lets anyone link.
    key : bytes, optional
        The secret of the pseudonyms, at least 16 bytes, such as ``secrets.token_bytes(32)``. Who has it can check a
        guess; it is not shown in ``repr``.
    least : float
        Spans with a smaller score are left alone.

    Examples
    --------
    >>> scrubber = Scrubber()
    >>> print(scrubber.release("Hi Anna, my new number is +44 20 7946 0018. Yours, anna@example.org"))
    Hi [PERSON], my new number is [PHONE]. Yours, [EMAIL]
    >>> scrubber.report(["Hi Anna", "nothing here"]).labels
    {'PERSON': 1}
    >>> print(scrubber.guarantee)
    no guarantee: what no recogniser knows stays readable, ...
    """

    technique = "masking"
    shown = ("what no recogniser knows", "style, topic and rare facts")

    recognisers: Sequence[Recogniser] = field(default_factory=lambda: (PatternRecogniser(), NameRecogniser()))
    replacement: Replacement = "label"
    key: bytes | None = field(default=None, repr=False)
    least: float = 0.0

    def __post_init__(self) -> None:
        check_recognisers("recognisers", self.recognisers)
        choice("replacement", self.replacement, get_args(Replacement))
        probability("least", self.least, zero=True)
        if self.replacement == "pseudonym" and (not isinstance(self.key, bytes) or len(self.key) < _LEAST_KEY):
            given = "nothing" if self.key is None else f"{type(self.key).__name__} of length {len(self.key)}"
            raise bad_input("key", given, f"at least {_LEAST_KEY} secret bytes", "secrets.token_bytes(32) makes one")

    @property
    def guarantee(self) -> NoGuarantee:
        """Nothing is promised: a scrubber removes only what it recognises."""
        return NoGuarantee(_REASON, unit="document", model="local")

    def release_texts(self, texts: list[str], rng: Rng) -> list[str]:
        """Each text with what was found replaced."""
        return [self._rewrite(text, spans) for text, spans in zip(texts, self.spans(texts), strict=True)]

    def spans(self, texts: Any) -> list[list[Span]]:
        """What would be replaced in each text: places and kinds, for an audit that prints nothing personal."""
        checked = check_texts(texts)
        found: list[list[Span]] = [[] for _ in checked]
        for recogniser in self.recognisers:
            for spans, more in zip(found, recogniser.find(checked), strict=True):
                spans.extend(span for span in more if span.score >= self.least)
        return [resolve_overlaps(spans) for spans in found]

    def report(self, texts: Any) -> ScrubReport:
        """How much was found, and by what."""
        found = self.spans(texts)
        flat = [span for spans in found for span in spans]
        return ScrubReport(
            texts=len(found),
            touched=sum(bool(spans) for spans in found),
            characters=sum(map(len, texts)),
            covered=sum(span.end - span.start for span in flat),
            labels=dict(sorted(Counter(span.label for span in flat).items())),
            sources=dict(sorted(Counter(span.source for span in flat).items())),
        )

    def _rewrite(self, text: str, spans: Sequence[Span]) -> str:
        parts, at = [], 0
        for span in spans:
            parts += [text[at : span.start], self._stand_in(span.label, text[span.start : span.end])]
            at = span.end
        return "".join([*parts, text[at:]])

    def _stand_in(self, label: str, value: str) -> str:
        if self.replacement == "mask":
            return _MASK
        if self.replacement == "label":
            return f"[{label}]"
        assert self.key is not None  # checked in __post_init__
        message = f"{label}\0{_normal_form(label, value)}".encode()
        digest = hmac.digest(self.key, message, hashlib.sha256)
        return f"[{label}-{base64.b32encode(digest)[:10].decode()}]"


def _normal_form(label: str, value: str) -> str:
    """The same for two spellings of one thing: case, spaces and the punctuation of numbers do not matter."""
    if label in _DIGITS_ONLY:
        return re.sub(r"[^\d+]", "", value)
    if label == "IBAN":
        return value.replace(" ", "").casefold()
    return " ".join(value.casefold().split())
