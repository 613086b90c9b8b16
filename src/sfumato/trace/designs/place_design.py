"""Noise that hides places: an even floor and a few directions, for many kernels at once and paths of any length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.errors import InfeasibleError
from sfumato.study.run.one_thread import one_thread
from sfumato.trace.core.kernel import Matrix, Vector
from sfumato.trace.core.place_response import PlaceResponse, certified_place_loss
from sfumato.trace.designs.core_problem import least_core
from sfumato.validate import positive, probability

__all__ = ["LowRankNoise", "optimal_place", "place_design", "shared_noise"]

_SHARES = (1.0, 0.03)  # the values of τ whose answers (M + Bτ)⁻¹a span the noise
_MOST_DIRECTIONS = 32
_MOST_RAISES = 12
"""How often the first guess of the noise is multiplied by ten before it is given up."""


@dataclass(frozen=True, eq=False)
class LowRankNoise:
    """Noise of covariance floor·I + factor·factorᵀ in each dimension.

    Parameters
    ----------
    floor : float
        Variance of the independent part at every point.
    factor : ndarray of shape (n, r)
    """

    floor: float
    factor: Matrix

    @property
    def trace(self) -> float:
        """The total squared error of one dimension."""
        return len(self.factor) * self.floor + float((self.factor**2).sum())

    @property
    def variances(self) -> Vector:
        """Of the noise at each point, in one dimension."""
        return self.floor + np.asarray((self.factor**2).sum(1), np.float64)

    @cached_property
    def covariance(self) -> Matrix:
        """As a matrix, for short paths."""
        return np.asarray(self.factor @ self.factor.T + self.floor * np.eye(len(self.factor)), np.float64)

    def grown(self, by: float) -> LowRankNoise:
        """With its directions ``by`` times as much variance."""
        return LowRankNoise(self.floor, self.factor * by**0.5)


def optimal_place(shape: Vector, rest: Matrix, budget: float, *, floor: float = 0.0) -> LowRankNoise:
    """Noise of least loss for one place under one kernel, in closed form: B·v̂v̂ᵀ with v = (M + f·I + B·I)⁻¹a.

    Parameters
    ----------
    shape, rest
        a and M of the place (:class:`~sfumato.trace.core.place_response.PlaceResponse`); any functional of the path
        serves as well: a = Cov(x, s)/Var(s), M = Cov(x | s).
    budget : float
        The trace of the noise beside its floor.
    floor : float
        Variance at every point that is there anyway.
    """
    size = len(shape)
    direction = np.linalg.solve(rest + (floor + positive("budget", budget)) * np.eye(size), shape)
    return LowRankNoise(floor, (budget**0.5 * direction / np.linalg.norm(direction))[:, None])


@one_thread()
def place_design(
    responses: Sequence[PlaceResponse],
    kappa: float,
    *,
    share: float = 0.05,
    floor: float | None = None,
    days: float = 1.0,
) -> tuple[LowRankNoise, Vector]:
    """The least noise whose certified loss is at most ``kappa`` for every response, and these losses.

    The directions are the optimal ones of every response, (M + Bτ)⁻¹a at two values of τ; what is drawn along them is
    the answer of :func:`~sfumato.trace.designs.core_problem.least_core`.

    Parameters
    ----------
    responses : sequence of PlaceResponse
        Of every hidden place under every kernel.
    kappa : float
        2ε/(λr²).
    share : float
        Of the noise that is even, if ``floor`` does not name its variance. It is there against paths that are smoother
        than every kernel, and the certificate rests on it.
    days : float
        How many days like this one will share the noise, each with a fresh floor.
    """
    size = len(responses[0].shape)
    probability("share", share)
    budget, core = size * responses[0].path.variance / 10, np.zeros((0, 0))
    basis = np.zeros((size, 0))
    raised, rounds = 0, 0
    while rounds < 6:
        even = share * budget / size if floor is None else floor
        span = _directions(responses, budget, even, days)
        alone, cross, within = _reduced(responses, span, even, days)
        turned = span.T @ basis
        start = turned @ core @ turned.T if core.size else None
        try:
            rough, basis = _solve(kappa, alone, cross, within, start, 3e-3), span
        except InfeasibleError:
            # These directions belong to a smaller noise. As B grows they turn towards a itself, which hides all.
            budget, raised = 10 * budget, raised + 1
            if raised > _MOST_RAISES:
                raise
            continue
        before, budget, core = budget, float(np.trace(rough)) + size * even, rough
        rounds += 1
        if abs(budget - before) < 0.03 * before:
            break
    core = _solve(kappa, alone, cross, within, core, 1e-4)
    values, vectors = np.linalg.eigh(core)
    noise = LowRankNoise(even, span @ (vectors * np.sqrt(np.maximum(values, 0.0))))
    return _certified(responses, noise, kappa, days)


@one_thread()
def shared_noise(shapes: Matrix, kappa: float) -> Matrix:
    """The least law of one noise for ever: C such that noise along the shapes with it loses at most ``kappa``, always.

    Noise shapes·ζ, ζ ~ N(0, C), has (shapes·C·shapesᵀ) ⪰ a·aᵀ/κ for each shape a = shapes·e_k as soon as
    (C⁻¹)_kk ≤ κ. Then (residual-free theorem) X + noise = a·(p + η) + rest with η ~ N(0, 1/κ): whatever the rest of the
    path does and however often it is seen, it is post-processing of p + η, if ζ is never drawn again.

    Parameters
    ----------
    shapes : ndarray of shape (n, k)
        The shapes of a typical path: only the size of the noise depends on them, not the promise.

    Returns
    -------
    ndarray of shape (k, k)
        A factor L with C = L·Lᵀ.
    """
    count = shapes.shape[1]
    gram = shapes.T @ shapes
    weights = gram + 1e-6 * float(np.trace(gram)) * np.eye(count)
    core = least_core(weights, np.eye(count), np.zeros((count, count, count)), np.full(count, kappa))
    return np.asarray(np.linalg.cholesky(core), np.float64)


def _directions(responses: Sequence[PlaceResponse], budget: float, even: float, days: float) -> Matrix:
    """An orthonormal basis of the answers (M + floor + days·Bτ)⁻¹a."""
    columns = []
    for response in responses:
        for tau in _SHARES:
            answer = response.solve(even + days * budget * tau, response.shape[:, None])[:, 0]
            columns.append(answer / np.linalg.norm(answer))
    left, sizes, _ = np.linalg.svd(np.array(columns).T, full_matrices=False)
    return np.asarray(left[:, : min(_MOST_DIRECTIONS, int((sizes > 1e-6 * sizes[0]).sum()))], np.float64)


def _reduced(
    responses: Sequence[PlaceResponse], span: Matrix, even: float, days: float
) -> tuple[Vector, Matrix, Matrix]:
    """aᵀN⁻¹a, spanᵀN⁻¹a and spanᵀN⁻¹span of every response, N = (M + floor·I)/days."""
    alone, cross, within = [], [], []
    for response in responses:
        found = days * response.solve(even, np.concatenate([span, response.shape[:, None]], axis=1))
        inside = span.T @ found
        within.append((inside[:, :-1] + inside[:, :-1].T) / 2)
        cross.append(inside[:, -1])
        alone.append(float(response.shape @ found[:, -1]))
    return np.array(alone), np.array(cross), np.array(within)


def _solve(
    kappa: float, alone: Vector, cross: Matrix, within: Matrix, start: Matrix | None, precision: float
) -> Matrix:
    """The core with κ = alone − crossᵀ(core⁻¹ + within)⁻¹cross ≤ kappa, in the form of the core problem."""
    inner = np.linalg.inv(within)
    inner = (inner + np.swapaxes(inner, 1, 2)) / 2
    vectors = np.einsum("kij,kj->ki", inner, cross)
    limits = kappa * (1 - 1e-6) - alone + (cross * vectors).sum(1)
    return least_core(np.eye(cross.shape[1]), vectors, inner, limits, start=start, precision=precision)


def _certified(
    responses: Sequence[PlaceResponse], noise: LowRankNoise, kappa: float, days: float
) -> tuple[LowRankNoise, Vector]:
    """The noise, grown until every certificate holds, and the certified losses."""
    for _ in range(40):
        losses = np.array([_loss(response, noise, days) for response in responses])
        worst = float(losses.max())
        if worst <= kappa:
            return noise, losses
        noise = noise.grown(min(max(1 + 2 * (worst / kappa - 1), 1 + 1e-7), 4.0))
    raise InfeasibleError("no certificate was found for the noise: doubles cannot tell it from too little")


def _loss(response: PlaceResponse, noise: LowRankNoise, days: float) -> float:
    """κ of one response, by the certificate, from a guess that is refined once."""
    a, factor = response.shape, noise.factor
    found = days * response.solve(noise.floor, np.concatenate([factor, a[:, None]], axis=1))
    small = np.eye(factor.shape[1]) + factor.T @ found[:, :-1]

    def inverse(right: Vector) -> Vector:
        return right - found[:, :-1] @ np.linalg.solve(small, factor.T @ right)

    guess = inverse(found[:, -1])
    inside = (response.product(guess)[0] + noise.floor * guess) / days + factor @ (factor.T @ guess)
    missing = a - inside
    guess = guess + inverse(days * response.solve(noise.floor, missing[:, None])[:, 0])
    return certified_place_loss(response, noise.floor, factor, guess, days=days)
