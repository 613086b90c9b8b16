"""What noise scaled by attention costs: closed forms that do not depend on the text (Fischer §6.5)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng, resolve_rng
from sfumato.validate import finite_array, integer

__all__ = ["attention_loss", "least_attention_loss", "softmax_rows"]


def softmax_rows(scores: ArrayLike) -> NDArray[np.float64]:
    """Softmax over the last axis, which in the thesis is that of the embedding: every row sums to 1."""
    values = finite_array("scores", scores)
    shares = np.exp(values - values.max(axis=-1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=-1, keepdims=True))


def least_attention_loss(dimension: int) -> float:
    """ε·E‖a⊙Z‖₂ for the constant row a = 1/m, the least of all rows that sum to 1: about √(2/m)·(1 − 5/(8m)).

    The largest is 1, for a row with all weight on one number. So ε times the utility loss of the thesis lies between
    the two whatever the text is, and its eight printed values for the Anonymizer (.180–.184 at m = 60, .141 at m = 100)
    are the least one: it learned to switch attention off.

    >>> round(least_attention_loss(60), 4), round(least_attention_loss(100), 4)
    (0.1807, 0.1405)
    """
    size = integer("dimension", dimension)
    return math.sqrt(2 / size) * (1 - 5 / (8 * size))


def attention_loss(attention: ArrayLike, *, draws: int = 2000, order: int = 2, rng: Rng | None = None) -> float:
    """ε times the mean distance that noise a⊙Z moves a word vector, Z of density e^{−|z|}/2, over all rows.

    With ``order=1`` it is 1 for every attention whose rows sum to 1: that loss has no gradient, which is why the thesis
    had to discard it.
    """
    rows = np.atleast_2d(finite_array("attention", attention))
    if (rows <= 0).any():
        raise bad_input("attention", float(rows.min()), "entries > 0")
    generator = resolve_rng(rng)
    noise = generator.laplace(size=(draws, *rows.shape)) * rows
    return float(np.linalg.norm(noise, order, axis=-1).mean())
