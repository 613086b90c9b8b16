"""How a candidate is drawn by its depth: the exponential mechanism and permute-and-flip, both exact."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.noise.choice import draw_coins, draw_exponential
from sfumato.noise.interval import Interval, at_most
from sfumato.validate import choice, positive

__all__ = ["DepthLaw", "Sampler"]

Sampler = Literal["exponential", "permute-and-flip"]
_NODES = 400
_ROWS = 256


@dataclass(frozen=True, kw_only=True)
class DepthLaw:
    """Draws a candidate of depth u with weight e^(ε·u/(2Δ)).

    *Exponential*: Pr ∝ weight. *Permute-and-flip* (McKenna and Sheldon 2020): go through the candidates in random
    order and take the first whose coin of probability e^(ε·(u − max u)/(2Δ)) falls right; the same ε, never a worse
    expected depth. Both draw with exactly these probabilities.

    Parameters
    ----------
    epsilon : float
    doubled : bool
        Δ = ½ instead of 1: if a sentence is added or removed, k/2 moves by ½ and depth by 0 or 1, so that depth − k/2
        moves by ½; the law sees differences of depths only.
    sampler : {"exponential", "permute-and-flip"}
    """

    epsilon: float
    doubled: bool = False
    sampler: Sampler = "exponential"

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon, "a promise needs ε > 0")
        choice("sampler", self.sampler, get_args(Sampler))

    @property
    def rate(self) -> float:
        """What multiplies the depth: ε/(2Δ)."""
        return self.epsilon if self.doubled else self.epsilon / 2

    def _factor(self, digits: int) -> Interval:
        whole = at_most(self.epsilon, digits)
        return whole if self.doubled else whole / 2

    def draw(self, depths: NDArray[np.int32], count: int, rng: Rng) -> NDArray[np.int64]:
        """The places of ``count`` candidates, each drawn anew."""
        found = np.empty(count, np.int64)
        for start in range(0, count, _ROWS):
            size = min(_ROWS, count - start)
            if self.sampler == "exponential":
                scores = np.broadcast_to(depths.astype(np.float64), (size, len(depths)))
                found[start : start + size] = draw_exponential(scores, self._factor, rng)
            else:
                found[start : start + size] = self._flip(depths, size, rng)
        return found

    def _flip(self, depths: NDArray[np.int32], count: int, rng: Rng) -> NDArray[np.int64]:
        gaps = depths.max() - depths
        heads = np.broadcast_to(gaps == 0, (count, len(gaps))).copy()
        for gap in np.unique(gaps)[1:].tolist():
            columns = np.flatnonzero(gaps == gap)
            coins = draw_coins(partial(self._coin, gap), count * len(columns), rng)
            heads[:, columns] = coins.reshape(count, -1)
        order = rng.permuted(np.broadcast_to(np.arange(len(gaps)), heads.shape), axis=1)
        first = np.argmax(np.take_along_axis(heads, order, axis=1), axis=1)
        return order[np.arange(count), first]

    def _coin(self, gap: int, digits: int) -> Interval:
        """e^(−ε·gap/(2Δ))."""
        return (-(self._factor(digits) * gap)).exp()

    def log_probs(self, depths: NDArray[np.int32]) -> NDArray[np.float64]:
        """ln of the chance of each candidate."""
        logs = self.rate * (depths - depths.max()).astype(np.float64)
        if self.sampler == "exponential":
            return logs - np.log(np.exp(logs).sum())
        # arriving at time t, uniform on [0, 1], i is taken if its coin falls right and no earlier one's did:
        # q_i ∫ Π_{j≠i} (1 − q_j·t) dt; candidates of one depth share a factor
        levels, own, sizes = np.unique(depths, return_inverse=True, return_counts=True)
        coins = np.exp(self.rate * (levels - depths.max()))
        times, weights = _nodes(float((sizes * coins).sum()))
        with np.errstate(divide="ignore"):
            missed = np.log1p(-coins[:, None] * times)
        whole = (sizes[:, None] * missed).sum(axis=0)
        found = np.array(
            [
                np.log(coin) + np.log((weights * np.exp(whole - miss)).sum())
                for coin, miss in zip(coins, missed, strict=True)
            ]
        )
        values: NDArray[np.float64] = found[own]
        return values


def _nodes(speed: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gauss–Legendre nodes on [0, 1], most of them where e^(−speed·t) has not died out."""
    from numpy.polynomial.legendre import leggauss

    edges = np.unique(
        np.concatenate([[0.0], np.minimum(1.0, np.array([1.0, 4.0, 16.0, 64.0]) / max(speed, 1.0)), [1.0]])
    )
    places, shares = leggauss(_NODES // 4)
    times = [low + (high - low) * (places + 1) / 2 for low, high in pairwise(edges)]
    weights = [(high - low) / 2 * shares for low, high in pairwise(edges)]
    return np.concatenate(times), np.concatenate(weights)
