"""How much a private latent can say: bits beside ε."""

from __future__ import annotations

import math

from sfumato.promise.calibration import analytic_gaussian_sigma
from sfumato.validate import integer, positive

__all__ = ["best_response", "gaussian_bits", "response_bits"]


def gaussian_bits(epsilon: float, delta: float = 1e-6, *, size: int = 16) -> float:
    """The most bits that pass a latent with a bounded mean and Gaussian noise, (Z/2)·log₂(1 + R²/(Z·σ²)).

    σ is the least for (ε, δ) at a distance of 2R, so that R cancels. It is the capacity under the mean power R².

    >>> [round(gaussian_bits(epsilon), 2) for epsilon in (1.0, 4.0, 10.0, 50.0)]
    [0.01, 0.13, 0.6, 5.69]
    """
    integer("size", size)
    sigma = analytic_gaussian_sigma(positive("epsilon", epsilon), delta, sensitivity=2.0)
    return 0.5 * size * math.log2(1 + 1 / (size * sigma**2))


def response_bits(epsilon: float, codes: int) -> float:
    """The bits that pass k-ary randomised response: log₂k + p·log₂p + (1 − p)·log₂((1 − p)/(k − 1)).

    All k codes are equally likely.

    >>> round(response_bits(10.0, 2048), 2), round(response_bits(4.0, 16), 2)
    (9.65, 2.41)
    """
    positive("epsilon", epsilon), integer("codes", codes, least=2)
    other = 1 / (math.exp(min(epsilon, 700.0)) + codes - 1)
    truth = 1 - (codes - 1) * other
    return math.log2(codes) + truth * math.log2(truth) + (codes - 1) * other * math.log2(other)


def best_response(epsilon: float, *, most: int = 1 << 20) -> tuple[int, float]:
    """The power of two (or 3) of codes at which most bits pass, and these bits.

    >>> best_response(10.0)[0], best_response(1.0)[0]
    (2048, 3)
    """
    tried = [3, *(1 << k for k in range(1, most.bit_length()))]
    return max(((codes, response_bits(epsilon, codes)) for codes in tried), key=lambda one: one[1])
