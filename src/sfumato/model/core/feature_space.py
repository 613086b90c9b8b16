"""Feature spaces in which distances are taken: principal components and a small auto-encoder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.model.core.image_networks import image_shape
from sfumato.model.core.nearest import points
from sfumato.noise import Rng
from sfumato.validate import choice, integer

__all__ = ["FeatureMap", "autoencoder_features", "feature_map", "pca_features"]

FeatureMap = Callable[[Any], NDArray[np.float64]]
"""Maps samples (first axis) to rows of numbers."""


def feature_map(name: str, train: ArrayLike, rng: Rng) -> FeatureMap:
    """The feature space called ``name``, fitted to the training set alone.

    Under no copying, fresh and generated samples are treated alike by any map of the training set, so that the null law
    of the test stands.
    """
    choice("features", name, ("raw", "pca", "autoencoder"), "or give a function of samples")
    if name == "raw":
        return lambda samples: points("samples", samples)
    return pca_features(train) if name == "pca" else autoencoder_features(train, rng=rng)


def pca_features(train: ArrayLike, *, dimension: int = 64) -> FeatureMap:
    """The first principal components of the training set, unscaled.

    >>> rows = np.array([[0.0, 0.0, 1.0], [1.0, 1.0, 1.0], [2.0, 2.0, 1.0]])
    >>> pca_features(rows, dimension=1)(rows).shape
    (3, 1)
    """
    known = points("train", train)
    dimension = min(integer("dimension", dimension), *known.shape)
    mean = known.mean(axis=0)
    moved = known - mean
    if known.shape[1] <= 4 * len(known):
        _, vectors = np.linalg.eigh(moved.T @ moved)
        axes = vectors[:, ::-1][:, :dimension]
    else:
        axes = np.linalg.svd(moved, full_matrices=False)[2][:dimension].T
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(dimension)])  # one sign on every machine
    width = known.shape[1]

    def embed(samples: Any) -> NDArray[np.float64]:
        return (points("samples", samples, dimension=width) - mean) @ axes

    return embed


def autoencoder_features(
    train: ArrayLike, *, dimension: int = 64, hidden: int = 256, epochs: int = 10, rng: Rng | None = None
) -> FeatureMap:
    """The code of a small auto-encoder, trained on the training set (needs PyTorch).

    Images, (count, rows, columns) or with one or three colours last, go through convolutions; other samples through
    dense layers. The loss is the squared error plus max(‖z‖² − 1, 0)/10, which keeps codes in about the unit ball; the
    dissertation's perceptual loss needs a network trained on other images and its weight is not given.
    """
    from sfumato.model.core.learning import encode, fit_autoencoder

    known = points("train", train)
    low, high = float(known.min()), float(known.max())
    scale = (high - low) or 1.0
    model = fit_autoencoder(
        (known - low) / scale,
        dimension=integer("dimension", dimension),
        hidden=integer("hidden", hidden),
        epochs=integer("epochs", epochs),
        rng=rng,
        shape=image_shape(np.shape(train)[1:]),
    )
    width = known.shape[1]

    def embed(samples: Any) -> NDArray[np.float64]:
        return encode(model, (points("samples", samples, dimension=width) - low) / scale)

    return embed
