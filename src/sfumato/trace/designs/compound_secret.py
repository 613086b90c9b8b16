"""The noise with the least loss for one secret of several values.

The problem, with the prior split at the secret into (Ã, M), is convex:

    min over Σᵍ ⪰ 0, tr Σᵍ ≤ B   of   maxeig(Ãᵀ(M + Σᵍ)⁻¹Ã).

Its dual shrinks to S × S (addenda §1): with maxeig(VVᵀ) = max over trace-one T of tr(VTVᵀ), and M = Q·diag(m)·Qᵀ,

    κ* = max_P min_T  Σ_k ã_k P^½ (m_k I + B·T)⁻¹ P^½ ã_kᵀ,      ã_k the rows of QᵀÃ,

over P ⪰ 0 and T ⪰ 0 of trace one, and the noise that attains it is Σᵍ ∝ VTVᵀ.
"""

from __future__ import annotations

import numpy as np

from sfumato.study.run.one_thread import one_thread
from sfumato.trace.core.conditional import Conditional
from sfumato.trace.core.kernel import Matrix, Vector
from sfumato.trace.designs.design import FLOOR, Design, with_floor
from sfumato.trace.designs.trace_one import TraceOne

__all__ = ["optimal_compound"]


@one_thread()
def optimal_compound(split: Conditional, budget: float, *, floor: float = FLOOR, block: bool = False) -> Design:
    """Noise of least loss for one secret of any number of values.

    Its dual proves how near the optimum it is (:attr:`Design.gap`): 10⁻⁵ and better, 2·10⁻⁴ where three neighbouring
    times of a smooth path nearly determine each other. The plain Schur program of §5.4 gives the same κ.

    Parameters
    ----------
    split
        The prior, split at the secret.
    budget : float
        The trace of the noise.
    floor : float
        Share of the budget spread evenly (see :func:`~sfumato.trace.designs.closed_form.optimal_basic`).
    block : bool
        The dissertation's form, σ²I on the secret and no correlation with the rest.
    """
    from scipy.optimize import minimize_scalar

    even, rest, free = with_floor(split, budget, floor)
    if not block:
        inner = _saddle(split.lift, rest, free)
        return Design(inner.noise + even, inner.kappa, inner.bound)

    inside = np.flatnonzero(np.diag(split.rest) == 0)
    others = np.setdiff1d(np.arange(len(rest)), inside)
    weights, outside = split.lift[others], rest[np.ix_(others, others)]

    def direct(part: float) -> float:  # κ of a block design is a sum: seen directly plus inferred from the rest
        return 1 / (free * part / len(inside) + even[0, 0])

    part = minimize_scalar(
        lambda part: direct(part) + _saddle(weights, outside, free * (1 - part), tolerance=1e-9).bound,
        bounds=(1e-4, 1 - 1e-4),
        options={"xatol": 1e-3},
    ).x
    inner = _saddle(weights, outside, free * (1 - part))
    noise = even.copy()
    noise[inside, inside] += free * part / len(inside)
    noise[np.ix_(others, others)] += inner.noise
    return Design(noise, direct(part) + inner.kappa, direct(part) + inner.bound)


def _saddle(lift: Matrix, rest: Matrix, budget: float, *, tolerance: float = 1e-12) -> Design:
    """Solve max_P min_T of the module's docstring by nested L-BFGS; the outer gradient is κ's matrix (Danskin)."""
    from scipy.optimize import minimize

    size = lift.shape[1]
    spread, basis = np.linalg.eigh(rest)
    spread = np.maximum(spread, 0.0)
    rows = basis.T @ lift

    def value(root: Matrix, t: TraceOne) -> tuple[float, Matrix]:
        carried = rows @ root @ t.vectors
        answer = carried / (spread[:, None] + budget * t.values)
        return float((carried * answer).sum()), answer

    def best_response(root: Matrix, start: Vector) -> Vector:
        def objective(upper: Vector) -> tuple[float, Vector]:
            t = TraceOne(upper, size)
            total, answer = value(root, t)
            slope = -budget / total * t.vectors @ (answer.T @ answer) @ t.vectors.T
            return float(np.log(total)), t.pull_back(slope)

        options = {"maxiter": 300, "ftol": 1e-13, "gtol": 1e-9}
        return np.asarray(minimize(objective, start, jac=True, method="L-BFGS-B", options=options).x)

    def shaped(root: Matrix, t: TraceOne) -> Matrix:
        v = basis @ value(root, t)[1] @ t.vectors.T
        noise = v @ t.matrix @ v.T
        return budget / np.trace(noise) * noise

    response = np.zeros(size * (size + 1) // 2)
    best: Design | None = None

    def outer(upper: Vector) -> tuple[float, Vector]:
        nonlocal response, best
        p = TraceOne(upper, size)
        root = p.root
        response = best_response(root, response)
        t = TraceOne(response, size)
        total, noise = value(root, t)[0], shaped(root, t)
        loss = lift.T @ np.linalg.solve(rest + noise, lift)
        kappa = float(np.linalg.eigvalsh(loss)[-1])
        bound = max(total, best.bound if best else 0.0)
        best = (
            Design(noise, kappa, bound) if best is None or kappa < best.kappa else Design(best.noise, best.kappa, bound)
        )
        return -float(np.log(total)), -p.pull_back(loss) / total

    options = {"maxiter": 300, "ftol": tolerance, "gtol": 100 * tolerance}
    minimize(outer, response, jac=True, method="L-BFGS-B", options=options)
    assert best is not None
    return best
