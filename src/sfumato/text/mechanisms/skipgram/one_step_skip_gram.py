"""One step of private skip-gram, whose law is known exactly: for the auditor only."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.text.mechanisms.skipgram.private_skip_gram import PrivateSkipGram
from sfumato.text.mechanisms.skipgram.user_pairs import UserPairs

__all__ = ["OneStepSkipGram"]


@dataclass(frozen=True, kw_only=True, eq=False)
class OneStepSkipGram(PrivateSkipGram):
    """Private skip-gram reduced to one step over all users, without negatives: its law has a closed form.

    From fixed starting vectors θ₀ it releases N(θ₀ − pace·Σ_u clip(g_u), (pace·σC)²·I), where pace is the learning rate
    over the expected number of users; the rest of the training repeats this step and samples users for it.
    """

    negatives: int = 0
    steps: int = 1
    rate: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.initial is None:
            raise bad_input("initial", None, "fixed starting vectors, which make the law a single Gaussian")
        for name, needed in (("negatives", 0), ("steps", 1), ("rate", 1.0)):
            if getattr(self, name) != needed:
                raise bad_input(name, getattr(self, name), str(needed))

    @property
    def deviation(self) -> float:
        """The standard deviation of each released number."""
        return self.learning_rate * self.noise_multiplier * self.clip / self.expected_users

    def mean(self, data: Any) -> NDArray[np.float64]:
        """What is released without noise."""
        users = UserPairs.of(self._users(data), {word: place for place, word in enumerate(self.words)}, self.window)
        if len(users) and int(np.diff(users.first).max()) > self.pairs_per_user:
            raise bad_input("data", "a user with many pairs", f"at most {self.pairs_per_user} pairs a user")
        start = self._start(np.random.default_rng(0))
        step = self.clipped_sum(start, users, np.arange(len(users)), np.random.default_rng(0))
        return (start - self.learning_rate / self.expected_users * step)[: len(self.words)]

    def log_density(self, output: ArrayLike, data: Any) -> NDArray[np.float64]:
        """The log-density at each output (first axis) of shape (words, dimension)."""
        distance = (np.asarray(output, float) - self.mean(data)) / self.deviation
        size = distance[0].size
        return -0.5 * (distance**2).sum(axis=(1, 2)) - size * (0.5 * math.log(2 * math.pi) + math.log(self.deviation))

    def draw(self, data: Any, count: int, rng: Rng) -> NDArray[np.float64]:
        """``count`` independent releases."""
        mean = self.mean(data)
        return mean + self.deviation * rng.standard_normal((count, *mean.shape))
