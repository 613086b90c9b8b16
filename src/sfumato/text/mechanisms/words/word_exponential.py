"""Words drawn by their distance: the exponential mechanism over the vocabulary."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.noise.choice import draw_exponential_many
from sfumato.noise.interval import Interval, exact
from sfumato.promise import Guarantee
from sfumato.text.mechanisms.words.word_mechanism import WordMechanism, word_of
from sfumato.text.promise import CandidatePrivacy, WordPrivacy
from sfumato.validate import integer, positive, probability

__all__ = ["CandidateExponential", "TruncatedExponential", "WordExponential"]

_BLOCK = 1 << 22


@dataclass(frozen=True, kw_only=True, eq=False)
class WordExponential(WordMechanism):
    """Replaces x by y with Pr ∝ exp(−ε·d(x, y)/2): ε·d-private (SanText, Yue and others 2021).

    **Proof.** Between inputs x and x′ every weight moves by a factor of at most exp(ε·d(x, x′)/2), by the triangle
    inequality, and so does their sum. The draw is exact and needs no table of all pairs.

    Parameters
    ----------
    epsilon : float
        Per unit of Euclidean distance of the vectors.
    vocabulary : Vocabulary

    Examples
    --------
    >>> from sfumato.text import Vocabulary
    >>> words = Vocabulary(words=("cat", "dog", "stock"), vectors=[[1.0, 0.1], [0.9, 0.3], [0.0, 1.0]])
    >>> WordExponential(epsilon=100.0, vocabulary=words).release("cat gnu", rng=np.random.default_rng(1))
    'cat dog'
    """

    @property
    def reach(self) -> float:
        """Beyond this distance all words are equally likely."""
        return math.inf

    def _promise(self) -> Guarantee:
        return WordPrivacy(self.epsilon, "word-vector", self.vocabulary, cap=self.reach)

    @cached_property
    def _squares(self) -> NDArray[np.float64]:
        return (self.vocabulary.all_points**2).sum(axis=1)

    def scores(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """−min(d, reach) to every word, shape (inputs, L)."""
        points = self.vocabulary.all_points
        apart = self._squares[ids][:, None] + self._squares[:-1] - 2 * (points[ids] @ points[:-1].T)
        scores: NDArray[np.float64] = -np.sqrt(apart)
        return np.maximum(scores, -self.reach) if math.isfinite(self.reach) else scores

    def replace_ids(self, ids: NDArray[np.int64], rng: Rng) -> NDArray[np.int64]:
        chosen = np.empty(len(ids), np.int64)
        different, back = np.unique(ids, return_inverse=True)
        order = np.argsort(back, kind="stable")
        rows = max(1, _BLOCK // len(self.vocabulary))
        for start in range(0, len(different), rows):
            first, last = np.searchsorted(back[order], [start, start + rows])
            places = order[first:last]
            scores = self.scores(different[start : start + rows])
            chosen[places] = draw_exponential_many(scores, back[places] - start, self._half, rng)
        return chosen

    def log_prob(self, output: Sequence[str], data: Any) -> NDArray[np.float64]:
        """The log-probability of each output word for a text of one word."""
        logits = self.scores(np.array([word_of(data, self)]))[0] * self.epsilon / 2
        law = np.append(logits - np.logaddexp.reduce(logits), -np.inf)
        return law[self.vocabulary.ids(output)]

    def _half(self, digits: int) -> Interval:
        return exact(float(self.epsilon), digits) / 2


@dataclass(frozen=True, kw_only=True, eq=False)
class TruncatedExponential(WordExponential):
    """The exponential mechanism on min(d, γ) (TEM, Carvalho and others 2023).

    TEM keeps the words within γ of the input, puts all others into one more option with score −γ + (2/ε)·ln(how many),
    and draws uniformly from them if it wins. That is the exponential mechanism with score −min(d, γ), which moves by at
    most min(d(x, x′), γ): so TEM is ε·d-private *and* ε·γ-differentially private for any two words.

    Parameters
    ----------
    share : float
        β: γ is chosen so that all words beyond it together have at most about this probability.
    truncation : float, optional
        γ itself.

    Examples
    --------
    >>> from sfumato.text import Vocabulary
    >>> words = Vocabulary(words=("cat", "dog", "stock"), vectors=[[1.0, 0.1], [0.9, 0.3], [0.0, 1.0]])
    >>> print(TruncatedExponential(epsilon=4.0, vocabulary=words, truncation=0.5).guarantee.statement)
    ε = 4 per unit of word-vector distance, at most ε = 2
    """

    share: float = 0.001
    truncation: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        probability("share", self.share)
        if self.truncation is not None:
            positive("truncation", self.truncation)

    @property
    def reach(self) -> float:
        from sfumato.text.mechanisms.words.word_laplace import truncation_for

        if self.truncation is not None:
            return self.truncation
        return truncation_for(self.epsilon, len(self.vocabulary), self.share)


@dataclass(frozen=True, kw_only=True, eq=False)
class CandidateExponential(WordMechanism):
    """Replaces a word by one of its own small set of candidates (CusText, Chen and others 2023).

    The vocabulary is parted into sets of ``candidates`` near words, the commonest word first; words of one set share
    their candidates, which are the set itself. Within a set, Pr[y] ∝ exp(ε·u(x, y)/2) with u = 1 − d(x, y)/max d.

    **Promise.** ε-DP among the words of one set, and nothing between sets: an output tells the set of its input. The
    paper calls this ε-differential privacy without that restriction; the auditor finds no finite ε across sets.

    Parameters
    ----------
    epsilon : float
        Per word.
    vocabulary : Vocabulary
    candidates : int
        How many words a set has.
    """

    candidates: int = 20

    def __post_init__(self) -> None:
        super().__post_init__()
        integer("candidates", self.candidates, least=2)

    @cached_property
    def groups(self) -> NDArray[np.int32]:
        """The set of each word; the last entry is that of a word outside the vocabulary."""
        points, size = self.vocabulary.all_points, len(self.vocabulary)
        squares = (points**2).sum(axis=1)
        groups = np.full(size + 1, -1, np.int32)
        free, rows = np.arange(size), points[:-1]
        number = 0
        while free.size:
            alive = np.flatnonzero(groups[free] < 0)
            if 2 * alive.size < free.size:  # look at words that have a set no longer than needed
                free, rows = free[alive], rows[alive]
                continue
            first = free[alive[0]]
            apart = squares[free] + squares[first] - 2 * (rows @ points[first])  # exact: see Vocabulary.points
            apart[groups[free] >= 0] = np.inf
            many = self.candidates if alive.size >= 2 * self.candidates else alive.size  # no set is smaller than asked
            within = np.flatnonzero(apart <= np.partition(apart, many - 1)[many - 1])
            members = within[np.argsort(apart[within], kind="stable")[:many]]
            groups[free[members]] = number
            number += 1
            if many == alive.size:
                break
        nearest = int(((points[:-1] - points[-1]) ** 2).sum(axis=1).argmin())
        groups[size] = groups[nearest]
        return groups

    def _promise(self) -> Guarantee:
        return CandidatePrivacy(self.epsilon, self.vocabulary, self.groups.tobytes())

    @cached_property
    def _members(self) -> tuple[NDArray[np.int64], ...]:
        order = np.argsort(self.groups[:-1], kind="stable")
        return tuple(np.split(order, np.cumsum(np.bincount(self.groups[:-1]))[:-1]))

    def scores(self, word: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The candidates of a word and their scores in [0, 1]."""
        members = self._members[self.groups[word]]
        points = self.vocabulary.all_points
        apart = np.linalg.norm(points[members] - points[word], axis=1)
        return members, 1 - apart / max(float(apart.max()), 1e-300)

    def replace_ids(self, ids: NDArray[np.int64], rng: Rng) -> NDArray[np.int64]:
        chosen = np.empty(len(ids), np.int64)
        order = np.argsort(ids, kind="stable")
        for places in np.split(order, np.flatnonzero(np.diff(ids[order])) + 1) if len(ids) else ():
            members, scores = self.scores(int(ids[places[0]]))
            drawn = draw_exponential_many(scores[None], np.zeros(len(places), np.int64), self._half, rng)
            chosen[places] = members[drawn]
        return chosen

    def log_prob(self, output: Sequence[str], data: Any) -> NDArray[np.float64]:
        """The log-probability of each output word for a text of one word; −∞ outside its candidates."""
        members, scores = self.scores(word_of(data, self))
        law = np.full(len(self.vocabulary) + 1, -np.inf)
        logits = scores * self.epsilon / 2
        law[members] = logits - np.logaddexp.reduce(logits)
        return law[self.vocabulary.ids(output)]

    def _half(self, digits: int) -> Interval:
        return exact(float(self.epsilon), digits) / 2
