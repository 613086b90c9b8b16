"""Similarity of meaning by sentence vectors, and the true Earth Mover's distance of words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from sfumato.noise import Rng
from sfumato.study.score import Score
from sfumato.text.core.corpus import Corpus, check_corpora
from sfumato.text.core.earth_mover import earth_mover_distance
from sfumato.text.mechanisms.retrieve.minilm_encoder import MiniLMEncoder
from sfumato.text.vocabulary.vocabulary import Vocabulary

__all__ = ["MoverUtility", "SentenceUtility"]


@dataclass(frozen=True, kw_only=True, eq=False)
class SentenceUtility:
    """The mean cosine of the MiniLM vectors of protected texts and originals. Needs the extra ``encode``.

    Parameters
    ----------
    most : int, optional
        How many texts are compared; all by default.
    """

    label: ClassVar[Literal["topic", "mood", ""]] = ""

    most: int | None = None
    name: str = "sentence similarity"
    better: Literal["higher", "lower"] = "higher"

    def measure(self, data: Corpus, release: Corpus, *, rng: Rng | None = None) -> Score:
        """The mean with a 95 % interval; the reference is 1."""
        check_corpora(data, release)
        encoder = MiniLMEncoder(longest=128)
        first, second = (encoder.encode_public(one.texts[: self.most]) for one in (data, release))
        return Score.of_mean((first * second).sum(axis=1), reference=1.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class MoverUtility:
    """The mean Earth Mover's distance of the words of protected texts from those of the originals (Fischer B8).

    The best pairing of words, not that of their places, which the thesis takes and which is never smaller.

    Parameters
    ----------
    vocabulary : Vocabulary
        Whose vectors measure the distance. Texts without a known word count as its mean.
    most : int, optional
        How many texts are compared; all by default.
    """

    label: ClassVar[Literal["topic", "mood", ""]] = ""

    vocabulary: Vocabulary
    most: int | None = None
    name: str = "Earth Mover's distance"
    better: Literal["higher", "lower"] = "lower"

    def measure(self, data: Corpus, release: Corpus, *, rng: Rng | None = None) -> Score:
        """The mean with a 95 % interval; the reference is 0."""
        check_corpora(data, release)
        values = []
        for pair in zip(data.texts[: self.most], release.texts[: self.most], strict=True):
            ids = [self.vocabulary.text_ids(text) for text in pair]
            points = [self.vocabulary.points(one if len(one) else np.array([len(self.vocabulary)])) for one in ids]
            values.append(earth_mover_distance(*points))
        return Score.of_mean(np.array(values), reference=0.0)
