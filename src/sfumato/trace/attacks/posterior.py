"""Localisation of secret places by the Gaussian posterior, the adversary that the promise is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.release.card import Criterion
from sfumato.study import Score
from sfumato.trace.attacks.belief import Path, as_path, believed
from sfumato.trace.core.kernel import Kernel, covariance
from sfumato.trace.core.secret import Secret
from sfumato.validate import positive

__all__ = ["PosteriorAttack"]


@dataclass(frozen=True, kw_only=True)
class PosteriorAttack:
    """Locates each secret by its posterior under a Gaussian prior, given the release and the mechanism.

    The value is the posterior probability of the disc of ``radius`` around the true place, averaged over the secret
    times; the reference is the same under the prior alone, centred on the middle of the path.

    Parameters
    ----------
    prior : Kernel
        What this adversary assumes; it may differ from what the mechanism was shaped for.
    times : array-like of shape (n,)
    secrets : sequence of Secret
    radius : float
    name : str
    """

    criterion: ClassVar[Criterion] = "inference"
    knows: ClassVar[str] = "the method, how people move, and which times were secret"

    prior: Kernel
    times: ArrayLike
    secrets: Sequence[Secret]
    radius: float
    name: str = "posterior localisation"

    def __post_init__(self) -> None:
        positive("radius", self.radius)
        if len(self.secrets) == 0:
            raise bad_input("secrets", self.secrets, "at least one secret")

    def attack(
        self, data: ArrayLike, release: ArrayLike, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        from scipy.stats import ncx2

        n = len(np.asarray(self.times))
        truth, seen = as_path("data", data, n), as_path("release", release, n)
        guess, spread = believed(self.prior, self.times, seen, mechanism)
        inside = np.array(sorted({i for secret in self.secrets for i in secret.within(n)}))
        dimension = truth.shape[1]

        def mass(centre: Path, variance: Path) -> float:
            width = np.maximum(variance, 1e-12 * self.radius**2)
            far = ((centre - truth[inside]) ** 2).sum(1)
            return float(ncx2.cdf(self.radius**2 / width, dimension, far / width).mean())

        value = mass(guess[inside], spread[inside])
        before = np.diag(covariance(self.prior, np.asarray(self.times, float)))
        reference = mass(np.broadcast_to(truth.mean(0), (len(inside), dimension)), before[inside])
        return Score(value, reference=reference)
