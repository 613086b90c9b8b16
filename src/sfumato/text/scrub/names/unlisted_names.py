"""Names that are in no list and stand after no greeting, told apart by a dictionary."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sfumato.text.scrub.locales.languages import phrases_of_all
from sfumato.text.scrub.names.alphabet import CAPITAL, SMALL, is_capitalised
from sfumato.text.scrub.names.name_lists import AMBIGUOUS, COMMON_NAMES, NOT_NAMES, ORGANISATION, TITLES
from sfumato.text.scrub.names.proper_nouns import PLAIN_NOUNS, PROPER_NOUNS

__all__ = ["initialled_names", "lone_names", "reversed_names", "speakers"]

IsWord = Callable[[str], bool]

_CLOCK = r"(?:[\[(]?\d[\d:./, \-]{2,20}(?:[AaPp]\.?[Mm]\.?)?[\])]?[ ]?[\-–]?[ ]?)"
_TURN = re.compile(rf"(?m)^[ \t]*({_CLOCK})?<?([^\W\d_][\w'’.\-]{{1,24}}(?:[ ][\w'’.\-]{{1,24}}){{0,2}})>?:[ \t]+\S")
_REVERSED = re.compile(
    rf"(?m)(?:^|[:#>][ \t]*|\b(?:passenger|patient|name|re)[ ])({CAPITAL}{{3,}}(?:[-'’ ]{CAPITAL}{{3,}})?(?:,[ ]?|/)"
    rf"{CAPITAL}{{3,}}(?:[ ]{CAPITAL}{{3,}})?)(?=[ ]?(?:[(;\n\d]|M(?:R|RS|S|ISS)\b|$))"
)
_LONE = re.compile(rf"(?<=[a-z,] )({CAPITAL}{SMALL}{{2,}})(?=['’]s\b|[ ](?![A-Z])|[.,;!?]|$)")
_INITIALLED = re.compile(rf"(?<![\w.])((?:{CAPITAL}\.[ ]?){{1,3}})({CAPITAL}{SMALL}+(?:[-'’]{CAPITAL}{SMALL}+)*)")
_ABBREVIATION = re.compile(r"(?:U\.S|U\.K|U\.N|E\.U|D\.C|P\.O|N\.Y|L\.A|B\.C|A\.D|P\.S)\.")
_BEFORE = re.compile(r"([^\W\d_]+),?[ ]$")
_ARTICLES = frozenset("the a an this that these those our your my his her their its in on at of every each".split())
"""After these a capital is that of a thing: the Grant, our Star, in May."""


def speakers(text: str, is_word: IsWord | None) -> Iterator[tuple[int, int, bool]]:
    """Who speaks in a chat or a transcript: what stands before the colon of its lines and is no ordinary word.

    Lines of a form look the same. In a conversation somebody speaks twice, or lines begin with the time; only the time
    counts where there is no dictionary of the language. A name of the list is one in any case. With each place comes
    whether it is sure: a capitalised word without a time may be a line of a form.

    >>> text = "wietske: did he pay?\\nbot: no answer\\ntjerk: nope\\nwietske: typical"
    >>> [text[start:end] for start, end, _ in speakers(text, lambda word: word == "bot")]
    ['wietske', 'tjerk', 'wietske']
    """
    turns = list(_TURN.finditer(text))
    labels = [turn.group(2).lower() for turn in turns]
    if len(set(labels)) < 2:
        return
    twice = len(set(labels)) < len(labels)
    for turn in turns:
        words = [word.lower().strip(".") for word in turn.group(2).split()]
        words = [word for word in words if word not in TITLES]
        listed = AMBIGUOUS | COMMON_NAMES if is_capitalised(turn.group(2)) else COMMON_NAMES - AMBIGUOUS
        unknown = [word for word in words if word not in listed]
        spoken = turn.group(1) is not None or (twice and is_word is not None)
        ordinary = any(_is_thing(word) or (is_word is not None and is_word(word)) for word in unknown)
        if words and not ordinary and (spoken or not unknown):
            yield *turn.span(2), turn.group(1) is not None or not is_capitalised(turn.group(2))


def reversed_names(text: str, is_word: IsWord) -> Iterator[tuple[int, int]]:
    """A family name before a given name, in capitals, as forms and tickets have it.

    >>> text = "RE: ABERNATHY, PHILIPPA (61)"
    >>> [text[start:end] for start, end in reversed_names(text, lambda word: False)]
    ['ABERNATHY, PHILIPPA']
    """
    for match in _REVERSED.finditer(text):
        words = [word.lower() for word in re.findall(r"[^\W\d_]+", match.group(1))]
        if not any(_is_thing(word) for word in words) and not all(map(is_word, words)):
            yield match.span(1)


def initialled_names(text: str, is_word: IsWord) -> Iterator[tuple[int, int]]:
    """A capitalised word after two initials, or after one if it is no ordinary word.

    >>> text = "by J. R. Berg, not by K. Zwerg. Plan B. Results follow, as the U.S. Army says"
    >>> [text[start:end] for start, end in initialled_names(text, lambda word: word in ("berg", "results", "army"))]
    ['J. R. Berg', 'K. Zwerg']
    """
    for match in _INITIALLED.finditer(text):
        word = match.group(2).lower()
        several = match.group(1).count(".") > 1 and not _ABBREVIATION.match(match.group(1))
        if not _is_thing(word) and (several or not is_word(word) or word in AMBIGUOUS - NOT_NAMES):
            yield match.span()


def lone_names(text: str) -> Iterator[tuple[int, int]]:
    """Names that are words as well, with a capital inside a sentence and alone: nothing else explains the capital.

    >>> text = "I think Grace and Will broke up. Will it last? Ask in the Grace."
    >>> [text[start:end] for start, end in lone_names(text)]
    ['Grace', 'Will']
    """
    for match in _LONE.finditer(text):
        word = match.group(1).lower()
        before = _BEFORE.search(text, max(0, match.start() - 24), match.start())
        if word in AMBIGUOUS - NOT_NAMES and before and before.group(1).lower() not in _ARTICLES:
            yield match.span(1)


def _is_thing(word: str) -> bool:
    things = (NOT_NAMES, ORGANISATION, PLAIN_NOUNS, PROPER_NOUNS, phrases_of_all("id_words"))
    return any(word in kind for kind in things)
