"""Lower bound on the loss of any design for several secrets or priors, by the dual problem (addenda §1).

With one split (Ãᵢ, Mᵢ) for each secret under each prior, no noise of trace B has a worst κ below

    Σ 2tr(VᵢᵀÃᵢPᵢ^½) − tr(VᵢᵀMᵢVᵢ) − B·maxeig(Σ VᵢVᵢᵀ)      for any Vᵢ and Pᵢ ⪰ 0 with Σ tr Pᵢ = 1.
"""

from __future__ import annotations

import math

import numpy as np

from sfumato.trace.core.kernel import Matrix, Vector

__all__ = ["dual_bound", "side_by_side"]


def dual_bound(lifts: Matrix, rests: Matrix, noise: Matrix, free: float) -> float:
    """A lower bound on the worst κ of any noise of trace ``free``: ascent on the dual of the module's docstring.

    Pᵢ has the eigenvectors of the κ matrix under ``noise`` and free eigenvalues, of sum one over all splits; with V at
    its best scale the dual is linear²/quadratic. The largest eigenvalue in it is replaced by a Schatten norm, smooth
    and larger, so that every value on the way is a bound.
    """
    from scipy.optimize import minimize

    answers = np.asarray(np.linalg.solve(rests + noise, lifts), np.float64)
    values, vectors = np.linalg.eigh(np.swapaxes(lifts, 1, 2) @ answers)
    carried = lifts @ vectors
    splits, n, size = carried.shape

    def objective(point: Vector, power: float) -> tuple[float, Vector]:
        v, logs = point[: carried.size].reshape(carried.shape), point[carried.size :].reshape(splits, size)
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
        roots = np.sqrt(weights)
        seen = (v * carried).sum(1)
        linear = float((seen * roots).sum())
        spread = rests @ v
        left, sizes, right = np.linalg.svd(side_by_side(v), full_matrices=False)
        shares = (sizes / sizes[0]) ** (2 * power)
        largest = sizes[0] ** 2 * shares.sum() ** (1 / power)
        quadratic = float((v * spread).sum()) + free * largest
        pull = 2 * largest / shares.sum() * (left * (shares / np.maximum(sizes, 1e-300))) @ right
        slope = 2 * spread + free * np.moveaxis(pull.reshape(n, splits, size), 1, 0)
        by_v = 2 * carried * roots[:, None, :] / linear - slope / quadratic
        by_weight = roots * seen / linear
        by_log = by_weight - weights * by_weight.sum()
        return math.log(quadratic) - 2 * math.log(linear), -np.concatenate([by_v.ravel(), by_log.ravel()])

    weights = (values / values.max()) ** 63
    start = answers @ vectors * np.sqrt(weights)[:, None, :]
    point = np.concatenate([start.ravel() / np.linalg.norm(start), np.log(weights + 1e-12).ravel()])
    best = 0.0
    for power in (8.0, 64.0, 512.0, 4096.0):
        options = {"maxiter": 300, "maxcor": 20, "ftol": 1e-12}
        answer = minimize(objective, point, (power,), jac=True, method="L-BFGS-B", options=options)
        point, best = answer.x, max(best, math.exp(-answer.fun))
    return best


def side_by_side(stack: Matrix) -> Matrix:
    """The matrices of a stack side by side: (splits, n, S) → (n, splits·S)."""
    return np.moveaxis(stack, 0, 1).reshape(stack.shape[1], -1)
