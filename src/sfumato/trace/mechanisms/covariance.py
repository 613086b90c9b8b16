"""Noise covariances Σᵍ of a given trace (total squared error): the published ones, and the optimum for one secret time.

What they reach is never taken from a solver: the caller recomputes κ with :func:`sfumato.trace.loss.loss`. Several
secret values, several secrets or several priors are in :mod:`sfumato.trace.mechanisms.design`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.errors import bad_input
from sfumato.trace.core.prior import Conditional, Matrix, condition
from sfumato.trace.core.secret import Secret
from sfumato.validate import extra, positive, probability

__all__ = ["concentrated", "dominate", "like_the_path", "optimal_basic", "optimal_block", "published", "uniform"]

FLOOR = 1e-6
"""Share of the budget spread evenly in every optimal design, so that the certificate rests on a regular matrix."""


def uniform(n: int, budget: float) -> Matrix:
    """The same independent noise at every time (baseline LT10)."""
    return positive("budget", budget) / n * np.eye(n)


def concentrated(n: int, secret: Secret, budget: float) -> Matrix:
    """All noise on the secret times (baseline LT10): the rest of the path then gives them away."""
    noise = np.zeros(n)
    noise[secret.within(n)] = positive("budget", budget) / len(secret.indices)
    return np.diag(noise)


def published(prior: Matrix, secret: Secret, budget: float, *, inflation: float = 1000.0) -> Matrix:
    """SDP_A as the authors run it (Meehan, App. E.1.3): maximise β with Ã⁺(M + Σᵍ)Ã⁺ᵀ ⪰ βI, then drop the covariance
    between secret and rest and average the diagonal on the secret.

    Only Σᵍ = ÃXÃᵀ matters to that program (anything else adds trace and no β), which leaves an S × S program; for one
    basic secret it is the closed form (B/‖Ã‖²)·(1 ⊕ AAᵀ).

    Parameters
    ----------
    inflation : float
        The authors solve with the budget multiplied by this and scale the answer back (1000 for smooth kernels, 10 for
        periodic ones). Without it a compound secret may get no noise at all in one direction, and κ = ∞.
    """
    inside = secret.within(len(prior))
    split = condition(prior, inside)
    gram = split.lift.T @ split.lift
    if len(inside) == 1:
        core = np.array([[positive("budget", budget) / gram[0, 0]]])
    else:
        cvxpy = extra("cvxpy", "trace")
        inverse = np.linalg.pinv(split.lift)
        spread = inverse @ split.rest @ inverse.T
        variable, beta = cvxpy.Variable((len(inside), len(inside)), PSD=True), cvxpy.Variable()
        limits = [
            (spread + spread.T) / 2 + variable >> beta * np.eye(len(inside)),
            cvxpy.trace(variable @ gram) <= positive("budget", budget) * positive("inflation", inflation),
        ]
        cvxpy.Problem(cvxpy.Maximize(beta), limits).solve(solver="CLARABEL")
        core = variable.value / inflation
    noise = split.lift @ core @ split.lift.T
    others = np.setdiff1d(np.arange(len(prior)), inside)
    noise[np.ix_(inside, others)] = noise[np.ix_(others, inside)] = 0.0
    noise[np.ix_(inside, inside)] = np.diag(noise)[inside].mean() * np.eye(len(inside))
    return noise


def optimal_basic(prior: Matrix, secret: Secret, budget: float, *, floor: float = FLOOR) -> Matrix:
    """The least loss for one secret time, in closed form: Σᵍ = B·v̂v̂ᵀ with v = (M + B·I)⁻¹Ã (addenda §1).

    Parameters
    ----------
    floor : float
        Share of the budget spread evenly. The pure optimum is a single direction, which an adversary who knows that the
        path is *smoother* than the prior says can filter out; 0.2 costs about a fifth in κ and repairs that.
    """
    split = condition(prior, secret.within(len(prior)))
    if split.lift.shape[1] != 1:
        raise bad_input("secret", secret.indices, "one time", "optimal_compound takes several")
    even, rest, free = _with_floor(split, budget, floor)
    direction = np.linalg.solve(rest + free * np.eye(len(prior)), split.lift[:, 0])
    direction /= np.linalg.norm(direction)
    return even + free * np.outer(direction, direction)


def optimal_block(prior: Matrix, secret: Secret, budget: float, *, floor: float = FLOOR) -> Matrix:
    """The least loss for one secret time without correlation between it and the rest, the dissertation's form:
    Σᵍ = wB ⊕ (1−w)B·v̂v̂ᵀ with the w that minimises aᵀ(M + B·diag(w, 1−w))⁻¹a (addenda §1)."""
    from scipy.optimize import minimize_scalar

    inside = secret.within(len(prior))
    split = condition(prior, inside)
    if len(inside) != 1:
        raise bad_input("secret", secret.indices, "one time", "optimal_compound(…, block=True) takes several")
    even, rest, free = _with_floor(split, budget, floor)
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


def _with_floor(split: Conditional, budget: float, floor: float) -> tuple[Matrix, Matrix, float]:
    """The even part of the noise, M with it, and what is left of the budget."""
    share = probability("floor", floor, zero=True)
    even = positive("budget", budget) * share / len(split.rest) * np.eye(len(split.rest))
    return even, split.rest + even, budget * (1 - share)


def dominate(noises: Sequence[Matrix]) -> Matrix:
    """SDP_B (Meehan, App. E.1.3): the least trace with Σᵍ ⪰ Σᵢ for every i; each secret keeps its own loss."""
    cvxpy = extra("cvxpy", "trace")
    n = len(noises[0])
    variable = cvxpy.Variable((n, n), PSD=True)
    limits = [variable >> noise for noise in noises]
    cvxpy.Problem(cvxpy.Minimize(cvxpy.trace(variable)), limits).solve(solver="SCS", eps=1e-5)
    answer = (variable.value + variable.value.T) / 2
    # The solver stops a little outside; lift the answer until it really dominates.
    short = max(float(np.linalg.eigvalsh(noise - answer)[-1]) for noise in noises)
    return answer + max(short, 0.0) * np.eye(n)
