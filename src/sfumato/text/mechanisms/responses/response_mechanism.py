"""Base of the mechanisms that answer with a public text: one set of favoured answers, and all others."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.promise import Assumption, Guarantee
from sfumato.text.core.corpus import check_texts
from sfumato.text.core.public_pool import PublicPool
from sfumato.text.mechanisms.base import TextMechanism
from sfumato.text.mechanisms.responses.response_law import ResponseLaw
from sfumato.text.vocabulary.shingles import warn_of_overlap
from sfumato.validate import positive

__all__ = ["ResponseMechanism", "accuracy_ceiling"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ResponseMechanism(TextMechanism):
    """Base of the mechanisms that answer with a public text.

    Of A possible answers a text favours t. One of these is released with probability p = t·W/(t·W + (A − t)·B), else
    one of the others, each time uniformly, where W and B are whole numbers with W/B ≤ e^ε.

    **Theorem.** Each answer has one of two probabilities, whose ratio is W/B and whose normaliser does not depend on
    the text: any two texts are told apart by at most ε, without the factor 2 of the exponential mechanism. Which
    answers are favoured may be any function of the text and of public knowledge, float similarities and ties included.

    **Second promise.** Σ_y max_x Pr[y|x] ≤ p·A/t ≤ min(e^ε, A/t): nobody's chance to guess anything about the
    document, in one try, grows by more than this factor (maximal leakage; Issa, Wagner and Kamath 2020). Among N
    equally likely texts the right one is named with probability at most p·A/(t·N).

    Parameters
    ----------
    epsilon : float
        Per document, whatever its length.
    pool : PublicPool
        Public texts by other people. Nothing is ever learned from the protected ones.
    """

    technique = "synthetic data"
    any_texts = True

    epsilon: float
    pool: PublicPool

    def __post_init__(self) -> None:
        if not isinstance(self.pool, PublicPool):
            raise bad_input("pool", type(self.pool).__name__, "a PublicPool", "PublicPool.of(texts, topics=…)")
        positive("epsilon", self.epsilon, "a promise needs ε > 0")

    @property
    @abstractmethod
    def answers(self) -> int:
        """A, how many answers there are."""

    @property
    @abstractmethod
    def favoured(self) -> int:
        """t, how many of them a text favours."""

    @abstractmethod
    def summaries(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """What is known of each text, shape (texts, d): the means over several texts are a summary of all."""

    @abstractmethod
    def favourites(self, summaries: NDArray[np.float64]) -> NDArray[np.int64]:
        """The answers that each text favours, in ascending order, shape (texts, t)."""

    @abstractmethod
    def stand_ins(self, answers: NDArray[np.int64], rng: Rng) -> list[str]:
        """A public text for each answer."""

    @abstractmethod
    def answers_of(self, released: Sequence[str]) -> NDArray[np.int64]:
        """The answer that each released text stands for; −1 for a text that is not of the pool."""

    @abstractmethod
    def log_shares(self) -> NDArray[np.float64]:
        """ln of how often each text of the pool stands for its answer."""

    @cached_property
    def law(self) -> ResponseLaw:
        """How an answer is drawn."""
        return ResponseLaw(epsilon=self.epsilon, answers=self.answers, favoured=self.favoured)

    @property
    def weights(self) -> tuple[int, int]:
        """W and B: the weights of a favoured answer and of any other, in whole numbers."""
        return self.law.weights

    @property
    def total(self) -> int:
        """The sum of all weights."""
        return self.law.total

    @property
    def truth(self) -> float:
        """p, the probability of a favoured answer."""
        return self.law.truth

    @property
    def leakage(self) -> float:
        """p·A/t, the factor by which the chance of any guess may grow."""
        return self.law.leakage

    @property
    def guarantee(self) -> Guarantee:
        """ε for any two documents, and the maximal leakage (in nats) beside it."""
        return self.law.promise.assuming(Assumption("pool", source=self.pool.source))

    def release_texts(self, texts: list[str], rng: Rng) -> list[str]:
        different = list(dict.fromkeys(texts))
        warn_of_overlap(texts, self.pool.sources, what="pool of public texts")
        place = {text: row for row, text in enumerate(different)}
        rows = np.array([place[text] for text in texts], np.int64)  # the same text twice is read once
        return self._answer(self.summaries(different)[rows], rng)

    def release_people(self, people: Sequence[Sequence[str]], *, rng: Rng) -> list[str]:
        """One text for all that a person wrote: the promise then holds per person, however much that is.

        The answer is drawn once, for the mean of the summaries of the person's texts.
        """
        checked = [check_texts(texts) for texts in people]
        if not all(checked):
            raise bad_input("people", "a person without a text", "at least one text of each")
        warn_of_overlap([text for own in checked for text in own], self.pool.sources, what="pool of public texts")
        return self._answer(np.array([self.summaries(own).mean(axis=0) for own in checked]), rng)

    def log_prob(self, output: Sequence[str], data: Any) -> NDArray[np.float64]:
        """The log-probability of each released text, for one text."""
        favoured = self.favourites(self.summaries(check_texts([data])))[0]
        answers = self.answers_of(output)
        law = self.law.log_probs(np.isin(answers, favoured))
        places = np.array([self.pool.index.get(text, -1) for text in output], np.int64)
        return np.where(answers >= 0, law + self.log_shares()[places], -np.inf)

    def log_likelihood(self, released: Sequence[str], candidates: Sequence[str]) -> NDArray[np.float64]:
        return self.log_likelihood_of(released, self.summaries(candidates))

    def log_likelihood_of(self, released: Sequence[str], summaries: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same for candidates of whom the summaries are known."""
        answers, favoured = self.answers_of(released), self.favourites(summaries)
        fits = np.zeros((len(released), len(summaries)), np.bool_)
        for column in favoured.T:
            fits |= answers[:, None] == column[None]
        return self.law.log_probs(fits)

    def _answer(self, summaries: NDArray[np.float64], rng: Rng) -> list[str]:
        """An answer for each text."""
        if len(summaries) == 0:
            return []
        return self.stand_ins(self.law.draw(self.favourites(summaries), rng), rng)


def accuracy_ceiling(epsilon: float, topics: int) -> float:
    """The accuracy that no analyst of an ε-private release exceeds on K equally likely topics: e^ε/(e^ε + K − 1).

    >>> [round(accuracy_ceiling(epsilon, 20), 3) for epsilon in (1.0, 3.0, 5.0, 10.0)]
    [0.125, 0.514, 0.887, 0.999]
    """
    return 1 / (1 + (topics - 1) * math.exp(-epsilon))
