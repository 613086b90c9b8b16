"""Word vectors learned from many people's texts under (ε, δ)-differential privacy per person."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["word_pairs"]


def word_pairs(words: NDArray[np.int64], window: int) -> NDArray[np.int64]:
    """All (centre, context) pairs of word indices at most ``window`` places apart, of shape (pairs, 2).

    >>> word_pairs(np.array([4, 7, 9]), 1).tolist()
    [[4, 7], [7, 9], [7, 4], [9, 7]]
    """
    steps = range(1, min(window, len(words) - 1) + 1)
    forward = [np.stack([words[:-step], words[step:]], axis=1) for step in steps]
    if not forward:
        return np.empty((0, 2), dtype=np.int64)
    ahead = np.concatenate(forward)
    return np.concatenate([ahead, ahead[:, ::-1]])
