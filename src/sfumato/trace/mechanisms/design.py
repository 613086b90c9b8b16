"""The noise with the least worst loss, for several secret values, several secrets or several priors at once.

The problem, with one split (Ãᵢ, Mᵢ) for each secret under each prior,

    min over Σᵍ ⪰ 0, tr Σᵍ ≤ B   of   max_i maxeig(Ãᵢᵀ(Mᵢ + Σᵍ)⁻¹Ãᵢ),

is convex. Its dual (addenda §1) maximises Σ 2tr(VᵢᵀÃᵢPᵢ^½) − tr(VᵢᵀMᵢVᵢ) − B·maxeig(Σ VᵢVᵢᵀ) over Pᵢ ⪰ 0,
Σ tr Pᵢ = 1 and Vᵢ. Matrices of trace one are written exp(H)/tr exp(H): their eigenvalues spread over many orders of
magnitude, and only on that scale is the problem well conditioned.

For one split the dual shrinks to S × S: with maxeig(VVᵀ) = max over trace-one T of tr(VTVᵀ), and M = Q·diag(m)·Qᵀ,

    κ* = max_P min_T  Σ_k ã_k P^½ (m_k I + B·T)⁻¹ P^½ ã_kᵀ,      ã_k the rows of QᵀÃ,

and the noise that attains it is Σᵍ ∝ VTVᵀ.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.trace.core.prior import Conditional, Matrix
from sfumato.trace.mechanisms.covariance import FLOOR
from sfumato.validate import positive, probability

__all__ = ["Design", "optimal_compound", "optimal_times", "optimal_worst"]

Vector = NDArray[np.float64]
_SHARES = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003)


@dataclass(frozen=True)
class Design:
    """A noise covariance, the loss it reaches, and a proved lower bound on what any noise of that trace and floor can
    reach (not a number where no proof was asked for)."""

    noise: Matrix
    kappa: float
    bound: float = math.nan

    @property
    def gap(self) -> float:
        """Relative distance from the optimum, at most."""
        return self.kappa / self.bound - 1


class _TraceOne:
    """P = exp(H)/tr exp(H) for a symmetric H given by its upper triangle, and gradients through it."""

    def __init__(self, upper: Vector, size: int) -> None:
        matrix = np.zeros((size, size))
        matrix[np.triu_indices(size)] = upper
        self.logs, self.vectors = np.linalg.eigh(matrix + np.triu(matrix, 1).T)
        self.logs -= self.logs.max()
        self.values = np.exp(self.logs)
        self.values /= self.values.sum()

    @property
    def matrix(self) -> Matrix:
        return (self.vectors * self.values) @ self.vectors.T

    @property
    def root(self) -> Matrix:
        return (self.vectors * np.sqrt(self.values)) @ self.vectors.T

    def pull_back(self, slope: Matrix) -> Vector:
        """The gradient in the upper triangle of H of a function with gradient ``slope`` in P (Daleckii–Krein)."""
        turned = self.vectors.T @ slope @ self.vectors
        apart = self.logs[:, None] - self.logs[None, :]
        close = np.abs(apart) < 1e-9
        divided = np.where(
            close,
            (self.values[:, None] + self.values[None, :]) / 2,
            (self.values[:, None] - self.values[None, :]) / np.where(close, 1.0, apart),
        )
        full = self.vectors @ (divided * turned) @ self.vectors.T
        full -= float(self.values @ np.diag(turned)) * self.matrix
        rows, columns = np.triu_indices(len(self.values))
        return full[rows, columns] * np.where(rows == columns, 1.0, 2.0)


def optimal_compound(split: Conditional, budget: float, *, floor: float = FLOOR, block: bool = False) -> Design:
    """The least loss for one secret of any number of values.

    Its dual proves how near the optimum it is (:attr:`Design.gap`): 10⁻⁵ and better, 2·10⁻⁴ where three neighbouring
    times of a smooth path nearly determine each other. The plain Schur program of §5.4 gives the same κ.

    Parameters
    ----------
    split
        The prior, split at the secret.
    budget : float
        The trace of the noise.
    floor : float
        Share of the budget spread evenly (see :func:`~sfumato.trace.mechanisms.covariance.optimal_basic`).
    block : bool
        The dissertation's form, σ²I on the secret and no correlation with the rest.
    """
    from scipy.optimize import minimize_scalar

    n = len(split.rest)
    share = probability("floor", floor, zero=True)
    even = positive("budget", budget) * share / n * np.eye(n)
    free = budget * (1 - share)
    if not block:
        inner = _saddle(split.lift, split.rest + even, free)
        return Design(inner.noise + even, inner.kappa, inner.bound)

    inside = np.flatnonzero(np.diag(split.rest) == 0)
    others = np.setdiff1d(np.arange(n), inside)
    weights, rest = split.lift[others], (split.rest + even)[np.ix_(others, others)]

    def direct(part: float) -> float:  # κ of a block design is a sum: seen directly plus inferred from the rest
        return 1 / (free * part / len(inside) + even[0, 0])

    part = minimize_scalar(
        lambda part: direct(part) + _saddle(weights, rest, free * (1 - part), tolerance=1e-9).bound,
        bounds=(1e-4, 1 - 1e-4),
        options={"xatol": 1e-3},
    ).x
    inner = _saddle(weights, rest, free * (1 - part))
    noise = even.copy()
    noise[inside, inside] += free * part / len(inside)
    noise[np.ix_(others, others)] += inner.noise
    return Design(noise, direct(part) + inner.kappa, direct(part) + inner.bound)


def _saddle(lift: Matrix, rest: Matrix, budget: float, *, tolerance: float = 1e-12) -> Design:
    """max_P min_T of the module's docstring by nested L-BFGS; the outer gradient is κ's matrix (Danskin)."""
    from scipy.optimize import minimize

    size = lift.shape[1]
    spread, basis = np.linalg.eigh(rest)
    spread = np.maximum(spread, 0.0)
    rows = basis.T @ lift

    def value(root: Matrix, t: _TraceOne) -> tuple[float, Matrix]:
        carried = rows @ root @ t.vectors
        answer = carried / (spread[:, None] + budget * t.values)
        return float((carried * answer).sum()), answer

    def best_response(root: Matrix, start: Vector) -> Vector:
        def objective(upper: Vector) -> tuple[float, Vector]:
            t = _TraceOne(upper, size)
            total, answer = value(root, t)
            slope = -budget / total * t.vectors @ (answer.T @ answer) @ t.vectors.T
            return float(np.log(total)), t.pull_back(slope)

        options = {"maxiter": 300, "ftol": 1e-13, "gtol": 1e-9}
        return np.asarray(minimize(objective, start, jac=True, method="L-BFGS-B", options=options).x)

    def shaped(root: Matrix, t: _TraceOne) -> Matrix:
        v = basis @ value(root, t)[1] @ t.vectors.T
        noise = v @ t.matrix @ v.T
        return budget / np.trace(noise) * noise

    response = np.zeros(size * (size + 1) // 2)
    best: Design | None = None

    def outer(upper: Vector) -> tuple[float, Vector]:
        nonlocal response, best
        p = _TraceOne(upper, size)
        root = p.root
        response = best_response(root, response)
        t = _TraceOne(response, size)
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


def optimal_worst(
    splits: Sequence[Conditional], budget: float, *, floor: float = FLOOR, rank: int = 64, prove: bool = False
) -> Design:
    """The least worst loss over several splits of equal size: each time a secret of its own (all-basic), several priors
    at once (robust), or both.

    Minimises the p-norm of all loss eigenvalues for growing p, with the noise confined to the span of the answers
    (Mᵢ + Bτ·I)⁻¹Ãᵢ at several τ, which for one split holds the optimum exactly. By the Woodbury identity a step then
    costs ``rank``³ for each split, whatever the length of the trace.

    Parameters
    ----------
    rank : int
        Most dimensions that the noise (besides its floor) may have.
    prove : bool
        Also compute a lower bound by the dual, for about as much work again.
    """
    n = len(splits[0].rest)
    share = probability("floor", floor)
    even = positive("budget", budget) * share / n * np.eye(n)
    free = budget * (1 - share)
    lifts = np.stack([split.lift for split in splits])
    rests = np.stack([split.rest for split in splits]) + even
    span = _answers_span(lifts, rests, free, rank)
    size = span.shape[1]
    alone, cross, within = _reduce(lifts, rests, span)

    def losses(core: Matrix) -> tuple[Vector, Matrix]:
        """Eigenvalues of every κ matrix, and what moves them, for Σᵍ = span·core·spanᵀ."""
        answers = np.asarray(np.linalg.solve(np.eye(size) + within @ core, cross), np.float64)
        matrices = alone - np.swapaxes(cross, 1, 2) @ (core @ answers)
        values, vectors = np.linalg.eigh((matrices + np.swapaxes(matrices, 1, 2)) / 2)
        return values.ravel(), _side_by_side(answers @ vectors)

    core = _least_worst(losses, size, free)
    noise = span @ core @ span.T
    bound = _dual_bound(lifts, rests, noise, free) if prove else math.nan
    return Design(noise + even, float(losses(core)[0].max()), bound)


def optimal_times(
    prior: Matrix, times: NDArray[np.intp], budget: float, *, floor: float = FLOOR, rank: int = 64
) -> Matrix:
    """The noise of :func:`optimal_worst` for several times of one trace, each a secret of its own, with one
    factorisation for all of them.

    Under one prior Σ all splits are M_i = Σ − Σ_ii·a_i a_iᵀ with a_i = Σe_i/Σ_ii, so with q_i = a_iᵀ(Σ + Σᵍ)⁻¹a_i the
    loss is κ_i = q_i/(1 − Σ_ii·q_i), which is 1/Var(x_i | z) − 1/Var(x_i).
    """
    n = len(prior)
    share = probability("floor", floor)
    even, free = positive("budget", budget) * share / n, budget * (1 - share)
    own = np.diag(prior)[times]
    lifts = prior[:, times] / own
    spread, basis = np.linalg.eigh(prior)
    spread = np.maximum(spread, 0.0) + even
    rows = basis.T @ lifts
    span = _leading([basis @ (rows / (spread[:, None] + free * tau)) for tau in _SHARES], rank)
    size = span.shape[1]
    turned = basis.T @ span
    within, cross = turned.T @ (turned / spread[:, None]), turned.T @ (rows / spread[:, None])
    alone = (rows**2 / spread[:, None]).sum(0)

    def losses(core: Matrix) -> tuple[Vector, Matrix]:
        answers = np.asarray(np.linalg.solve(np.eye(size) + within @ core, cross), np.float64)
        seen = alone - (cross * (core @ answers)).sum(0)
        left = np.maximum(1 - own * seen, 1e-15)  # Var(x_i | z)/Var(x_i)
        return seen / left, answers / left

    return even * np.eye(n) + span @ _least_worst(losses, size, free) @ span.T


def _least_worst(losses: Callable[[Matrix], tuple[Vector, Matrix]], size: int, free: float) -> Matrix:
    """The core of trace ``free`` with the least largest loss, by p-norms of growing p.

    ``losses(core)`` gives all losses and, one a column, vectors w with ∂loss/∂core = −wwᵀ.
    """
    from scipy.optimize import minimize

    def objective(upper: Vector, power: float) -> tuple[float, Vector]:
        design = _TraceOne(upper, size)
        values, pull = losses(free * design.matrix)
        top = values.max()
        total = ((values / top) ** power).sum()
        pull = pull * np.sqrt((values / top) ** (power - 1) / (total * top))
        return float(np.log(top) + np.log(total) / power), design.pull_back(-free * pull @ pull.T)

    upper = np.zeros(size * (size + 1) // 2)
    for power in (32.0, 128.0, 512.0, 4096.0):
        options = {"maxiter": 300, "maxcor": 20, "ftol": 1e-10}
        upper = minimize(objective, upper, (power,), jac=True, method="L-BFGS-B", options=options).x
    return free * _TraceOne(upper, size).matrix


def _side_by_side(stack: Matrix) -> Matrix:
    """(splits, n, S) → (n, splits·S)."""
    return np.moveaxis(stack, 0, 1).reshape(stack.shape[1], -1)


def _answers_span(lifts: Matrix, rests: Matrix, free: float, rank: int) -> Matrix:
    """An orthonormal basis of the answers (Mᵢ + Bτ·I)⁻¹Ãᵢ, the most important directions first."""
    columns = []
    for lift, rest in zip(lifts, rests, strict=True):
        spread, basis = np.linalg.eigh(rest)
        rows = basis.T @ lift
        columns += [basis @ (rows / (spread[:, None] + free * tau)) for tau in _SHARES]
    return _leading(columns, rank)


def _leading(columns: Sequence[Matrix], rank: int) -> Matrix:
    """An orthonormal basis of all columns, each of length one: at most ``rank`` directions, the most common first."""
    every = np.concatenate(columns, axis=1)
    left, sizes, _ = np.linalg.svd(every / np.linalg.norm(every, axis=0), full_matrices=False)
    return left[:, : min(rank, int((sizes > 1e-7 * sizes[0]).sum()))]


def _reduce(lifts: Matrix, rests: Matrix, span: Matrix) -> tuple[Matrix, Matrix, Matrix]:
    """ÃᵀM⁻¹Ã, spanᵀM⁻¹Ã and spanᵀM⁻¹span for every split."""
    parts = []
    for lift, rest in zip(lifts, rests, strict=True):
        white = np.linalg.solve(np.linalg.cholesky(rest), np.concatenate([lift, span], axis=1))
        ours, theirs = white[:, : lift.shape[1]], white[:, lift.shape[1] :]
        parts.append((ours.T @ ours, theirs.T @ ours, theirs.T @ theirs))
    alone, cross, within = (np.stack(part) for part in zip(*parts, strict=True))
    return alone, cross, within


def _dual_bound(lifts: Matrix, rests: Matrix, noise: Matrix, free: float) -> float:
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
        left, sizes, right = np.linalg.svd(_side_by_side(v), full_matrices=False)
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
