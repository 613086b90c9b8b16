"""Laplace (two-sided geometric) and Gaussian laws on the integers: draws, probabilities, variances."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.noise.discrete_sampler import draw_lattice, log_normaliser
from sfumato.noise.entropy import Rng, resolve_rng
from sfumato.validate import integer, positive

__all__ = [
    "discrete_gaussian",
    "discrete_gaussian_log_prob",
    "discrete_gaussian_variance",
    "discrete_laplace",
    "discrete_laplace_log_prob",
    "discrete_laplace_variance",
]


def discrete_laplace(scale: float, size: int, *, rng: Rng | None = None) -> NDArray[np.int64]:
    """``size`` whole numbers with P(n) ∝ exp(−|n|/scale): exact, in time that does not depend on what is drawn.

    See :mod:`sfumato.noise.discrete_sampler` for how.

    >>> discrete_laplace(3.0, 5, rng=np.random.default_rng(1)).shape
    (5,)
    """
    return draw_lattice(False, positive("scale", scale), integer("size", size, least=0), resolve_rng(rng))


def discrete_laplace_log_prob(n: ArrayLike, scale: float) -> NDArray[np.float64]:
    """ln P(n) = −|n|/s + ln tanh(1/2s).

    >>> round(float(np.exp(discrete_laplace_log_prob(np.arange(-99, 100), 2.0)).sum()), 12)
    1.0
    """
    return -np.abs(np.asarray(n, np.float64)) / scale - log_normaliser(False, scale)


def discrete_laplace_variance(scale: float) -> float:
    """2q/(1 − q)² with q = e^{−1/s}: a little less than the 2s² of the continuous law.

    >>> round(discrete_laplace_variance(10.0), 3)
    199.833
    """
    return 2 * math.exp(-1 / scale) / math.expm1(-1 / scale) ** 2


def discrete_gaussian(sigma: float, size: int, *, rng: Rng | None = None) -> NDArray[np.int64]:
    """``size`` whole numbers with P(n) ∝ exp(−n²/2σ²): exact, in time that does not depend on what is drawn.

    Canonne, Kamath and Steinke (2020) give the law and its privacy; see :mod:`sfumato.noise.discrete_sampler` for the
    sampler.

    >>> discrete_gaussian(3.0, 5, rng=np.random.default_rng(1)).shape
    (5,)
    """
    return draw_lattice(True, positive("sigma", sigma), integer("size", size, least=0), resolve_rng(rng))


def discrete_gaussian_log_prob(n: ArrayLike, sigma: float) -> NDArray[np.float64]:
    """ln P(n) = −n²/2σ² − ln Σ exp(−k²/2σ²).

    >>> round(float(np.exp(discrete_gaussian_log_prob(np.arange(-99, 100), 2.0)).sum()), 12)
    1.0
    """
    x = np.asarray(n, np.float64) / sigma
    return -0.5 * x * x - log_normaliser(True, sigma)


def discrete_gaussian_variance(sigma: float) -> float:
    """The variance, which is σ² to double precision from σ = 1.5 on, and less below.

    >>> round(discrete_gaussian_variance(0.5), 4), discrete_gaussian_variance(5.0)
    (0.215, 25.0)
    """
    if sigma >= 3:
        return sigma * sigma
    n = np.arange(1, 40)
    weight = np.exp(-0.5 * (n / sigma) ** 2 - log_normaliser(True, sigma))
    return 2 * math.fsum(weight * n * n)
