"""The topic of a text through randomised response, with a public text of that topic in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.text.mechanisms.responses.response_mechanism import ResponseMechanism, accuracy_ceiling
from sfumato.text.mechanisms.responses.topic_classifier import TopicClassifier

__all__ = ["TopicResponse"]


@dataclass(frozen=True, kw_only=True, eq=False)
class TopicResponse(ResponseMechanism):
    """Releases the topic of a text, or another one, with a public text of that topic to read.

    A public classifier h names one of K topics. h(x) is released with probability p = e^ε/(e^ε + K − 1), else one of
    the other K − 1, uniformly; a public text of that topic is drawn and released with it, which costs nothing. ε and
    the maximal leakage p·K hold for the whole document (:class:`ResponseMechanism`).

    **Optimal for its classifier.** Under any ε-private release no analyst names one of K equally likely topics with
    accuracy above e^ε/(e^ε + K − 1) (:attr:`ceiling`); this one reaches it on h(x). p ≥ ½ needs K ≤ 1 + e^ε: merge
    topics beyond that. Only the topic survives: the text is somebody else's, and nothing but its topic is about the
    document.

    Parameters
    ----------
    pool : PublicPool
        With at least two topics.

    Examples
    --------
    >>> from sfumato.text import PublicPool
    >>> pool = PublicPool.of(
    ...     ["roses in the lawn", "a spade for the hedge", "the bank has a loan", "tax on the market"],
    ...     topics=["garden", "garden", "money", "money"],
    ...     source="made up",
    ... )
    >>> response = TopicResponse(epsilon=5.0, pool=pool)
    >>> released = response.release("The bank asks for its tax.", rng=np.random.default_rng(1))
    >>> released in pool.texts[2:], response.stated([released])
    (True, ['money'])
    >>> round(response.truth, 4), round(response.leakage, 4)
    (0.9933, 1.9866)
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.pool.names) < 2:
            raise bad_input("pool", self.pool, "texts of at least two topics", "PublicPool.of(texts, topics=…)")
        _ = self.weights

    @property
    def answers(self) -> int:
        return len(self.pool.names)

    @property
    def favoured(self) -> int:
        return 1

    @property
    def ceiling(self) -> float:
        """What no analyst of any ε-private release exceeds on as many equally likely topics."""
        return accuracy_ceiling(self.epsilon, self.answers)

    @cached_property
    def classifier(self) -> TopicClassifier:
        """h, learned from the pool when it is first needed."""
        return TopicClassifier(self.pool)

    def summaries(self, texts: Sequence[str]) -> NDArray[np.float64]:
        return self.classifier.posteriors(texts)

    def favourites(self, summaries: NDArray[np.float64]) -> NDArray[np.int64]:
        return summaries.argmax(axis=1)[:, None]

    def stated(self, released: Sequence[str]) -> list[str]:
        """The topic that each released text stands for: it is public which topic a text of the pool has."""
        return [self.pool.names[k] if k >= 0 else "" for k in self.answers_of(released).tolist()]

    def answers_of(self, released: Sequence[str]) -> NDArray[np.int64]:
        places = np.array([self.pool.index.get(text, -1) for text in released], np.int64)
        return np.where(places >= 0, self.pool.codes[places], -1)

    def log_shares(self) -> NDArray[np.float64]:
        return -np.log(np.bincount(self.pool.codes))[self.pool.codes]

    @cached_property
    def _members(self) -> tuple[NDArray[np.int64], ...]:
        return tuple(np.flatnonzero(self.pool.codes == k) for k in range(self.answers))

    def stand_ins(self, answers: NDArray[np.int64], rng: Rng) -> list[str]:
        sizes = np.array([len(self._members[k]) for k in answers.tolist()])
        drawn = rng.integers(0, sizes)
        return [self.pool.texts[self._members[k][at]] for k, at in zip(answers.tolist(), drawn.tolist(), strict=True)]
