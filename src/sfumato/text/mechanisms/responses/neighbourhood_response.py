"""A public text near the document, through randomised response; no topics are needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.text.mechanisms.responses.response_law import most_informative
from sfumato.text.mechanisms.responses.response_mechanism import ResponseMechanism
from sfumato.validate import integer

__all__ = ["NeighbourhoodResponse"]

_DIMENSIONS = 100
_GRID = 2.0**16
_BLOCK = 1 << 23


@dataclass(frozen=True, kw_only=True, eq=False)
class NeighbourhoodResponse(ResponseMechanism):
    """Releases one of the t public texts nearest to a document, or one of the others.

    T_x are the t of m public texts that are nearest to x (tf-idf, 100 singular vectors, cosine; all learned from the
    pool). A member of T_x is released with probability p = t·e^ε/(t·e^ε + m − t), else a text outside; each time
    uniformly. ε and the maximal leakage p·m/t hold for the whole document (:class:`ResponseMechanism`).

    Parameters
    ----------
    nearest : int, optional
        t, fixed and public. By default the number at which most information about x passes at this ε.

    Examples
    --------
    >>> from sfumato.text import PublicPool
    >>> pool = PublicPool.of(["roses in the lawn", "a spade for the hedge", "the bank has a loan", "tax on the market"])
    >>> response = NeighbourhoodResponse(epsilon=3.0, pool=pool, nearest=1)
    >>> response.release("My bank, my loan!", rng=np.random.default_rng(1))
    'the bank has a loan'
    >>> round(response.truth, 4), round(response.leakage, 4)
    (0.87, 3.4802)
    """

    nearest: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.nearest is not None:
            integer("nearest", self.nearest, most=len(self.pool) - 1)
        _ = self.weights

    @property
    def answers(self) -> int:
        return len(self.pool)

    @cached_property
    def favoured(self) -> int:
        return self.nearest or most_informative(self.epsilon, len(self.pool))

    def summaries(self, texts: Sequence[str]) -> NDArray[np.float64]:
        vectoriser, space = self._fitted
        points: NDArray[np.float64] = vectoriser.transform(texts) @ space  # sparse: every row is computed alone
        return points

    def favourites(self, summaries: NDArray[np.float64]) -> NDArray[np.int64]:
        points = _on_grid(summaries)
        rows = max(1, _BLOCK // len(self.pool))
        found = [
            np.argsort(-(points[start : start + rows] @ self._points.T), axis=1, kind="stable")[:, : self.favoured]
            for start in range(0, len(points), rows)
        ]
        return np.sort(np.concatenate([np.empty((0, self.favoured), np.int64), *found]), axis=1)

    def answers_of(self, released: Sequence[str]) -> NDArray[np.int64]:
        return np.array([self.pool.index.get(text, -1) for text in released], np.int64)

    def log_shares(self) -> NDArray[np.float64]:
        return np.zeros(len(self.pool))

    def stand_ins(self, answers: NDArray[np.int64], rng: Rng) -> list[str]:
        return [self.pool.texts[k] for k in answers.tolist()]

    @cached_property
    def _fitted(self) -> tuple[Any, NDArray[np.float64]]:
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectoriser = TfidfVectorizer(stop_words="english", sublinear_tf=True)
        try:
            points = vectoriser.fit_transform(self.pool.texts)
        except ValueError as error:
            raise bad_input("pool", "texts without a word", "texts to compare others with") from error
        size = min(_DIMENSIONS, points.shape[0] - 1, points.shape[1] - 1)
        if size < 1:
            return vectoriser, np.ones((points.shape[1], 1))
        return vectoriser, np.ascontiguousarray(TruncatedSVD(size, random_state=0).fit(points).components_.T)

    @cached_property
    def _points(self) -> NDArray[np.float64]:
        return _on_grid(self.summaries(self.pool.texts))


def _on_grid(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit vectors in whole 2⁻¹⁶ths: their products are exact, so that they do not depend on what else is computed."""
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    units = np.divide(points, lengths, out=np.zeros_like(points), where=lengths > 0)
    return np.rint(units * _GRID) / _GRID
