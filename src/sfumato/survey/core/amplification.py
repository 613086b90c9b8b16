"""What uniform shuffling is worth in the central model: amplification by hidden clones.

For comparison: a uniform shuffle turns ε₀-local reports into an (ε, δ)-differentially private collection with a far
smaller ε, at the price of every local pattern. No such theorem is known for the private shuffler in between, and none
is claimed.
"""

from __future__ import annotations

import math

import numpy as np

from sfumato.errors import InfeasibleError
from sfumato.promise import ApproxDP
from sfumato.validate import integer, positive, probability

_UP = 2.0**-46  # more than the rounding of the few operations of a closed form
_MOST_ERROR = 2**12
"""Rounding errors of binomial tails in units of 2⁻⁵³: they grow with n up to here."""

__all__ = ["amplified_by_shuffling", "amplified_delta", "amplified_epsilon_closed_form"]


def amplified_delta(epsilon: float, *, local_epsilon: float, n: int) -> float:
    """δ(ε) of n uniformly shuffled ε₀-local reports (Feldman, McMillan and Talwar 2021, Thm 3.2).

    The hockey-stick divergence between (A + Δ, C − A + 1 − Δ) and (A + 1 − Δ, C − A + Δ), where
    C ~ Bin(n − 1, e^{−ε₀}) others are clones of one of the two answers, A ~ Bin(C, ½) of the first, and
    Δ ~ Bern(e^{ε₀}/(e^{ε₀} + 1)). The sum over C is exact but for tails below 10⁻¹⁶ in all, which are added, and
    rounded up by more than the error of the binomial tails.
    """
    from scipy.stats import binom

    epsilon = positive("epsilon", epsilon, zero=True)
    local = positive("local_epsilon", local_epsilon)
    n = integer("n", n, least=2)
    if epsilon >= local:
        return 0.0
    epsilon = min(epsilon, 700.0)  # δ falls with ε: a bound, where e^ε would overflow
    keep, lose = 1 / (1 + math.exp(-local)), math.exp(-local) / (1 + math.exp(-local))
    low, high = (int(binom.ppf(q, n - 1, math.exp(-local))) for q in (0.5e-16, 1 - 2.0**-53))
    clones = np.arange(max(0, low - 1), min(n - 1, high + 10) + 1)
    # P(a)/Q(a) grows with a: the sum runs over all a above the point where it reaches e^ε, the largest a always.
    above, below = keep - math.exp(-epsilon) * lose, math.exp(-epsilon) * keep - lose
    first = np.minimum(np.floor(above / (above + below) * (clones + 1)), clones) + 1
    with_one, without = binom.sf(first - 2, clones, 0.5), binom.sf(first - 1, clones, 0.5)
    p_mass = keep * with_one + lose * without
    q_mass = lose * with_one + keep * without
    error = 2.0**-53 * np.clip(clones, 4, _MOST_ERROR)  # of a tail, relative: about twice what 40 digits show
    given = np.maximum(p_mass - math.exp(epsilon) * q_mass, 0.0) + error * (p_mass + math.exp(epsilon) * q_mass)
    weights = binom.pmf(clones, n - 1, math.exp(-local)) * (1 + 2.0**-53 * min(64 + n, 4 * _MOST_ERROR))
    left_out = binom.cdf(clones[0] - 1, n - 1, math.exp(-local)) + binom.sf(clones[-1], n - 1, math.exp(-local))
    return float(min(1.0, weights @ given + left_out))


def amplified_by_shuffling(*, local_epsilon: float, n: int, delta: float) -> ApproxDP:
    """The central promise of a uniform shuffle of n reports at the given δ, by bisection, rounded up.

    >>> promise = amplified_by_shuffling(local_epsilon=2.5, n=10_000, delta=1e-6)
    >>> 0.2 < promise.epsilon < 0.3
    True
    """
    probability("delta", delta)
    low, high = 0.0, positive("local_epsilon", local_epsilon)
    if amplified_delta(0.0, local_epsilon=local_epsilon, n=n) <= delta:
        high = 0.0
    while high - low > 1e-6 * max(high, 1e-6):
        middle = (low + high) / 2
        if amplified_delta(middle, local_epsilon=local_epsilon, n=n) <= delta:
            high = middle
        else:
            low = middle
    return ApproxDP(high, delta, unit="answer")


def amplified_epsilon_closed_form(*, local_epsilon: float, n: int, delta: float) -> float:
    """The closed form of the same bound (Feldman, McMillan and Talwar 2021, Thm 3.1); looser than the number."""
    local, n = positive("local_epsilon", local_epsilon), integer("n", n, least=2)
    delta = probability("delta", delta)
    largest = math.log(n / (16 * math.log(2 / delta))) * (1 - _UP) if n > 16 * math.log(2 / delta) else 0.0
    if local > largest:
        raise InfeasibleError(
            f"local_epsilon = {local:g}: the closed form holds up to {largest:.4g} for n = {n} and δ = {delta:g}; "
            "use amplified_by_shuffling"
        )
    grown = math.exp(local)
    spread = 8 * math.sqrt(grown * math.log(4 / delta)) / math.sqrt(n) + 8 * grown / n
    return math.log1p(math.tanh(local / 2) * spread) * (1 + _UP)
