"""Sanitisers to compare with: names only, pointwise mutual information, and K-security."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from sfumato.text.sanitise.analysis import Analyser, PlainAnalyser, normal
from sfumato.text.sanitise.generalisation import GAP, Generalisation
from sfumato.text.sanitise.information import InformationContent
from sfumato.text.sanitise.search_attack import names_pattern
from sfumato.text.sanitise.search_index import SearchIndex
from sfumato.text.scrub.scrubber import Scrubber
from sfumato.validate import integer, number

__all__ = ["KSecurity", "MutualInformation", "NamesOnly"]


@dataclass(frozen=True, kw_only=True, eq=False)
class NamesOnly:
    """Masks the person's names, and whatever else a scrubber knows.

    >>> NamesOnly().sanitise(["Ann Ray fell"], [["Ann Ray"]])
    ['[…] fell']
    """

    scrubber: Scrubber | None = None

    def sanitise(self, documents: Sequence[str], names: Sequence[Sequence[str]]) -> list[str]:
        """The documents without names."""
        texts = [names_pattern(own).sub(GAP, normal(text)) for text, own in zip(documents, names, strict=True)]
        return texts if self.scrubber is None else list(self.scrubber.release(texts))


@dataclass(frozen=True, kw_only=True, eq=False)
class MutualInformation:
    """Removes the words that occur with the person's name far more often than chance has it (after Sánchez and Batet).

    PMI(w, name) = log₂ N·n(w, name)/(n(w)·n(name)), counted in pages of a search index. A word goes if it is at least
    ``share`` of −log₂ of the name's own share of the pages, which is the largest it can be.
    """

    index: SearchIndex
    share: float = 0.5
    analyser: Analyser = field(default_factory=PlainAnalyser)

    def __post_init__(self) -> None:
        number("share", self.share)

    def sanitise(self, documents: Sequence[str], names: Sequence[Sequence[str]]) -> list[str]:
        """The documents without the words that go with a name."""
        return [self._one(normal(text), own) for text, own in zip(documents, names, strict=True)]

    def _one(self, text: str, names: Sequence[str]) -> str:
        text = names_pattern(names, self.analyser).sub(GAP, text)
        pages, words, gone = len(self.index), self.analyser.words(text), set()
        for name in names:
            known = self.index.count([name])
            if not known:
                continue
            most = math.log2(pages / known)
            for form, word in {word.form: word for word in words if word.kind != "function"}.items():
                both, alone = self.index.count([name, word.text]), self.index.count([word.text])
                if both and math.log2(pages * both / (alone * known)) >= self.share * most:
                    gone.add(form)
        return Generalisation().rewrite(text, words, gone, {})[0]


@dataclass(frozen=True, kw_only=True, eq=False)
class KSecurity:
    """Removes words until no one, two or three telling words are found together on fewer than K pages (but on some).

    Every set of at most ``together`` of the ``keywords`` most telling words must be on no page or on K at least; the
    most telling word of a set that is not goes.
    """

    index: SearchIndex
    k: int = 10
    keywords: int = 3
    together: int = 3
    analyser: Analyser = field(default_factory=PlainAnalyser)

    def __post_init__(self) -> None:
        integer("k", self.k), integer("keywords", self.keywords, most=12), integer("together", self.together)

    def sanitise(self, documents: Sequence[str], content: InformationContent) -> list[str]:
        """The documents without words that few pages have together."""
        return [self._one(normal(text), content) for text in documents]

    def _one(self, text: str, content: InformationContent) -> str:
        while True:
            words = self.analyser.words(text)
            telling = content.keywords(words, self.keywords) if words else []
            for size in range(1, min(self.together, len(telling)) + 1):
                rare = [
                    part
                    for part in itertools.combinations(telling, size)
                    if 0 < self.index.count([word.text for word in part]) < self.k
                ]
                if rare:
                    break
            else:
                return text
            text = Generalisation().rewrite(text, words, {part[0].form for part in rare}, {})[0]
