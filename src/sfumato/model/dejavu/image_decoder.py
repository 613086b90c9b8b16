"""Images painted from embeddings: what an encoder lets one see of an image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.model.core.image_networks import image_decoder
from sfumato.model.core.learning import batches, require_torch, seeded_torch
from sfumato.model.core.nearest import points
from sfumato.noise import Rng
from sfumato.validate import finite_array, integer

__all__ = ["EmbeddingPainter", "train_painter"]


@dataclass(frozen=True, kw_only=True, eq=False)
class EmbeddingPainter:
    """A convolutional decoder from embeddings to images (count, colours, rows, columns)."""

    network: Any
    centre: NDArray[np.float64]
    spread: NDArray[np.float64]
    shape: tuple[int, int, int]

    def paint(self, embeddings: ArrayLike) -> NDArray[np.float64]:
        """The image that each embedding most likely belongs to."""
        torch = require_torch()
        rows = (points("embeddings", embeddings, dimension=len(self.centre)) - self.centre) / self.spread
        with torch.no_grad():
            flat = self.network(torch.from_numpy(rows.astype(np.float32))).double().numpy()
        return flat.reshape(len(flat), *self.shape).transpose(0, 3, 1, 2)


def train_painter(
    embeddings: ArrayLike, images: ArrayLike, *, epochs: int = 30, rng: Rng | None = None
) -> EmbeddingPainter:
    """Train a decoder from embeddings of public images to the images, on the squared error. Needs PyTorch.

    It stands in for the diffusion model of the dissertation (Meehan 2023, §1.5): paint the mean *backbone* embedding of
    the public images that are nearest to a background crop (:func:`~sfumato.model.reconstruct` finds them).

    Parameters
    ----------
    images : array_like
        (count, colours, rows, columns), as the encoders take them.
    """
    rows, shown = points("embeddings", embeddings), finite_array("images", images)
    if shown.ndim != 4 or len(shown) != len(rows) or shown.shape[1] not in (1, 3):
        raise bad_input("images", shown.shape, f"{len(rows)} images as (count, 1 or 3, rows, columns)")
    integer("epochs", epochs)
    centre, spread = rows.mean(axis=0), rows.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    shape = (shown.shape[2], shown.shape[3], shown.shape[1])
    with seeded_torch(rng) as torch:
        network = image_decoder(torch, shape, rows.shape[1])
        x = torch.from_numpy(((rows - centre) / spread).astype(np.float32))
        y = torch.from_numpy(np.ascontiguousarray(shown.transpose(0, 2, 3, 1).reshape(len(shown), -1), np.float32))
        steps = torch.optim.Adam(network.parameters(), lr=2e-3)
        for _ in range(epochs):
            for chosen in batches(torch, len(x), min(64, len(x)), whole=True):
                error = ((network(x[chosen]) - y[chosen]) ** 2).mean()
                steps.zero_grad()
                error.backward()
                steps.step()
        return EmbeddingPainter(network=network.eval(), centre=centre, spread=spread, shape=shape)
