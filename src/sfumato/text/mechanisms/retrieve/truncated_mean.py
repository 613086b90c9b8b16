"""The mean of sentence vectors with Laplace noise, as a public document: the dissertation's baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.noise.discrete import discrete_laplace
from sfumato.promise import Assumption, Guarantee, PureDP
from sfumato.promise.amount import multiply_up
from sfumato.text.mechanisms.retrieve.retrieval_mechanism import RetrievalMechanism
from sfumato.validate import probability

__all__ = ["TruncatedMean"]

_STEPS = 1 << 16
"""A box has so many steps on each side."""


@dataclass(frozen=True, kw_only=True, eq=False)
class TruncatedMean(RetrievalMechanism):
    """Clips sentence vectors to a public box, adds Laplace noise to their sum, releases the nearest public document.

    The box holds the central three quarters of the public documents in each coordinate. A sentence moves the sum by at
    most its width w_j, so that noise of scale d·w_j/ε in each of d coordinates gives ε per sentence (Meehan §3.5.3).
    The mean of a document lies in the box too: the same noise on the mean instead of the sum gives ε for any two
    documents, whatever their lengths (``unit="document"``). Sums and means are whole numbers of 2⁻¹⁶ of a width and the
    noise is discrete: nothing is lost in rounding. That the nearest candidate is released instead of the noisy mean
    costs nothing more.

    Parameters
    ----------
    share : float
        Of the public documents that lie inside the box in each coordinate.

    Examples
    --------
    >>> from sfumato.text import PublicPool
    >>> pool = PublicPool.of(["The cat sat. A dog ran.", "The bank. A loan of the bank.", "Rain fell. Hail fell."])
    >>> baseline = TruncatedMean(epsilon=5.0, pool=pool, encoder="tfidf", dimension=2)
    >>> baseline.release("My bank. No loan.", rng=np.random.default_rng(1)) in pool.texts
    True
    """

    share: float = 0.75

    def __post_init__(self) -> None:
        super().__post_init__()
        probability("share", self.share)

    @property
    def guarantee(self) -> Guarantee:
        """ε for one document or one sentence."""
        if self.unit == "document":
            return self._whole(self.epsilon, "document")
        promise = PureDP(float(self.epsilon), unit="sentence", neighbours="replace-one", model="local")
        return promise.assuming(*self._public)

    @property
    def document_epsilon(self) -> float:
        """What any two documents lose at most; of unit ``"sentence"``, two of equally many sentences."""
        return float(self.epsilon) if self.unit == "document" else multiply_up(self.epsilon, self.most)

    def whole_promise(self, *, texts: int, words: int, unit: str) -> Guarantee:
        return self._whole(multiply_up(self.document_epsilon, texts), unit)

    def _whole(self, epsilon: float, unit: str) -> Guarantee:
        return PureDP(float(epsilon), unit=unit, neighbours="any-pair", model="local").assuming(*self._public)

    @property
    def _public(self) -> tuple[Assumption, ...]:
        pool = Assumption("pool", source=self.pool.source)
        return (pool,) if self.unit == "document" else (pool, Assumption("number of sentences of each text"))

    @cached_property
    def box(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The low end and the width in each coordinate."""
        tail = (1 - self.share) / 2
        low, high = np.quantile(self.space.points, [tail, 1 - tail], axis=0)
        return low, np.maximum(high - low, 1e-9)

    def sums(self, points: NDArray[np.float64]) -> NDArray[np.int64]:
        """The sums of the clipped points in whole steps; of unit ``"document"``, their means."""
        low, width = self.box
        steps = np.rint(np.clip((points - low) / width, 0.0, 1.0) * _STEPS).astype(np.int64)
        total: NDArray[np.int64] = steps.sum(axis=0)
        return total // max(1, len(points)) if self.unit == "document" else total

    @property
    def scale(self) -> float:
        """Of the noise, in steps."""
        return float(np.nextafter(self.space.points.shape[1] * _STEPS / self.epsilon * (1 + 2.0**-50), np.inf))

    def choose(self, points: NDArray[np.float64], count: int, rng: Rng) -> NDArray[np.int64]:
        low, width = self.box
        noise = discrete_laplace(self.scale, count * points.shape[1], rng=rng).reshape(count, -1)
        means = low + width * (self.sums(points) + noise) / _STEPS / self._divisor(points)
        return np.array([((self.space.points - mean) ** 2).sum(axis=1).argmin() for mean in means], np.int64)

    def _divisor(self, points: NDArray[np.float64]) -> int:
        """What makes a mean of :meth:`sums`."""
        return 1 if self.unit == "document" else max(1, len(points))

    def log_likelihood(self, released: Sequence[str], candidates: Sequence[str]) -> NDArray[np.float64]:
        """The density of the noise at the released document: the law of the nearest one has no closed form."""
        low, width = self.box
        seen = (self.released_points(released) - low) / width * _STEPS
        found = np.empty((len(released), len(candidates)))
        for column, text in enumerate(candidates):
            points = self.points(text)
            apart = np.abs(seen * self._divisor(points) - self.sums(points)).sum(axis=1)
            found[:, column] = -apart / self.scale
        return found
