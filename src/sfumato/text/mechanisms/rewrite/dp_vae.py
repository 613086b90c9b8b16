"""The private variational auto-encoder: a bounded mean, fixed noise, and everything else decoded from that."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.noise.correlated import add_gaussian
from sfumato.promise import ApproxDP, Assumption, Guarantee
from sfumato.promise.calibration import analytic_gaussian_sigma, gaussian_epsilon
from sfumato.text.mechanisms.rewrite.capacity import gaussian_bits
from sfumato.text.mechanisms.rewrite.rewriter import SentenceRewriter
from sfumato.validate import integer, positive, probability

__all__ = ["DpVae", "squashed"]

_BELOW = 1 - 2.0**-40
"""Means stay this much inside the ball, so that rounding never carries one out of it."""


def squashed(means: NDArray[np.float64], radius: float) -> NDArray[np.float64]:
    """R·tanh(‖μ‖)·μ/‖μ‖ in double precision, with norm below R whatever the network says; not a number becomes 0.

    >>> squashed(np.array([[3.0, 4.0], [0.0, 0.0]]), 2.0).round(4)
    array([[1.1999, 1.5999],
           [0.    , 0.    ]])
    """
    finite = np.nan_to_num(np.clip(means, -1e100, 1e100), nan=0.0)
    largest = np.abs(finite).max(axis=-1, keepdims=True)
    scaled = np.divide(finite, largest, out=np.zeros_like(finite), where=largest > 0)
    length = np.linalg.norm(scaled, axis=-1, keepdims=True)
    unit = np.divide(scaled, length, out=np.zeros_like(scaled), where=length > 0)
    inside: NDArray[np.float64] = radius * _BELOW * np.tanh(length * largest) * unit
    return inside


@dataclass(frozen=True, kw_only=True, eq=False)
class DpVae(SentenceRewriter):
    """Writes each sentence anew from a noisy latent: (ε, δ) for the text (Weggenmann §6.3).

    The mean of the latent is squashed into the ball of radius R inside the network, z = R·tanh(‖μ‖)·μ/‖μ‖ + σ·N(0, I)
    with one σ for all texts. **Theorem.** Two sentences have means at most 2R apart and the same noise, so z is the
    Gaussian mechanism with Δ₂ = 2R; what is written from z costs nothing more. k sentences are one Gaussian mechanism
    with Δ₂ = 2R·√k, and σ is the least for (ε, δ) by its exact formula (Balle and Wang 2018).

    The dissertation prints ε = 34.5 for R = 3, σ = 1, δ = 1e-6; the exact value is 45.8 per *sentence*, and a text of
    12 sentences loses 314.

    Parameters
    ----------
    epsilon, delta : float
        Per unit: per sentence, or for the whole text.

    Notes
    -----
    Few bits pass a Gaussian at a small ε (:attr:`bits`): .6 at ε = 10. :class:`CodeVae` passes ten times as many.

    Examples
    --------
    >>> from sfumato.text import RewritingDesign, RewritingModel, Tokeniser
    >>> words = Tokeniser(words=("tea", "is", "good"), source="made up")
    >>> model = RewritingModel.untrained(words, RewritingDesign(hidden=4, embedding=4, size=2))
    >>> private = DpVae.of_sigma(sigma=1.0, model=model, unit="sentence", sentences=12)
    >>> round(private.epsilon, 1), round(private.whole_promise(texts=1, words=0, unit="document").epsilon)
    (45.8, 314)
    >>> isinstance(private.release("tea is good", rng=np.random.default_rng(1)), str)
    True
    """

    any_texts = True
    latents: ClassVar[tuple[str, ...]] = ("bounded",)

    epsilon: float
    delta: float = 1e-6

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("epsilon", self.epsilon, "a promise needs ε > 0")
        probability("delta", self.delta, "a Gaussian has no pure ε; code-vae does")
        _ = self.sigma

    @classmethod
    def of_sigma(cls, *, sigma: float, delta: float = 1e-6, **given: Any) -> Self:
        """With a given σ; ε is the exact one."""
        positive("sigma", sigma, "the fixed spread is > 0")
        model, unit = given["model"], given.get("unit", "document")
        apart = 2 * model.design.radius * math.sqrt(given.get("sentences", 1) if unit == "document" else 1)
        epsilon = gaussian_epsilon(delta, sigma, apart) * (1 + 1e-9)
        return cls(epsilon=epsilon, delta=delta, **given)

    @property
    def apart(self) -> float:
        """Δ₂, the largest distance of what two units add noise to."""
        count = self.sentences if self.unit == "document" else 1
        return math.nextafter(2 * float(self.model.design.radius) * math.sqrt(count), math.inf)

    @cached_property
    def sigma(self) -> float:
        """The deviation of the noise, the same for all texts."""
        return analytic_gaussian_sigma(self.epsilon, self.delta, self.apart)

    @property
    def bits(self) -> float:
        """The most bits that pass the latents of a unit."""
        size = self.model.design.size * (self.sentences if self.unit == "document" else 1)
        return gaussian_bits(self.epsilon, self.delta, size=size)

    @property
    def guarantee(self) -> Guarantee:
        """(ε, δ) for any two sentences or texts, as long as the model is public."""
        promise: Guarantee = ApproxDP(float(self.epsilon), float(self.delta), **self._scope())
        if self.unit == "sentence":
            promise = promise.assuming(Assumption("number of sentences of each text"))
        return promise.assuming(Assumption("model", source=self.model.source))

    def whole_promise(self, *, texts: int, words: int, unit: str) -> Guarantee:
        """All texts of somebody, of at most ``sentences`` each: one Gaussian mechanism, at the same δ."""
        count = integer("texts", texts) * self.sentences
        if self.unit == "document" and texts == 1:  # computed back from σ it would be a last bit more
            return ApproxDP(float(self.epsilon), float(self.delta), **(self._scope() | {"unit": unit})).assuming(
                *self.guarantee.assumptions
            )
        apart = math.nextafter(2 * float(self.model.design.radius) * math.sqrt(count), math.inf)
        epsilon = gaussian_epsilon(self.delta, self.sigma, apart) * (1 + 1e-9)
        promise = ApproxDP(max(epsilon, float(self.epsilon)), float(self.delta), **(self._scope() | {"unit": unit}))
        return promise.assuming(*self.guarantee.assumptions)

    def bounded_means(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """The means of sentences, inside the ball."""
        return squashed(self.model.read(ids)["mean"], float(self.model.design.radius))

    def draw_latents(self, ids: NDArray[np.int64], rng: Rng) -> NDArray[np.float64]:
        return add_gaussian(self.bounded_means(ids), self.sigma, rng)
