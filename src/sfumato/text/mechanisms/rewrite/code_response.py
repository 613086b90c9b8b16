"""A public text with the same private code of label and topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.promise import Assumption, Guarantee
from sfumato.text.core.public_pool import PublicPool
from sfumato.text.mechanisms.responses.response_mechanism import ResponseMechanism
from sfumato.text.mechanisms.rewrite.capacity import response_bits
from sfumato.text.vocabulary.shingles import warn_of_overlap
from sfumato.validate import integer

__all__ = ["CodeResponse"]

_DIMENSIONS = 100
_GRID = 2.0**16
_TINY = 1e-9
_RIDGE = 0.01
"""Of the mean variance: W is estimated from few texts and would not have an inverse."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CodeResponse(ResponseMechanism):
    """Releases a public text with the label and topic of a document, through randomised response.

    The labels are those of the pool (sentiments, say). A public classifier names the label s of a document (tf-idf of
    words and pairs, logistic regression), public clusters its topic t (tf-idf, singular vectors, the directions that
    tell labels apart removed, nearest of T centres); all are learned from the pool. The code (s, t) is one of
    k = labels·T and goes through k-ary randomised response; one of the ``near`` public texts of label s nearest to
    centre t is released. ε and the maximal leakage hold for the whole document (:class:`ResponseMechanism`).

    Unlike :class:`TopicResponse` it can keep an unlabelled part, too; unlike a noisy latent it passes most of the bits
    that ε allows (:attr:`bits`). Many topics help to tell authors apart: keep k ≤ e^ε/20, and let the attacks decide.

    Parameters
    ----------
    pool : PublicPool
        Its ``topics`` are the labels; at least ``topics`` texts of each.
    topics : int
        T. With 1 only the label survives; more tell authors apart as well, which ``text attack`` measures.
    near : int
        How many public texts stand for a code, at most; no text stands for two.
    authors : PublicPool, optional
        Texts whose ``topics`` are their authors. The directions that tell these authors apart, span{m_a, W⁻¹m_a} of
        their means m_a and the covariance W within authors, are removed from the space of topics: a code then says
        little about them. **These texts are not covered by ε** and must not be among those that are released; nothing
        is hidden of other authors.

    Examples
    --------
    >>> from sfumato.text import PublicPool
    >>> pool = PublicPool.of(
    ...     ["a lovely film", "a great play", "a dull film", "a bad play"],
    ...     topics=["good", "good", "bad", "bad"],
    ...     source="made up",
    ... )
    >>> private = CodeResponse(epsilon=5.0, pool=pool, topics=2)
    >>> private.answers, round(private.truth, 3), round(private.bits, 2)
    (4, 0.98, 1.83)
    >>> private.release("What a great film, lovely!", rng=np.random.default_rng(3)) in pool.texts
    True
    """

    topics: int = 1
    near: int = 8
    authors: PublicPool | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        integer("topics", self.topics)
        integer("near", self.near)
        if self.authors is not None and (not isinstance(self.authors, PublicPool) or len(self.authors.names) < 2):
            raise bad_input(
                "authors", self.authors, "texts of at least two authors", "PublicPool.of(texts, topics=authors)"
            )
        if self.authors is not None and self.topics == 1:
            raise bad_input("topics", 1, "at least 2 with authors", "they are left out of topics, and 1 has none")
        if len(self.pool.names) < 2:
            raise bad_input("pool", self.pool, "texts of at least two labels", "PublicPool.of(texts, topics=labels)")
        fewest = int(np.bincount(self.pool.codes).min())
        if fewest < self.topics:
            raise bad_input("topics", self.topics, f"at most {fewest}, the public texts of the rarest label")
        _ = self.weights

    @property
    def answers(self) -> int:
        return len(self.pool.names) * self.topics

    @property
    def favoured(self) -> int:
        return 1

    @property
    def guarantee(self) -> Guarantee:
        """ε for any two documents, as long as the pool and the texts of known authors are public."""
        promise = super().guarantee
        if self.authors is None:
            return promise
        return promise.assuming(Assumption("texts of known authors", source=self.authors.source))

    @property
    def shown(self) -> tuple[str, ...]:  # type: ignore[override]
        """What is not about the released texts: those whose authors' directions were removed."""
        return () if self.authors is None else ("the texts whose authors' directions are removed from the topics",)

    @property
    def bits(self) -> float:
        """The bits that pass if all codes are equally likely."""
        return response_bits(self.epsilon, self.answers)

    def summaries(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The scores of the labels, then the point in the space of topics."""
        vectoriser, judge, space = self._fitted
        words = vectoriser.transform(texts)
        scores = judge.decision_function(words)
        scores = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
        return np.hstack([scores, words @ space])

    def favourites(self, summaries: NDArray[np.float64]) -> NDArray[np.int64]:
        labels = len(self.pool.names)
        label = summaries[:, :labels].argmax(axis=1)
        near = _on_grid(summaries[:, labels:]) @ self._centres.T
        return np.asarray((label * self.topics + near.argmax(axis=1))[:, None], np.int64)

    def codes(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """The code of each text, before randomised response."""
        return self.favourites(self.summaries(texts))[:, 0]

    def stated(self, released: Sequence[str]) -> list[str]:
        """The label that each released text stands for."""
        return [
            self.pool.names[answer // self.topics] if answer >= 0 else ""
            for answer in self.answers_of(released).tolist()
        ]

    def answers_of(self, released: Sequence[str]) -> NDArray[np.int64]:
        places = np.array([self.pool.index.get(text, -1) for text in released], np.int64)
        return np.where(places >= 0, self._owners[places], -1)

    def log_shares(self) -> NDArray[np.float64]:
        sizes = np.bincount(self._owners[self._owners >= 0], minlength=self.answers)
        return np.where(self._owners >= 0, -np.log(sizes[self._owners]), -np.inf)

    def release_texts(self, texts: list[str], rng: Rng) -> list[str]:
        if self.authors is not None:
            warn_of_overlap(texts, self.authors.sources, what="space of topics")
        return super().release_texts(texts, rng)

    def stand_ins(self, answers: NDArray[np.int64], rng: Rng) -> list[str]:
        sizes = np.array([len(self._members[k]) for k in answers.tolist()])
        drawn = rng.integers(0, sizes)
        return [self.pool.texts[self._members[k][at]] for k, at in zip(answers.tolist(), drawn.tolist(), strict=True)]

    @cached_property
    def _fitted(self) -> tuple[Any, Any, NDArray[np.float64]]:
        """Words, the judge of labels, and the space of topics without the directions that tell labels apart."""
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression

        rare = 1 if len(self.pool) < 100 else 2
        vectoriser = TfidfVectorizer(ngram_range=(1, 2), min_df=rare, sublinear_tf=True, token_pattern=r"(?u)\b\w+\b")
        words = vectoriser.fit_transform(self.pool.texts)
        judge = LogisticRegression(C=10.0, tol=1e-4, max_iter=1000, class_weight="balanced").fit(words, self.pool.codes)
        size = min(_DIMENSIONS, words.shape[0] - 1, words.shape[1] - 1)
        space = (
            TruncatedSVD(size, random_state=0).fit(words).components_.T if size > 0 else np.ones((words.shape[1], 1))
        )
        points = words @ space
        means = np.stack([points[self.pool.codes == k].mean(axis=0) for k in range(len(self.pool.names))])
        space = _without(space, (means - means.mean(axis=0))[1:])
        if self.authors is not None:
            own = _on_grid(vectoriser.transform(self.authors.texts) @ space)
            space = _without(space, _author_directions(own, self.authors.codes))
        return vectoriser, judge, space

    @cached_property
    def _pool_points(self) -> NDArray[np.float64]:
        return _on_grid(self.summaries(self.pool.texts)[:, len(self.pool.names) :])

    @cached_property
    def _centres(self) -> NDArray[np.float64]:
        from sklearn.cluster import KMeans

        if self.topics == 1:
            return np.zeros((1, self._pool_points.shape[1]))
        found = KMeans(self.topics, n_init=4, random_state=0).fit(self._pool_points).cluster_centers_
        return _on_grid(found)

    @cached_property
    def _members(self) -> tuple[NDArray[np.int64], ...]:
        """The public texts of each code: those of the label nearest to the centre, taken in turns, none twice."""
        near = self._pool_points @ self._centres.T
        members: list[list[int]] = [[] for _ in range(self.answers)]
        for label in range(len(self.pool.names)):
            left = dict.fromkeys(np.flatnonzero(self.pool.codes == label).tolist())
            for _ in range(self.near):
                for topic in range(self.topics):
                    if left:
                        best = max(left, key=lambda k: (near[k, topic], -k))
                        del left[best]
                        members[label * self.topics + topic].append(best)
        return tuple(np.array(sorted(own), np.int64) for own in members)

    @cached_property
    def _owners(self) -> NDArray[np.int64]:
        owners = np.full(len(self.pool), -1, np.int64)
        for code, own in enumerate(self._members):
            owners[own] = code
        return owners


def _without(space: NDArray[np.float64], directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """A map into a space, with the span of some directions (rows) projected out."""
    found, strength, _ = np.linalg.svd(directions.T, full_matrices=False)
    apart = found[:, strength > _TINY * max(strength.max(initial=0.0), _TINY)]
    return np.ascontiguousarray(space - (space @ apart) @ apart.T)


def _author_directions(points: NDArray[np.float64], authors: NDArray[np.int64]) -> NDArray[np.float64]:
    """The means m_a of authors around the mean of all, and W⁻¹m_a: where they lie apart, and what tells them apart."""
    means = np.stack([points[authors == one].mean(axis=0) for one in np.unique(authors)])
    within = points - means[np.unique(authors, return_inverse=True)[1]]
    covariance = within.T @ within / len(points)
    covariance += _RIDGE * np.trace(covariance) / len(covariance) * np.eye(len(covariance))
    apart = means - means.mean(axis=0)
    units = [rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
             for rows in (apart, np.linalg.solve(covariance, apart.T).T)]  # fmt: skip
    return np.vstack(units)


def _on_grid(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit vectors in whole 2⁻¹⁶ths: their products are exact, so that they do not depend on what else is computed."""
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    units = np.divide(points, lengths, out=np.zeros_like(points), where=lengths > 0)
    whole: NDArray[np.float64] = np.rint(units * _GRID) / _GRID
    return whole
