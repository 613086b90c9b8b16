"""How large classes of a random sample must be to be released with differential privacy."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

from sfumato.errors import bad_input
from sfumato.validate import integer, positive, probability

__all__ = ["best_rate", "least_class", "sampling_delta"]

Floats = NDArray[np.float64]

UP = 1 + 1e-9
"""δ is multiplied by this, and :data:`ROUNDING` of the probabilities it is a difference of is added."""

ROUNDING = 1e-12
LARGEST_CLASS = 1 << 16
RATES = tuple(part / 32 for part in range(1, 32))
"""Sampling rates that are tried; the coin of each is exact in double precision."""


def sampling_delta(epsilon: float, rate: float, k: int) -> float:
    """The least δ for which sampled, generalised and thresholded records are (ε, δ)-DP; rounded up.

    Each record of a table is kept with probability β (``rate``), the kept ones are generalised by a rule that does not
    depend on the data, and classes of fewer than ``k`` kept records are left out. All columns that leave are
    generalised, so that records of a class are equal and the release is the list of class sizes.

    **Theorem.** Neighbours differ in one record, which makes one class n large instead of n − 1; all other class sizes
    have the same law and are independent of it. Let J_n ~ Bin(n, β), and let the class show J_n if J_n ≥ k and nothing
    otherwise. The least δ is the larger of

        A_n = Σ_j [Pr(J_n = j) − e^ε·Pr(J_{n−1} = j)]₊,   B_n = the same with n and n − 1 exchanged,

    over all n ≥ 1, where the sums run over the outcomes "nothing", k, k + 1, …. The ratio Pr(J_n = j)/Pr(J_{n−1} = j) =
    (1 − β)·n/(n − j) rises with j, and that of "nothing" is below all of j ≥ k, because it is a mean of smaller ones.
    So the positive terms are a tail: with γ = 1 − (1 − β)e^{−ε} and γ′ = 1 − (1 − β)e^{ε},

        A_n = Pr(J_n ≥ a) − e^ε·Pr(J_{n−1} ≥ a),   a = max(k, ⌊γn⌋ + 1)
        B_n = Pr(J_{n−1} < b) − e^ε·Pr(J_n < b),   b = max(k, ⌈γ′n⌉), where that is positive.

    B_n ≤ 0 for every n if ε ≥ −ln(1 − β). Any other a or b gives less, so a float that rounds γn the wrong way changes
    δ by its rounding at most. Only finitely many n matter: A_n ≤ exp(−n·KL(γ‖β)) by Chernoff's bound, and for c halfway
    between max(γ′, 0) and β, B_n ≤ exp(−(n − 1)·KL(c‖β)) as soon as b − 1 ≤ c·(n − 1); n beyond which both fall below
    what was found are left out.

    Li, Qardaji and Su (2012, Theorem 5) and SafePub (Bild, Kuhn and Prasser 2018) bound A_n by Pr(J_n ≥ a) and ask for
    ε ≥ −ln(1 − β). The exact value needs classes a third to a half smaller, and holds for every ε > 0.

    >>> sampling_delta(1.0, 0.25, 20) < 1e-6 < sampling_delta(1.0, 0.25, 10)
    True
    """
    positive("epsilon", epsilon, "a promise needs ε > 0")
    probability("rate", rate)
    integer("k", k)
    return _delta(float(epsilon), float(rate), int(k))


@lru_cache(maxsize=4096)
def _delta(epsilon: float, rate: float, k: int) -> float:
    grows = math.exp(epsilon)
    high, low = 1 - (1 - rate) / grows, max(1 - (1 - rate) * grows, 0.0)
    middle = (low + rate) / 2
    falls, rises = _divergence(high, rate), _divergence(middle, rate)
    found, first = 0.0, 1
    while True:
        last = max(2 * first, first + 256)
        n = np.arange(first, last, dtype=np.float64)
        found = max(found, float(_added(n, epsilon, rate, k, high).max()))
        if epsilon < -math.log1p(-rate):
            found = max(found, float(_removed(n, epsilon, rate, k, low).max()))
        # From here on, `first` records are in the class, and the bounds of both sides fall with every record more.
        first = last
        settled = max(k, math.ceil(low * first)) <= middle * (first - 1)
        rest = max(math.exp(-first * falls), math.exp(-(first - 1) * rises) if settled else 1.0)
        if found > 0 and rest <= found and first > k / high:
            return min(found * UP, 1.0)
        if rest < 1e-300:
            return 1e-300


def _added(n: Floats, epsilon: float, rate: float, k: int, high: float) -> Floats:
    edge = np.maximum(k, np.floor(high * n) + 1)
    more, less = binom.sf(edge - 1, n, rate), binom.sf(edge - 1, n - 1, rate)
    return np.asarray(np.where(edge <= n, more - math.exp(epsilon) * less + ROUNDING * more, 0.0))


def _removed(n: Floats, epsilon: float, rate: float, k: int, low: float) -> Floats:
    edge = np.maximum(k, np.ceil(low * n))
    more, less = binom.cdf(edge - 1, n - 1, rate), binom.cdf(edge - 1, n, rate)
    return np.asarray(np.maximum(more - math.exp(epsilon) * less, 0.0) + ROUNDING * more * (n >= k))


def _divergence(share: float, rate: float) -> float:
    """KL(share‖rate) of two coins, rounded down."""
    rest = (1 - share) * math.log((1 - share) / (1 - rate)) if share < 1 else 0.0
    return max(share * math.log(share / rate) + rest, 0.0) / UP


@lru_cache(maxsize=1024)
def least_class(epsilon: float, delta: float, rate: float) -> int:
    """The smallest k with which :func:`sampling_delta` is at most ``delta``.

    A larger k is a function of the release with a smaller one, so δ falls with k.

    >>> least_class(1.0, 1e-6, 0.25)
    14
    """
    probability("delta", delta, "0 would ask for classes without end")
    high = 1
    while sampling_delta(epsilon, rate, high) > delta:
        high *= 2
        if high > LARGEST_CLASS:
            raise bad_input("rate", rate, f"classes of at most {LARGEST_CLASS} for ε = {epsilon:g}", "lower the rate")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if sampling_delta(epsilon, rate, middle) > delta else (low, middle)
    return high


@lru_cache(maxsize=256)
def best_rate(epsilon: float, delta: float) -> float:
    """The sampling rate by which small groups of people are released: the largest of those with nearly the least k/β.

    A group of n people is in the release if about βn ≥ k, so that n ≥ k/β are needed. Rates that need at most a tenth
    more people than the best are as good, and more of them leaves more records.

    >>> best_rate(1.0, 1e-6)
    0.40625
    """
    needed = {}
    for rate in RATES:
        needed[rate] = least_class(epsilon, delta, rate) / rate
        if needed[rate] > 4 * min(needed.values()):  # it only grows from here
            break
    return max(rate for rate, people in needed.items() if people <= 1.1 * min(needed.values()))
