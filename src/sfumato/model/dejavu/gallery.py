"""The images that a déjà vu test looks at, and their embeddings by two models."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import InputError, bad_input
from sfumato.model.core.nearest import points

__all__ = ["EmbeddedGallery", "Embeddings", "Encode", "Gallery", "GalleryLabels", "check_apart", "embed_gallery"]

Encode = Callable[[Any], NDArray[np.float64]]
"""Maps images to embeddings, one a row, in evaluation mode."""

PARTS = ("a", "b", "public", "fresh")


@dataclass(frozen=True, kw_only=True, eq=False)
class GalleryLabels:
    """What the images show: whole numbers from 0, for images that only A saw, only B saw, public and fresh ones."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    public: NDArray[np.int64]
    fresh: NDArray[np.int64]

    def __post_init__(self) -> None:
        for name in PARTS:
            labels = np.asarray(getattr(self, name))
            if labels.ndim != 1 or labels.dtype.kind not in "iu" or not len(labels) or labels.min() < 0:
                raise bad_input(
                    f"labels of {name}",
                    f"{labels.dtype} of shape {labels.shape}",
                    "whole numbers from 0 on, one an image",
                )
        if len(self.a) != len(self.b):
            raise bad_input("images of b", len(self.b), f"{len(self.a)}, as many as of a", "larger sets remember less")
        kinds, counts = np.unique(self.public, return_counts=True)
        if counts.min() < 2:
            raise bad_input(
                "public images", f"1 of class {kinds[counts.argmin()]}", "two or more of a class", "leave the class out"
            )
        for name in ("a", "b", "fresh"):
            missing = np.setdiff1d(getattr(self, name), kinds)
            if len(missing):
                raise bad_input(f"labels of {name}", f"class {missing[0]}", "classes that public images have")

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return int(self.public.max()) + 1


@dataclass(frozen=True, kw_only=True, eq=False)
class Gallery:
    """The images of a déjà vu test; labels are whole numbers from 0.

    Parameters
    ----------
    crops_a, labels_a, crops_b, labels_b
        Background crops of the images that only model A, and only model B, was trained on.
    public, public_labels
        Images that neither saw, whole.
    fresh, fresh_crops, fresh_labels
        More images that neither saw, whole and as background crops, for the gate.
    names : mapping of str to array
        What the images are called in ``"a"``, ``"b"``, ``"public"`` and ``"fresh"``; no name may be in two of them. A
        crop of A and a whole public image cannot be compared, so that only names can tell that they are one image.
    """

    crops_a: Any
    labels_a: NDArray[np.int64]
    crops_b: Any
    labels_b: NDArray[np.int64]
    public: Any
    public_labels: NDArray[np.int64]
    fresh: Any
    fresh_crops: Any
    fresh_labels: NDArray[np.int64]
    names: Mapping[str, ArrayLike] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for images, labels in (
            ("crops_a", "labels_a"),
            ("crops_b", "labels_b"),
            ("public", "public_labels"),
            ("fresh", "fresh_labels"),
            ("fresh_crops", "fresh_labels"),
        ):
            if len(getattr(self, images)) != len(getattr(self, labels)) or not len(getattr(self, labels)):
                raise bad_input(images, len(getattr(self, images)), f"as many as {labels}, and at least one")
        labels_of = self.labels
        check_apart(self.names, {name: len(getattr(labels_of, name)) for name in PARTS})
        for group in (("crops_a", "crops_b", "fresh_crops"), ("public", "fresh")):
            for first, second in itertools.combinations(group, 2):
                equal = _equal(getattr(self, first), getattr(self, second))
                if equal:
                    raise bad_input(f"{first} and {second}", f"{equal} equal images", "none", "take them out of one")

    @property
    def labels(self) -> GalleryLabels:
        """All labels, checked."""
        return GalleryLabels(a=self.labels_a, b=self.labels_b, public=self.public_labels, fresh=self.fresh_labels)


def _equal(first: Any, second: Any) -> int:
    """How many images of the second set are in the first."""
    seen = {np.ascontiguousarray(image).tobytes() for image in first}
    return sum(np.ascontiguousarray(image).tobytes() in seen for image in second)


def check_apart(names: Mapping[str, ArrayLike], sizes: Mapping[str, int]) -> None:
    """Refuse images that are in two of the sets A, B, public and fresh."""
    known = {name: np.asarray(value) for name, value in names.items()}
    for name, value in known.items():
        if name not in sizes:
            raise bad_input("names", name, f"names of {', '.join(sizes)}")
        if value.shape != (sizes[name],):
            raise bad_input(f"names of {name}", value.shape, f"{sizes[name]}, one for each image")
    for first, second in itertools.combinations(known, 2):
        common = np.intersect1d(known[first], known[second])
        if len(common):
            raise bad_input(
                f"{first} and {second}",
                f"{len(common)} images in common, first {common[0]}",
                "sets without common images",
                "an image that both saw, or that is public, tells nothing of memory; split them again",
            )


class Embeddings(NamedTuple):
    """The embeddings of a gallery by one model, one a row; a positive control needs no fresh images."""

    public: NDArray[np.float64]
    crops_a: NDArray[np.float64]
    crops_b: NDArray[np.float64]
    fresh: NDArray[np.float64] | None = None
    fresh_crops: NDArray[np.float64] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class EmbeddedGallery:
    """A gallery as two models embed it."""

    a: Embeddings
    b: Embeddings
    labels: GalleryLabels

    def __post_init__(self) -> None:
        labels = self.labels
        sizes = (len(labels.public), len(labels.a), len(labels.b), len(labels.fresh), len(labels.fresh))
        for model, embedded in zip("ab", self.models, strict=True):
            for part, rows, size in zip(Embeddings._fields, embedded, sizes, strict=True):
                if rows is None:
                    continue
                name = f"{part} by model {model}"
                array = points(name, rows)
                if len(array) != size or array.shape[1] != np.shape(embedded.public)[1]:
                    raise bad_input(name, array.shape, f"{size} rows, as wide as the public ones of the model")

    @property
    def models(self) -> tuple[Embeddings, Embeddings]:
        """Both models."""
        return self.a, self.b


def embed_gallery(encode: Encode, gallery: Gallery) -> Embeddings:
    """Every image of a gallery through one encoder."""
    made = []
    for part in Embeddings._fields:
        rows = np.asarray(encode(getattr(gallery, part)))
        if rows.ndim != 2 or len(rows) != len(getattr(gallery, part)):
            raise InputError(
                f"the encoder gave an array of shape {rows.shape} for {len(getattr(gallery, part))} images ({part}): "
                "expected one row for each"
            )
        made.append(rows.astype(float))
    return Embeddings(*made)
