"""The anonymizer of the thesis as it was built, and what its attention can be used for soundly."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.promise import NoGuarantee
from sfumato.text.mechanisms.attention.identificator import Identificator
from sfumato.text.mechanisms.base import TextMechanism
from sfumato.validate import choice, positive

__all__ = ["AttentionAnonymizer", "public_attention"]


def public_attention(identificator: Identificator, texts: Sequence[str]) -> tuple[float, ...]:
    """The mean attention of each number of a word vector over public texts: weights for :class:`AttentionNoise`."""
    points, mask, _ = identificator.matrices(texts)
    if not mask.any():
        raise bad_input("texts", f"{len(texts)} texts without a word", "public texts")
    return tuple(identificator.attention(points, mask)[mask].mean(axis=0).tolist())


@dataclass(frozen=True, kw_only=True, eq=False)
class AttentionAnonymizer(TextMechanism):
    """Noise scaled by the attention that a classifier pays to the text itself (Fischer §3.5–3.7). It promises nothing.

    P = X + A⊙Z with Z of scale 1/ε, and every row becomes the nearest word. A is a function of the text, so two texts
    have noise of different scale and the ratio of their densities has no bound: no ε holds, whatever ε is set. With an
    identificator that was trained for small distances as well (the “Anonymizer”) A is nearly constant, and
    :class:`AttentionNoise` is the same thing with a true promise.

    Parameters
    ----------
    identificator : Identificator
    epsilon : float
        Scales the noise; it is not a privacy level.
    nearest : {"cosine", "euclidean"}
        How vectors become words; the thesis takes the cosine, which prefers a few hub words.
    never : collection of str
        Words that are never written, such as the names of senders.
    """

    identificator: Identificator
    epsilon: float = 0.03
    nearest: Literal["cosine", "euclidean"] = "cosine"
    never: Collection[str] = ()

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        choice("nearest", self.nearest, ("cosine", "euclidean"))
        if not isinstance(self.identificator, Identificator):
            raise bad_input("identificator", type(self.identificator).__name__, "an Identificator")
        if not self._allowed.any():
            raise bad_input("never", f"{len(self.never)} words", "fewer words than the vocabulary has")

    @property
    def guarantee(self) -> NoGuarantee:
        """None."""
        return NoGuarantee(
            "the scale of the noise depends on the text", unit="document", neighbours="any-pair", model="local"
        )

    @cached_property
    def _allowed(self) -> NDArray[np.bool_]:
        words = self.identificator.vocabulary.words
        return np.array([word not in set(self.never) for word in words])

    def noisy(self, texts: Sequence[str], rng: Rng) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The noisy matrices, which an attacker may see in place of the words."""
        points, mask, _ = self.identificator.matrices(texts)
        scale = self.identificator.attention(points, mask) / self.epsilon
        return points + scale * rng.laplace(size=points.shape), mask

    def log_density(self, output: NDArray[np.float64], text: str) -> NDArray[np.float64]:
        """The log-density of noisy matrices (first axis) for one text: what an auditor compares."""
        points, mask, _ = self.identificator.matrices([text])
        scale = self.identificator.attention(points, mask)[0] / self.epsilon
        apart = np.abs(output - points[0]) / scale
        law: NDArray[np.float64] = -(apart + np.log(2 * scale)).reshape(len(output), -1).sum(axis=1)
        return law

    def words(self, points: NDArray[np.float64]) -> NDArray[np.int64]:
        """The nearest allowed word of each point."""
        vectors = np.array(self.identificator.vocabulary.vectors)
        if self.nearest == "cosine":
            near = points @ (vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)).T
        else:
            near = points @ vectors.T - 0.5 * (vectors**2).sum(axis=1)
        return np.asarray(np.where(self._allowed, near, -math.inf).argmax(axis=1), np.int64)

    def release_texts(self, texts: list[str], rng: Rng) -> list[str]:
        noisy, mask = self.noisy(texts, rng)
        names = self.identificator.vocabulary.words
        return [" ".join(names[k] for k in self.words(row[own])) for row, own in zip(noisy, mask, strict=True)]
