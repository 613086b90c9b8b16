"""A public document that lies deep among the sentences of the protected one (Meehan, ch. 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.promise import Assumption, Guarantee, PureDP
from sfumato.promise.amount import multiply_up
from sfumato.text.core.corpus import check_texts
from sfumato.text.mechanisms.retrieve.depth_law import DepthLaw, Sampler
from sfumato.text.mechanisms.retrieve.retrieval_mechanism import RetrievalMechanism
from sfumato.text.promise import TextLoss
from sfumato.validate import choice

__all__ = ["DeepCandidate"]


@dataclass(frozen=True, kw_only=True, eq=False)
class DeepCandidate(RetrievalMechanism):
    """Releases a public document, more likely the deeper its vector lies among those of the sentences (Meehan Alg. 3).

    A document of k sentences is a cloud of k points. The depth of candidate f is u(f) = min_j min(h_j, k − h_j), where
    h_j counts the sentences on one side of f along the public direction v_j. A candidate is released with probability
    ∝ e^(εu/2), or by permute-and-flip. What leaves is the candidate itself: its text, its vector, its topic are public.

    **Theorem** (Meehan 3.4.1, for the minimum over directions). Replacing one sentence changes every h_j, and so every
    u, by at most 1: the release is ε-private per sentence (SentDP), aε for a sentences. Adding or removing a sentence
    moves u − k/2 by ½ only: with ``neighbours="add-remove"`` the weight is e^(εu), and k is not public. Conditions:
    pool, encoder, directions and every parameter are chosen without looking at the document, and the vector of a
    sentence depends on that sentence alone.

    **Whole documents.** All depths lie between 0 and ⌊most/2⌋, so that any two documents, of any lengths, lose at most
    ε·⌊most/2⌋ (twice that with add-remove): half of what group privacy gives. This is what a ledger is charged.

    The dissertation prints a maximum over the directions where its prose has the minimum. Both are private; the maximum
    is useless (``tests/specimens``).

    Parameters
    ----------
    sampler : {"exponential", "permute-and-flip"}
    neighbours : {"replace-one", "add-remove"}

    Examples
    --------
    >>> from sfumato.text.data.letters import make_letters, make_letters_pool
    >>> letter = make_letters(authors=1, letters=3).texts[0]
    >>> deep = DeepCandidate(epsilon=10.0, pool=make_letters_pool(), encoder="tfidf", most=20)
    >>> deep.release(letter, rng=np.random.default_rng(1)) in deep.pool.texts
    True
    >>> print(deep.guarantee)
    ε = 10 per sentence (replace-one neighbours, local model); taken as public: the pool (letters by other invented
    people), provided that the number of sentences of each text is public
    >>> print(deep.whole_promise(texts=1, words=60, unit="document"))
    ε = 100 per document (any-pair neighbours, local model); taken as public: the pool (letters by other invented
    people)
    """

    called: ClassVar[str] = "retrieve"

    sampler: Sampler = "exponential"
    neighbours: Literal["replace-one", "add-remove"] = "replace-one"

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("neighbours", self.neighbours, ("replace-one", "add-remove"))
        _ = self.law

    @cached_property
    def law(self) -> DepthLaw:
        """How depth becomes probability."""
        return DepthLaw(epsilon=self.epsilon, doubled=self.neighbours == "add-remove", sampler=self.sampler)

    @property
    def guarantee(self) -> Guarantee:
        """ε for one sentence."""
        promise = PureDP(float(self.epsilon), unit="sentence", neighbours=self.neighbours, model="local")
        public = [Assumption("pool", source=self.pool.source)]
        if self.neighbours == "replace-one":
            public.append(Assumption("number of sentences of each text"))
        return promise.assuming(*public)

    @property
    def document_epsilon(self) -> float:
        """What any two documents lose at most, whatever their lengths."""
        return multiply_up(self.epsilon, (self.most // 2) * (1 if self.neighbours == "replace-one" else 2))

    def whole_promise(self, *, texts: int, words: int, unit: str) -> Guarantee:
        whole = PureDP(multiply_up(self.document_epsilon, texts), unit=unit, neighbours="any-pair", model="local")
        return whole.assuming(Assumption("pool", source=self.pool.source))

    def text_losses(self, words: float) -> list[TextLoss]:
        return []

    def choose(self, points: NDArray[np.float64], count: int, rng: Rng) -> NDArray[np.int64]:
        return self.law.draw(self.depths(points), count, rng)

    def depths(self, points: NDArray[np.float64]) -> NDArray[np.int32]:
        """The depth of every candidate among the points of a document."""
        return self.space.depths(points) if len(points) else np.zeros(len(self.space), np.int32)

    def log_prob(self, output: Sequence[str], data: Any) -> NDArray[np.float64]:
        """The log-probability of each released document, for one protected document."""
        return self.log_likelihood(output, check_texts([data]))[:, 0]

    def log_likelihood(self, released: Sequence[str], candidates: Sequence[str]) -> NDArray[np.float64]:
        places = self.chosen(released)
        laws = [self.law.log_probs(self.depths(self.points(text)))[places] for text in candidates]
        found = np.array(laws).T.reshape(len(places), len(candidates))
        return np.where(places[:, None] >= 0, found, -np.inf)
