"""The channel from one secret to the release: the view of a mechanism on traces that is audited."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve_triangular

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import RenyiDP
from sfumato.trace.core.conditional import Conditional
from sfumato.trace.core.kernel import Matrix
from sfumato.trace.core.secret import Secret
from sfumato.trace.designs.place_design import LowRankNoise
from sfumato.trace.mechanisms.lasting_noise import LastingNoise
from sfumato.trace.mechanisms.place_noise import PlaceNoise
from sfumato.trace.mechanisms.time_cut import TimeCut
from sfumato.trace.mechanisms.trace_noise import TraceNoise
from sfumato.validate import finite_array

__all__ = ["PlaceChannel", "SecretChannel"]

_GRID = 2.0**-12


@dataclass(frozen=True, kw_only=True, eq=False)
class SecretChannel(Mechanism):
    """Draws the rest of a path from the prior given its secret, then adds the noise of the mechanism.

    Conditional inferential privacy (Meehan, Def. 5.2) is Rényi DP of this channel, which is how the auditor tests it:
    the law of the release given the secret s is N(Ã s, M + Σᵍ).

    Parameters
    ----------
    noise : TraceNoise
    secret : Secret
        One of the secrets of ``noise``.
    claimed : float, optional
        A Rényi ε to claim instead of the certified one, for specimens.
    """

    noise: TraceNoise
    secret: Secret
    claimed: float | None = None

    @cached_property
    def guarantee(self) -> RenyiDP:
        epsilon = self.noise.certified_epsilon if self.claimed is None else self.claimed
        return RenyiDP(self.noise.order, epsilon, unit="secret", neighbours="any-pair", model="local")

    @property
    def _split(self) -> Conditional:
        return self.noise.split(self.secret)

    @cached_property
    def _factor(self) -> Matrix:
        return np.asarray(np.linalg.cholesky(self._split.rest + self.noise.covariance), np.float64)

    def release(self, data: ArrayLike, *, rng: Rng | None = None) -> NDArray[np.float64]:
        """A release of a path whose secret is ``data``, of shape (|S|,)."""
        return self.sample(data, 1, rng)[0]

    def sample(self, data: ArrayLike, count: int, rng: Rng | None = None) -> NDArray[np.float64]:
        """``count`` independent releases, one a row, for audits."""
        drawn = resolve_rng(rng).standard_normal((count, len(self._factor)))
        released = self._split.lift @ self._checked(data) + drawn @ self._factor.T
        step = self.noise.step  # the grid of the mechanism: the low bits of sums of doubles would tell the input
        return np.asarray(np.rint(released / step) * step)

    def log_density(self, output: ArrayLike, data: Any) -> NDArray[np.float64]:
        """ln N(output; Ã s, M + Σᵍ) for each output (first axis)."""
        apart = np.atleast_2d(finite_array("output", output)) - self._split.lift @ self._checked(data)
        white = solve_triangular(self._factor, apart.T, lower=True)
        volume = np.log(np.diag(self._factor)).sum() + 0.5 * len(self._factor) * np.log(2 * np.pi)
        return -0.5 * (white**2).sum(0) - volume

    def _checked(self, data: ArrayLike) -> NDArray[np.float64]:
        secret = finite_array("data", data, ndim=1)
        if len(secret) != len(self.secret.indices):
            raise bad_input("data", secret.shape, f"the {len(self.secret.indices)} places of the secret, in one row")
        return secret


@dataclass(frozen=True, kw_only=True, eq=False)
class PlaceChannel(Mechanism):
    """Draws a path from one kernel of the family given a hidden place, then protects it.

    The law of the mean of ``days`` like days with one shared noise, which is sufficient for the place, is
    N(a·p, (M + floor·I)/days + factor·factorᵀ).

    Parameters
    ----------
    noise : PlaceNoise, LastingNoise or TimeCut
    which : int
        Which response: the places in turn under the first kernel, then under the second, and so on.
    days : float
        How many like days are seen.
    still : bool
        Whether the path does nothing else: M = 0 but for a measurement error of a millimetre.
    claimed : float, optional
        A Rényi ε to claim instead of that of ``noise``, for specimens.
    """

    noise: PlaceNoise | LastingNoise | TimeCut
    which: int = 0
    days: float = 1.0
    still: bool = False
    claimed: float | None = None

    @cached_property
    def guarantee(self) -> RenyiDP:
        certified = self.noise.certified_epsilon if isinstance(self.noise, TimeCut) else self.noise.epsilon
        epsilon = certified if self.claimed is None else self.claimed
        return RenyiDP(self.noise.order, epsilon, unit="secret", neighbours="any-pair", model="local")

    @cached_property
    def _law(self) -> tuple[Matrix, Matrix]:
        """a, and the factor of the covariance of what is seen."""
        response = self.noise.responses[self.which]
        size = len(response.shape)
        rest = 1e-6 * np.eye(size) if self.still else response.rest()
        own = LowRankNoise(0.0, np.zeros((size, 1))) if isinstance(self.noise, TimeCut) else self.noise.noise
        spread = (rest + own.floor * np.eye(size)) / self.days + own.factor @ own.factor.T
        return response.shape, np.asarray(np.linalg.cholesky(spread), np.float64)

    def release(self, data: ArrayLike, *, rng: Rng | None = None) -> NDArray[np.float64]:
        """A release of a path whose hidden place is ``data``, of shape (1,)."""
        return self.sample(data, 1, rng)[0]

    def sample(self, data: ArrayLike, count: int, rng: Rng | None = None) -> NDArray[np.float64]:
        """``count`` independent releases, one a row, for audits."""
        place = finite_array("data", data, ndim=1)
        shape, factor = self._law
        drawn = shape * place[0] + resolve_rng(rng).standard_normal((count, len(factor))) @ factor.T
        return np.round(drawn / _GRID) * _GRID  # as what leaves is on a grid: the low bits of a sum tell its terms

    def log_density(self, output: ArrayLike, data: Any) -> NDArray[np.float64]:
        """ln N(output; a·p, …) for each output (first axis)."""
        shape, factor = self._law
        apart = np.atleast_2d(finite_array("output", output)) - shape * finite_array("data", data, ndim=1)[0]
        white = solve_triangular(factor, apart.T, lower=True)
        volume = np.log(np.diag(factor)).sum() + 0.5 * len(factor) * np.log(2 * np.pi)
        return np.asarray(-0.5 * (white**2).sum(0) - volume, np.float64)
