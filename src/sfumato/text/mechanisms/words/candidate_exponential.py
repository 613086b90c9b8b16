"""The exponential mechanism within small sets of near words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.noise.choice import draw_exponential_many
from sfumato.noise.interval import exact
from sfumato.text.mechanisms.words.word_mechanism import WordMechanism, word_of
from sfumato.text.promise import CandidatePrivacy
from sfumato.validate import integer

__all__ = ["CandidateExponential"]


@dataclass(frozen=True, kw_only=True, eq=False)
class CandidateExponential(WordMechanism):
    """Replaces a word by one of its own small set of candidates (CusText, Chen and others 2023).

    The vocabulary is parted into sets of ``candidates`` near words, the commonest word first; words of one set share
    their candidates, which are the set itself. Within a set, Pr[y] ∝ exp(r·u(x, y)) with u = 1 − d(x, y)/max d.

    **Promise.** ε-DP among the words of one set, and nothing between sets: an output tells the set of its input. The
    paper calls this ε-differential privacy without that restriction; the auditor finds no finite ε across sets.

    The paper takes r = ε/2, which is proved for any scores in [0, 1] and loses about half of ε with these: a set is
    public, and the largest log-ratio of its words can be computed. Here r is as large as that allows, for each set by
    itself (:meth:`rate`).

    Parameters
    ----------
    epsilon : float
        Per word.
    vocabulary : Vocabulary
    candidates : int
        How many words a set has.
    """

    shown = ("the number of words of each text", "the candidate set of each word")

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

    def _promise(self) -> CandidatePrivacy:
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
            rate = partial(exact, self.rate(int(self.groups[ids[places[0]]])))
            drawn = draw_exponential_many(scores[None], np.zeros(len(places), np.int64), rate, rng)
            chosen[places] = members[drawn]
        return chosen

    def log_word_law(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """As in the base; −∞ outside the candidates of a word."""
        laws = np.full((len(ids), len(self.vocabulary)), -np.inf)
        for row, word in zip(laws, ids.tolist(), strict=True):
            members, scores = self.scores(word)
            logits = scores * self.rate(int(self.groups[word]))
            row[members] = logits - np.logaddexp.reduce(logits)
        return laws

    def log_prob(self, output: Sequence[str], data: Any) -> NDArray[np.float64]:
        """The log-probability of each output word for a text of one word; −∞ outside its candidates."""
        law = np.append(self.log_word_law(np.array([word_of(data, self)]))[0], -np.inf)
        return law[self.vocabulary.ids(output)]

    @cached_property
    def _rates(self) -> dict[int, float]:
        return {}

    def rate(self, group: int) -> float:
        """The factor r of the scores in a set: to 0.1 % the largest at which no two of its words lose more than ε."""
        if group not in self._rates:
            outside = [len(self.vocabulary)] if self.groups[-1] == group else []
            inputs = [*self._members[group], *outside]
            scores = np.stack([self.scores(int(word))[1] for word in inputs])
            low = float(self.epsilon) / 2 * (1 - 2.0**-52)  # proved for any scores in [0, 1]
            high = 2 * low
            while _loss(high, scores) <= self.epsilon and high < 64 * low:
                low, high = high, 2 * high
            while high - low > 1e-3 * low:
                middle = (low + high) / 2
                low, high = (middle, high) if _loss(middle, scores) <= self.epsilon else (low, middle)
            self._rates[group] = low
        return self._rates[group]


def _loss(rate: float, scores: NDArray[np.float64]) -> float:
    """The largest log-ratio between two rows of exp(rate·scores), each divided by its sum; more than its rounding.

    The sums are divided by the number of words, which all rows share: so a small rate leaves logarithms near 0 alone.
    """
    law = rate * (scores - scores.max(axis=1, keepdims=True))
    law = law - np.log1p(np.expm1(law).mean(axis=1, keepdims=True))
    return float((law.max(axis=0) - law.min(axis=0)).max()) * (1 + 2.0**-40) + 2.0**-40 * min(1.0, rate)
