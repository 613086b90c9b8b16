"""Scrubbing: find names, addresses, numbers and ids in texts and write something else in their place.

A baseline, and a first stage before a mechanism with a promise; never a promise itself (Weggenmann B4; his E2 shows
that scrubbed texts still give their author away).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, get_args

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.promise import NoGuarantee
from sfumato.text.core.corpus import check_texts
from sfumato.text.mechanisms.base import TextMechanism
from sfumato.text.scrub.cascade import default_recognisers
from sfumato.text.scrub.names.known_names import NAMES, KnownNames, join_names
from sfumato.text.scrub.readable_text import readable, spans_in_original
from sfumato.text.scrub.recogniser import Recogniser, check_recognisers, checked_find
from sfumato.text.scrub.span import Span, resolve_overlaps
from sfumato.text.scrub.writing.find_replacement import LEAST_KEY, MASK, Replacement, normal_form, pseudonym
from sfumato.text.scrub.writing.same_person import People
from sfumato.validate import choice, probability

__all__ = ["ScrubReport", "Scrubbed", "Scrubber"]

_REASON = "what no recogniser knows stays readable, and style, topic and rare facts still point to the writer"


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
class Scrubbed:
    """Texts with what was found replaced, and the way back, which is private.

    Parameters
    ----------
    texts : list of str
    spans : list of list of Span
        Where something was found in the texts as they were.
    stand_ins : list of list of str
        What was written there.
    originals : dict of str to str
        For each pseudonym the fullest form of what it stands for; empty without pseudonyms.
    """

    texts: list[str] = field(repr=False)
    spans: list[list[Span]]
    stand_ins: list[list[str]]
    originals: dict[str, str] = field(repr=False)


@dataclass(frozen=True, kw_only=True, eq=False)
class Scrubber(TextMechanism):
    """Replaces personal items that its recognisers find in texts.

    Overlapping finds are replaced as one. What recognisers find as a name in one text is replaced in all texts of the
    same call, in any case (``together``). The result depends on no random numbers.

    Parameters
    ----------
    recognisers : sequence of Recogniser
        By default ``(Cascade(cautious=True),)`` where the ``text`` extra with its model is installed, otherwise
        patterns and name lists; see :func:`default_recognisers`.
    replacement : {"label", "pseudonym", "mask"}
        ``[PERSON]``, or ``[PERSON-K3UZ5FQ2WM]``, the same for the same thing in all texts scrubbed with one key, or
        ``•••``. A pseudonym lets an analyst count and link, and so lets anyone link.
    key : bytes, optional
        The secret of the pseudonyms, at least 16 bytes, such as ``secrets.token_bytes(32)``. Who has it can check a
        guess; it is not shown in ``repr``.
    least : float
        Spans with a smaller score are left alone.
    keep : collection of str
        Kinds that stay readable, such as ``("DATE", "PLACE")``.
    allow : collection of str
        Words and phrases that are never replaced, such as the name of a firm. Case does not matter.
    together : bool
        Whether names found in one text are replaced in the others. Without it, a text gives the same result whatever
        else is scrubbed with it.

    Examples
    --------
    >>> scrubber = Scrubber()
    >>> print(scrubber.release("Hi Anna, my new number is +44 20 7946 0018. Yours, anna@example.org"))
    Hi [PERSON], my new number is [PHONE]. Yours, [EMAIL]
    >>> scrubber.release(["Hi Zofia,", "all of zofia's notes"])
    ['Hi [PERSON],', "all of [PERSON]'s notes"]
    >>> scrubber.report(["Hi Anna", "nothing here"]).labels
    {'PERSON': 1}
    >>> print(scrubber.guarantee)
    no guarantee: what no recogniser knows stays readable, ...
    """

    technique = "masking"
    shown = ("what no recogniser knows", "style, topic and rare facts")

    recognisers: Sequence[Recogniser] = field(default_factory=default_recognisers)
    replacement: Replacement = "label"
    key: bytes | None = field(default=None, repr=False)
    least: float = 0.0
    keep: Collection[str] = ()
    allow: Collection[str] = field(default=(), repr=False)
    together: bool = True

    def __post_init__(self) -> None:
        check_recognisers("recognisers", self.recognisers)
        choice("replacement", self.replacement, get_args(Replacement))
        probability("least", self.least, zero=True)
        for name in ("keep", "allow"):
            value = getattr(self, name)
            if isinstance(value, str) or not all(isinstance(one, str) and one.strip() for one in value):
                raise bad_input(name, type(value).__name__, "a list of strings", f"{name}=('DATE',)")
        if not isinstance(self.together, bool):
            raise bad_input("together", self.together, "True or False")
        if self.replacement == "pseudonym" and (not isinstance(self.key, bytes) or len(self.key) < LEAST_KEY):
            given = "nothing" if self.key is None else f"{type(self.key).__name__} of length {len(self.key)}"
            raise bad_input("key", given, f"at least {LEAST_KEY} secret bytes", "secrets.token_bytes(32) makes one")

    @property
    def guarantee(self) -> NoGuarantee:
        """Nothing is promised: a scrubber removes only what it recognises."""
        return NoGuarantee(_REASON, unit="document", model="local")

    def release_texts(self, texts: list[str], rng: Rng) -> list[str]:
        """Each text with what was found replaced."""
        return self.scrub(texts).texts

    def scrub(self, texts: Any, *, spans: list[list[Span]] | None = None) -> Scrubbed:
        """The texts with what was found replaced, where it stood, and what pseudonyms stand for.

        ``spans`` are replaced instead of what is found, such as :meth:`SpanReview.apply` gives them.
        """
        checked = check_texts(texts)
        found = self.spans(checked) if spans is None else spans
        stand_ins, originals = self._stand_ins(checked, found)
        rewritten = [
            rewrite(text, spans, written) for text, spans, written in zip(checked, found, stand_ins, strict=True)
        ]
        return Scrubbed(texts=rewritten, spans=found, stand_ins=stand_ins, originals=originals)

    def spans(self, texts: Any) -> list[list[Span]]:
        """What would be replaced in each text: places and kinds, for an audit that prints nothing personal."""
        checked = check_texts(texts)
        seen = [readable(text) for text in checked]
        plain = [text if one is None else one[0] for text, one in zip(checked, seen, strict=True)]
        found: list[list[Span]] = [[] for _ in plain]
        for recogniser in self.recognisers:
            for spans, more in zip(found, checked_find(recogniser, plain), strict=True):
                spans.extend(span for span in more if span.score >= self.least)
        again = self._again(plain, found)
        kept = [
            self._kept(text, join_names(text, resolve_overlaps([*spans, *more])))
            for text, spans, more in zip(plain, found, again, strict=True)
        ]
        return [
            spans if one is None else resolve_overlaps(spans_in_original(text, one[1], spans))
            for text, one, spans in zip(checked, seen, kept, strict=True)
        ]

    def _again(self, texts: list[str], found: list[list[Span]]) -> list[list[Span]]:
        """Names that were found, wherever else they stand."""
        joined = [join_names(text, resolve_overlaps(spans)) for text, spans in zip(texts, found, strict=True)]
        if self.together:
            return KnownNames.of(texts, joined, self._is_word).find(texts)
        return [
            KnownNames.of([text], [spans], self._is_word).find([text])[0]
            for text, spans in zip(texts, joined, strict=True)
        ]

    @cached_property
    def _is_word(self) -> Callable[[str], bool] | None:
        """The dictionary of the first recogniser that has one."""
        return next((one.is_word for one in self.recognisers if hasattr(one, "is_word")), None)

    @cached_property
    def _allowed(self) -> re.Pattern[str] | None:
        phrases = sorted((re.escape(one.strip()) for one in self.allow), key=len, reverse=True)
        return re.compile(rf"(?i)(?<!\w)(?:{'|'.join(phrases)})(?!\w)") if phrases else None

    def _kept(self, text: str, spans: list[Span]) -> list[Span]:
        """Without the kinds that stay and without what is allowed; what an allowed phrase only touches still goes."""
        if self.keep:
            spans = [span for span in spans if span.label not in self.keep]
        stays = self.allowed_places(text)
        return [span for span in spans if not any(start <= span.start and span.end <= end for start, end in stays)]

    def allowed_places(self, text: str) -> list[tuple[int, int]]:
        """Where the words and phrases stand that are never replaced."""
        return [] if self._allowed is None else [match.span() for match in self._allowed.finditer(text)]

    def report(self, texts: Any) -> ScrubReport:
        """How much was found, and by what."""
        checked = check_texts(texts)
        found = self.spans(checked)
        flat = [span for spans in found for span in spans]
        return ScrubReport(
            texts=len(found),
            touched=sum(bool(spans) for spans in found),
            characters=sum(map(len, checked)),
            covered=sum(span.end - span.start for span in flat),
            labels=dict(sorted(Counter(span.label for span in flat).items())),
            sources=dict(sorted(Counter(span.source.partition(":")[0] for span in flat).items())),
        )

    def _stand_ins(self, texts: list[str], found: list[list[Span]]) -> tuple[list[list[str]], dict[str, str]]:
        """What is written for each span, and what pseudonyms stand for."""
        if self.replacement == "mask":
            return [[MASK] * len(spans) for spans in found], {}
        if self.replacement == "label":
            return [[f"[{span.label}]" for span in spans] for spans in found], {}
        assert self.key is not None  # checked in __post_init__
        people = People.of(
            [
                [_plain(text[span.start : span.end]) for span in spans if span.label in NAMES]
                for text, spans in zip(texts, found, strict=True)
            ]
        )
        written: list[list[str]] = []
        originals: dict[str, str] = {}
        for number, (text, spans) in enumerate(zip(texts, found, strict=True)):
            row: list[str] = []
            for span in spans:
                value = text[span.start : span.end]
                label, plain = "PERSON" if span.label in NAMES else span.label, _plain(value)
                normal = people.full(number, plain) if span.label in NAMES else normal_form(label, plain)
                token = pseudonym(self.key, label, normal)
                if len(value) > len(originals.get(token, "")):
                    originals[token] = value
                row.append(token)
            written.append(row)
        return written, originals


def _plain(value: str) -> str:
    seen = readable(value)
    return value if seen is None else seen[0]


def rewrite(text: str, spans: Sequence[Span], stand_ins: Sequence[str]) -> str:
    """A text with its spans, which do not overlap, replaced."""
    parts, at = [], 0
    for span, written in zip(spans, stand_ins, strict=True):
        parts += [text[at : span.start], written]
        at = span.end
    return "".join([*parts, text[at:]])
