"""Public sets of images and of motion sensors."""

from __future__ import annotations

import io
import zipfile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.io.datasets.catalogue import data_file
from sfumato.validate import choice, extra

__all__ = ["LabelledImages", "load_cifar10", "load_faces", "load_mnist"]


class LabelledImages(NamedTuple):
    """Images along the first axis, numbers from 0 to 255, and what each shows."""

    images: NDArray[np.uint8]
    labels: NDArray[np.int64]


def load_mnist(part: str = "train") -> LabelledImages:
    """MNIST digits of 28×28: 60 000 to train on, 10 000 to test on."""
    choice("part", part, ("train", "test"))
    with np.load(data_file("mnist/mnist.npz"), allow_pickle=False) as content:
        return LabelledImages(content[f"x_{part}"], content[f"y_{part}"].astype(np.int64))


def load_faces() -> LabelledImages:
    """400 grey faces of 112×92, ten of each of 40 people."""
    with np.load(data_file("att_faces/att_faces.npz"), allow_pickle=False) as content:
        return LabelledImages(content["x"], content["person"].astype(np.int64))


def load_cifar10(part: str = "train") -> LabelledImages:
    """CIFAR-10 images of 32×32×3: 10 000 to train on, 2 000 to test on (from JPEG; needs Pillow)."""
    choice("part", part, ("train", "test"))
    image = extra("PIL.Image", "model")
    images, names = [], []
    with zipfile.ZipFile(data_file("cifar10/cifar10_jpeg_10k_2k.zip")) as archive:
        for name in sorted(archive.namelist()):
            if name.startswith(f"{part}/") and name.endswith(".jpg"):
                with image.open(io.BytesIO(archive.read(name))) as opened:
                    images.append(np.asarray(opened.convert("RGB"), np.uint8))
                names.append(name.split("/")[1])
    return LabelledImages(np.stack(images), np.unique(names, return_inverse=True)[1].astype(np.int64))
