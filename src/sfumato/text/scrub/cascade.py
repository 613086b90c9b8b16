"""Quick recognisers first, a model only where they leave a capitalised word unexplained."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec

from sfumato.errors import bad_input
from sfumato.text.scrub.capital_recogniser import CAPITALISED, unexplained_capitals
from sfumato.text.scrub.locales.languages import LANGUAGES, language_of
from sfumato.text.scrub.name_recogniser import NameRecogniser, opens_sentence
from sfumato.text.scrub.names.alphabet import CAPITAL
from sfumato.text.scrub.names.name_lists import AMBIGUOUS, COMMON_NAMES, NOT_NAMES, ORGANISATION, TITLES
from sfumato.text.scrub.names.proper_nouns import GEOGRAPHY, PLAIN_NOUNS, PROPER_NOUNS
from sfumato.text.scrub.names.unlisted_names import initialled_names, lone_names, reversed_names, speakers
from sfumato.text.scrub.number_recogniser import NumberRecogniser
from sfumato.text.scrub.pattern_recogniser import PatternRecogniser
from sfumato.text.scrub.recogniser import Recogniser, check_recognisers
from sfumato.text.scrub.spacy_recogniser import MODEL, SpacyRecogniser
from sfumato.text.scrub.span import Span, resolve_overlaps

__all__ = ["Cascade", "default_recognisers", "model_is_installed", "quick_recognisers"]

_SENTENCE = re.compile(r"\S[^\n]*?(?:(?<=[.!?])(?=\s+[\"'“(]?[A-ZÀ-ÖØ-Þ\d])|$)", re.MULTILINE)
_LONGEST = 1_000
_FIELD = re.compile(rf"[:：] ?({CAPITALISED.pattern}(?: {CAPITALISED.pattern}){{1,3}})")
_SHOUTED = re.compile(rf"[ ]({CAPITAL}{{3,}}(?:-{CAPITAL}{{2,}})*)(?!\w)")
_INNER = re.compile(
    rf"(?:Mc|Mac|De|Di|Da|Du|La|Le|Lo|Van|Von|Fitz|O['’]|D['’]|L['’]|Al|El|St){CAPITAL}|{CAPITAL}\w*[-'’]"
)
_CAMEL = re.compile(rf"\w*[^\W\d_A-Z]\w*{CAPITAL}")


def model_is_installed() -> bool:
    """Whether what the cautious cascade needs is installed: the ``text`` extra."""
    return all(find_spec(name) is not None for name in ("spacy", MODEL, "stdnum", "phonenumbers"))


def quick_recognisers() -> tuple[Recogniser, ...]:
    """Patterns, name lists and, where their libraries are installed, ids and phones by their rules."""
    checked = all(find_spec(name) is not None for name in ("stdnum", "phonenumbers"))
    return (PatternRecogniser(), *((NumberRecogniser(),) if checked else ()), NameRecogniser())


def default_recognisers() -> tuple[Recogniser, ...]:
    """The cautious cascade where the ``text`` extra is installed; otherwise the quick recognisers."""
    return (Cascade(cautious=True),) if model_is_installed() else quick_recognisers()


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
        nearly all names, and unknown brands and places with them.

    Notes
    -----
    Words of the model's dictionary count as explained at the start of a sentence, so a name that is a word and opens a
    sentence ("Rose called.") is missed, as it is by the quick recognisers. The dictionary has some famous names too.
    How much is gained depends on the texts: business mails with many capitals leave most sentences open.

    The model and its dictionary are English. Texts in another language, told by their small words, are not read by it;
    there a capital inside a sentence is explained by nothing, except in German, where it says nothing.
    """

    quick: Sequence[Recogniser] = field(default_factory=quick_recognisers)
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
        languages = [language_of(text) for text in texts]
        unknown = [
            self._unexplained(text, spans, language)
            for text, spans, language in zip(texts, found, languages, strict=True)
        ]
        for number, (text, words, language) in enumerate(zip(texts, unknown, languages, strict=True)):
            if language == "en":
                for start, sentence in _sentences(text, self._questions(words)):
                    places.setdefault(sentence, []).append((number, start))
        sentences = sorted(places, key=len)  # alike in length, so that a batch has little padding
        for sentence, spans in zip(sentences, self.model.find(sentences), strict=True):
            spans = [span for span in spans if self._is_believed(sentence, span)]
            for number, start in places[sentence]:
                found[number].extend(Span(start + s.start, start + s.end, s.label, s.score, s.source) for s in spans)
        if self.cautious:
            for text, spans, words in zip(texts, found, unknown, strict=True):
                spans.extend(Span(*word.span(), "NAME", 0.4, "unknown") for word in words if self._is_suspect(word[0]))
                spans.extend(self._shouted(text, spans))
            for text, spans, language in zip(texts, found, languages, strict=True):
                spans.extend(self._unlisted(text, language == "en"))
        return found

    def _questions(self, words: list[re.Match[str]]) -> list[int]:
        """The words that the model is asked about. One that is replaced whatever it says is asked about once."""
        if not self.cautious:
            return [word.start() for word in words]
        asked: set[str] = set()
        places: list[int] = []
        for word in words:
            if word[0] not in asked:
                places.append(word.start())
                if self._is_suspect(word[0]):
                    asked.add(word[0])
        return places

    def is_word(self, word: str) -> bool:
        """Whether the dictionary of the model has a word."""
        return self._is_word(word)

    def _is_believed(self, sentence: str, span: Span) -> bool:
        """The model takes products and headings for people: an ordinary word that opens the sentence is none."""
        value = sentence[span.start : span.end]
        words = [word.lower() for word in re.findall(r"[^\W\d_]+", value)]
        if all(word in PROPER_NOUNS or word in NOT_NAMES for word in words):
            return span.label == "PLACE" and any(word in GEOGRAPHY for word in words)
        if span.label != "PERSON" or not self.cautious:
            return True
        if any(word in PROPER_NOUNS and word not in GEOGRAPHY for word in words):
            return False
        if any(word in COMMON_NAMES or word in AMBIGUOUS for word in words):
            return True
        if _CAMEL.match(value) and not _INNER.match(value):
            return False
        return not opens_sentence(sentence, span.start) or not all(map(self._is_word, words))

    def _is_suspect(self, word: str) -> bool:
        lower = word.lower()
        if lower in PROPER_NOUNS or any(map(str.isdigit, word)) or (_CAMEL.match(word) and not _INNER.match(word)):
            return False
        return not self._is_word(word) and not all(map(self._is_word, re.split(r"['’\-]", word)))

    def _shouted(self, text: str, spans: Sequence[Span]) -> Iterator[Span]:
        """Words in capitals that go on after a name in capitals and are no ordinary words."""
        for span in spans:
            if span.label == "PERSON" and text[span.start : span.end].isupper():
                following = _SHOUTED.match(text, span.end)
                if following and following[1].lower() not in NOT_NAMES and not self._is_word(following[1]):
                    yield Span(*following.span(1), "NAME", 0.5, "unknown")

    def _unlisted(self, text: str, english: bool) -> Iterator[Span]:
        """Speakers of a chat, names in capitals with the family first or after initials, and names that are words."""
        for start, end, sure in speakers(text, self._is_word if english else None):
            yield Span(start, end, "PERSON", 0.8 if sure else 0.5, "unlisted")
        for start, end in (*reversed_names(text, self._is_word), *initialled_names(text, self._is_word)):
            yield Span(start, end, "PERSON", 0.8, "unlisted")
        if english:
            for start, end in lone_names(text):
                yield Span(start, end, "NAME", 0.4, "unlisted")

    def _unexplained(self, text: str, spans: Sequence[Span], language: str) -> list[re.Match[str]]:
        """Capitalised words that no span covers and nothing else explains."""
        pack = LANGUAGES[language]
        if pack.capital_nouns:
            return []
        words = unexplained_capitals(text, self._is_word if language == "en" else _always)
        if language != "en":  # two capitals after a colon: a field of a form that holds a name
            words = [
                word for match in _FIELD.finditer(text) for word in CAPITALISED.finditer(text, *match.span(1))
            ] + words
        if not words:
            return []
        edges = [(span.start, span.end) for span in resolve_overlaps(spans)]
        starts = [start for start, _ in edges]
        return [
            word
            for word in words
            if not _covers(edges, bisect_right(starts, word.start()) - 1, word.start())
            and not _is_plain(word[0].lower())
            and not (not word[0].isascii() and word[0][0] > "ɏ" and opens_sentence(text, word.start()))
        ]

    @cached_property
    def _memory(self) -> dict[str, bool]:
        return {}

    def _is_word(self, spelling: str) -> bool:
        known = self._memory.get(spelling)
        if known is None:
            known = self._memory[spelling] = self.model.is_word(spelling)
        return known


def _always(_word: str) -> bool:
    return True


def _is_plain(word: str) -> bool:
    """Whether a capital needs no explanation: nouns of offices, titles, the last words of firms, known products."""
    return (
        word in PLAIN_NOUNS
        or word in ORGANISATION
        or word in TITLES
        or (word in PROPER_NOUNS and word not in GEOGRAPHY)
    )


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
