"""Guess the value of a record from its noisy version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.statistic.attacks.record_law import likelihoods, several
from sfumato.study.score import Score
from sfumato.validate import probability

__all__ = ["RecordInferenceAttack"]


@dataclass(frozen=True, kw_only=True)
class RecordInferenceAttack:
    """Guesses each record by the likeliest of all values there are, weighed by how common they are.

    Numbers count as right within ``tolerance`` of the range of the data; categories must be right. Chance is the best
    single guess for everybody.

    Examples
    --------
    >>> from sfumato.mechanism import RandomizedResponse
    >>> from sfumato.noise import seeded_rng
    >>> votes = np.array(["yes", "no"] * 200)
    >>> coin = RandomizedResponse(epsilon=1.0, categories=["yes", "no"])
    >>> released = coin.release(votes, rng=seeded_rng(0))
    >>> score = RecordInferenceAttack().attack(votes, released, mechanism=coin, rng=seeded_rng(0))
    >>> 0.6 < score.value < 0.85, score.reference
    (True, 0.5)
    """

    criterion: ClassVar[str] = "inference"
    knows: ClassVar[str] = "the law of the noise and how common every value is"

    tolerance: float = 0.05
    name: str = "value of a record guessed"

    def __post_init__(self) -> None:
        probability("tolerance", self.tolerance, zero=True)

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        generator = resolve_rng(rng)
        truth, released = np.asarray(data), np.asarray(release)
        values, counts = np.unique(truth, axis=0, return_counts=True)
        kept = several(len(values), generator)
        values, counts = values[kept], counts[kept]
        chosen = several(len(truth), generator)
        scores = likelihoods(mechanism, released[chosen], values) + np.log(counts / counts.sum())
        right = self._near(truth[chosen], values[np.argmax(scores, axis=1)], truth)
        constant = max(float(self._near(truth, _everywhere(one, truth), truth).mean()) for one in values)
        return Score.of_share(right, constant)

    def _near(self, truth: Any, guess: Any, all_records: Any) -> Any:
        if truth.dtype.kind not in "iuf":
            return truth == guess
        width = self.tolerance * np.ptp(all_records.astype(np.float64), axis=0)
        close = np.abs(truth.astype(np.float64) - guess) <= width
        return close if close.ndim == 1 else close.all(axis=1)


def _everywhere(one: Any, like: Any) -> Any:
    return np.broadcast_to(one, like.shape)
