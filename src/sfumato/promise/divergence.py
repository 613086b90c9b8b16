"""How far apart two output laws are: largest log-ratio, hockey-stick divergence, Rényi divergence.

All three work on log-probabilities (or log-densities with integration weights) at the same outputs. What is summed is
never negative, so that leaving outputs out can only make the result smaller: it is a lower bound.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input

__all__ = ["hockey_stick", "log_ratio", "max_log_ratio", "pure_delta", "renyi_divergence"]

Floats = NDArray[np.float64]


def log_ratio(log_p: ArrayLike, log_q: ArrayLike) -> Floats:
    """log p − log q at each output, where 0/0 counts as ratio one (Weggenmann, ch. 2).

    >>> log_ratio([0.0, -np.inf, -np.inf], [-1.0, -np.inf, 0.0])
    array([  1.,   0., -inf])
    """
    p, q = np.asarray(log_p, float), np.asarray(log_q, float)
    both_zero = np.isneginf(p) & np.isneginf(q)
    with np.errstate(invalid="ignore"):
        return np.where(both_zero, 0.0, p - q)


def max_log_ratio(log_p: ArrayLike, log_q: ArrayLike) -> tuple[float, int]:
    """The largest log-ratio and the index of the output that attains it: the ε of these two laws."""
    ratio = log_ratio(log_p, log_q)
    index = int(np.argmax(ratio))
    return float(ratio[index]), index


def hockey_stick(log_p: ArrayLike, log_q: ArrayLike, epsilon: float, log_weight: ArrayLike = 0.0) -> float:
    """Σ w·max(0, p − e^ε·q): the smallest δ for which p is (ε, δ)-close to q.

    >>> p, q = np.log([0.75, 0.25]), np.log([0.25, 0.75])
    >>> round(hockey_stick(p, q, 0.0), 6), round(hockey_stick(p, q, np.log(3)), 6)
    (0.5, 0.0)
    """
    return float(np.exp(np.asarray(log_weight, float) + hockey_stick_terms(log_p, log_q, epsilon)).sum())


def hockey_stick_terms(log_p: ArrayLike, log_q: ArrayLike, epsilon: float) -> Floats:
    """log max(0, p − e^ε·q) at each output."""
    excess = np.maximum(log_ratio(log_p, log_q) - epsilon, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(log_p, float) + np.log(-np.expm1(-excess))


def renyi_divergence(log_p: ArrayLike, log_q: ArrayLike, order: float, log_weight: ArrayLike = 0.0) -> float:
    """D_α(p‖q) = log(Σ w·p^α·q^{1−α})/(α−1) for α > 1.

    >>> p, q = np.log([0.75, 0.25]), np.log([0.25, 0.75])
    >>> round(renyi_divergence(p, q, 2.0), 6)
    0.847298
    """
    if not order > 1:
        raise bad_input("order", order, "α > 1")
    terms = np.asarray(log_weight, float) + renyi_terms(log_p, log_q, order)
    top = float(terms.max(initial=-np.inf))
    if not np.isfinite(top):
        return max(0.0, top)
    return max(0.0, (top + float(np.log(np.exp(terms - top).sum()))) / (order - 1))


def renyi_terms(log_p: ArrayLike, log_q: ArrayLike, order: float) -> Floats:
    """log p^α·q^{1−α} at each output; where p vanishes there is nothing to add."""
    p = np.asarray(log_p, float)
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(p), -np.inf, p + (order - 1) * log_ratio(p, log_q))


def pure_delta(promised: float, epsilon: float) -> float:
    """The largest hockey-stick divergence at ``epsilon`` of two laws within a log-ratio of ``promised``."""
    if epsilon >= promised:
        return 0.0
    if promised > 700:
        return 1.0
    return (math.exp(promised) - math.exp(epsilon)) / (1 + math.exp(promised))
