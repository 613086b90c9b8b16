"""Few coordinates that keep public groups apart: in hundreds of dimensions nearly every place has depth 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.validate import integer

__all__ = ["Recoder", "linear_recoder", "public_groups"]

By = Literal["clusters", "topics"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Recoder:
    """A small public network: ``x → W·x + b`` layer by layer, with max(0, ·) between the layers.

    Every row is computed alone, in one order of sums: the coordinates of a sentence depend on that sentence only.

    Parameters
    ----------
    layers : tuple of (weights, bias)
        Of shapes (out, in) and (out,).
    """

    layers: tuple[tuple[NDArray[np.float64], NDArray[np.float64]], ...]

    def __call__(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        made = np.ascontiguousarray(points, np.float64)
        for place, (weights, bias) in enumerate(self.layers):
            made = _layer(made, weights, bias, place + 1 < len(self.layers))
        return made


@njit(cache=True)
def _layer(points: Any, weights: Any, bias: Any, bent: bool) -> Any:
    """Each output is one sum, from the first input to the last, whatever the other rows are."""
    made = np.empty((len(points), len(weights)))
    for row in range(len(points)):
        for out in range(len(weights)):
            total = bias[out]
            for place in range(weights.shape[1]):
                total += weights[out, place] * points[row, place]
            made[row, out] = max(total, 0.0) if bent else total
    return made


def public_groups(means: NDArray[np.float64], clusters: int, seed: int) -> NDArray[np.int64]:
    """The k-means cluster of each public document (Meehan §3.4.3: 50 clusters)."""
    from sklearn.cluster import KMeans

    count = min(integer("clusters", clusters, least=2), max(2, len(means) // 4))
    found: NDArray[np.int64] = KMeans(count, n_init=4, random_state=seed).fit_predict(means).astype(np.int64)
    return found


def linear_recoder(
    sentences: NDArray[np.float64], owners: NDArray[np.int64], groups: NDArray[np.int64], dimension: int
) -> Recoder:
    """The directions in which groups of public documents differ most, measured by how far their sentences scatter.

    They maximise between-group variance of document means over within-group variance of sentences (Fisher's
    discriminant), with a tenth of the within-group variance added to every direction. Groups differ in one direction
    fewer than there are groups; if more are asked for, the others are those in which sentences scatter most.

    Parameters
    ----------
    sentences : array of shape (n, d)
    owners : array of shape (n,)
        The document of each.
    groups : array of shape (documents,)
    """
    from scipy.linalg import eigh

    centre = sentences.mean(axis=0)
    of_sentence = groups[owners]
    sizes = np.bincount(of_sentence, minlength=groups.max() + 1)
    sums = np.zeros((len(sizes), sentences.shape[1]))
    np.add.at(sums, of_sentence, sentences)
    means = sums / np.maximum(sizes, 1)[:, None]
    within = sentences - means[of_sentence]
    inner = within.T @ within / len(within)
    size = inner.shape[0]
    scatter = inner + np.eye(size) * (0.1 * np.trace(inner) / size + 1e-9)
    apart = (means - centre) * np.sqrt(sizes / len(sentences))[:, None]
    values, vectors = eigh(apart.T @ apart, scatter)  # ascending; of unit within-group variance
    rank = int((values > 1e-9 * values[-1]).sum())
    if rank < min(dimension, size):
        # Where groups do not differ all directions are equal, and which one a machine finds first is its rounding.
        rest = vectors[:, : size - rank]
        rest = rest @ eigh(rest.T @ inner @ rest)[1]
        vectors[:, : size - rank] = rest * np.where(np.random.default_rng(0).normal(size=size) @ rest < 0, -1.0, 1.0)
    kept = np.ascontiguousarray(vectors[:, ::-1][:, : min(dimension, size)].T)
    return Recoder(layers=((kept, -kept @ centre),))
