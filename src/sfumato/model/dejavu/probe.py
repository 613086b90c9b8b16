"""Older looks at an encoder: the gap of a linear probe, and what the neighbours of an embedding look like."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.model.core.nearest import nearest, points
from sfumato.validate import integer, positive

__all__ = ["Probe", "linear_probe", "reconstruct"]


class Probe(NamedTuple):
    """Accuracy of a linear classifier on embeddings of training images and of fresh ones."""

    training: float
    fresh: float

    @property
    def gap(self) -> float:
        """Training − fresh: a look at overfitting that hardly moves while memory grows."""
        return self.training - self.fresh


def linear_probe(
    training: ArrayLike, labels: ArrayLike, fresh: ArrayLike, fresh_labels: ArrayLike, *, strength: float = 1.0
) -> Probe:
    """Logistic regression on standardised embeddings of training images, judged on them and on fresh ones.

    Parameters
    ----------
    strength : float
        The inverse of the weight of the penalty.

    >>> linear_probe([[0.0], [0.2], [2.0], [2.2]], [0, 0, 1, 1], [[0.1], [2.1]], [0, 1])
    Probe(training=1.0, fresh=1.0)
    """
    from sklearn.linear_model import LogisticRegression

    known = points("training", training)
    asked = points("fresh", fresh, dimension=known.shape[1])
    kinds, other = np.asarray(labels), np.asarray(fresh_labels)
    if kinds.shape != (len(known),) or other.shape != (len(asked),) or len(np.unique(kinds)) < 2:
        raise bad_input("labels", kinds.shape, "a label for each image, of at least two classes")
    centre, spread = known.mean(axis=0), known.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    learner = LogisticRegression(C=positive("strength", strength), tol=1e-4, max_iter=2_000)
    learner.fit((known - centre) / scale, kinds)
    right = [float((learner.predict((part - centre) / scale) == true).mean()) for part, true in
             ((known, kinds), (asked, other))]  # fmt: skip
    return Probe(*right)


def reconstruct(
    crops: ArrayLike, public: ArrayLike, images: NDArray[np.float32], *, count: int = 5
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """What an encoder shows of an image whose background it was given: the nearest public images and their mean.

    It stands in for the diffusion model of the dissertation, which paints an image from the mean embedding of the same
    neighbours; here the pixels themselves are averaged.

    Parameters
    ----------
    crops, public : array_like
        Embeddings of the background crops and of the public images.
    images : ndarray
        The public images.

    Returns
    -------
    ndarray of int, ndarray
        For each crop the places of its neighbours, nearest first, and the mean of their pixels.
    """
    known = points("public", public)
    if len(images) != len(known):
        raise bad_input("images", len(images), f"{len(known)}, one for each public embedding")
    found = nearest(known, points("crops", crops, dimension=known.shape[1]), count=integer("count", count)).which
    return found, np.asarray(images, float)[found].mean(axis=1)
