"""How much a word tells: its information content, with a table of what a searcher prefers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sfumato.errors import bad_input
from sfumato.text.sanitise.analysis import Word
from sfumato.validate import integer, number

__all__ = ["WEIGHTS", "InformationContent"]

WEIGHTS: Mapping[str, float] = {
    "proper": 4.0,
    "noun": 2.0,
    "verb": 1.0,
    "word": 1.0,
    "number": 0.0,
    "adverb": -2.0,
    "adjective": -2.0,
    "function": -30.0,
    "replaced": -8.0,
}
"""ε(w) by the kind of word, in bits. Nouns and verbs are preferred, adjectives are not, function words are never taken;
``replaced`` is for words that the original does not have. Courts want ``number`` up (ages) and ``proper`` down
(judges)."""
_SAME = 5
"""Words that share so many letters at their beginning are taken for one."""


@dataclass(frozen=True, kw_only=True)
class InformationContent:
    """I(w) = −log₂ P(w) + ε(w), with P(w) over the documents at hand and a background (Mimoto §6.1).

    Parameters
    ----------
    counts : mapping of str to int
        How often each form occurs in all of them.
    weights : mapping of str to float
        ε(w) by kind.

    Examples
    --------
    >>> content = InformationContent.of([[Word("a", "a", "noun", 0, 1)] * 3 + [Word("b", "b", "noun", 2, 3)]])
    >>> content(Word("b", "b", "noun", 2, 3)), round(content(Word("a", "a", "noun", 0, 1)), 3)
    (4.0, 2.415)
    """

    counts: Mapping[str, int]
    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)

    def __post_init__(self) -> None:
        if not self.counts:
            raise bad_input("counts", "none", "at least one word", "the documents are empty")
        for kind, weight in self.weights.items():
            number(f"weights[{kind!r}]", weight)

    @classmethod
    def of(
        cls, documents: Iterable[Sequence[Word]], *, weights: Mapping[str, float] | None = None
    ) -> InformationContent:
        """Counted over some documents, which should be those at hand and as many others as there are."""
        counts: Counter[str] = Counter()
        for words in documents:
            counts.update(word.form for word in words)
        return cls(counts=counts, weights={**WEIGHTS, **(weights or {})})

    @property
    def total(self) -> int:
        """How many words there are."""
        return sum(self.counts.values())

    def __call__(self, word: Word, *, original: Collection[str] | None = None) -> float:
        """I(w) in bits; a word never seen counts as seen once."""
        share = max(1, self.counts.get(word.form, 0)) / self._total
        bonus = self.weights.get(word.kind, 0.0)
        if original is not None and word.form not in original:
            bonus += self.weights.get("replaced", 0.0)
        return bonus - math.log2(share)

    @property
    def _total(self) -> int:
        found = self.__dict__.get("_sum")
        if found is None:
            found = self.total
            object.__setattr__(self, "_sum", found)
        return int(found)

    def keywords(
        self, words: Sequence[Word], count: int, *, original: Collection[str] | None = None, diverse: bool = True
    ) -> list[Word]:
        """The ``count`` forms of highest I(w), function words never; with ``diverse``, no two spelt nearly alike."""
        integer("count", count)
        first: dict[str, Word] = {}
        for word in words:
            if word.kind != "function":
                first.setdefault(word.form, word)
        ranked = sorted(first.values(), key=lambda word: (-self(word, original=original), word.start))
        chosen: list[Word] = []
        for word in ranked:
            if len(chosen) == count:
                break
            alike = any(_alike(word.form, other.form) for other in chosen)
            if not (diverse and alike):
                chosen.append(word)
        return chosen


def _alike(one: str, other: str) -> bool:
    return len(one) > _SAME and len(other) > _SAME and one[:_SAME] == other[:_SAME] and one[:_SAME].isascii()
