"""Older measures of generators, beside which the copying test is shown: none of them sees copying by itself."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.model.copying.copying_test import split_cells
from sfumato.model.copying.representation import DifferentBins, different_bins
from sfumato.model.core.nearest import nearest, points
from sfumato.model.mechanisms.kernel_density import log_likelihood
from sfumato.noise import Rng, seeded_rng
from sfumato.validate import integer, positive

__all__ = [
    "PrecisionRecall",
    "TwoSampleAccuracy",
    "binning",
    "frechet_distance",
    "kernel_discrepancy",
    "likelihood_gap",
    "precision_recall",
    "two_sample_accuracy",
]


class TwoSampleAccuracy(NamedTuple):
    """Leave-one-out accuracy of a nearest-neighbour classifier that tells training from generated samples.

    ½ is ideal; both near 0 is exact copying; low for training and high for generated samples is mode collapse.
    """

    training: float
    generated: float

    @property
    def mean(self) -> float:
        """Over both kinds."""
        return (self.training + self.generated) / 2


def two_sample_accuracy(train: ArrayLike, generated: ArrayLike, *, rng: Rng | None = None) -> TwoSampleAccuracy:
    """The two-sample test with one nearest neighbour (Lopez-Paz and Oquab 2017), on samples of equal size.

    A point is excluded from its own neighbours by its place and not by its distance, so that exact copies count.

    >>> two_sample_accuracy([[0.0], [5.0]], [[0.0], [5.0]]).mean
    0.0
    """
    known, made = points("train", train), points("generated", generated)
    size = min(len(known), len(made))
    if size < 2:
        raise bad_input("samples", size, "at least two of each kind")
    generator = seeded_rng(0) if rng is None else rng
    first = known if len(known) == size else known[generator.choice(len(known), size, replace=False)]
    second = made if len(made) == size else made[generator.choice(len(made), size, replace=False)]
    right = []
    for own, other in ((first, second), (second, first)):
        found = nearest(own, own, count=2)
        itself = found.which[:, 0] == np.arange(size)
        inside = np.where(itself, found.distance[:, 1], found.distance[:, 0])
        across = nearest(other, own).distance[:, 0]
        right.append(float((inside < across).mean()))
    return TwoSampleAccuracy(*right)


def frechet_distance(train: ArrayLike, generated: ArrayLike) -> float:
    """‖μ₁ − μ₂‖² + tr(Σ₁ + Σ₂ − 2(Σ₁Σ₂)^½), the Fréchet distance of the normal laws with the samples' moments.

    >>> round(frechet_distance([[0.0], [2.0]], [[1.0], [3.0]]), 6)
    1.0
    """
    first, second = points("train", train), points("generated", generated)
    if first.shape[1] != second.shape[1]:
        raise bad_input("generated", second.shape[1], f"{first.shape[1]} numbers a sample")
    gap = first.mean(axis=0) - second.mean(axis=0)
    one, two = (np.atleast_2d(np.cov(part, rowvar=False)) for part in (first, second))
    values, vectors = np.linalg.eigh(one)
    root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    # The eigenvalues of Σ₁Σ₂ are those of the symmetric Σ₁^½ Σ₂ Σ₁^½: real, and none below 0 but for rounding.
    inner = np.linalg.eigvalsh(root @ two @ root)
    return float(gap @ gap + np.trace(one) + np.trace(two) - 2 * np.sqrt(np.maximum(inner, 0)).sum())


def binning(train: ArrayLike, generated: ArrayLike, *, cells: int = 5, rng: Rng | None = None) -> DifferentBins:
    """Statistically different bins between generated samples and the training set itself."""
    known, made = points("train", train), points("generated", generated)
    centres = split_cells(known, integer("cells", cells, most=len(known)), seeded_rng(0) if rng is None else rng)
    counts = [np.bincount(nearest(centres, part).which[:, 0], minlength=len(centres)) for part in (known, made)]
    return different_bins(counts[0], counts[1])


class PrecisionRecall(NamedTuple):
    """Precision α(λ) and recall β(λ) of a generator along a grid of slopes λ."""

    precision: NDArray[np.float64]
    recall: NDArray[np.float64]

    @property
    def best(self) -> float:
        """The largest harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return float((2 * self.precision * self.recall / np.where(total > 0, total, 1)).max())


def precision_recall(
    train: ArrayLike,
    generated: ArrayLike,
    *,
    cells: int = 5,
    repeats: int = 10,
    slopes: int = 101,
    rng: Rng | None = None,
) -> PrecisionRecall:
    """Precision and recall of distributions (Sajjadi et al. 2018) over k-means cells of both samples together.

    α(λ) = Σ min(λP, Q), β(λ) = Σ min(P, Q/λ), λᵢ = tan(iπ/2(r+1)), averaged over several clusterings.

    >>> found = precision_recall([[0.0], [1.0]], [[0.0], [1.0]], cells=2, repeats=1)
    >>> round(found.best, 6)
    1.0
    """
    known, made = points("train", train), points("generated", generated)
    generator = seeded_rng(0) if rng is None else rng
    both = np.concatenate([known, made])
    r = integer("slopes", slopes)
    slope = np.tan(np.arange(1, r + 1) * math.pi / (2 * (r + 1)))[:, None]
    curves = []
    for _ in range(integer("repeats", repeats)):
        centres = split_cells(both, integer("cells", cells, most=len(both)), generator)
        p, q = (
            np.bincount(nearest(centres, part).which[:, 0], minlength=len(centres)) / len(part)
            for part in (known, made)
        )
        curves.append((np.minimum(slope * p, q).sum(axis=1), np.minimum(p, q / slope).sum(axis=1)))
    mean = np.mean(curves, axis=0)
    return PrecisionRecall(mean[0], mean[1])


def likelihood_gap(train: ArrayLike, test: ArrayLike, bandwidth: float) -> float:
    """Mean log q_σ(training) − mean log q_σ(fresh) of a kernel density estimate: large if it overfits."""
    return float(log_likelihood(train, train, bandwidth).mean() - log_likelihood(train, test, bandwidth).mean())


def kernel_discrepancy(first: ArrayLike, second: ArrayLike, *, bandwidth: float | None = None) -> float:
    """The squared maximum mean discrepancy (Gretton et al. 2012), unbiased, with a Gaussian kernel.

    The bandwidth is the median distance between samples unless stated; the dissertation gives none.

    >>> abs(kernel_discrepancy([[0.0], [1.0], [2.0]], [[10.0], [11.0], [12.0]])) > 0.3
    True
    """
    from scipy.spatial.distance import cdist

    one, two = points("first", first), points("second", second)
    if min(len(one), len(two)) < 2:
        raise bad_input("samples", (len(one), len(two)), "at least two of each kind")
    within, other, across = cdist(one, one), cdist(two, two), cdist(one, two)
    scale = float(np.median(across)) if bandwidth is None else positive("bandwidth", bandwidth)
    if scale == 0:
        raise bad_input("samples", "equal", "samples that differ", "state the bandwidth")
    total = 0.0
    for gaps in (within, other):
        kernel = np.exp(-(gaps**2) / (2 * scale**2))
        total += float(kernel.sum() - np.trace(kernel)) / (len(gaps) * (len(gaps) - 1))
    return total - 2 * float(np.exp(-(across**2) / (2 * scale**2)).mean())
