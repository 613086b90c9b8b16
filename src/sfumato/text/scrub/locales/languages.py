"""All packs, and the language of a text by its small words."""

from __future__ import annotations

import re
from functools import cache

from sfumato.text.scrub.locales.english import ENGLISH
from sfumato.text.scrub.locales.french import FRENCH
from sfumato.text.scrub.locales.german import GERMAN
from sfumato.text.scrub.locales.italian import ITALIAN
from sfumato.text.scrub.locales.japanese import JAPANESE
from sfumato.text.scrub.locales.others import (
    CZECH,
    DANISH,
    DUTCH,
    FINNISH,
    GREEK,
    POLISH,
    PORTUGUESE,
    RUSSIAN,
    SWEDISH,
)
from sfumato.text.scrub.locales.pack import LocalePack, alternatives
from sfumato.text.scrub.locales.spanish import SPANISH

__all__ = ["LANGUAGES", "language_of", "phrase_before", "phrases_of_all", "words_of_all"]

LANGUAGES: dict[str, LocalePack] = {
    pack.language: pack
    for pack in (
        *(ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, JAPANESE, DUTCH, PORTUGUESE, POLISH, RUSSIAN, GREEK),
        *(SWEDISH, DANISH, FINNISH, CZECH),
    )
}
"""The packs by their language."""

_WORD = re.compile(r"[^\W\d_]+")
_SURE = 2
"""So many more small words than the second language has."""


@cache
def _small_words() -> dict[str, frozenset[str]]:
    return {name: frozenset(pack.function_words.split()) for name, pack in LANGUAGES.items() if pack.function_words}


def language_of(text: str, *, most: int = 4_000) -> str:
    """The language of a text by its small words; English if they do not tell, ``"ja"`` for kana.

    >>> language_of("Bitte rufen Sie mich an, ich bin bei der Arbeit und nicht zu Hause.")
    'de'
    >>> language_of("Anna, 12 May")
    'en'
    """
    start = text[:most]
    if not start.isascii() and re.search(r"[぀-ヿ]", start):
        return "ja"
    words = {word.lower() for word in _WORD.findall(start)}
    counts = {name: len(words & small) for name, small in _small_words().items()}
    english = counts.pop("en")
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] >= english + _SURE else "en"


@cache
def words_of_all(field: str) -> str:
    """The words of one field of all packs, as alternatives of a pattern."""
    return alternatives(tuple({word for pack in LANGUAGES.values() for word in getattr(pack, field).split()}))


@cache
def phrases_of_all(field: str) -> frozenset[str]:
    """The words of one field of all packs, as a set of phrases in lower case."""
    return frozenset(word.replace("_", " ") for pack in LANGUAGES.values() for word in getattr(pack, field).split())


_BEFORE = re.compile(r"[^\W\d_]+(?:['’.\-][^\W\d_]+)*")


def phrase_before(
    text: str, at: int, phrases: frozenset[str], *, skipped: frozenset[str] = frozenset(), reach: int = 48
) -> bool:
    """Whether one of the phrases stands just before a place, perhaps with words between that are skipped.

    Looking back from the few places in question is quicker than looking for a hundred phrases everywhere.

    >>> phrase_before("my customer number is 4711", 22, frozenset({"customer"}), skipped=frozenset({"number", "is"}))
    True
    """
    before = text[max(0, at - reach) : at]
    if any(mark in before for mark in "\n;") and (cut := max(before.rfind(mark) for mark in "\n;")) >= 0:
        before = before[cut + 1 :]
    words = [word.lower() for word in _BEFORE.findall(before)[-7:]]
    while words:
        if any(" ".join(words[-count:]) in phrases for count in (1, 2, 3)):
            return True
        if not words[-1].isascii() and any(phrase in words[-1] for phrase in phrases if not phrase.isascii()):
            return True  # scripts without spaces
        if words[-1] not in skipped:
            return False
        words.pop()
    return False
