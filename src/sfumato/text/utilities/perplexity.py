"""Perplexity: how much protected texts read like those of the corpus, by a language model of word triples."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from sfumato.noise import Rng
from sfumato.study.score import Score
from sfumato.text.core.corpus import Corpus, check_corpora
from sfumato.text.core.tokens import tokens
from sfumato.text.utilities.small_language_model import installed_language_model
from sfumato.validate import choice, integer, probability

__all__ = ["PerplexityUtility", "TripleModel"]


_Counts = list[Counter[tuple[str, ...]]]


@dataclass(frozen=True, eq=False)
class TripleModel:
    """Words given the two before: counts of triples, pairs and words, mixed by absolute discounting.

    p(w|uv) = max(c(uvw) − d, 0)/c(uv) + d·n(uv)/c(uv)·p(w|v), where n(uv) is how many words follow; likewise below,
    down to the uniform law over the vocabulary and one unknown word.

    Parameters
    ----------
    texts : sequence of str
        To learn from.
    discount : float

    Examples
    --------
    >>> model = TripleModel(["the cat sat on the mat"] * 3)
    >>> model.perplexity("the cat sat") < model.perplexity("sat cat the")
    True
    """

    texts: Sequence[str]
    discount: float = 0.75

    def __post_init__(self) -> None:
        probability("discount", self.discount)

    @cached_property
    def _counts(
        self,
    ) -> tuple[list[Counter[tuple[str, ...]]], list[Counter[tuple[str, ...]]], list[Counter[tuple[str, ...]]]]:
        """For 1 to 3 words: how often a group occurs, how often one begins it, and how many words follow."""
        groups: _Counts = [Counter() for _ in range(3)]
        for text in self.texts:
            words = self._words(text)
            for size in range(1, 4):
                for end in range(2, len(words)):
                    groups[size - 1][tuple(words[end - size + 1 : end + 1])] += 1
        begins: _Counts = [Counter() for _ in range(3)]
        follow: _Counts = [Counter() for _ in range(3)]
        for size, counts in enumerate(groups):
            for group, count in counts.items():
                begins[size][group[:-1]] += count
                follow[size][group[:-1]] += 1
        return groups, begins, follow

    @staticmethod
    def _words(text: str) -> list[str]:
        return ["<s>", "<s>", *(word.lower() for word in tokens(text)), "</s>"]

    def _chance(self, group: tuple[str, ...]) -> float:
        groups, begins, follow = self._counts
        value = 1 / (len(groups[0]) + 1)
        for size in range(1, 4):
            part = group[3 - size :]
            total = begins[size - 1][part[:-1]]
            if total:
                own = max(groups[size - 1][part] - self.discount, 0.0) / total
                value = own + self.discount * follow[size - 1][part[:-1]] / total * value
        return value

    def perplexity(self, text: str) -> float:
        """e to the mean of −ln p over the words of a text and its end."""
        words = self._words(text)
        logs = [math.log(self._chance(tuple(words[end - 2 : end + 1]))) for end in range(2, len(words))]
        return math.exp(-sum(logs) / len(logs))


@dataclass(frozen=True, kw_only=True, eq=False)
class PerplexityUtility:
    """The median perplexity of protected test texts (Weggenmann U3).

    Low says that texts look ordinary, not that they say what the original says.

    Parameters
    ----------
    by : {"triples", "smollm2"}
        A model of word triples that learns from the raw training texts, or SmolLM2, a language model that knows English
        (:func:`installed_language_model`).
    most : int
        How many texts SmolLM2 judges: it takes about a tenth of a second for each.
    """

    label: ClassVar[Literal["topic", "mood", ""]] = ""

    by: Literal["triples", "smollm2"] = "triples"
    most: int = 100
    name: str = "perplexity"
    better: Literal["higher", "lower"] = "lower"

    def __post_init__(self) -> None:
        choice("by", self.by, ("triples", "smollm2"))
        integer("most", self.most)

    def measure(self, data: Corpus, release: Corpus, *, rng: Rng | None = None) -> Score:
        """The median; the reference is that of raw test texts."""
        check_corpora(data, release)
        known = self.by == "triples"
        model = TripleModel(data.part(data.train)) if known else installed_language_model()
        judged = [corpus.part(data.test)[: None if known else self.most] for corpus in (data, release)]
        raw, found = (float(np.nanmedian([model.perplexity(text) for text in texts])) for texts in judged)
        return Score(found, reference=raw)
