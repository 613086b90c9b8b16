"""How well search still works."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from sfumato.noise import Rng
from sfumato.study.score import Score
from sfumato.text.core.corpus import Corpus, check_corpora
from sfumato.text.core.text_features import features_of
from sfumato.validate import integer

__all__ = ["RetrievalUtility"]


@dataclass(frozen=True, kw_only=True, eq=False)
class RetrievalUtility:
    """The share of search results that stay the same: raw test texts are searched for in raw and in protected texts.

    Parameters
    ----------
    results : int
        How many results a search shows.
    """

    label: ClassVar[Literal["topic", "mood", ""]] = ""
    """Which label of a text it needs."""

    results: int = 10
    name: str = "search results kept"
    better: Literal["higher", "lower"] = "higher"

    def __post_init__(self) -> None:
        integer("results", self.results)

    def measure(self, data: Corpus, release: Corpus, *, rng: Rng | None = None) -> Score:
        """The mean share with a 95 % interval; the reference is 1."""
        check_corpora(data, release)
        queries, raw = data.part(data.test), data.part(data.train)
        protected = release.part(data.train)
        most = min(self.results, len(raw))
        found = []
        for texts in (raw, protected):
            learn, see = features_of("counts", texts, queries)
            closeness = see @ learn.T
            closeness = closeness.toarray() if hasattr(closeness, "toarray") else np.asarray(closeness)
            found.append(np.argsort(-closeness, axis=1, kind="stable")[:, :most])
        kept = [len(np.intersect1d(a, b)) / most for a, b in zip(*found, strict=True)]
        return Score.of_mean(kept, reference=1.0)
