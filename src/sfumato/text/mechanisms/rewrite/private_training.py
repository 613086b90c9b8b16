"""Training that protects the training texts: noisy steps under (ε, δ)-differential privacy for each of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.mechanism.noisy_steps import NoisySteps
from sfumato.noise import Rng
from sfumato.noise.grid import grid_step
from sfumato.promise import ApproxDP, Assumption
from sfumato.validate import integer, positive, probability

__all__ = ["PrivateTraining"]

_MARGIN = 1 - 1e-9
"""Clipping stays this much below the bound, so that rounding never carries a norm above it."""
_SUM_BITS = 34
"""Sums are whole multiples of about 2⁻³⁴ of the clipping bound."""


@dataclass(frozen=True, kw_only=True)
class PrivateTraining:
    """How the texts that a network learns from are protected: DP-SGD with the text as its unit.

    Each of ``steps`` steps takes every text with probability q = ``rate`` (Poisson sampling). The gradient of what a
    step reads of a text, at most ``sentences`` sentences, is clipped to C = ``clip`` over all weights together; the sum
    gets noise N(0, σ²C²) on every weight and is divided by the public number q·``expected_texts``. One text more or
    less changes the sum by at most C: a step is the Poisson-sampled Gaussian mechanism, and σ is the least with which
    all steps keep (ε, δ) (Rényi accounting). What an optimiser does with noisy sums costs nothing. Chance inside a
    step (hidden words, the noise on a latent) is drawn for each text by itself: else one more text would change the
    gradients of the others.

    A text has many sentences. Gradients are taken text by text and not sentence by sentence, as a library that clips
    every row of a batch would do: its promise would be about a sentence.

    Parameters
    ----------
    epsilon, delta : float
        Per training text, added or removed.
    expected_texts : int
        A public estimate of how many there are; it only scales the steps.
    steps, sentences : int
    rate, clip : float

    Examples
    --------
    >>> private = PrivateTraining(epsilon=8.0, delta=1e-6, expected_texts=2000)
    >>> print(private.guarantee)
    ε = 8, δ = 1e-06 per training text (add-remove neighbours, central model), provided that the vocabulary is public
    >>> round(private.noise_multiplier, 2)
    0.68
    """

    epsilon: float
    delta: float
    expected_texts: int
    steps: int = 300
    rate: float = 0.02
    sentences: int = 8
    clip: float = 1.0

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        probability("delta", self.delta)
        for name in ("expected_texts", "steps", "sentences"):
            integer(name, getattr(self, name))
        probability("rate", self.rate, one=True)
        if not 2.0**-60 <= positive("clip", self.clip) <= 2.0**60:
            raise bad_input("clip", self.clip, "a bound between 2^-60 and 2^60", "the usual one is 1")

    @property
    def guarantee(self) -> ApproxDP:
        """(ε, δ) for one training text, added or removed."""
        promise = ApproxDP(float(self.epsilon), float(self.delta), unit="training text", neighbours="add-remove")
        return promise.assuming(Assumption("vocabulary"))

    @property
    def noise_multiplier(self) -> float:
        """σ: the smallest noise multiplier with which all steps together keep the promise."""
        return self.noisy_steps.noise_multiplier

    @cached_property
    def noisy_steps(self) -> NoisySteps:
        """Who is sampled, and the noise on a sum."""
        return NoisySteps(target=self.guarantee, steps=self.steps, rate=self.rate, clip=self.clip)

    def chosen(self, owners: NDArray[np.int64], rng: Rng) -> list[NDArray[np.int64]]:
        """The rows of one step, text by text: each text by chance, and of its sentences at most ``sentences``.

        ``owners`` holds the text of each row, in ascending order.
        """
        count = int(owners[-1]) + 1 if len(owners) else 0
        found = []
        for text in np.flatnonzero(self.noisy_steps.sampled(count, rng)).tolist():
            first, end = np.searchsorted(owners, [text, text + 1])
            order = np.arange(first, end)
            found.append(order[np.sort(rng.permutation(len(order))[: self.sentences])])
        return [rows for rows in found if len(rows)]

    def noisy_mean(self, gradients: Iterable[NDArray[np.floating[Any]]], size: int, rng: Rng) -> NDArray[np.float64]:
        """What a step follows: clipped gradients of texts, each of ``size`` numbers, added up, with noise, divided."""
        noisy = self.noisy_steps.noisy(self.clipped_sum(gradients, size), rng)
        return noisy / (self.rate * self.expected_texts)

    def clipped_sum(self, gradients: Iterable[NDArray[np.floating[Any]]], size: int) -> NDArray[np.float64]:
        """Σ g·min(1, C/‖g‖): all that a step learns from texts. A gradient that is not finite adds nothing."""
        grid = grid_step(self.clip, _SUM_BITS)
        total = np.zeros(size, np.int64)
        for gradient in gradients:
            largest = float(np.abs(gradient).max(initial=0.0))
            if not math.isfinite(largest) or largest == 0:
                continue
            scaled = np.divide(gradient, largest, dtype=np.float64)  # no square over- or underflows
            length = min(largest, self.clip * _MARGIN / float(np.linalg.norm(scaled)))
            total += np.trunc(scaled * (length / grid)).astype(np.int64)  # towards zero: no norm grows
        return np.multiply(total, grid, dtype=np.float64)
