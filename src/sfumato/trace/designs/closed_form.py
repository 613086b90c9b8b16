"""Noise covariances Σᵍ of a given trace (total squared error) that have a closed form: baselines and optima.

No κ is taken from a design: the caller recomputes it (:func:`sfumato.trace.core.privacy_loss.certified_loss`).
"""

from __future__ import annotations

import numpy as np

from sfumato.errors import bad_input
from sfumato.trace.core.conditional import condition
from sfumato.trace.core.kernel import Matrix
from sfumato.trace.core.secret import Secret
from sfumato.trace.designs.design import FLOOR, with_floor
from sfumato.validate import positive, probability

__all__ = ["concentrated", "like_the_path", "optimal_basic", "optimal_block", "uniform"]


def uniform(n: int, budget: float) -> Matrix:
    """Independent noise of the same variance at every time (baseline LT10)."""
    return positive("budget", budget) / n * np.eye(n)


def concentrated(n: int, secret: Secret, budget: float) -> Matrix:
    """Noise at the secret times only (baseline LT10); the rest of the path then reveals them."""
    noise = np.zeros(n)
    noise[secret.within(n)] = positive("budget", budget) / len(secret.indices)
    return np.diag(noise)


def optimal_basic(prior: Matrix, secret: Secret, budget: float, *, floor: float = FLOOR) -> Matrix:
    """Noise of least loss for one secret time, in closed form: Σᵍ = B·v̂v̂ᵀ with v = (M + B·I)⁻¹Ã (addenda §1).

    Parameters
    ----------
    floor : float
        Share of the budget spread evenly. The pure optimum is a single direction, which an adversary who knows that the
        path is *smoother* than the prior says can filter out; 0.2 costs about a fifth in κ and repairs that.
    """
    split = condition(prior, secret.within(len(prior)))
    if split.lift.shape[1] != 1:
        raise bad_input("secret", secret.indices, "one time", "optimal_compound takes several")
    even, rest, free = with_floor(split, budget, floor)
    direction = np.linalg.solve(rest + free * np.eye(len(prior)), split.lift[:, 0])
    direction /= np.linalg.norm(direction)
    return even + free * np.outer(direction, direction)


def optimal_block(prior: Matrix, secret: Secret, budget: float, *, floor: float = FLOOR) -> Matrix:
    """Noise of least loss for one secret time without correlation between it and the rest, the dissertation's form.

    Σᵍ = wB ⊕ (1−w)B·v̂v̂ᵀ with the w that minimises aᵀ(M + B·diag(w, 1−w))⁻¹a (addenda §1).
    """
    from scipy.optimize import minimize_scalar

    inside = secret.within(len(prior))
    split = condition(prior, inside)
    if len(inside) != 1:
        raise bad_input("secret", secret.indices, "one time", "optimal_compound(…, block=True) takes several")
    even, rest, free = with_floor(split, budget, floor)
    on_secret = np.zeros(len(prior))
    on_secret[inside] = 1.0

    def direction(share: float) -> Matrix:
        spread = free * (share * on_secret + (1 - share) * (1 - on_secret))
        return np.asarray(np.linalg.solve(rest + np.diag(spread), split.lift[:, 0]), np.float64)

    best = minimize_scalar(
        lambda share: float(split.lift[:, 0] @ direction(share)), bounds=(1e-9, 1 - 1e-9), options={"xatol": 1e-10}
    ).x
    along = direction(best) * (1 - on_secret)
    along /= np.linalg.norm(along)
    return even + free * (best * np.diag(on_secret) + (1 - best) * np.outer(along, along))


def like_the_path(prior: Matrix, budget: float, *, floor: float = FLOOR) -> Matrix:
    """Noise with the law of the path itself, Σᵍ = B·Σ/tr Σ: the least worst loss when every time is a secret.

    For a prior of the same variance at all times. Given the secret i, M e_i = 0 and Σᵍ e_i = (B/n)·Ã, hence
    (M + Σᵍ)⁻¹Ã = (n/B)·e_i and κ = n/B for every i. No noise does better: a secret is seen at least through its own
    noise, κ_i ≥ 1/Σᵍ_ii, and the n numbers Σᵍ_ii add up to B.
    """
    even = np.eye(len(prior)) / len(prior)
    share = probability("floor", floor, zero=True)
    return positive("budget", budget) * ((1 - share) * prior / float(np.trace(prior)) + share * even)
