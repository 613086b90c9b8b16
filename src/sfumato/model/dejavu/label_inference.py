"""The label of an image from the public images whose embeddings are nearest to that of its background."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.model.core.nearest import points
from sfumato.validate import integer, probability

__all__ = ["LabelInference", "infer_labels", "neighbour_sets"]

_BLOCK = 96_000_000  # bytes of one block of distances


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelInference:
    """What the neighbours of each query say.

    Parameters
    ----------
    predicted : ndarray of int
        The most frequent label; of equally frequent ones the lowest.
    confidence : ndarray
        Σ p ln p over the labels of the neighbours: 0 if they all agree, lower if they do not.
    """

    predicted: NDArray[np.int64]
    confidence: NDArray[np.float64]

    def most_confident(self, share: float) -> NDArray[np.int64]:
        """The share of queries with the highest confidence; of equal ones the first."""
        probability("share", share, one=True)
        count = int(share * len(self.predicted))
        if count < 1:
            raise bad_input("share", share, f"at least one of {len(self.predicted)} images", "raise it")
        return np.argsort(-self.confidence, kind="stable")[:count]

    def accuracy(self, labels: ArrayLike, share: float = 1.0) -> float:
        """How often the prediction is right among the most confident ones.

        >>> found = LabelInference(predicted=np.array([0, 1, 1]), confidence=np.array([-0.1, 0.0, -0.5]))
        >>> found.accuracy([0, 1, 0]), found.accuracy([0, 1, 0], 0.4)
        (0.666..., 1.0)
        """
        chosen = self.most_confident(share)
        return float((self.predicted == np.asarray(labels))[chosen].mean())


def infer_labels(
    public: ArrayLike, labels: ArrayLike, queries: ArrayLike, *, neighbours: int = 100, classes: int | None = None
) -> LabelInference:
    """Let the K public embeddings nearest to each query vote on its label (Meehan 2023, §1.3.1).

    Parameters
    ----------
    public, queries : array_like
        Embeddings, one a row.
    labels : array of int
        Of the public ones: 0 to classes − 1.
    neighbours : int
        K; more than 50 and fewer than the images of a class.

    >>> infer_labels([[0.0], [1.0], [9.0]], [0, 0, 1], [[0.2], [8.0]], neighbours=1).predicted
    array([0, 1])
    """
    known = points("public", public)
    wanted = points("queries", queries, dimension=known.shape[1])
    kinds = np.asarray(labels)
    if kinds.shape != (len(known),) or kinds.dtype.kind not in "iu" or kinds.min() < 0:
        raise bad_input("labels", kinds.shape, f"{len(known)} whole numbers from 0 on, one for each public image")
    total = int(kinds.max()) + 1 if classes is None else integer("classes", classes, least=int(kinds.max()) + 1)
    found = neighbour_sets(known, wanted, neighbours)
    votes = np.zeros((len(wanted), total))
    for place in range(found.shape[1]):
        votes[np.arange(len(wanted)), kinds[found[:, place]]] += 1
    shares = votes / found.shape[1]
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    return LabelInference(predicted=votes.argmax(axis=1), confidence=(shares * logs).sum(axis=1))


def neighbour_sets(known: NDArray[np.float64], queries: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """The ``count`` nearest rows of ``known`` for each query, in no order.

    Single precision around the middle of the points: enough to rank neighbours that vote, and twice as fast.
    """
    count = integer("neighbours", count, most=len(known), remedy="bring more public images")
    centre = known.mean(axis=0)
    moved = (known - centre).astype(np.float32)
    asked = (queries - centre).astype(np.float32)
    half = np.einsum("ij,ij->i", moved, moved) / 2
    turned = np.ascontiguousarray(moved.T)
    out = np.empty((len(queries), count), np.int64)
    step = max(1, _BLOCK // (4 * len(known)))
    for start in range(0, len(queries), step):
        block = half - asked[start : start + step] @ turned
        out[start : start + step] = np.argpartition(block, count - 1, axis=1)[:, :count]
    return out
