"""Adversaries of a released path, from the one the promise is about to cruder ones that anybody can run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism, PlanarLaplace
from sfumato.noise import Rng
from sfumato.study import Attack, Score
from sfumato.trace.core.posterior import estimate, posterior
from sfumato.trace.core.prior import Kernel, Matrix, covariance
from sfumato.trace.core.secret import Secret
from sfumato.trace.core.stops import find_stops
from sfumato.trace.mechanisms.remapped_planar import RemappedPlanar
from sfumato.trace.mechanisms.trace_noise import TraceNoise
from sfumato.validate import finite_array, positive

__all__ = ["PosteriorAttack", "StopAttack", "StrongestAttack", "believed", "noise_of"]

Path = NDArray[np.float64]


def as_path(name: str, value: ArrayLike, length: int) -> Path:
    """A path of shape (n, d); a series of shape (n,) becomes one dimension."""
    path = finite_array(name, value)
    path = path[:, None] if path.ndim == 1 else path
    if path.ndim != 2 or len(path) != length:
        raise bad_input(name, path.shape, f"{length} positions, one for each time")
    return path


def noise_of(mechanism: Mechanism | None, n: int) -> Matrix:
    """The covariance of the noise in each dimension of a path of ``n`` points, as the adversary knows it."""
    if isinstance(mechanism, TraceNoise):
        return mechanism.covariance
    if isinstance(mechanism, PlanarLaplace | RemappedPlanar):
        return 3.0 / mechanism.epsilon**2 * np.eye(n)  # E r² = 6/ε², half of it in each dimension
    return np.zeros((n, n))


def noisy_points(mechanism: Mechanism | None, release: Path) -> Path:
    """The points with the noise of :func:`noise_of`, which an adversary gets back from a remapped release."""
    return mechanism.undo(release) if isinstance(mechanism, RemappedPlanar) else release


def believed(prior: Kernel, times: ArrayLike, release: Path, mechanism: Mechanism | None) -> tuple[Path, Path]:
    """What the Gaussian adversary believes after a release: the mean of the path, (n, d), and its variance, (n,)."""
    moments = np.asarray(times, float)
    kernel, noise = covariance(prior, moments), noise_of(mechanism, len(moments))
    return estimate(kernel, noise, noisy_points(mechanism, release)), np.maximum(
        np.diag(posterior(kernel, noise)[1]), 0.0
    )


@dataclass(frozen=True, kw_only=True)
class PosteriorAttack:
    """The Gaussian adversary: knows kernel, mechanism and release, and computes the posterior of each secret.

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


@dataclass(frozen=True, kw_only=True)
class StrongestAttack:
    """The best of several adversaries who want the same thing: whoever publishes does not choose who attacks.

    The value is the largest of their values, the reference the largest of their references.

    Parameters
    ----------
    attacks : sequence of Attack
    name : str
    """

    attacks: Sequence[Attack]
    name: str = "best adversary"

    def __post_init__(self) -> None:
        if len(self.attacks) == 0:
            raise bad_input("attacks", self.attacks, "at least one attack")

    def attack(
        self, data: ArrayLike, release: ArrayLike, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        scores = [one.attack(data, release, mechanism=mechanism, rng=rng) for one in self.attacks]
        best = max(scores, key=lambda score: score.value)
        return replace(best, reference=max(score.reference for score in scores))


@dataclass(frozen=True, kw_only=True)
class StopAttack:
    """Looks for places where the released path stays, after smoothing it, and counts the true stops it finds.

    The reference is the share that the same number of discs at random in the region would cover.

    Parameters
    ----------
    times : array-like of shape (n,)
    radius : float
        A stop counts as found when one is reported within this distance.
    duration : float
        How long a stop lasts at least, in the unit of the times.
    window : int
        Points in the running median that smooths the release; 1 for none.
    """

    times: ArrayLike
    radius: float
    duration: float
    window: int = 5
    name: str = "stops found"

    def __post_init__(self) -> None:
        positive("radius", self.radius)
        positive("duration", self.duration)

    def attack(
        self, data: ArrayLike, release: ArrayLike, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        from scipy.ndimage import median_filter

        times = np.asarray(self.times, float)
        truth, seen = as_path("data", data, len(times)), as_path("release", release, len(times))
        real = find_stops(times, truth, radius=self.radius, duration=self.duration)
        if len(real) == 0:
            raise bad_input("data", "a path without stops", "at least one stop to look for", "shorten the duration")
        smooth = median_filter(seen, size=(self.window, 1), mode="nearest")
        # Noise widens a stop: several widths are tried; the attacker may know how many there are.
        found = [find_stops(times, smooth, radius=self.radius * width, duration=self.duration) for width in (1, 2, 4)]
        reported = min(found, key=lambda stops: abs(len(stops) - len(real)))
        hits = 0.0
        if len(reported):
            apart = np.linalg.norm(real.centres[:, None] - reported.centres[None], axis=2)
            hits = float((apart.min(1) <= self.radius).mean())
        area = float(np.prod(np.maximum(np.ptp(truth, axis=0), 2 * self.radius)))
        disc = np.pi * self.radius**2 if truth.shape[1] == 2 else 2 * self.radius
        return Score(hits, reference=float(1 - (1 - min(disc / area, 1.0)) ** max(len(reported), 1)))


def interval(successes: float, trials: int) -> tuple[float, float]:
    """The Wilson 95 % interval of a share."""
    from scipy.stats import norm

    z = float(norm.ppf(0.975))
    share = successes / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z * float(np.sqrt(share * (1 - share) / trials + z * z / (4 * trials**2))) / (1 + z * z / trials)
    return centre - half, centre + half


def check_cohort(name: str, value: Any) -> Path:
    """Paths of several users: an array of shape (users, n, d)."""
    return finite_array(name, value, ndim=3)
