"""Privacy loss of a protected trace: how far apart two values of a secret move the law of the release.

The release Z = X + G, G ~ N(0, Σᵍ), given the secret X_S = s is Gaussian with mean Ã s and covariance M + Σᵍ (see
:class:`~sfumato.trace.core.conditional.Conditional`). Its Rényi divergence of order λ between two values δ apart is
(λ/2)·δᵀÃᵀ(M + Σᵍ)⁻¹Ãδ, so with every part of the secret moved by at most r,

    ε = (λ/2)·S·r²·κ,      κ = maxeig(Ãᵀ(M + Σᵍ)⁻¹Ã),

exactly for one secret time, for *any* noise covariance. The dissertation's eq. 5.5 is the special case Σᵍ_su = 0,
Σᵍ_ss = σ²I; outside it, it can claim 4.0 where 333 is true (:func:`block_loss` refuses).
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular

from sfumato.errors import bad_input
from sfumato.trace.core.conditional import Conditional, condition
from sfumato.trace.core.kernel import Matrix
from sfumato.trace.core.secret import Secret
from sfumato.validate import positive, probability

__all__ = [
    "block_loss",
    "certified_loss",
    "conditional_loss",
    "joint_loss",
    "loss",
    "misspecified_loss",
    "odds_bound",
    "printed_loss",
    "renyi_epsilon",
    "repeated_noise",
]


def loss(prior: Matrix, noise: Matrix, secret: Secret) -> float:
    """The loss κ of one secret under any noise covariance; ∞ when the release determines the secret.

    Computed as closely as doubles allow; a promise rests on :func:`certified_loss`, which rounds up.

    >>> from sfumato.trace.core.kernel import RBF, covariance
    >>> round(loss(covariance(RBF(length=1.0), range(50)), 0.02 * np.eye(50), Secret((24,))), 1)
    53.4
    """
    return conditional_loss(condition(prior, secret.within(len(prior))), noise)


def conditional_loss(split: Conditional, noise: Matrix) -> float:
    """The loss κ = maxeig(Ãᵀ(M + Σᵍ)⁻¹Ã) for a prior that is already split, to double precision."""
    spread = split.rest + noise
    with contextlib.suppress(np.linalg.LinAlgError):
        factor = np.linalg.cholesky(spread)
        pivots = np.diag(factor)
        if pivots.min() > 1e-6 * pivots.max():  # regular enough for a plain solve
            return _norm(solve_triangular(factor, split.lift, lower=True)) ** 2
    values, vectors = np.linalg.eigh(spread)
    # A direction without spread reveals exactly the part of the secret that it carries.
    silent = values <= 1e-13 * max(values[-1], 0.0)
    carried = vectors.T @ split.lift
    if (np.abs(carried[silent]) > 1e-7).any():
        return math.inf
    return _norm(carried[~silent] / np.sqrt(values[~silent])[:, None]) ** 2


def certified_loss(split: Conditional, noise: Matrix) -> float:
    """An upper bound on κ that includes rounding; ∞ where doubles cannot tell M + Σᵍ from a singular matrix.

    With e a bound on all errors of M + Σᵍ (kernel, split, the factor that noise is drawn with, Cholesky's own:
    Higham, Accuracy and Stability, Thm 10.3), L·Lᵀ ≈ M + Σᵍ − 2e·I lies below the true matrix, so ‖L⁻¹Ã‖² lies above κ,
    and an error d of Ã adds at most d/√e to ‖L⁻¹Ã‖.
    """
    spread = split.rest + noise
    n = len(spread)
    error = split.rest_error + 16 * (n + 2) * 2.0**-53 * float(np.trace(spread))
    try:
        factor = np.linalg.cholesky(spread - 2 * error * np.eye(n))
    except np.linalg.LinAlgError:
        return math.inf
    computed = _norm(solve_triangular(factor, split.lift, lower=True))
    return (computed + split.lift_error / math.sqrt(error)) ** 2 * (1 + 2.0**-40)


def _norm(matrix: Matrix) -> float:
    return float(np.linalg.norm(matrix, 2))


def block_loss(prior: Matrix, noise: Matrix, secret: Secret) -> float:
    """κ by eq. 5.5, 1/σ² + maxeig(Aᵀ(Σ_{u|s} + Σᵍ_uu)⁻¹A); refuses noise without the condition it needs."""
    inside = secret.within(len(prior))
    others = np.setdiff1d(np.arange(len(prior)), inside)
    direct = noise[np.ix_(inside, inside)]
    tolerance = 1e-9 * float(np.trace(noise))
    if np.abs(noise[np.ix_(inside, others)]).max() > tolerance:
        raise bad_input(
            "noise", "correlated between secret and rest", "Σᵍ_su = 0 for eq. 5.5", "use loss(), valid for any noise"
        )
    if np.abs(direct - direct[0, 0] * np.eye(len(inside))).max() > tolerance:
        raise bad_input("noise", "unequal on the secret", "Σᵍ_ss = σ²I for eq. 5.5", "use loss(), valid for any noise")
    return printed_loss(prior, noise, secret)


def printed_loss(prior: Matrix, noise: Matrix, secret: Secret) -> float:
    """κ by eq. 5.5 as printed, without its condition: too low when the noise of secret and rest is correlated."""
    inside = secret.within(len(prior))
    others = np.setdiff1d(np.arange(len(prior)), inside)
    split = condition(prior, inside)
    spread = split.rest[np.ix_(others, others)] + noise[np.ix_(others, others)]
    weights = split.lift[others]
    inferred = np.linalg.norm(weights.T @ np.linalg.lstsq(spread, weights, rcond=1e-13)[0], 2)
    return float(1 / noise[inside[0], inside[0]] + inferred)


def renyi_epsilon(kappa: float, *, secret: Secret, radius: float, order: float) -> float:
    """The Rényi ε = (λ/2)·S·r²·κ that follows from a loss κ.

    >>> renyi_epsilon(0.1, secret=Secret((24,)), radius=1.0, order=2.0)
    0.1
    """
    if not order > 1:
        raise bad_input("order", order, "λ > 1")
    positive("radius", radius, zero=True)
    return 0.5 * order * len(secret.indices) * radius**2 * kappa


def repeated_noise(noises: Sequence[Matrix]) -> Matrix:
    """The noise of one release that tells as much as several independent releases of the same path: (Σ Σᵢ⁻¹)⁻¹.

    The precision-weighted mean of the releases is sufficient for the path, so the loss of this noise is the exact loss
    of all releases together. It can exceed the sum of their losses, since they share the rest of the path: inferential
    privacy does not add up as differential privacy does. Noises must be regular (a floor makes them so).

    >>> round(float(repeated_noise([np.eye(2), np.eye(2)])[0, 0]), 6)
    0.5
    """
    if len(noises) == 0:
        raise bad_input("noises", [], "at least one release")
    try:
        total = np.sum([cho_solve(cho_factor(noise), np.eye(len(noise))) for noise in noises], axis=0)
        return np.asarray(cho_solve(cho_factor(total), np.eye(len(total))), np.float64)
    except np.linalg.LinAlgError:
        raise bad_input("noises", "a singular covariance", "regular covariances", "give the design a floor") from None


def joint_loss(priors: Sequence[Matrix], noises: Sequence[Matrix], secrets: Sequence[Secret]) -> float:
    """The loss κ of one secret in several independent dimensions (or traces), each with its own kernel and noise.

    With ‖δ‖² ≤ S·r² over all dimensions together the loss is that of the worst one: max κᵢ (Meehan, Cor. E.1.0.1, which
    prints the sum). Dependent traces have one joint prior; pass it to :func:`loss` with the noises on a block diagonal
    (Cor. 5.3.3.1).
    """
    return max(loss(prior, noise, secret) for prior, noise, secret in zip(priors, noises, secrets, strict=True))


def odds_bound(epsilon: float, order: float, delta: float) -> float:
    """Bound on the change of odds between any two values of the secret, except with probability δ (Thm 5.3.1).

    δ is the probability of too large a factor; that of too large or too small a one is at most δ·(1 + 1/bound).

    >>> round(odds_bound(0.1, 5.0, 0.01), 2), round(odds_bound(0.1, 5.0, 0.1), 2)
    (3.49, 1.97)
    """
    positive("epsilon", epsilon, zero=True)
    if not order > 1:
        raise bad_input("order", order, "λ > 1")
    return math.exp(epsilon + math.log(1 / probability("delta", delta)) / (order - 1))


def _worst_renyi(order: float, drift: Matrix, reach: float, first: Matrix, second: Matrix) -> float:
    """sup over ‖s‖ ≤ reach of D_λ(N(drift·s, Σ₁)‖N(0, Σ₂)); ∞ where (1−λ)Σ₁ + λΣ₂ is not positive definite."""
    try:
        mixed = np.linalg.cholesky((1 - order) * first + order * second)
        logs = [2 * float(np.log(np.diag(np.linalg.cholesky(matrix))).sum()) for matrix in (first, second)]
    except np.linalg.LinAlgError:
        return math.inf
    shift = float(np.linalg.norm(np.linalg.solve(mixed, drift), 2)) * reach
    mixed_log = 2 * float(np.log(np.diag(mixed)).sum())
    volume = (mixed_log - (1 - order) * logs[0] - order * logs[1]) / (2 * (order - 1))
    return 0.5 * order * shift**2 - volume


def misspecified_loss(
    assumed: Matrix, true: Matrix, noise: Matrix, secret: Secret, *, radius: float, order: float, extent: float
) -> float:
    """The Rényi ε at order λ when the path follows ``true`` although the noise was shaped for ``assumed`` (Thm 5.3.2).

    ε′(λ) = (λ−½)/(λ−1)·Δ(2λ) + Δ(4λ−3) + (2λ−3/2)/(2λ−2)·ε(4λ−2), with Δ the larger of the two divergences between
    the two laws of X_U given the secret. Over all real secrets it is infinite as soon as the two kernels predict
    differently, so each part of the secret is taken within ``extent`` of its mean; it stays infinite where the Gaussian
    divergence is, and that is then the answer. One prior serves both orders, which the printed infimum forgets (E19).
    """
    inside = secret.within(len(assumed))
    others = np.setdiff1d(np.arange(len(assumed)), inside)
    ours, theirs = condition(assumed, inside), condition(true, inside)
    drift = ours.lift[others] - theirs.lift[others]
    reach = positive("extent", extent) * math.sqrt(len(inside))
    first, second = ours.rest[np.ix_(others, others)], theirs.rest[np.ix_(others, others)]

    def gap(at: float) -> float:
        return max(_worst_renyi(at, drift, reach, first, second), _worst_renyi(at, drift, reach, second, first))

    assumed_epsilon = renyi_epsilon(loss(assumed, noise, secret), secret=secret, radius=radius, order=4 * order - 2)
    return (
        (order - 0.5) / (order - 1) * gap(2 * order)
        + gap(4 * order - 3)
        + (2 * order - 1.5) / (2 * order - 2) * assumed_epsilon
    )
