"""What a private shuffle bounds: an attacker's gain about one owner, about several, and about the order itself.

All of them are about an attacker who may know anything but the secret named; none is about what a group answered as a
whole, which the shuffle does not hide.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.validate import finite_array, integer, positive, probability

__all__ = [
    "de_finetti_bounds",
    "inferential_loss",
    "posterior_bounds",
    "reidentification_bound",
    "reidentification_odds",
]


def _rounding(exponent: float) -> float:
    """A factor above 1 by more than what e to that power and a few operations can be rounded by."""
    return 1 + 2.0**-48 + min(exponent, 1e6) * 2.0**-50


def posterior_bounds(prior: float, alpha: float) -> tuple[float, float]:
    """Between which values the release can move a belief about one owner's answer (Meehan 2023, Thm 4).

    For any prior, an attacker who knows all reports outside the group of i and which reports came from it, though not
    from whom, holds x_i = a rather than b at log-odds that the release changes by at most α.

    Parameters
    ----------
    prior : float
        The attacker's probability of one answer against another, before seeing the release.
    alpha : float

    >>> low, high = posterior_bounds(0.5, 1.0)
    >>> round(low, 4), round(high, 4)
    (0.2689, 0.7311)
    """
    prior = probability("prior", prior, zero=True, one=True)
    alpha = positive("alpha", alpha, zero=True)
    grown, shrunk = prior + (1 - prior) * math.exp(-alpha), prior * math.exp(-alpha) + (1 - prior)
    if prior in (0.0, 1.0):
        return prior, prior
    return prior * math.exp(-alpha) / shrunk / _rounding(alpha), min(1.0, prior / grown * _rounding(alpha))


def reidentification_odds(*, group: int, named: int, epsilon: float, alpha: float) -> float:
    """At least how many times more probably the attacker loses than wins (Meehan 2023, Thm 5).

    The attacker names k slots that are to hold the reports of k members of one group of r and wins if more than half
    are right: Pr[loses] ≥ ⌊(r − k)/k⌋·e^{−(2kε + α)}·Pr[wins], for k < r/2.

    >>> round(reidentification_odds(group=100, named=5, epsilon=0.2, alpha=2.0), 4)
    0.348
    """
    group = integer("group", group, least=3)
    named = integer("named", named)
    if not named < group / 2:
        raise bad_input("named", named, f"fewer than half of the group of {group}")
    loss = 2 * named * positive("epsilon", epsilon, zero=True) + positive("alpha", alpha, zero=True)
    return ((group - named) // named) * math.exp(-loss) / _rounding(loss)


def reidentification_bound(*, group: int, named: int, epsilon: float, alpha: float) -> float:
    """The largest probability with which the attacker of :func:`reidentification_odds` can win.

    >>> round(reidentification_bound(group=1000, named=1, epsilon=0.2, alpha=2.0), 4)
    0.0109
    """
    odds = reidentification_odds(group=group, named=named, epsilon=epsilon, alpha=alpha)
    return min(1.0, _rounding(0.0) / (1 + odds))


def de_finetti_bounds(prior: float, alpha: float) -> tuple[float, float]:
    """Between which values the release can move Pr[σ(i) = j] when one group is everyone (Meehan 2023, Prop. 1).

    Probabilities, not odds, change by at most e^{±α}. The converse (Prop. 2) holds with a prior that puts vanishing
    mass on one permutation, not with the even prior printed.

    >>> low, high = de_finetti_bounds(0.01, 1.0)
    >>> round(low, 5), round(high, 5)
    (0.00368, 0.02718)
    """
    prior = probability("prior", prior, zero=True, one=True)
    alpha = positive("alpha", alpha, zero=True)
    largest = prior * math.exp(min(alpha, 700.0)) * _rounding(alpha)
    return prior * math.exp(-alpha) / _rounding(alpha), min(1.0, largest)


def inferential_loss(prior: ArrayLike, likelihood: ArrayLike) -> float:
    """Local inferential privacy loss of one release: max over i, a, b of |ln Pr[z | x_i = a] / Pr[z | x_i = b]|.

    It is also the largest change of log-odds between prior and posterior (Meehan 2023, §D.1.1), for *this* prior:
    unlike differential privacy it counts what correlated owners tell about each other.

    Parameters
    ----------
    prior : array of shape (K, …, K)
        Joint probability of the n answers.
    likelihood : array of the same shape
        Pr[z | x] of the release that was seen.

    >>> independent = np.full((2, 2), 0.25)
    >>> round(inferential_loss(independent, [[0.4, 0.1], [0.4, 0.1]]), 4)  # the release tells the second answer only
    1.3863
    >>> equal = np.array([[0.5, 0.0], [0.0, 0.5]])
    >>> round(inferential_loss(equal, [[0.4, 0.1], [0.4, 0.1]]), 4)
    1.3863
    """
    weights, law = finite_array("prior", prior), finite_array("likelihood", likelihood)
    if weights.shape != law.shape or weights.ndim == 0 or len(set(weights.shape)) != 1:
        raise bad_input("likelihood", law.shape, "the shape (K, …, K) of the prior")
    if (weights < 0).any() or not math.isclose(weights.sum(), 1, abs_tol=1e-9):
        raise bad_input("prior", float(weights.sum()), "probabilities that sum to 1")
    if (law < 0).any() or (law > 1).any():
        raise bad_input("likelihood", "outside [0, 1]", "probabilities")
    losses = [_owner_loss(weights, law, axis) for axis in range(weights.ndim)]
    return max(losses)


def _owner_loss(weights: NDArray[np.float64], law: NDArray[np.float64], axis: int) -> float:
    others = tuple(other for other in range(weights.ndim) if other != axis)
    mass = weights.sum(axis=others)
    told = (weights * law).sum(axis=others)[mass > 0] / mass[mass > 0]
    if told.max() == 0 or told.min() == told.max():
        return 0.0
    return math.inf if told.min() == 0 else float(math.log(told.max() / told.min()))
