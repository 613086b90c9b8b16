"""Small networks in PyTorch: the same seed trains the same network, on one thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.model.core.image_networks import image_decoder, image_encoder
from sfumato.noise import Rng, resolve_rng
from sfumato.validate import extra

__all__ = ["batches", "encode", "fit_autoencoder", "require_torch", "seeded_torch"]


def require_torch() -> Any:
    """PyTorch, or an error that names the extra."""
    return extra("torch", "model")


@contextmanager
def seeded_torch(rng: Rng | None) -> Iterator[Any]:
    """PyTorch with its generator seeded from ``rng`` and on one thread; both are put back afterwards."""
    torch = require_torch()
    seed = int(resolve_rng(rng).integers(2**62))
    threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        try:
            yield torch
        finally:
            torch.set_num_threads(threads)


def batches(torch: Any, count: int, size: int, *, whole: bool = False) -> Iterator[Any]:
    """The indices of one epoch in random order; with ``whole`` a last batch that is not full is left out."""
    order = torch.randperm(count)
    for start in range(0, count - size + 1 if whole and count >= size else count, size):
        yield order[start : start + size]


def fit_autoencoder(
    rows: NDArray[np.float64],
    *,
    dimension: int,
    hidden: int,
    epochs: int,
    rng: Rng | None,
    shape: tuple[int, int, int] | None = None,
    penalty: float = 0.1,
    batch: int = 128,
) -> Any:
    """An encoder and a decoder, trained on the squared error: convolutional for images of a ``shape``, else dense."""
    with seeded_torch(rng) as torch:
        nn = torch.nn
        if shape is None:
            width = rows.shape[1]
            encoder = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, dimension))
            decoder = nn.Sequential(nn.Linear(dimension, hidden), nn.ReLU(), nn.Linear(hidden, width))
        else:
            encoder, decoder = image_encoder(torch, shape, dimension), image_decoder(torch, shape, dimension)
        data = torch.from_numpy(np.ascontiguousarray(rows, np.float32))
        steps = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=1e-3)
        for _ in range(epochs):
            for chosen in batches(torch, len(data), batch):
                part = data[chosen]
                code = encoder(part)
                error = ((decoder(code) - part) ** 2).sum(1).mean()
                error = error + penalty * torch.relu((code**2).sum(1) - 1).mean()
                steps.zero_grad()
                error.backward()
                steps.step()
        return nn.Sequential(encoder, decoder).eval()


def encode(model: Any, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The codes of rows, block by block."""
    torch = require_torch()
    out = []
    with torch.no_grad():
        for start in range(0, len(rows), 4096):
            part = torch.from_numpy(np.ascontiguousarray(rows[start : start + 4096], np.float32))
            out.append(model[0](part).numpy().astype(float))
    return np.concatenate(out)
