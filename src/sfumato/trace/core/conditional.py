"""A Gaussian prior split at a secret: the law of the rest of the path given the secret."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.trace.core.kernel import Matrix

__all__ = ["Conditional", "condition"]

_ROUNDING = 2.0**-52


@dataclass(frozen=True)
class Conditional:
    """A prior split at the secret times S: given X_S = s, the rest X_U has mean A·s and covariance Σ_{u|s}.

    ``lift`` is Ã (n × S: identity on S, A on U) and ``rest`` is M (zero on S, Σ_{u|s} on U), both in the order of the
    trace, so that the law of a release with noise Σᵍ given the secret s is N(Ã s, M + Σᵍ) up to a constant mean.
    ``lift_error`` and ``rest_error`` bound how far rounding may have moved the two, in the spectral norm.
    """

    lift: Matrix
    rest: Matrix
    lift_error: float = 0.0
    rest_error: float = 0.0


def condition(prior: Matrix, secret: NDArray[np.intp]) -> Conditional:
    """Split ``prior`` at the indices ``secret``; Σ_ss must be regular (two secrets one period apart are one)."""
    n = len(prior)
    within = prior[np.ix_(secret, secret)]
    values, vectors = np.linalg.eigh(within)
    if values[0] <= 1e-10 * values[-1]:
        raise bad_input(
            "secret", secret.tolist(), "times whose values the prior does not tie together exactly",
            "keep one of the secrets that determine each other",
        )  # fmt: skip
    others = np.setdiff1d(np.arange(n), secret)
    cross = prior[np.ix_(others, secret)]
    weights = (cross @ vectors / values) @ vectors.T
    rest = np.zeros((n, n))
    block = prior[np.ix_(others, others)] - weights @ cross.T
    rest[np.ix_(others, others)] = (block + block.T) / 2
    lift = np.zeros((n, len(secret)))
    lift[secret, np.arange(len(secret))] = 1.0
    lift[others] = weights
    # The eigenvalues of Σ_ss are off by a few roundings of the largest, which its condition number passes on to A.
    relative = _ROUNDING * (len(secret) + 4) * values[-1] / values[0]
    lift_error = float(relative * np.linalg.norm(weights))
    return Conditional(
        lift, rest, lift_error, float(lift_error * np.linalg.norm(cross) + 4 * _ROUNDING * np.linalg.norm(prior))
    )
