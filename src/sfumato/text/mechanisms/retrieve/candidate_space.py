"""The public side of a private retrieval: candidates, their coordinates, and the directions they are seen from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.text.core.public_pool import PublicPool
from sfumato.text.mechanisms.retrieve.depth import projection_depths
from sfumato.text.mechanisms.retrieve.encoder import SentenceEncoder
from sfumato.text.mechanisms.retrieve.recoder_network import By, Recoder, linear_recoder, public_groups
from sfumato.text.mechanisms.retrieve.sentence_split import split_sentences

__all__ = ["CandidateSpace", "RecoderName", "candidate_places"]

RecoderName = Literal["linear", "clusters", "none"]
_GRID = 2.0**16
_FARTHEST = 8.0
"""Coordinates are cut off here, in units of the largest of the pool: a product of two of them stays exact."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CandidateSpace:
    """Public candidates as points, and p public directions.

    Points and directions are whole multiples of 2⁻¹⁶, so that every inner product is exact and no comparison depends on
    the order in which a machine adds.

    Parameters
    ----------
    encoder : SentenceEncoder
    recoder : Recoder, optional
    scale : float
    places : tuple of int
        The texts of the pool that are candidates.
    sentences : tuple of str
        Their sentences, one candidate after the other.
    sentence_points : array of shape (sentences, d)
        The coordinates of each.
    points : array of shape (m, d)
        Their coordinates: the means over their sentences.
    directions : array of shape (d, p)
    ranked, order : array of shape (p, m)
        The candidates on each direction in ascending order.
    """

    encoder: SentenceEncoder
    recoder: Recoder | None
    scale: float
    places: tuple[int, ...]
    sentences: tuple[str, ...]
    sentence_points: NDArray[np.float64]
    points: NDArray[np.float64]
    directions: NDArray[np.float64]
    ranked: NDArray[np.float64]
    order: NDArray[np.int32]

    @classmethod
    def fit(
        cls,
        pool: PublicPool,
        places: Sequence[int],
        encoder: SentenceEncoder,
        *,
        recoder: RecoderName,
        by: By,
        dimension: int,
        clusters: int,
        projections: int,
        most: int,
        seed: int,
    ) -> CandidateSpace:
        """Learn everything from the pool alone; what is protected is never looked at."""
        texts = [pool.texts[place] for place in places]
        parts = [split_sentences(text)[:most] for text in texts]
        fitted = encoder.fit(texts)
        owners = np.repeat(np.arange(len(parts)), [len(own) for own in parts])
        sentences = [sentence for own in parts for sentence in own]
        vectors = fitted.encode_public(sentences)
        if not np.isfinite(vectors).all():
            raise bad_input("encoder", fitted.name, "finite vectors")
        recode = None
        if recoder != "none":
            if by == "topics":
                if len(pool.names) < 2:
                    raise bad_input("pool", pool, "texts of at least two topics", "or by='clusters'")
                groups = np.unique(pool.codes[list(places)], return_inverse=True)[1].astype(np.int64)
            else:
                groups = public_groups(_means(vectors, owners), clusters, seed)
            if recoder == "linear":
                recode = linear_recoder(vectors, owners, groups, dimension)
            else:
                from sfumato.text.mechanisms.retrieve.cluster_recoder import cluster_recoder

                recode = cluster_recoder(vectors, owners, groups, dimension, seed=seed)
            vectors = recode(vectors)
        scale = max(float(np.abs(vectors).max()), 1e-12)
        vectors = vectors / scale
        points = _on_grid(_means(vectors, owners))
        drawn = np.random.default_rng(seed).normal(size=(points.shape[1], projections))
        directions = _on_grid(drawn / np.linalg.norm(drawn, axis=0))
        seen = (points @ directions).T
        order = np.argsort(seen, axis=1, kind="stable").astype(np.int32)
        ranked = np.take_along_axis(seen, order, axis=1)
        return cls(
            encoder=fitted,
            recoder=recode,
            scale=scale,
            places=tuple(places),
            sentences=tuple(sentences),
            sentence_points=_on_grid(np.clip(vectors, -_FARTHEST, _FARTHEST)),
            points=points,
            directions=directions,
            ranked=np.ascontiguousarray(ranked),
            order=np.ascontiguousarray(order),
        )

    def __len__(self) -> int:
        return len(self.places)

    def coordinates(self, sentences: Sequence[str]) -> NDArray[np.float64]:
        """The points of protected sentences, shape (n, d), each a function of that sentence alone."""
        vectors = self.encoder.encode(sentences)
        if self.recoder is not None:
            vectors = self.recoder(vectors)
        return _on_grid(np.clip(vectors / self.scale, -_FARTHEST, _FARTHEST))

    def depths(self, points: NDArray[np.float64]) -> NDArray[np.int32]:
        """The depth of every candidate among some points, shape (m,)."""
        if points.ndim != 2 or points.shape[1] != self.points.shape[1]:
            raise bad_input("points", points.shape, f"an array of shape (k, {self.points.shape[1]})")
        found: NDArray[np.int32] = projection_depths((points @ self.directions).T, self.ranked, self.order)
        return found


def candidate_places(pool: PublicPool, *, least: int, most: int, candidates: int) -> tuple[int, ...]:
    """The first texts of a pool that have enough sentences."""
    counts = (min(len(split_sentences(text)), most) for text in pool.texts)
    places = [place for place, count in enumerate(counts) if count >= least][:candidates]
    if len(places) < 2:
        wanted = f"at least two texts of {least} sentences or more"
        raise bad_input("pool", f"{len(places)} such texts", wanted, "lower least= or take longer public texts")
    return tuple(places)


def _means(vectors: NDArray[np.float64], owners: NDArray[np.int64]) -> NDArray[np.float64]:
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    return np.add.reduceat(vectors, starts, axis=0) / np.diff(np.append(starts, len(owners)))[:, None]


def _on_grid(points: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.rint(points * _GRID) / _GRID
