"""The semidefinite programs of the dissertation as their authors run them (Meehan, App. E.1.3): SDP_A and SDP_B."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.trace.core.conditional import condition
from sfumato.trace.core.kernel import Matrix
from sfumato.trace.core.secret import Secret
from sfumato.validate import extra, positive

__all__ = ["dominate", "published"]


def published(prior: Matrix, secret: Secret, budget: float, *, inflation: float = 1000.0) -> Matrix:
    """Noise by SDP_A as the authors run it (Meehan, App. E.1.3).

    Maximises β with Ã⁺(M + Σᵍ)Ã⁺ᵀ ⪰ βI, then drops the covariance between secret and rest and averages the diagonal on
    the secret.

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


def dominate(noises: Sequence[Matrix]) -> Matrix:
    """Noise by SDP_B (Meehan, App. E.1.3): the least trace with Σᵍ ⪰ Σᵢ for every i; each secret keeps its own loss."""
    cvxpy = extra("cvxpy", "trace")
    n = len(noises[0])
    variable = cvxpy.Variable((n, n), PSD=True)
    limits = [variable >> noise for noise in noises]
    cvxpy.Problem(cvxpy.Minimize(cvxpy.trace(variable)), limits).solve(solver="SCS", eps=1e-5)
    answer = (variable.value + variable.value.T) / 2
    # The solver stops a little outside; lift the answer until it really dominates.
    short = max(float(np.linalg.eigvalsh(noise - answer)[-1]) for noise in noises)
    return answer + max(short, 0.0) * np.eye(n)
