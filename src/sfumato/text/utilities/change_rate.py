"""Which words a protection replaces: sensitive ones more often than others, and by which few hub words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Container, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from sfumato.errors import InputError, bad_input
from sfumato.noise import Rng
from sfumato.study.score import Score
from sfumato.text.core.corpus import Corpus, check_corpora
from sfumato.text.core.tokens import tokens
from sfumato.text.scrub.names.name_lists import AMBIGUOUS, COMMON_NAMES
from sfumato.validate import integer

__all__ = ["ChangeUtility", "change_rates", "hub_share"]


def change_rates(
    before: Sequence[Sequence[str]], after: Sequence[Sequence[str]], sensitive: Container[str]
) -> dict[str, float]:
    """The share of sensitive tokens that were replaced, and that of all others.

    A protection that aims at identity replaces the first kind more often than the second.

    Parameters
    ----------
    before, after : sequences of lists of str
        The words of each text, place by place.
    sensitive : container of str
        Which words are sensitive, such as names.

    Examples
    --------
    >>> change_rates([["hello", "ann", "see", "you"]], [["hello", "bob", "see", "me"]], {"ann"})
    {'sensitive': 1.0, 'other': 0.3333333333333333}
    """
    counts = {"sensitive": [0, 0], "other": [0, 0]}
    for old, new in zip(before, after, strict=True):
        if len(old) != len(new):
            raise bad_input("after", len(new), f"as many words as before: {len(old)}")
        for first, second in zip(old, new, strict=True):
            kind = counts["sensitive" if first in sensitive else "other"]
            kind[0] += first != second
            kind[1] += 1
    return {name: changed / total if total else math.nan for name, (changed, total) in counts.items()}


def hub_share(texts: Sequence[str], *, most: int = 10) -> float:
    """The share of all words that are one of the ``most`` commonest: near 1 if noise ends at a few hub words.

    >>> hub_share(["a b c d", "a a a a"], most=1)
    0.625
    """
    integer("most", most)
    counts = Counter(word.lower() for text in texts for word in tokens(text))
    return sum(count for _, count in counts.most_common(most)) / max(1, counts.total())


@dataclass(frozen=True, kw_only=True, eq=False)
class ChangeUtility:
    """The share of sensitive words that are gone from the texts; the reference is that of all other words.

    Below the reference, a protection spends its noise on words that name nobody. Words are compared text by text,
    without their places, so that texts of another length can be judged.

    Parameters
    ----------
    sensitive : collection of str, optional
        Which words are sensitive; by default common names of people.
    """

    label: ClassVar[Literal["topic", "mood", ""]] = ""

    sensitive: Collection[str] | None = None
    name: str = "names replaced"
    better: Literal["higher", "lower"] = "higher"

    def measure(self, data: Corpus, release: Corpus, *, rng: Rng | None = None) -> Score:
        """The share, with a 95 % interval."""
        check_corpora(data, release)
        listed = COMMON_NAMES - AMBIGUOUS if self.sensitive is None else {word.lower() for word in self.sensitive}
        gone: dict[bool, list[bool]] = {True: [], False: []}
        for old, new in zip(data.texts, release.texts, strict=True):
            left = Counter(word.lower() for word in tokens(new))
            for word in (one.lower() for one in tokens(old)):
                gone[word in listed].append(left[word] == 0)
                left[word] -= left[word] > 0
        if not gone[True] or not gone[False]:
            raise InputError("no sensitive word stands in the texts: expected some, and others beside them")
        return Score.of_share(gone[True], reference=sum(gone[False]) / len(gone[False]))
