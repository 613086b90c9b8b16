"""A Gaussian process whose kernel the attacker learns from the release (addenda §3, attacks).

The release is z = c + f + w + g: a constant that may be anything, a path f with a kernel of unknown kind, length and
variance, the error w of the receiver, and noise g whose covariance the card tells. Kind, length, variance and error are
those with the highest marginal likelihood. In :func:`place_belief` the clock stands still during the hidden stay, so
that all points of the stay see one place. The kernel is fitted to some of the points; a place is inferred from all of
them, in O(n) for long paths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.study.run.one_thread import one_thread
from sfumato.trace.attacks.locating import LocationAttack
from sfumato.trace.attacks.sighting import Interval, Path, Sighting
from sfumato.trace.core.hidden_place import HiddenPlace, OperationalClock
from sfumato.trace.core.kernel import RBF, Kernel, Matern
from sfumato.trace.core.state_space import MarkovPath
from sfumato.trace.core.stops import find_stops
from sfumato.validate import choice

if TYPE_CHECKING:
    from sfumato.noise import Rng

__all__ = ["Belief", "EvidenceAttack", "KernelFit", "fit_kernel", "moment_belief", "path_belief", "place_belief"]

_FITTED, _USED = 100, 400
"""How many points about the target the kernel is fitted to, and with how many covariances are written out."""
_ANYWHERE = 30_000.0
"""Standard deviation of the unknown middle of the path, in metres: a district is not known."""
_DETOUR = 100.0
"""Standard deviation in metres of a place about the way past it: nobody stays in the middle of a road."""
_STAY = (100.0, 600.0)
"""Within how many metres and for how many seconds somebody who is seen stays somewhere."""
_MOVING = 0.5
"""Who is faster is on the move, in metres a second."""
_EXPERIENCE = 2
"""That stays are where they are expected is worth as much as so many stays that are seen."""
KINDS = ("rbf", "matern-1/2", "matern-3/2", "matern-5/2")


def _kernel(kind: str, length: float, variance: float) -> Kernel:
    if kind == "rbf":
        return RBF(length=length, variance=variance)
    return Matern(length=length, nu={"1": 0.5, "3": 1.5, "5": 2.5}[kind[7]], variance=variance)


@dataclass(frozen=True)
class KernelFit:
    """The kernel with the highest evidence: its kind, the kernel, the error of the receiver and the log evidence."""

    kind: str
    kernel: Kernel
    error: float
    evidence: float


@dataclass(frozen=True)
class Belief:
    """What an attacker believes of a place: mean (d,) and variance in each dimension."""

    mean: Path
    variance: float


@one_thread()
def fit_kernel(sighting: Sighting, *, kinds: Sequence[str] = KINDS) -> KernelFit:
    """The kernel by evidence, from points with known noise.

    >>> rng = np.random.default_rng(0)
    >>> times = np.arange(100.0)
    >>> factor = np.linalg.cholesky(Matern(length=20.0, nu=1.5, variance=1e4)(times[:, None], times) + np.eye(100))
    >>> fit = fit_kernel(Sighting(times=times, path=factor @ rng.normal(size=(100, 2))))
    >>> fit.kind, 10 < fit.kernel.length < 40
    ('matern-3/2', True)
    """
    from scipy.optimize import minimize

    times, noise = sighting.times, sighting.covariance
    lags = times[:, None] - times[None, :]
    span, spread = float(np.ptp(times)) or 1.0, max(float(sighting.path.std(0).max()), 5.0)
    gap = max(float(np.median(np.diff(times))), span / len(times))
    centred = sighting.path - sighting.path.mean(0)
    low = np.log([gap / 2, 5.0, 0.3])
    high = np.log([20 * span, 30_000.0, 100.0])

    def score(at: NDArray[np.float64], kind: str) -> float:
        length, deviation, error = np.exp(np.clip(at, low, high))
        matrix = _kernel(kind, length, deviation**2)(lags, np.zeros(()))
        outside = float(np.abs(at - np.clip(at, low, high)).sum())
        return outside - _log_evidence(matrix, noise, error, centred)

    best: tuple[float, str, NDArray[np.float64]] | None = None
    for kind in kinds:
        for length in (6 * gap, span / 3):
            start = np.log([length, spread, 5.0])
            found = minimize(score, start, args=(kind,), method="Nelder-Mead", options={"maxfev": 60, "xatol": 0.05})
            if best is None or found.fun < best[0]:
                best = (float(found.fun), kind, np.clip(found.x, low, high))
    assert best is not None
    length, deviation, error = np.exp(best[2])
    return KernelFit(best[1], _kernel(best[1], float(length), float(deviation) ** 2), float(error), -best[0])


def _log_evidence(kernel: Path, noise: Path, error: float, centred: Path) -> float:
    """log N(centred; 0, kernel + noise + error² I + anywhere² 11ᵀ), summed over the dimensions."""
    both = kernel + noise + _ANYWHERE**2
    both[np.diag_indices_from(both)] += error**2 + 1e-9 * kernel[0, 0]
    try:
        factor = np.linalg.cholesky(both)
    except np.linalg.LinAlgError:
        return -1e15
    from scipy.linalg import solve_triangular

    white = solve_triangular(factor, centred, lower=True, check_finite=False)
    return float(-0.5 * (white**2).sum() - centred.shape[1] * np.log(np.diag(factor)).sum())


def moment_belief(sighting: Sighting, moment: float, *, kinds: Sequence[str] = KINDS) -> Belief:
    """The place at one moment."""
    fit = fit_kernel(sighting.around((moment, moment), _FITTED), kinds=kinds)
    mean, spread = path_belief(sighting, fit, np.array([moment]))
    return Belief(mean[0], max(float(spread[0, 0]), 1e-6))


def place_belief(sighting: Sighting, *visits: Interval, kinds: Sequence[str] = KINDS) -> Belief:
    """The place of one or more stays: the clock stands still in each, and all points of all of them see one place.

    The posterior of the path at the visits, N(μ, S), is conditioned on their being at the same place: its mean is
    1ᵀS⁻¹μ/1ᵀS⁻¹1 and its variance 1/1ᵀS⁻¹1. Where no point of a stay is seen, the variance is that of places
    about the way, learned from the stays that are seen.
    """
    clock = OperationalClock([HiddenPlace((visit,)) for visit in visits])
    still = Sighting(times=clock(sighting.times), path=sighting.path, noise=sighting.noise)
    moments = clock([start for start, _ in visits])
    fit = fit_kernel(still.around((float(moments[0]),) * 2, _FITTED), kinds=kinds)
    mean, spread = path_belief(still, fit, moments)
    weight = np.linalg.solve(spread + 1e-6 * np.eye(len(moments)), np.ones(len(moments)))
    total = max(float(weight.sum()), 1e-12)
    unseen = not any(((start <= sighting.times) & (sighting.times <= end)).any() for start, end in visits)
    variance = _stay_variance(sighting, fit, visits, 1 / total) if unseen else 1 / total
    return Belief(np.asarray(weight @ mean / total), variance)


def _stay_variance(sighting: Sighting, fit: KernelFit, visits: Sequence[Interval], variance: float) -> float:
    """The variance with which the 95 % circle of an unseen stay is one, in spite of what the process does not know.

    A process draws the path straight past places to which people turn off, and takes somebody who mostly rests for
    slow. So the place may lie anywhere within reach of the way: as far as one gets between the cut and the stay, at the
    usual speed on the move. Every other stay is cut out as widely as the first hidden one and located in the same
    way. With their squared errors q, over variance and number of dimensions, and q = 1 for each of experience, a new q
    exceeds k·(20^{1/k} − 1) times their mean in one case of twenty: the F law with 2 and 2k degrees.
    """
    (start, end), hidden = visits[0], [HiddenPlace((visit,)) for visit in visits]
    times, path = sighting.times, sighting.path
    before, after = (start - times[times < start]).min(initial=np.inf), (times[times > end] - end).min(initial=np.inf)
    away = (
        _DETOUR**2 + (_usual_speed(sighting) * min(before, after, float(np.ptp(times))) / 2) ** 2
    )  # of a disc: reach/2
    errors = [1.0] * _EXPERIENCE
    stops = find_stops(times, path, radius=_STAY[0], duration=_STAY[1])
    for first, last, centre in zip(stops.first, stops.last, stops.centres, strict=True):
        stay = (float(times[first]), float(times[last]))
        kept = (times < stay[0] - before) | (times > stay[1] + after)
        if kept[[0, -1]].all() and kept.sum() >= 10 and not any(stay[0] <= b and stay[1] >= a for a, b in visits):
            clock = OperationalClock([*hidden, HiddenPlace((stay,))])
            rest = sighting.take(np.flatnonzero(kept))
            rest = Sighting(times=clock(rest.times), path=rest.path, noise=rest.noise)
            mean, spread = path_belief(rest, fit, clock([stay[0]]))
            errors.append(float(((mean[0] - centre) ** 2).mean() / (spread[0, 0] + away)))
    k = len(errors)
    wider = k * (20 ** (1 / k) - 1) / np.log(20)
    return float((variance + away) * max(np.mean(errors) * wider, 1.0))


def _usual_speed(sighting: Sighting) -> float:
    """The median speed of the steps on the move, in metres a second; steps across a gap do not count."""
    gaps = np.diff(sighting.times)
    steps = np.linalg.norm(np.diff(sighting.path, axis=0), axis=1)
    short = (gaps > 0) & (gaps <= 2.5 * np.median(gaps))
    speeds = steps[short] / gaps[short]
    return float(np.median(speeds[speeds > _MOVING])) if (speeds > _MOVING).any() else 0.0


def path_belief(sighting: Sighting, fit: KernelFit, moments: Path) -> tuple[Path, Path]:
    """Posterior mean (k, d) and covariance (k, k) of the path at some moments, the first of them the one looked for.

    Of a long path all points are used if its kernel is a Matérn one and the independent noise is even; else those about
    the first moment.
    """
    law = sighting.law
    even = law is not None and np.ptp(law.own) <= 1e-9 * law.own.max(initial=1.0)
    if len(sighting.times) > _USED and even and isinstance(fit.kernel, Matern):
        return _long_belief(sighting, fit, moments)
    seen = sighting.around((float(moments[0]),) * 2, _USED)
    times, centre = seen.times, seen.path.mean(0)
    both = fit.kernel(times[:, None], times[None, :]) + seen.covariance + _ANYWHERE**2
    both[np.diag_indices_from(both)] += fit.error**2 + 1e-9 * fit.kernel.variance
    across = fit.kernel(times[:, None], moments[None, :]) + _ANYWHERE**2
    gain = np.linalg.solve(both, across)
    before = fit.kernel(moments[:, None], moments[None, :]) + _ANYWHERE**2
    return centre + gain.T @ (seen.path - centre), before - across.T @ gain


def _long_belief(sighting: Sighting, fit: KernelFit, moments: Path) -> tuple[Path, Path]:
    """The same from all points, in O(n): the state space solves with kernel and even noise, Woodbury adds the rest.

    With A = K + (even + error²)·I and U = [shared, anywhere·1], (A + UUᵀ)⁻¹U = A⁻¹U(I + UᵀA⁻¹U)⁻¹: what stands for
    the unknown middle is never subtracted from itself.
    """
    law = sighting.law
    assert law is not None
    ticks = np.round(sighting.times * 1024) / 1024  # differences of times are exact then
    centre = sighting.path.mean(0)
    across = fit.kernel(ticks[:, None], moments[None, :])
    wide = np.concatenate([law.shared, np.full((len(ticks), 1), _ANYWHERE)], axis=1)
    right = np.concatenate([wide, across], axis=1)
    extra = float(law.own[0]) + fit.error**2 + 1e-9 * fit.kernel.variance
    solved = MarkovPath.of(fit.kernel, ticks).solve(extra, right)
    through, direct = solved[:, : wide.shape[1]], solved[:, wide.shape[1] :]
    inside = np.linalg.inv(np.eye(wide.shape[1]) + wide.T @ through)
    own = direct - through @ (inside @ (wide.T @ direct))
    shift = _ANYWHERE * (through @ inside[:, -1])
    gain = own + shift[:, None]
    mean = centre + gain.T @ (sighting.path - centre)
    before = fit.kernel(moments[:, None], moments[None, :])
    # of the unknown middle: anywhere² − anywhere²·1ᵀ(A + UUᵀ)⁻¹1·anywhere² is the last entry of (I + UᵀA⁻¹U)⁻¹
    middle = _ANYWHERE**2 * inside[-1, -1]
    cross = across.T @ shift
    return mean, before - across.T @ own - cross[:, None] - cross[None, :] + middle


@dataclass(frozen=True, kw_only=True)
class EvidenceAttack(LocationAttack):
    """Locates the middle of each hidden interval by a Gaussian process whose kernel is learned from the release.

    Of RBF and Matérn ½, 3/2 and 5/2, with their length, variance and white noise, the one with the highest marginal
    likelihood is taken, given the noise that the card tells. ``stay`` lets the clock stand still in the interval.

    Parameters
    ----------
    stay : bool
        Assume that the hidden interval is one stay.
    kinds : sequence of str
        The kinds of kernel that are tried; fewer are faster.
    """

    stay: bool = False
    kinds: Sequence[str] = KINDS
    name: str = field(default="learned path")
    knows: ClassVar[str] = (
        "the method and its noise from the card, and which times were secret; learns how the person moves"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for kind in self.kinds:
            choice("kinds", kind, KINDS)

    def locate(self, seen: Sighting, interval: Interval, rng: Rng) -> Path:
        if self.stay:
            return place_belief(seen, interval, kinds=self.kinds).mean
        return moment_belief(seen, sum(interval) / 2, kinds=self.kinds).mean
