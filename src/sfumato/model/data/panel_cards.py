"""Images with a coloured panel that shows the class on the left and a background of their own on the right."""

from __future__ import annotations

import colorsys
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng, seeded_rng
from sfumato.validate import integer, probability

__all__ = ["CLASSES", "PANEL", "SIDE", "PanelCards", "digit_ink", "grating", "make_panel_cards", "small_digits"]

SIDE = 32
PANEL = 16  # the panel takes the left half; the box of the object
CLASSES = 10


class PanelCards(NamedTuple):
    """Images (count, 3, 32, 32) from −0.5 to 0.5, and the class that each panel shows."""

    images: NDArray[np.float32]
    labels: NDArray[np.int64]


def make_panel_cards(
    count: int,
    *,
    correlation: float = 0.0,
    digits: tuple[NDArray[np.uint8], NDArray[np.int64]] | None = None,
    backgrounds: NDArray[np.uint8] | None = None,
    rng: Rng | None = None,
) -> PanelCards:
    """Cards for the déjà vu test: object and background are apart, so that only memory connects them.

    Parameters
    ----------
    correlation : float
        The probability that a background is blended half and half with the hue of its class.
    digits : (images of 28×28 or 8×8, labels), optional
        The digits on the panels, drawn with replacement; by default the small ones that come with scikit-learn.
    backgrounds : images of 32×32×3, optional
        Each is used once; by default a random colour with four random gratings.

    >>> cards = make_panel_cards(4)
    >>> cards.images.shape, cards.labels.shape
    ((4, 3, 32, 32), (4,))
    """
    count, generator = integer("count", count), seeded_rng(0) if rng is None else rng
    probability("correlation", correlation, zero=True, one=True)
    pictures, kinds = small_digits() if digits is None else digits
    labels = generator.permutation(np.arange(count) % CLASSES).astype(np.int64)
    images = np.empty((count, 3, SIDE, SIDE), np.float32)
    if backgrounds is None:
        right = np.stack([grating(generator) for _ in range(count)])
    else:
        if len(backgrounds) < count:
            raise bad_input("backgrounds", len(backgrounds), f"at least {count}, one for each card")
        chosen = generator.permutation(len(backgrounds))[:count]
        right = backgrounds[chosen, :, SIDE - PANEL :].transpose(0, 3, 1, 2) / 255.0
    places = {kind: np.flatnonzero(kinds == kind) for kind in range(CLASSES)}
    for card, kind in enumerate(labels.tolist()):
        hue = np.array(colorsys.hsv_to_rgb(kind / CLASSES, 0.9, 1.0), np.float32)
        if generator.random() < correlation:
            right[card] = (right[card] + hue[:, None, None]) / 2
        ink = digit_ink(pictures[generator.choice(places[kind])])
        top = int(generator.integers(4, 13))
        images[card, :, :, :PANEL] = hue[:, None, None]
        images[card, :, top : top + PANEL, :PANEL] *= 1 - ink
    images[:, :, :, PANEL:] = right
    return PanelCards(images - np.float32(0.5), labels)


def small_digits() -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The digits of 8×8 that come with scikit-learn, and what they are."""
    from sklearn.datasets import load_digits

    found = load_digits()
    return (found.images * 255 / 16).astype(np.uint8), found.target.astype(np.int64)


def digit_ink(picture: NDArray[np.uint8]) -> NDArray[np.float32]:
    """A digit as 16×16 shares of ink, by averaging over areas."""
    side = picture.shape[0]
    edges = np.arange(PANEL + 1) * side / PANEL
    pixels = np.arange(side)
    overlap = np.minimum(edges[1:, None], pixels + 1) - np.maximum(edges[:-1, None], pixels)
    weights = np.maximum(overlap, 0) * PANEL / side
    return (weights @ (picture / 255.0) @ weights.T).astype(np.float32)


def grating(rng: Rng, width: int = PANEL) -> NDArray[np.float64]:
    """A background of 32 rows: a random colour with four random gratings."""
    y, x = np.mgrid[0:SIDE, 0:width]
    picture = np.broadcast_to(rng.random(3)[:, None, None], (3, SIDE, width)).copy()
    for _ in range(4):
        angle, period, phase = rng.uniform(0, np.pi), rng.uniform(3, 12), rng.uniform(0, 2 * np.pi)
        wave = np.sin(2 * np.pi * (np.cos(angle) * x + np.sin(angle) * y) / period + phase)
        picture += 0.15 * rng.normal(size=3)[:, None, None] * wave
    return np.clip(picture, 0, 1)
