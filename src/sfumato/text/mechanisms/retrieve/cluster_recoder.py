"""The cluster-preserving recoder of the dissertation, learned with PyTorch from public documents."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.text.mechanisms.retrieve.recoder_network import Recoder
from sfumato.validate import extra

__all__ = ["cluster_recoder"]

_RATE = 1e-3
_BATCH = 64
_HELD_OUT = 5


def cluster_recoder(
    sentences: NDArray[np.float64],
    owners: NDArray[np.int64],
    groups: NDArray[np.int64],
    dimension: int,
    *,
    epochs: int = 20,
    width: int = 128,
    hidden: int = 3,
    seed: int = 0,
) -> Recoder:
    """Learn H so that the mean of H over a document's sentences tells its group (Meehan §3.4.3).

    H has ``hidden`` layers of ``width`` units and a linear one of ``dimension``; a linear classifier on the mean is
    trained with it (cross-entropy, Adam). Every fifth public document is held out, and the epoch that tells its group
    best is kept. The dissertation leaves the widths open.

    Parameters
    ----------
    sentences : array of shape (n, d)
    owners : array of shape (n,)
        The document of each; ascending.
    groups : array of shape (documents,)
    """
    torch = extra("torch", "neural")
    generator = torch.Generator().manual_seed(seed)
    sizes = [sentences.shape[1], *[width] * hidden, dimension]
    linear = [torch.nn.Linear(a, b) for a, b in pairwise(sizes)]
    head = torch.nn.Linear(dimension, int(groups.max()) + 1)
    for layer in (*linear, head):  # by our own generator: the global one belongs to the user
        bound = (6.0 / (layer.in_features + layer.out_features)) ** 0.5
        with torch.no_grad():
            layer.weight.copy_(torch.rand(layer.weight.shape, generator=generator) * 2 * bound - bound)
            layer.bias.zero_()
    parts = [part for layer in linear[:-1] for part in (layer, torch.nn.ReLU())]
    recode = torch.nn.Sequential(*parts, linear[-1])
    step = torch.optim.Adam([*recode.parameters(), *head.parameters()], lr=_RATE)
    points = torch.tensor(sentences, dtype=torch.float32)
    starts = np.searchsorted(owners, np.arange(len(groups) + 1))
    labels, documents = torch.tensor(groups), np.arange(len(groups))
    held = documents[documents % _HELD_OUT == 0]
    rest = documents[documents % _HELD_OUT != 0] if len(documents) > _HELD_OUT else documents

    def scores(rows: NDArray[np.int64]) -> Any:
        picked = np.concatenate([np.arange(starts[row], starts[row + 1]) for row in rows])
        place = torch.tensor(np.repeat(np.arange(len(rows)), [starts[row + 1] - starts[row] for row in rows]))
        made = recode(points[torch.tensor(picked)])
        sums = torch.zeros(len(rows), dimension).index_add_(0, place, made)
        return head(sums / torch.bincount(place, minlength=len(rows))[:, None])

    best, kept = -1.0, None
    for _ in range(epochs):
        order = torch.randperm(len(rest), generator=generator).numpy()
        for start in range(0, len(rest), _BATCH):
            rows = rest[order[start : start + _BATCH]]
            step.zero_grad()
            torch.nn.functional.cross_entropy(scores(rows), labels[torch.tensor(rows)]).backward()
            step.step()
        with torch.no_grad():
            right = float((scores(held).argmax(dim=1) == labels[torch.tensor(held)]).float().mean())
        if right > best:
            best = right
            kept = [
                (one.weight.detach().double().numpy().copy(), one.bias.detach().double().numpy().copy())
                for one in linear
            ]
    return Recoder(layers=tuple(kept or ()))
