"""The channel from one secret to the release: the view of :class:`~sfumato.trace.TraceNoise` that is audited."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import RenyiDP
from sfumato.trace.core.conditional import Conditional
from sfumato.trace.core.kernel import Matrix
from sfumato.trace.core.secret import Secret
from sfumato.trace.mechanisms.trace_noise import TraceNoise
from sfumato.validate import finite_array

__all__ = ["SecretChannel"]


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
        white = np.linalg.solve(self._factor, apart.T)
        volume = np.log(np.diag(self._factor)).sum() + 0.5 * len(self._factor) * np.log(2 * np.pi)
        return -0.5 * (white**2).sum(0) - volume

    def _checked(self, data: ArrayLike) -> NDArray[np.float64]:
        secret = finite_array("data", data, ndim=1)
        if len(secret) != len(self.secret.indices):
            raise bad_input("data", secret.shape, f"the {len(self.secret.indices)} places of the secret, in one row")
        return secret
