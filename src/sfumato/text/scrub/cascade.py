"""Quick recognisers first, a model only where they leave a capitalised word unexplained."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sfumato.errors import bad_input
from sfumato.text.scrub.capital_recogniser import unexplained_capitals
from sfumato.text.scrub.name_recogniser import NameRecogniser
from sfumato.text.scrub.pattern_recogniser import PatternRecogniser
from sfumato.text.scrub.recogniser import Recogniser, check_recognisers
from sfumato.text.scrub.spacy_recogniser import SpacyRecogniser
from sfumato.text.scrub.span import Span, resolve_overlaps

__all__ = ["Cascade"]

_SENTENCE = re.compile(r"\S[^\n]*?(?:(?<=[.!?])(?=\s+[\"'“(]?[A-ZÀ-ÖØ-Þ\d])|$)", re.MULTILINE)
_LONGEST = 1_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Cascade:
    """Quick recognisers first; the model reads only the sentences in which a capitalised word is left unexplained.

    Most sentences of a mail have no capital but the first, and that of an ordinary word; most names stand in a
    greeting, a signature or a header, or are in a list. What remains is a small part of the text. A sentence that
    occurs often (a disclaimer) is read once.

    Parameters
    ----------
    quick : sequence of recognisers
    model : SpacyRecogniser
    cautious : bool
        Take a capitalised word for a name if neither its place nor the dictionary nor the model explains it. Finds
        nearly all names, and brands and places with them.

    Notes
    -----
    Words of the model's dictionary count as explained at the start of a sentence, so a name that is a word and opens a
    sentence ("Rose called.") is missed, as it is by the quick recognisers. The dictionary has some famous names too.
    How much is gained depends on the texts: business mails with many capitals leave most sentences open.
    """

    quick: Sequence[Recogniser] = field(default_factory=lambda: (PatternRecogniser(), NameRecogniser()))
    model: SpacyRecogniser = field(default_factory=SpacyRecogniser)
    cautious: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.cautious, bool):
            raise bad_input("cautious", self.cautious, "True or False")
        check_recognisers("quick", self.quick)
        if not isinstance(self.model, SpacyRecogniser):
            raise bad_input("model", type(self.model).__name__, "a SpacyRecogniser")

    def find(self, texts: Sequence[str]) -> list[list[Span]]:
        """What the quick recognisers find, and what the model adds in the sentences that they leave open."""
        found: list[list[Span]] = [[] for _ in texts]
        for recogniser in self.quick:
            for spans, more in zip(found, recogniser.find(texts), strict=True):
                spans.extend(more)
        places: dict[str, list[tuple[int, int]]] = {}
        unknown = [self._unexplained(text, spans) for text, spans in zip(texts, found, strict=True)]
        for number, (text, words) in enumerate(zip(texts, unknown, strict=True)):
            for start, sentence in _sentences(text, [word.start() for word in words]):
                places.setdefault(sentence, []).append((number, start))
        sentences = sorted(places, key=len)  # alike in length, so that a batch has little padding
        for sentence, spans in zip(sentences, self.model.find(sentences), strict=True):
            for number, start in places[sentence]:
                found[number].extend(Span(start + s.start, start + s.end, s.label, s.score, s.source) for s in spans)
        if self.cautious:
            for spans, words in zip(found, unknown, strict=True):
                spans.extend(
                    Span(*word.span(), "NAME", 0.4, "unknown") for word in words if not self._is_word(word.group())
                )
        return found

    def _unexplained(self, text: str, spans: Sequence[Span]) -> list[re.Match[str]]:
        """Capitalised words that no span covers and nothing else explains."""
        words = unexplained_capitals(text, self._is_word)
        if not words:
            return []
        edges = [(span.start, span.end) for span in resolve_overlaps(spans)]
        starts = [start for start, _ in edges]
        return [word for word in words if not _covers(edges, bisect_right(starts, word.start()) - 1, word.start())]

    @cached_property
    def _memory(self) -> dict[str, bool]:
        return {}

    def _is_word(self, spelling: str) -> bool:
        known = self._memory.get(spelling)
        if known is None:
            known = self._memory[spelling] = self.model.is_word(spelling)
        return known


def _covers(edges: list[tuple[int, int]], number: int, at: int) -> bool:
    return number >= 0 and edges[number][0] <= at < edges[number][1]


def _sentences(text: str, places: list[int]) -> Iterator[tuple[int, str]]:
    """The sentences that hold these places, with where they start; of a gigantic one, the surroundings."""
    waiting = iter(places)
    at = next(waiting, None)
    if at is None:
        return
    for sentence in _SENTENCE.finditer(text):
        while at is not None and at < sentence.end():
            start = max(sentence.start(), at - _LONGEST // 2)
            end = min(sentence.end(), start + _LONGEST)
            yield start, text[start:end]
            while at is not None and at < end:
                at = next(waiting, None)
        if at is None:
            return
