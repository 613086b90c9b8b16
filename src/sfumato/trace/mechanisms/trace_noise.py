"""Correlated Gaussian noise against inference from the rest of the path (Meehan, ch. 5; optima: addenda §1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import InfeasibleError, bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.noise.correlated import add_correlated_gaussian
from sfumato.noise.grid import grid_step
from sfumato.promise import Assumption, Guarantee, NoGuarantee
from sfumato.trace.core.conditional import Conditional, condition
from sfumato.trace.core.gaussian_posterior import posterior
from sfumato.trace.core.kernel import Kernel, Matrix, covariance
from sfumato.trace.core.privacy_loss import certified_loss, renyi_epsilon
from sfumato.trace.core.secret import Secret
from sfumato.trace.designs.closed_form import concentrated, like_the_path, optimal_basic, optimal_block, uniform
from sfumato.trace.designs.compound_secret import optimal_compound
from sfumato.trace.designs.design import FLOOR
from sfumato.trace.designs.published_program import dominate, published
from sfumato.trace.designs.worst_case import optimal_times, optimal_worst
from sfumato.trace.promise import InferentialPrivacy
from sfumato.validate import choice, finite_array, positive, probability

__all__ = ["DesignName", "TraceNoise"]

DesignName = Literal["optimal", "block", "published", "dominate", "uniform", "concentrated"]


@dataclass(frozen=True, kw_only=True, eq=False)
class TraceNoise(Mechanism):
    """Adds correlated Gaussian noise so that the rest of a trace tells little about its secrets.

    The release is Z = X + G with G ~ N(0, Σᵍ), independent in each dimension. For each secret S the promise is
    (ε, λ)-conditional inferential privacy with ε = (λ/2)·|S|·r²·κ; κ is recomputed from Σᵍ for every secret and every
    prior, never taken from the solver (Meehan, Thm 5.3.3, in the general form of
    :mod:`sfumato.trace.core.privacy_loss`).

    Parameters
    ----------
    prior : Kernel or sequence of Kernel
        What the adversary assumes of the path. Several: the promise holds under each of them (robust design).
    times : array-like of shape (n,)
        When the path is observed; public.
    secrets : sequence of Secret
        What is hidden. The promise is for each of them; releasing costs nothing extra for a second secret.
    radius : float
        How far each part of a secret may be from its alternative, in the unit of the positions.
    epsilon : float, optional
        The Rényi ε wanted; the least noise that reaches it is found. Give either this or ``error``.
    error : float, optional
        The root mean square error per point and dimension that may be spent, in the unit of the positions; its
        square is the dissertation's o_t.
    order : float
        The Rényi order λ > 1.
    design : {"optimal", "block", "published", "dominate", "uniform", "concentrated"}
        How the noise is shaped: ``optimal`` is ours, ``block`` the optimum without covariance between secret and rest,
        ``published`` the dissertation's SDP_A, ``dominate`` its Algorithm 2 for several secrets, the last two its
        baselines.
    floor : float
        Share of the noise spread evenly over all times in the designs ``optimal`` and ``block``, against paths that are
        smoother than the prior says; a millionth at least. When every time is a secret, the optimum is noise with the
        law of the path, which cannot be filtered out and gets no more than that.

    Notes
    -----
    What leaves is the real-valued release X + G rounded to a public grid, exactly: in the rare case that doubles do not
    settle the cell, interval arithmetic does (:func:`~sfumato.noise.correlated.add_correlated_gaussian`). Rounding is
    post-processing, so the promise holds for the numbers that leave, and no low bits tell about the path. κ is rounded
    up for all errors of its own computation.

    Examples
    --------
    >>> from sfumato.trace import RBF, Secret, TraceNoise
    >>> hide = TraceNoise(prior=RBF(length=6.0), times=range(50), secrets=[Secret((24,))], radius=1.0, error=0.02**0.5)
    >>> round(hide.kappa, 2)
    9.23
    >>> hide.release(np.zeros((50, 2))).shape
    (50, 2)
    """

    prior: Kernel | Sequence[Kernel]
    times: ArrayLike
    secrets: Sequence[Secret]
    radius: float
    epsilon: float | None = None
    error: float | None = None
    order: float = 2.0
    design: DesignName = "optimal"
    floor: float = 0.2

    def __post_init__(self) -> None:
        if not self.priors:
            raise bad_input("prior", self.prior, "at least one kernel")
        if len(self.secrets) == 0:
            raise bad_input("secrets", self.secrets, "at least one secret")
        positive("radius", self.radius)
        choice("design", self.design, get_args(DesignName))
        probability("floor", self.floor, zero=True)
        if not self.order > 1:
            raise bad_input("order", self.order, "λ > 1")
        if (self.epsilon is None) == (self.error is None):
            raise bad_input("epsilon, error", (self.epsilon, self.error), "exactly one of the two")
        positive("epsilon" if self.error is None else "error", self.epsilon if self.error is None else self.error)
        for secret in self.secrets:
            secret.within(self._size)

    @property
    def priors(self) -> tuple[Kernel, ...]:
        """The kernels under which the promise holds."""
        return (self.prior,) if isinstance(self.prior, Kernel) else tuple(self.prior)

    @property
    def _size(self) -> int:
        return len(np.asarray(self.times))

    @cached_property
    def _covariances(self) -> list[Matrix]:
        return [covariance(kernel, np.asarray(self.times, float)) for kernel in self.priors]

    @cached_property
    def _splits(self) -> dict[Secret, list[Conditional]]:
        return {s: [condition(prior, s.within(self._size)) for prior in self._covariances] for s in self.secrets}

    def split(self, secret: Secret) -> Conditional:
        """The first prior, split at one of the secrets."""
        return self._splits[secret][0]

    @cached_property
    def covariance(self) -> Matrix:
        """Σᵍ, the covariance of the noise in each dimension."""
        if self.error is not None:
            return self._shape(self.error**2 * self._size)
        return self._cheapest()

    @cached_property
    def kappa(self) -> float:
        """The worst κ over all secrets and priors, recomputed from :attr:`covariance`."""
        return max(certified_loss(split, self.covariance) for splits in self._splits.values() for split in splits)

    def _loss(self, noise: Matrix) -> float:
        """The Rényi ε that ``noise`` really gives, worst over secrets and priors."""
        return max(
            renyi_epsilon(certified_loss(split, noise), secret=secret, radius=self.radius, order=self.order)
            for secret, splits in self._splits.items()
            for split in splits
        )

    def _shape(self, budget: float) -> Matrix:
        n, first = self._size, self.secrets[0]
        prior = self._covariances[0]
        if self.design == "uniform":
            return uniform(n, budget)
        if self.design == "concentrated":
            every = sorted({index for secret in self.secrets for index in secret.indices})
            return concentrated(n, Secret(tuple(every)), budget)
        single = len(self.secrets) == 1 and len(self.priors) == 1
        if self.design == "dominate":
            return _with_least(dominate([published(prior, secret, budget) for secret in self.secrets]))
        if self.design in ("block", "published") and not single:
            raise bad_input("design", self.design, "one secret and one prior for this design", "use design='optimal'")
        if self.design == "published":
            return _with_least(published(prior, first, budget))
        floor = max(self.floor, FLOOR)
        if single and first.kind == "basic":
            shape = optimal_basic if self.design == "optimal" else optimal_block
            return shape(prior, first, budget, floor=floor)
        if self._every_time_alone:
            return like_the_path(prior, budget)
        if len(self.priors) == 1 and all(secret.kind == "basic" for secret in self.secrets):
            times = np.array([secret.indices[0] for secret in self.secrets], dtype=np.intp)
            return optimal_times(prior, times, budget, floor=floor)
        splits = [split for several in self._splits.values() for split in several]
        if single:
            return optimal_compound(splits[0], budget, floor=floor, block=self.design == "block").noise
        return optimal_worst(splits, budget, floor=floor).noise

    @property
    def _every_time_alone(self) -> bool:
        """Whether each time is a secret of its own under one prior of constant variance."""
        spread = np.diag(self._covariances[0])
        return (
            len(self.priors) == 1
            and {secret.indices for secret in self.secrets} == {(index,) for index in range(self._size)}
            and float(np.ptp(spread)) <= 1e-9 * float(spread.max())
        )

    def _cheapest(self) -> Matrix:
        """The least noise of this design whose certified loss is at most ε, within a thousandth.

        The loss falls about as 1/budget: secant steps on the log scale, halving where they do not help.
        """
        assert self.epsilon is not None
        scale = float(np.mean([np.diag(prior).mean() for prior in self._covariances])) * self._size
        low, high = (0.0, math.inf), (math.inf, 0.0)  # (budget, loss) of the largest too small and the least enough
        best: Matrix | None = None
        budget = 1e-2 * scale
        for step in range(200):
            noise = self._shape(budget)
            reached = self._estimated_loss(noise)
            if reached <= self.epsilon:
                reached = self._loss(noise)
            if reached <= self.epsilon:
                best, high = noise, (budget, reached)
            else:
                low = (budget, reached)
            if best is not None and (high[1] > 0.999 * self.epsilon or high[0] < 1.0005 * low[0]):
                return best
            if low[0] > 1e12 * scale:
                break
            if best is None or low[0] == 0.0:
                budget *= min(max(reached / (0.9995 * self.epsilon), 1e-3), 1e3)
            elif step % 3 == 2 or not math.isfinite(low[1]):
                budget = math.sqrt(low[0] * high[0])
            else:
                slope = math.log(low[1] / high[1]) / math.log(high[0] / low[0])
                aim = high[0] * (high[1] / (0.9995 * self.epsilon)) ** (1 / slope)
                budget = min(max(aim, 1.0002 * low[0]), high[0] / 1.0002)
        raise InfeasibleError(
            f"ε = {self.epsilon:g} cannot be reached by the design {self.design!r}: a total squared error of "
            f"{low[0]:.3g} is not enough; use design='optimal'"
        )

    def _estimated_loss(self, noise: Matrix) -> float:
        """The Rényi ε of ``noise`` from what an adversary believes, one factorisation for all secrets of a prior.

        κ = maxeig(Σ_{x|z,ss}⁻¹ − Σ_ss⁻¹); not rounded up, and so for the search only.
        """
        if len(self.secrets) < 4:
            return self._loss(noise)
        worst = 0.0
        for prior in self._covariances:
            after = posterior(prior, noise)[1]
            for secret in self.secrets:
                inside = np.ix_(secret.indices, secret.indices)
                gained = np.linalg.inv(after[inside]) - np.linalg.inv(prior[inside])
                kappa = float(np.linalg.eigvalsh(gained)[-1])
                worst = max(worst, renyi_epsilon(kappa, secret=secret, radius=self.radius, order=self.order))
        return worst

    @property
    def guarantee(self) -> Guarantee:
        if not math.isfinite(self.certified_epsilon):
            return NoGuarantee("under the assumed prior the rest of the path determines the secret, or nearly does")
        prior = " and ".join(str(kernel) for kernel in self.priors)
        promise = InferentialPrivacy(
            self.certified_epsilon,
            order=self.order,
            radius=self.radius,
            prior=prior,
            measured_in="",  # metres or degrees: the series may be of anything
        )
        return promise.assuming(Assumption("prior"))

    @cached_property
    def certified_epsilon(self) -> float:
        """The Rényi ε of the noise, worst over secrets and priors, rounded up; ∞ where nothing is promised."""
        return self._loss(self.covariance)

    def release(self, data: ArrayLike, *, rng: Rng | None = None) -> NDArray[np.float64]:
        """The path with noise: positions of shape (n,), (n, d), or (users, n, d) for several, n the number of times."""
        path = finite_array("data", data)
        if path.ndim not in (1, 2, 3) or path.shape[max(path.ndim - 2, 0)] != self._size:
            raise bad_input("data", path.shape, f"{self._size} positions, one for each time")
        columns = np.atleast_2d(path) if path.ndim == 1 else np.swapaxes(path, -1, -2)
        rows = np.ascontiguousarray(columns.reshape(-1, self._size))
        if not np.abs(rows).max(initial=0.0) < 2.0**53 * self.step:
            raise bad_input(
                "data", float(np.abs(rows).max()), f"positions below {2.0**53 * self.step:.2g}", "centre it"
            )
        noisy = add_correlated_gaussian(rows, self._factor, self.step, resolve_rng(rng)).reshape(columns.shape)
        return noisy[0] if path.ndim == 1 else np.swapaxes(noisy, -1, -2)

    @cached_property
    def step(self) -> float:
        """The grid: every released number is a whole multiple of this power of two, under a thousandth of the noise."""
        return grid_step(min(self.radius, float(np.sqrt(np.trace(self.covariance) / self._size))), 12)

    @cached_property
    def _factor(self) -> Matrix:
        """L with LLᵀ = Σᵍ, singular or not."""
        values, vectors = np.linalg.eigh(self.covariance)
        return vectors * np.sqrt(np.maximum(values, 0.0))


def _with_least(noise: Matrix) -> Matrix:
    """A millionth of the noise spread evenly: published designs are singular, and no certificate rests on that."""
    return (1 - FLOOR) * noise + FLOOR * float(np.trace(noise)) / len(noise) * np.eye(len(noise))
