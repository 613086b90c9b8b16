"""How close protected texts stay to their originals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from sfumato.noise import Rng
from sfumato.study.score import Score
from sfumato.text.core.corpus import Corpus, check_corpora
from sfumato.text.vocabulary.vocabulary import Vocabulary

__all__ = ["SimilarityUtility"]


@dataclass(frozen=True, kw_only=True, eq=False)
class SimilarityUtility:
    """The mean cosine similarity of protected texts and originals, by their mean word vectors.

    Parameters
    ----------
    vocabulary : Vocabulary
        Whose vectors are taken, with stop words left out.
    """

    label: ClassVar[Literal["topic", "mood", ""]] = ""
    """Which label of a text it needs."""

    vocabulary: Vocabulary
    name: str = "similarity"
    better: Literal["higher", "lower"] = "higher"

    def measure(self, data: Corpus, release: Corpus, *, rng: Rng | None = None) -> Score:
        """The mean with a 95 % interval; the reference is 1."""
        check_corpora(data, release)
        first, second = (_centroids(corpus, self.vocabulary) for corpus in (data, release))
        cosines = (first * second).sum(axis=1)
        return Score.of_mean(cosines, reference=1.0)


def _centroids(corpus: Corpus, vocabulary: Vocabulary) -> Any:
    from sfumato.text.vocabulary.vectoriser import Vectoriser

    vectoriser = Vectoriser(vocabulary=vocabulary)
    vectors = np.asarray(vocabulary.vectors, np.float64)
    means = np.array(
        [vectors[ids].mean(axis=0) if len(ids) else vocabulary.unknown for ids in map(vectoriser.ids, corpus.texts)]
    )
    return means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)
