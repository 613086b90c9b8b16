"""The posterior of a path given a release, for an adversary with a Gaussian prior (Meehan, App. E.1.4; LT11)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.trace.core.kernel import Matrix
from sfumato.trace.core.secret import Secret

__all__ = ["estimate", "posterior", "posterior_interval"]


def posterior(prior: Matrix, noise: Matrix) -> tuple[Matrix, Matrix]:
    """Gain and covariance of X given Z = X + G: mean = gain·Z, Σ_{x|z} = Σ − Σ(Σ + Σᵍ)⁻¹Σ.

    In this form Σᵍ may be singular and Σ is never inverted; a millionth of the mean variance on the diagonal keeps the
    solve regular, as the authors do.
    """
    both = prior + noise
    both = both + 1e-6 * np.diag(both).mean() * np.eye(len(both))
    gain = np.linalg.solve(both, prior).T
    spread = prior - gain @ prior
    return gain, (spread + spread.T) / 2


def posterior_interval(prior: Matrix, noise: Matrix, secret: Secret) -> float:
    """The half-width 2σ of the adversary's interval: 2√(Σ_{x|z})_ii, for a compound secret the narrowest direction.

    >>> from sfumato.trace.core.kernel import RBF, covariance
    >>> from sfumato.trace.designs.closed_form import uniform
    >>> round(posterior_interval(covariance(RBF(length=6.0), range(50)), uniform(50, 1.0), Secret((24,))), 3)
    0.124
    """
    inside = secret.within(len(prior))
    spread = posterior(prior, noise)[1][np.ix_(inside, inside)]
    return float(2 * np.sqrt(max(np.linalg.eigvalsh(spread)[0], 0.0)))


def estimate(prior: Matrix, noise: Matrix, release: NDArray[np.float64]) -> NDArray[np.float64]:
    """The posterior mean of the path, with the mean of the release as the prior's mean in each dimension."""
    centre = release.mean(axis=0)
    return centre + posterior(prior, noise)[0] @ (release - centre)
