"""A public document that lies deep among the sentences of the protected one (Meehan, ch. 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.promise import Assumption, Guarantee, PureDP
from sfumato.promise.amount import multiply_up
from sfumato.text.core.corpus import check_texts
from sfumato.text.mechanisms.responses.response_law import ResponseLaw, most_informative
from sfumato.text.mechanisms.retrieve.depth_law import DepthLaw, Sampler
from sfumato.text.mechanisms.retrieve.retrieval_mechanism import RetrievalMechanism
from sfumato.validate import choice, integer

__all__ = ["DeepCandidate", "usual_deepest"]

_LEAST_SHARE = 0.03
"""Of the candidates. Fewer keep hardly more of a topic, and tell whoever holds the texts which one it was."""


@dataclass(frozen=True, kw_only=True, eq=False)
class DeepCandidate(RetrievalMechanism):
    """Releases a public document, more likely one whose vector lies deep among those of the sentences (Meehan Alg. 3).

    A document of k sentences is a cloud of k points. The depth of candidate f is u(f) = min_j min(h_j, k − h_j), where
    h_j counts the sentences on one side of f along the public direction v_j. What leaves is the candidate itself: its
    text, its vector, its topic are public.

    **A document** (``unit="document"``, the default). The t deepest candidates are favoured, the nearest to the mean of
    equals. One of them is released with probability p = t·e^ε/(t·e^ε + m − t), else one of the others. Any two
    documents of any lengths are told apart by at most ε, whatever depth is (:class:`ResponseLaw`); so are two
    that differ in a sentence.

    **A sentence** (``unit="sentence"``, the dissertation's). A candidate is released with probability ∝ e^(εu/2), or by
    permute-and-flip. *Theorem* (Meehan 3.4.1, for the minimum over directions): replacing one sentence changes every
    h_j, and so every u, by at most 1: the release is ε-private per sentence (SentDP), aε for a sentences. Adding or
    removing a sentence moves u − k/2 by ½ only: with ``neighbours="add-remove"`` the weight is e^(εu), and k is not
    public. Conditions: pool, encoder, directions and every parameter are chosen without looking at the document, and
    the vector of a sentence depends on that sentence alone. All depths lie between 0 and ⌊most/2⌋, so that any two
    documents lose at most ε·⌊most/2⌋ (twice that with add-remove): half of what group privacy gives, and far too much
    for whoever holds candidate texts. This is what a ledger is charged.

    The dissertation prints a maximum over the directions where its prose has the minimum. Both are private; the maximum
    is useless (``tests/specimens``).

    Parameters
    ----------
    deepest : int, optional
        t, of unit ``"document"``; by default the number at which most information passes at this ε, and 3 % of the
        candidates (rounded down) at least: of a thousand, no guess about a document is then more than 34 times as
        likely to be right, whatever ε is.
    sampler : {"exponential", "permute-and-flip"}
        Of unit ``"sentence"``.
    neighbours : {"replace-one", "add-remove"}
        Of unit ``"sentence"``.

    Examples
    --------
    >>> from sfumato.text.data.letters import make_letters, make_letters_pool
    >>> letter = make_letters(authors=1, letters=3).texts[0]
    >>> deep = DeepCandidate(epsilon=5.0, pool=make_letters_pool(), encoder="tfidf", deepest=20)
    >>> deep.release(letter, rng=np.random.default_rng(1)) in deep.pool.texts
    True
    >>> deep.guarantee.epsilon, deep.guarantee.unit, deep.guarantee.neighbours
    (5.0, 'document', 'any-pair')
    >>> sentences = deep.replace(epsilon=10.0, unit="sentence", deepest=None, most=20)
    >>> print(sentences.guarantee)
    ε = 10 per sentence (replace-one neighbours, local model); taken as public: the pool (letters by other invented
    people), provided that the number of sentences of each text is public
    >>> print(sentences.whole_promise(texts=1, words=60, unit="document"))
    ε = 100 per document (any-pair neighbours, local model); taken as public: the pool (letters by other invented
    people)
    """

    called: ClassVar[str] = "retrieve"

    deepest: int | None = None
    sampler: Sampler = "exponential"
    neighbours: Literal["replace-one", "add-remove"] = "replace-one"

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("neighbours", self.neighbours, ("replace-one", "add-remove"))
        _ = self.law
        if self.unit == "document":
            for name, usual in (("sampler", "exponential"), ("neighbours", "replace-one")):
                if getattr(self, name) != usual:
                    raise bad_input(name, getattr(self, name), "unit='sentence' with it", "a document has one law")
        elif self.deepest is not None:
            raise bad_input("deepest", self.deepest, "unit='document' with it", "leave it out")
        if self.deepest is not None:
            integer("deepest", self.deepest, most=len(self.places) - 1)
        if self.unit == "document":
            _ = self.response.weights

    @cached_property
    def law(self) -> DepthLaw:
        """How depth becomes probability where ε is for a sentence."""
        return DepthLaw(epsilon=self.epsilon, doubled=self.neighbours == "add-remove", sampler=self.sampler)

    @cached_property
    def response(self) -> ResponseLaw:
        """How a candidate is drawn where ε is for a document."""
        size = len(self.places)
        favoured = self.deepest or usual_deepest(self.epsilon, size)
        return ResponseLaw(epsilon=self.epsilon, answers=size, favoured=favoured)

    @property
    def guarantee(self) -> Guarantee:
        """ε for one document with its maximal leakage, or ε for one sentence."""
        public = [Assumption("pool", source=self.pool.source)]
        if self.unit == "document":
            return self.response.promise.assuming(*public)
        if self.neighbours == "replace-one":
            public.append(Assumption("number of sentences of each text"))
        promise = PureDP(float(self.epsilon), unit="sentence", neighbours=self.neighbours, model="local")
        return promise.assuming(*public)

    @property
    def document_epsilon(self) -> float:
        """What any two documents lose at most, whatever their lengths."""
        if self.unit == "document":
            return float(self.epsilon)
        return multiply_up(self.epsilon, (self.most // 2) * (1 if self.neighbours == "replace-one" else 2))

    def whole_promise(self, *, texts: int, words: int, unit: str) -> Guarantee:
        if self.unit == "document":
            return self.guarantee.over(texts, unit=unit)
        whole = PureDP(multiply_up(self.document_epsilon, texts), unit=unit, neighbours="any-pair", model="local")
        return whole.assuming(Assumption("pool", source=self.pool.source))

    def choose(self, points: NDArray[np.float64], count: int, rng: Rng) -> NDArray[np.int64]:
        if self.unit == "sentence":
            return self.law.draw(self.depths(points), count, rng)
        if not len(points):
            return rng.integers(0, len(self.places), size=count)
        favoured = np.flatnonzero(self.favoured(points))
        return self.response.draw(np.broadcast_to(favoured, (count, len(favoured))), rng)

    def depths(self, points: NDArray[np.float64]) -> NDArray[np.int32]:
        """The depth of every candidate among the points of a document."""
        return self.space.depths(points) if len(points) else np.zeros(len(self.space), np.int32)

    def favoured(self, points: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which candidates are among the deepest: of equals those nearest to the mean, then the first of the pool."""
        apart = ((self.space.points - points.mean(axis=0)) ** 2).sum(axis=1)
        found = np.zeros(len(apart), np.bool_)
        found[np.lexsort((apart, -self.depths(points)))[: self.response.favoured]] = True
        return found

    def log_prob(self, output: Sequence[str], data: Any) -> NDArray[np.float64]:
        """The log-probability of each released document, for one protected document."""
        return self.log_likelihood(output, check_texts([data]))[:, 0]

    def log_likelihood(self, released: Sequence[str], candidates: Sequence[str]) -> NDArray[np.float64]:
        places = self.chosen(released)
        laws = [self._log_law(self.points(text))[places] for text in candidates]
        found = np.array(laws).T.reshape(len(places), len(candidates))
        return np.where(places[:, None] >= 0, found, -np.inf)

    def _log_law(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.unit == "sentence":
            return self.law.log_probs(self.depths(points))
        if not len(points):
            return np.full(len(self.places), -np.log(len(self.places)))
        return self.response.log_probs(self.favoured(points))


def usual_deepest(epsilon: float, candidates: int) -> int:
    """How many of the deepest candidates are favoured unless it is said.

    >>> [usual_deepest(epsilon, 5000) for epsilon in (1.0, 3.0, 10.0)]
    [1693, 565, 150]
    """
    return max(most_informative(epsilon, candidates), int(_LEAST_SHARE * candidates), 1)
