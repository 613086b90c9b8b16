"""Two training sets that share their filling, and a public set apart from both."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import InputError, bad_input
from sfumato.noise import Rng, seeded_rng
from sfumato.validate import integer

__all__ = ["ImageSplit", "check_split", "split_images"]


class ImageSplit(NamedTuple):
    """Places of images: training sets A and B, the parts only one of them has, and the public set X."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    only_a: NDArray[np.int64]
    only_b: NDArray[np.int64]
    public: NDArray[np.int64]


def split_images(labels: ArrayLike, annotated: ArrayLike, *, per_class: int, rng: Rng | None = None) -> ImageSplit:
    """Split labelled images for the déjà vu test (Meehan 2023, §1.3.1 and A.0.2).

    In each class half of the images with boxes go to A and half to B; both are filled up to ``per_class`` with the same
    images without boxes. All others are public. Only what one set has and the other has not is tested.

    Parameters
    ----------
    labels : array of int
    annotated : array of bool
        Whether the objects of an image are boxed.
    per_class : int
        Images of a class in each training set.

    Examples
    --------
    >>> found = split_images([0] * 12, [True] * 4 + [False] * 8, per_class=5)
    >>> len(found.a), len(found.only_a), len(found.public)
    (5, 2, 5)
    """
    kinds, boxed = np.asarray(labels), np.asarray(annotated)
    if kinds.ndim != 1 or kinds.shape != boxed.shape or boxed.dtype != bool:
        raise bad_input("annotated", boxed.shape, "True or False for each label")
    per_class, generator = integer("per_class", per_class), seeded_rng(0) if rng is None else rng
    parts: list[list[NDArray[np.int64]]] = [[], [], [], []]
    for kind in np.unique(kinds).tolist():
        with_box = generator.permutation(np.flatnonzero((kinds == kind) & boxed))
        without = generator.permutation(np.flatnonzero((kinds == kind) & ~boxed))
        half = min(len(with_box) // 2, per_class)
        if half < 1:
            raise bad_input(f"class {kind}", f"{len(with_box)} boxed images", "at least two", "leave the class out")
        fill = per_class - half
        if len(without) < fill:
            raise bad_input(f"class {kind}", f"{len(without)} images without boxes", f"at least {fill} to fill up")
        rest = np.concatenate([with_box[2 * half :], without[fill:]])
        if not len(rest):
            raise InputError(f"class {kind} has no image left for the public set: lower per_class")
        for part, chosen in zip(parts, (with_box[:half], with_box[half : 2 * half], without[:fill], rest), strict=True):
            part.append(chosen)
    only_a, only_b, shared, public = (np.sort(np.concatenate(part)) for part in parts)
    found = ImageSplit(
        np.sort(np.concatenate([only_a, shared])),
        np.sort(np.concatenate([only_b, shared])),
        only_a,
        only_b,
        public,
    )
    check_split(found, kinds)
    return found


def check_split(split: ImageSplit, labels: ArrayLike) -> None:
    """Refuse a split whose sets overlap where they must not, differ in size, or whose public set misses a class."""
    kinds = np.asarray(labels)
    if len(split.a) != len(split.b):
        raise bad_input("sizes of A and B", (len(split.a), len(split.b)), "equal sizes", "larger sets remember less")
    for name, first, second in (
        ("X and A", split.public, split.a),
        ("X and B", split.public, split.b),
        ("tested part of A and B", split.only_a, split.b),
        ("tested part of B and A", split.only_b, split.a),
    ):
        common = np.intersect1d(first, second)
        if len(common):
            raise bad_input(f"{name}", f"{len(common)} images in common", "none", "split them again")
    missing = np.setdiff1d(kinds[np.concatenate([split.only_a, split.only_b])], kinds[split.public])
    if len(missing):
        raise bad_input("X", f"no image of class {missing[0]}", "images of every class")
