"""SynTF: synthetic term frequencies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import Guarantee, NoGuarantee, PureDP
from sfumato.promise.amount import multiply_up
from sfumato.text.core.corpus import check_texts
from sfumato.text.core.tokens import Morphology
from sfumato.text.mechanisms.base import VocabularyMechanism
from sfumato.text.mechanisms.syntf.cosine_rating import CosineRating, RangeMode
from sfumato.text.mechanisms.syntf.loss_bounds import eta_bound
from sfumato.text.mechanisms.syntf.rating import Rating
from sfumato.text.mechanisms.syntf.replacement_law import ReplacementLaw
from sfumato.text.promise import TextLoss
from sfumato.text.vocabulary.vectoriser import Vectoriser
from sfumato.validate import choice, integer, positive

__all__ = ["SynTF"]

_BATCH = 4096


@dataclass(frozen=True, kw_only=True, eq=False)
class SynTF(VocabularyMechanism):
    """Releases a bag of n synthetic words in place of a document (Weggenmann 2023, ch. 5, Alg. 2).

    The document becomes its word frequencies θ over a public vocabulary. Then n times: draw a word v ~ θ and replace
    it through the exponential mechanism with Pr[w] ∝ exp(ε·ρ(v, w)/(2Δ)). The bag of the n words is released; their
    number is fixed and public, so a document's length is hidden too.

    **Theorem** (5.3, eq. 5.1). Any two documents are told apart by at most n·ℓ ≤ n·ε, where
    ℓ = max_w ln(max_v π(v, w)/min_v π(v, w)) is attained by two documents of one word each. Between them is
    n·(ε + ln η) (Cor. 5.5). ``guarantee`` promises n·ℓ, computed from the law itself; :attr:`budget` shows all of them.

    A document without a word of the vocabulary has no θ; the uniform θ takes its place, for an error or an empty
    release would tell.

    Parameters
    ----------
    epsilon : float
        Per output word. Useful values are of the order of 2 ln L (:func:`~sfumato.text.needed_epsilon`).
    length : int
        n, the number of words in every release.
    vocabulary : Vocabulary
    spelling : float
        s of the rating ρ = cos − s·B.
    range_mode : {"clip", "affine", "raw"}
    rating : Rating, optional
        Another rating of the same words, in place of cos − s·B.
    morphology, lemmatiser
        As in :class:`~sfumato.text.Vectoriser`.
    form : {"two-step", "multinomial"}
        How the same law is drawn: word by word in whole numbers, or at once as Multinomial(n, θP) in floating point.
        The second is for comparison and carries no guarantee: floats cannot keep a ratio of probabilities near zero.

    Examples
    --------
    >>> from sfumato.text import Vocabulary
    >>> words = Vocabulary(words=("cat", "dog", "stock"), vectors=[[1.0, 0.1], [0.9, 0.3], [0.0, 1.0]])
    >>> syntf = SynTF(epsilon=20.0, length=8, vocabulary=words)
    >>> syntf.release("The dog barked at the cat.", rng=np.random.default_rng(5))
    'cat cat cat cat dog dog dog dog'
    >>> print(syntf.guarantee)
    ε = 70.3831 per document (any-pair neighbours, local model), provided that the vocabulary is public
    """

    technique = "synthetic data"
    any_texts = True
    content_words = True

    epsilon: float
    length: int
    spelling: float = 0.3
    range_mode: RangeMode = "clip"
    rating: Rating | None = None
    morphology: Morphology = "lower"
    lemmatiser: Literal["rules", "spacy"] = "rules"
    form: Literal["two-step", "multinomial"] = "two-step"

    def __post_init__(self) -> None:
        self._check_vocabulary()
        positive("epsilon", self.epsilon, "a promise needs ε > 0")
        integer("length", self.length)
        choice("form", self.form, ("two-step", "multinomial"))
        if self.rating is not None and self.rating.size != len(self.vocabulary):
            raise bad_input("rating", self.rating.size, f"ratings of the {len(self.vocabulary)} words")
        _ = self.vectoriser, self.law

    @cached_property
    def vectoriser(self) -> Vectoriser:
        """Which words of a text count."""
        return Vectoriser(vocabulary=self.vocabulary, morphology=self.morphology, lemmatiser=self.lemmatiser)

    @cached_property
    def law(self) -> ReplacementLaw:
        """Which word replaces which."""
        rating = self.rating or CosineRating(
            vocabulary=self.vocabulary, spelling=self.spelling, range_mode=self.range_mode
        )
        return ReplacementLaw(rating=rating, epsilon=self.epsilon)

    def _promise(self) -> Guarantee:
        """n·ℓ for any two documents."""
        scope: dict[str, Any] = {"unit": "document", "neighbours": "any-pair", "model": "local"}
        if self.form == "multinomial":
            return NoGuarantee("drawn in floating point, for comparison", **scope)
        return PureDP(multiply_up(self.length, self.law.loss), **scope)

    @property
    def budget(self) -> dict[str, tuple[float, float]]:
        """What is lost per output word and per document: nominal (ε), by Thm 5.4 (η) and tight (ℓ).

        The bound of Thm 5.4 needs a rating whose whole range is at most Δ; elsewhere it is not shown.
        """
        losses = {"nominal": self.epsilon, "tight": self.law.loss}
        rating = self.law.rating
        if rating.top * rating.step <= rating.sensitivity * (1 + 1e-9):
            losses["eta"] = eta_bound(self.epsilon, len(self.vocabulary))
        return {name: (loss, self.length * loss) for name, loss in losses.items()}

    def text_losses(self, words: float) -> list[TextLoss]:
        """What a release of that many words loses, in the ways of :attr:`budget`."""
        if self.guarantee.vacuous:
            return []
        names = {"nominal": "nominal (ε)", "eta": "by Thm 5.4 (η)", "tight": "tight (ℓ)"}
        budget = self.budget
        return [TextLoss(names[name], words * budget[name][0]) for name in names if name in budget]

    def release_texts(self, texts: list[str], rng: Rng) -> list[str]:
        self._check_sources(texts)
        words = np.array(self.vocabulary.words, dtype=object)
        released: list[str] = []
        for start in range(0, len(texts), _BATCH):
            if self.form == "multinomial":
                rows = self._multinomial(texts[start : start + _BATCH], rng)
            else:
                rows = np.sort(self._two_steps(texts[start : start + _BATCH], rng), axis=1)
            released += [" ".join(row) for row in words[rows]]
        return released

    def counts(self, texts: Sequence[str], *, rng: Rng | None = None) -> Any:
        """The released term frequencies as a scipy CSR matrix of shape (texts, L), ready for scikit-learn."""
        checked, rng = check_texts(texts), resolve_rng(rng)
        self._check_sources(checked)
        return self._matrix([self._two_steps(checked[k : k + _BATCH], rng) for k in range(0, len(checked), _BATCH)])

    def counts_of_ids(self, documents: Sequence[NDArray[np.int64]], *, rng: Rng | None = None) -> Any:
        """As :meth:`counts`, for documents already turned into places in the vocabulary."""
        return self._matrix([self.draw_ids(documents, rng=rng)])

    def draw_ids(self, documents: Sequence[NDArray[np.int64]], *, rng: Rng | None = None) -> NDArray[np.int64]:
        """The n words of each release by their place in the vocabulary, in the order in which they were drawn.

        They are independent of each other: the first k of them are a release of length k.
        """
        flat = np.concatenate(documents) if len(documents) else np.empty(0, np.int64)
        return self._replace(flat, np.array([len(ids) for ids in documents], np.int64), resolve_rng(rng))

    def places(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return self.vectoriser.places(texts)

    def log_word_law(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        return self.law.log_probs(ids)

    def composition(self, text: str) -> NDArray[np.float64]:
        """q = θP: the law of one output word."""
        ids, counts = np.unique(self.vectoriser.ids(text), return_counts=True)
        if ids.size == 0:
            total = np.zeros(len(self.vocabulary))
            for word in range(len(self.vocabulary)):
                total += np.exp(self.law.log_probs([word])[0])
            return total / len(self.vocabulary)
        share = counts / counts.sum()
        return share @ np.exp(self.law.log_probs(ids))

    def log_prob(self, output: Sequence[str], data: str) -> NDArray[np.float64]:
        """The log-probability of released bags, written as texts: those of Multinomial(n, θP)."""
        with np.errstate(divide="ignore"):
            law = np.log(self.composition(data))
        values = np.empty(len(output))
        for place, text in enumerate(output):
            ids = self.vocabulary.ids(text.split())
            if len(ids) != self.length or (ids == len(self.vocabulary)).any():
                values[place] = -math.inf
                continue
            counts = np.unique(ids, return_counts=True)[1]
            ways = math.lgamma(self.length + 1) - sum(math.lgamma(count + 1) for count in counts)
            values[place] = ways + law[ids].sum()
        return values

    def _two_steps(self, texts: Sequence[str], rng: Rng) -> NDArray[np.int64]:
        return self._replace(*self.vectoriser.places(texts), rng)

    def _replace(self, flat: NDArray[np.int64], sizes: NDArray[np.int64], rng: Rng) -> NDArray[np.int64]:
        """n replaced words for each document, shape (documents, n); ``flat`` has their words one after the other."""
        empty = sizes == 0
        starts = np.cumsum(sizes) - sizes
        place = rng.integers(0, np.where(empty, len(self.vocabulary), sizes)[:, None], size=(len(sizes), self.length))
        drawn = np.where(empty[:, None], place, 0)
        drawn[~empty] = flat[(starts[:, None] + place)[~empty]]
        return self.law.draw(drawn.ravel(), rng).reshape(drawn.shape)

    def _multinomial(self, texts: Sequence[str], rng: Rng) -> NDArray[np.int64]:
        places = np.arange(len(self.vocabulary))
        laws = (self.composition(text) for text in texts)
        return np.array([np.repeat(places, rng.multinomial(self.length, law / law.sum())) for law in laws])

    def _matrix(self, batches: Sequence[NDArray[np.int64]]) -> Any:
        from scipy.sparse import csr_matrix

        rows = np.concatenate([np.sort(batch, axis=1) for batch in batches]) if batches else np.empty((0, self.length))
        starts = np.arange(0, rows.size + 1, self.length)
        matrix = csr_matrix(
            (np.ones(rows.size, np.int64), rows.ravel().astype(np.int64), starts),
            shape=(len(rows), len(self.vocabulary)),
        )
        matrix.sum_duplicates()
        return matrix
