"""The noise with the least worst loss over several secrets or several priors.

The problem, with one split (Ãᵢ, Mᵢ) for each secret under each prior, is convex:

    min over Σᵍ ⪰ 0, tr Σᵍ ≤ B   of   max_i maxeig(Ãᵢᵀ(Mᵢ + Σᵍ)⁻¹Ãᵢ).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.study.run.one_thread import one_thread
from sfumato.trace.core.conditional import Conditional
from sfumato.trace.core.kernel import Matrix, Vector
from sfumato.trace.designs.design import FLOOR, Design
from sfumato.trace.designs.dual_bound import dual_bound, side_by_side
from sfumato.trace.designs.trace_one import TraceOne
from sfumato.validate import positive, probability

__all__ = ["optimal_times", "optimal_worst"]

_SHARES = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003)  # the values of τ whose answers span the noise


@one_thread()
def optimal_worst(
    splits: Sequence[Conditional], budget: float, *, floor: float = FLOOR, rank: int = 64, prove: bool = False
) -> Design:
    """Noise of least worst loss over several splits of equal size.

    The splits are those of each time as a secret of its own (all-basic), of several priors (robust), or both.

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
        """Eigenvalues of every κ matrix, and the vectors of their gradients, for Σᵍ = span·core·spanᵀ."""
        answers = np.asarray(np.linalg.solve(np.eye(size) + within @ core, cross), np.float64)
        matrices = alone - np.swapaxes(cross, 1, 2) @ (core @ answers)
        values, vectors = np.linalg.eigh((matrices + np.swapaxes(matrices, 1, 2)) / 2)
        return values.ravel(), side_by_side(answers @ vectors)

    core = _least_worst(losses, size, free)
    noise = span @ core @ span.T
    bound = dual_bound(lifts, rests, noise, free) if prove else math.nan
    return Design(noise + even, float(losses(core)[0].max()), bound)


@one_thread()
def optimal_times(
    prior: Matrix, times: NDArray[np.intp], budget: float, *, floor: float = FLOOR, rank: int = 64
) -> Matrix:
    """Noise of least worst loss for several times of one trace, each a secret of its own.

    The same as :func:`optimal_worst`, with one factorisation for all of them.

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
        design = TraceOne(upper, size)
        values, pull = losses(free * design.matrix)
        top = values.max()
        total = ((values / top) ** power).sum()
        pull = pull * np.sqrt((values / top) ** (power - 1) / (total * top))
        return float(np.log(top) + np.log(total) / power), design.pull_back(-free * pull @ pull.T)

    upper = np.zeros(size * (size + 1) // 2)
    for power in (32.0, 128.0, 512.0, 4096.0):
        options = {"maxiter": 300, "maxcor": 20, "ftol": 1e-10}
        upper = minimize(objective, upper, (power,), jac=True, method="L-BFGS-B", options=options).x
    return free * TraceOne(upper, size).matrix


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
