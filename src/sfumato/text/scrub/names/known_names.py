"""Names found once are found again: in the whole corpus, in capitals and in small letters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sfumato.text.scrub.name_recogniser import opens_sentence
from sfumato.text.scrub.names.alphabet import CAPITAL, is_capitalised
from sfumato.text.scrub.names.name_lists import AMBIGUOUS, NOT_NAMES, ORGANISATION, PARTICLES, TITLES
from sfumato.text.scrub.span import Span

__all__ = ["NAMES", "KnownNames", "join_names", "name_words"]

NAMES = frozenset({"PERSON", "NAME"})
"""The labels of people."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]{2,})?")
_WITHOUT_SPACES = re.compile(r"[぀-ヿ一-鿿가-힣]{2,}")
_SURE = 0.8
_INITIALS = re.compile(rf"(?<!\w)(?:{CAPITAL}\.[ \-]?){{1,3}}$")
_ENDS_IN_INITIAL = re.compile(rf"(?<!\w){CAPITAL}$")
"""Before a full stop that does not end a sentence."""
_SKIPPED = TITLES | PARTICLES | ORGANISATION


def name_words(name: str) -> list[str]:
    """The words of a name in lower case, without titles and particles.

    >>> name_words("Dr. Anna van der Berg-Kowalska")
    ['anna', 'berg', 'kowalska']
    """
    return [
        word
        for found in _WORD.finditer(name)
        if (word := re.sub(r"['’]s$", "", found.group().casefold())) not in _SKIPPED
    ]


@dataclass(frozen=True, kw_only=True)
class KnownNames:
    """Words of names that were found.

    Parameters
    ----------
    loose : frozenset of str
        Words that are nothing but names: found in any case.
    strict : frozenset of str
        Words that are words as well (Rose, Turner): found with a capital inside a sentence.
    shouted : frozenset of str
        Words of names that are not sure: found in capitals.
    pieces : frozenset of str
        Names in scripts without spaces: found anywhere.
    """

    loose: frozenset[str]
    strict: frozenset[str]
    shouted: frozenset[str]
    pieces: frozenset[str]

    @classmethod
    def of(
        cls, texts: Sequence[str], found: Sequence[Sequence[Span]], is_word: Callable[[str], bool] | None = None
    ) -> KnownNames:
        """The words of all people that recognisers found.

        Parameters
        ----------
        is_word : callable, optional
            Whether a word is an ordinary one. Without it only a list of names that are words as well is known.
        """
        loose: set[str] = set()
        strict: set[str] = set()
        shouted: set[str] = set()
        pieces: set[str] = set()
        for text, spans in zip(texts, found, strict=True):
            for span in spans:
                value = text[span.start : span.end]
                if span.label == "NAME":
                    words = name_words(value)
                    named = len(words) > 1  # one word may be a product
                    shouted.update(
                        word for word in words if named and len(word) > 3 and not (is_word and is_word(word))
                    )
                if span.label != "PERSON":
                    continue
                if _WITHOUT_SPACES.search(value):
                    pieces.update(_WITHOUT_SPACES.findall(value))
                    continue
                words = name_words(value)
                sure = span.score >= _SURE or len(words) > 1
                for word in words:
                    if len(word) < 3 or word in NOT_NAMES:
                        continue
                    ordinary = word in AMBIGUOUS or (is_word is not None and is_word(word))
                    (loose if sure and not ordinary else strict).add(word)
        return cls(
            loose=frozenset(loose),
            strict=frozenset(strict - loose),
            shouted=frozenset(shouted - loose - AMBIGUOUS - NOT_NAMES),
            pieces=frozenset(pieces),
        )

    def find(self, texts: Sequence[str]) -> list[list[Span]]:
        """Where their words stand."""
        pattern = (
            re.compile("|".join(map(re.escape, sorted(self.pieces, key=len, reverse=True)))) if self.pieces else None
        )
        return [[*self._words(text), *_pieces(text, pattern)] for text in texts]

    def _words(self, text: str) -> Iterator[Span]:
        if not (self.loose or self.strict or self.shouted):
            return
        every = self.loose | self.strict | self.shouted
        last = (-2, False)  # where the word before ended, and whether it was one of these in capitals
        waiting: re.Match[str] | None = None
        for match in _WORD.finditer(text):
            word = match.group()
            bare = re.sub(r"['’]s$", "", word.casefold())
            loud = word.isupper() and bare in every
            beside = loud and last[1] and match.start() == last[0] + 1  # two in a row are the name
            if beside and waiting is not None:
                yield Span(*waiting.span(), "PERSON", 0.8, "again")
            waiting = None
            last = (match.end(), loud)
            if (
                bare in self.loose
                or beside
                or (loud and bare in self.shouted)
                or (
                    bare in self.strict
                    and is_capitalised(word)
                    and not word.isupper()
                    and not opens_sentence(text, match.start())
                )
            ):
                initials = _INITIALS.search(text, max(0, match.start() - 10), match.start())
                start = match.start() if initials is None or not is_capitalised(word) else initials.start()
                yield Span(start, match.start() + len(bare), "PERSON", 0.8, "again")
            elif loud:
                waiting = match


def _pieces(text: str, pattern: re.Pattern[str] | None) -> Iterator[Span]:
    if pattern is not None:
        for match in pattern.finditer(text):
            yield Span(match.start(), match.end(), "PERSON", 0.8, "again")


def join_names(text: str, spans: Sequence[Span]) -> list[Span]:
    """Spans in which neighbours that are parts of one name have become one.

    >>> text = "Anna Kowalska-Nowak, Peter"
    >>> spans = [Span(0, 4, "PERSON"), Span(5, 13, "NAME"), Span(14, 19, "NAME"), Span(21, 26, "PERSON")]
    >>> [text[span.start : span.end] for span in join_names(text, spans)]
    ['Anna Kowalska-Nowak', 'Peter']
    """
    joined: list[Span] = []
    for span in spans:
        last = joined[-1] if joined else None
        if (
            last is not None
            and last.label in NAMES
            and span.label in NAMES
            and (
                text[last.end : span.start] in (" ", "-", " - ", "\u00a0")
                or (text[last.end : span.start] == ". " and _ENDS_IN_INITIAL.search(text, last.start, last.end))
            )
        ):
            best = max(last, span, key=lambda one: one.score)
            label = "PERSON" if "PERSON" in (last.label, span.label) else "NAME"
            joined[-1] = Span(last.start, span.end, label, best.score, best.source)
        else:
            joined.append(span)
    return joined
