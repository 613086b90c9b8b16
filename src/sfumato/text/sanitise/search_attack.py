"""Search for the person behind a document, as somebody would who has the document and a search engine."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Mapping, Sequence, Sized
from dataclasses import dataclass, field, replace
from typing import Any

from sfumato.errors import bad_input
from sfumato.text.sanitise.analysis import Analyser, PlainAnalyser, Word, normal
from sfumato.text.sanitise.information import InformationContent
from sfumato.text.sanitise.searcher import Page, Searcher, SearchFailure, Together
from sfumato.validate import choice, integer

__all__ = ["SearchAttack", "SearchFinding", "names_pattern"]

_MOST = 12
"""More keywords would make thousands of searches."""
_SHARE = 0.4
"""Of the further words of a document; more of them on one page are taken for the same event."""
_REMEMBERED = 20_000
"""Pages whose words are remembered."""


@dataclass(frozen=True, kw_only=True)
class SearchFinding:
    """What the searches with the keywords of one document found.

    Parameters
    ----------
    keywords : tuple of str
    queries : int
        How many searches were made.
    leads : tuple of tuple of str
        The sets of keywords whose result names the person.
    overlap : int
        The largest number of further words of the document on one page: the name-free index w.
    checked : bool
        Whether every search was answered.
    """

    keywords: tuple[str, ...]
    queries: int
    leads: tuple[tuple[str, ...], ...]
    overlap: int = 0
    checked: bool = True

    @property
    def risk_words(self) -> frozenset[str]:
        """All words of the sets that lead to the person."""
        return frozenset(word for lead in self.leads for word in lead)


@dataclass(frozen=True, kw_only=True, eq=False)
class SearchAttack:
    """Searches with every non-empty set of the most telling words of a document (Mimoto Alg. 6).

    With ``keywords = 3`` these are 7 searches. A search succeeds if one of its first pages has a name of the person;
    or, where names are not known, if more than ``threshold`` of the document's next most telling words stand on one
    page (the name-free index w). With ``whole``, one more search takes all telling words at once and any page that has
    some of them: pasting the document into the search field is what a lazy searcher does, and it finds people that no
    three words find.

    Parameters
    ----------
    searcher : Searcher
    keywords : int or mapping of str to int
        How many words; a mapping gives a number for each interest label (``{"fatal": 3, "other": 2}``).
    hits : int
        Pages that are looked at for each search.
    together : {"all", "any"}
        Pages must have all the words, or any of them.
    whole : bool
        Also search for the whole document at once. The dissertation does not.
    threshold : int, optional
        Of the name-free index; by default two fifths of the words that it counts, so that short documents are judged
        too.
    metadata : int
        How many further words it counts at most.
    analyser : Analyser
    """

    searcher: Searcher
    keywords: int | Mapping[str, int] = 3
    hits: int = 10
    together: Together = "all"
    whole: bool = True
    threshold: int | None = None
    metadata: int = 20
    analyser: Analyser = field(default_factory=PlainAnalyser)
    _pages: dict[str, frozenset[str]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        sizes = self.keywords.values() if isinstance(self.keywords, Mapping) else [self.keywords]
        for size in sizes:
            integer("keywords", size, most=_MOST)
        integer("hits", self.hits), integer("metadata", self.metadata)
        if self.threshold is not None:
            integer("threshold", self.threshold, least=0)
        choice("together", self.together, ("all", "any"))
        if not isinstance(self.searcher, Searcher):
            raise bad_input("searcher", type(self.searcher).__name__, "something with search(words, hits, together=…)")

    def size(self, label: str | None) -> int:
        """How many keywords a document with that label gets."""
        if not isinstance(self.keywords, Mapping):
            return self.keywords
        return self.keywords[choice("label", str(label), list(self.keywords))]

    def attack(
        self,
        words: Sequence[Word],
        content: InformationContent,
        *,
        names: Sequence[str] | None = None,
        label: str | None = None,
        original: Collection[str] | None = None,
    ) -> SearchFinding:
        """Search for one document.

        Parameters
        ----------
        words : sequence of Word
            Of the document.
        content : InformationContent
        names : sequence of str, optional
            Of the person; None uses the name-free index.
        label : str, optional
            The interest label, if the number of keywords depends on it.
        original : collection of str, optional
            The forms of the document before it was sanitised by hand.
        """
        if not words:
            raise bad_input("document", "empty", "at least one word")
        chosen = content.keywords(words, self.size(label), original=original)
        pattern = None if names is None else names_pattern(names, self.analyser)
        further: list[frozenset[str]] = []
        if pattern is None:
            taken = {word.form for word in chosen}
            ranked = content.keywords(words, len(chosen) + self.metadata, original=original, diverse=False)
            further = [self.compared(word) for word in ranked if word.form not in taken]
            further = further[: self.metadata]
        look = _Look(attack=self, pattern=pattern, further=further)
        leads = [
            tuple(word.form for word in part)
            for size in range(1, len(chosen) + 1)
            for part in itertools.combinations(chosen, size)
            if look.leads([word.text for word in part], self.together)
        ]
        if self.whole:
            telling = content.keywords(words, len(words), original=original, diverse=False)
            page = look.leads([word.text for word in telling], "any") if telling else None
            if page:
                there = self.forms(page)
                shared = tuple(word.form for word in telling if there & self.compared(word))
                leads.append(shared or tuple(word.form for word in telling))
        shown = tuple(word.form for word in chosen)
        return SearchFinding(
            keywords=shown, queries=look.queries, leads=tuple(leads), overlap=look.overlap, checked=look.checked
        )

    def compared(self, word: Word) -> frozenset[str]:
        """A word as it is looked for on pages."""
        return self.analyser.compared(word.text) | {word.form}

    def forms(self, page: Page) -> frozenset[str]:
        """The words of a page, as they are counted and as they are written; remembered, since pages come again."""
        if page.text not in self._pages:
            if len(self._pages) >= _REMEMBERED:
                self._pages.clear()
            self._pages[page.text] = self.analyser.compared(normal(page.text))
        return self._pages[page.text]

    def wider(self) -> SearchAttack:
        """A searcher with three more keywords who looks at three times the pages.

        Whoever sorts the pages of this one anew, by what they know of how documents are sanitised, finds no more.
        """
        sizes = self.keywords
        more = {k: min(n + 3, _MOST) for k, n in sizes.items()} if isinstance(sizes, Mapping) else min(sizes + 3, _MOST)
        return replace(self, keywords=more, hits=3 * self.hits)

    def to_card(self) -> dict[str, Any]:
        """The searcher as plain values."""
        pages = getattr(self.searcher, "searcher", self.searcher)
        return {
            "keywords": dict(self.keywords) if isinstance(self.keywords, Mapping) else self.keywords,
            "hits": self.hits,
            "together": self.together,
            "whole": self.whole,
            "threshold": self.threshold,
            "metadata": self.metadata,
            "language": self.analyser.name,
            "pages": len(pages) if isinstance(pages, Sized) else None,
        }


@dataclass(kw_only=True, eq=False)
class _Look:
    """Searches one after the other, and what they found so far."""

    attack: SearchAttack
    pattern: re.Pattern[str] | None
    further: Sequence[frozenset[str]]
    queries: int = 0
    overlap: int = 0
    checked: bool = True

    def leads(self, words: Sequence[str], together: Together) -> Page | None:
        """The page that names the person, or None."""
        self.queries += 1
        try:
            pages = self.attack.searcher.search(words, self.attack.hits, together=together)
        except SearchFailure:
            self.checked = False
            return None
        if self.pattern is not None:
            return next((page for page in pages if self.pattern.search(normal(page.text))), None)
        shares = [sum(not own.isdisjoint(self.attack.forms(page)) for own in self.further) for page in pages]
        self.overlap = max([self.overlap, *shares])
        given = self.attack.threshold
        most = int(_SHARE * len(self.further)) if given is None else given
        return next((page for page, share in zip(pages, shares, strict=True) if share > most), None)


def names_pattern(names: Sequence[str], analyser: Analyser | None = None) -> re.Pattern[str]:
    """What finds any of the names as whole words, whatever the case; blanks in them may be any space.

    >>> pattern = names_pattern(["Ann Ray"])
    >>> bool(pattern.search("said ANN  RAY.")), bool(pattern.search("Joann Rayner"))
    (True, False)
    """
    parts = [r"\s+".join(map(re.escape, normal(name).split())) for name in names if normal(name).strip()]
    if isinstance(names, str) or not parts:
        raise bad_input("names", names, "at least one name of the person", "without names, use the name-free index")
    whole = "|".join(sorted(parts, key=len, reverse=True))
    spaced = analyser is None or analyser.spaced
    return re.compile(rf"(?<!\w)(?:{whole})(?!\w)" if spaced else f"(?:{whole})", re.IGNORECASE)
