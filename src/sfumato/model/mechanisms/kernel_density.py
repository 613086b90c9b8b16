"""Generated samples from a Gaussian kernel density estimate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.io.frames import column, is_frame, to_arrow, to_native_like
from sfumato.mechanism.base import Mechanism
from sfumato.model.core.cohort import trained_on
from sfumato.model.core.nearest import points
from sfumato.noise.entropy import Rng, resolve_rng
from sfumato.promise import NoGuarantee
from sfumato.validate import finite_array, integer, positive, probability

__all__ = ["KernelDensity", "fit_bandwidth", "log_likelihood"]

_LARGEST = 2_000  # training points that the bandwidth is fitted to; the estimate is O(n²)


@dataclass(frozen=True, kw_only=True, eq=False)
class KernelDensity(Mechanism):
    """A generator that draws a training point and adds normal noise: copies the training set if σ is small.

    q_σ(x) = mean over training points t of N(x; t, σ²I). It is the textbook case of the data-copying test: every sample
    is a training record in disguise, so that nothing is promised whatever σ is.

    Parameters
    ----------
    bandwidth : float, optional
        σ, in the units of the data; of a table, in standard deviations of each column. By default the one that makes
        each training point most likely under the others.
    swap : float
        Of a table: the probability that a category is drawn anew from its column.
    count : int, optional
        How many samples; by default as many as came in.

    Examples
    --------
    >>> mechanism = KernelDensity(bandwidth=0.1)
    >>> print(mechanism.guarantee)
    no guarantee: every sample is a training record with noise that no bound is proved for
    >>> mechanism.release(np.zeros((3, 2))).shape
    (3, 2)
    """

    bandwidth: float | None = None
    swap: float = 0.1
    count: int | None = None

    def __post_init__(self) -> None:
        if self.bandwidth is not None:
            positive("bandwidth", self.bandwidth, "0 would release the records themselves")
        probability("swap", self.swap, zero=True, one=True)
        if self.count is not None:
            integer("count", self.count)

    @property
    def guarantee(self) -> NoGuarantee:
        """None: the samples lie around single records."""
        return NoGuarantee("every sample is a training record with noise that no bound is proved for")

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """Samples: an array of samples of the same shape, or a table with the same columns."""
        generator, data = resolve_rng(rng), trained_on(data)
        if is_frame(data):
            return self._release_table(data, generator)
        known = points("data", data)
        sigma = fit_bandwidth(known, rng=generator) if self.bandwidth is None else self.bandwidth
        count = len(known) if self.count is None else self.count
        chosen = known[generator.integers(len(known), size=count)]
        made = chosen + sigma * generator.standard_normal(chosen.shape)
        return made.reshape(count, *np.shape(data)[1:])

    def _release_table(self, data: Any, rng: Rng) -> Any:
        import pyarrow as pa

        table = to_arrow(data)
        columns = {name: column(table, name) for name in table.column_names}
        numeric = [name for name, values in columns.items() if values.dtype.kind in "iuf"]
        size = table.num_rows if self.count is None else self.count
        chosen = rng.integers(table.num_rows, size=size)
        spread = {name: float(columns[name].std()) or 1.0 for name in numeric}
        sigma = self.bandwidth
        if sigma is None and numeric:
            standard = np.column_stack([finite_array(name, columns[name]) / spread[name] for name in numeric])
            sigma = fit_bandwidth(standard, rng=rng)
        made: dict[str, Any] = {}
        for name, values in columns.items():
            if name in numeric:
                noisy = values[chosen] + (sigma or 0.0) * spread[name] * rng.standard_normal(size)
                made[name] = np.rint(noisy).astype(np.int64) if values.dtype.kind in "iu" else noisy
            else:
                anew = rng.random(size) < self.swap
                made[name] = values[np.where(anew, rng.integers(table.num_rows, size=size), chosen)].tolist()
        return to_native_like(pa.table(made), data)


def log_likelihood(train: ArrayLike, samples: ArrayLike, bandwidth: float) -> NDArray[np.float64]:
    """log q_σ of each sample.

    >>> round(float(log_likelihood([[0.0]], [[0.0]], 1.0)[0]), 4)
    -0.9189
    """
    known = points("train", train)
    wanted = points("samples", samples, dimension=known.shape[1])
    sigma = positive("bandwidth", bandwidth)
    out = np.empty(len(wanted))
    constant = math.log(len(known)) + known.shape[1] * (math.log(sigma) + 0.5 * math.log(2 * math.pi))
    for start, gaps in _squared(known, wanted):
        powers = gaps / (-2 * sigma**2)
        top = powers.max(axis=1)
        out[start : start + len(gaps)] = top + np.log(np.exp(powers - top[:, None]).sum(axis=1)) - constant
    return out


def fit_bandwidth(
    train: ArrayLike, validation: ArrayLike | None = None, *, rng: Rng | None = None, steps: int = 200
) -> float:
    """The σ that makes validation points most likely; without them, each training point under all others.

    At the maximum kσ² = E Σ_t r(t|x)·‖x − t‖², r the responsibilities (Meehan 2023, Lemma 3); repeating that equation
    as an assignment climbs the likelihood (it is the EM algorithm with one free scale).

    >>> rng = np.random.default_rng(0)
    >>> sigma = fit_bandwidth(rng.normal(size=(500, 1)), rng.normal(size=(500, 1)))
    >>> 0.1 < sigma < 0.5
    True
    """
    known = points("train", train)
    if len(known) < 2:
        raise bad_input("train", len(known), "at least two samples", "one sample says nothing of a bandwidth")
    generator = resolve_rng(rng)
    if validation is None:
        known = known[generator.choice(len(known), min(len(known), _LARGEST), replace=False)]
        wanted = known
    else:
        wanted = points("validation", validation, dimension=known.shape[1])
    gaps = np.concatenate([block for _, block in _squared(known, wanted)])
    if validation is None:
        np.fill_diagonal(gaps, np.inf)
    smallest = gaps.min(axis=1)
    floor = float(smallest[smallest > 0].min(initial=np.inf))
    if not math.isfinite(floor):
        raise bad_input("train", "equal samples", "samples that differ", "state the bandwidth")
    variance = float(smallest.mean()) / known.shape[1]
    for _ in range(steps):
        powers = (smallest[:, None] - gaps) / (2 * variance)
        weights = np.exp(powers)
        distance = np.where(np.isfinite(gaps), gaps, 0.0)
        mean = float(((weights * distance).sum(1) / weights.sum(1)).mean()) / known.shape[1]
        mean = max(mean, floor * 1e-6)  # equal records would shrink it to 0
        if abs(mean - variance) < 1e-6 * variance:
            break
        variance = mean
    return math.sqrt(variance)


def _squared(known: NDArray[np.float64], wanted: NDArray[np.float64]) -> Any:
    """Squared distances, block by block: the first row of the block and the block."""
    from scipy.spatial.distance import cdist

    step = max(1, 16_000_000 // len(known))
    for start in range(0, len(wanted), step):
        yield start, cdist(wanted[start : start + step], known, "sqeuclidean")
