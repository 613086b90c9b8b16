"""Mann–Whitney's rank test of two samples of distances, with ties, exact for small samples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr
from scipy.stats import rankdata

from sfumato.errors import bad_input
from sfumato.validate import finite_array, probability

__all__ = ["RankTest", "rank_test"]

FEW = 20
"""Up to so many in either sample the normal approximation is not used: the law is enumerated."""


@dataclass(frozen=True, kw_only=True)
class RankTest:
    """How the distances of generated samples rank among those of fresh real ones.

    Parameters
    ----------
    u : float
        The number of pairs in which the generated sample is farther, ties counting one half.
    z : float
        U standardised; far below 0 means copying, far above 0 underfitting. 0 if all distances are equal: they tell
        nothing.
    closer, farther : float
        One-sided p-values: generated samples are closer, or farther, than fresh ones.
    fresh, generated : int
        The sizes of the samples.
    exact : bool
        Whether the p-values are enumerated and not taken from the normal law.
    """

    u: float
    z: float
    closer: float
    farther: float
    fresh: int
    generated: int
    exact: bool

    @property
    def share(self) -> float:
        """Δ̂ = U/mn, the estimated probability that a generated sample is farther from the training set; ½ is ideal."""
        return self.u / (self.fresh * self.generated)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """An interval that holds Δ = Pr(generated farther) with probability ``level``, whatever the laws are.

        Pr(|U/mn − Δ| ≥ t) ≤ 2·exp(−2t²mn/(m+n)) (Meehan 2023, Theorem 1; the factor 2 is missing in print, and the
        bound is false without it at m = n = 1, t = ½).

        >>> rank_test([1, 3, 5, 7], [2, 4, 6]).interval()
        (0.0, 1.0)
        """
        miss = 1 - probability("level", level)
        total = self.fresh * self.generated / (self.fresh + self.generated)
        half = math.sqrt(math.log(2 / miss) / (2 * total))
        return max(0.0, self.share - half), min(1.0, self.share + half)


def rank_test(
    fresh: ArrayLike,
    generated: ArrayLike,
    *,
    continuity: bool = False,
    method: Literal["auto", "normal", "exact"] = "auto",
) -> RankTest:
    """Compare distances to the training set: of fresh real samples and of generated ones.

    Z_U = (U − mn/2)/√(mn/12·[(N+1) − Σ(t³−t)/(N(N−1))]), N = m + n, with the sum over groups of t equal distances.
    Any increasing function of the distances gives the same result.

    Parameters
    ----------
    fresh, generated : array_like
        Distances, one a sample.
    continuity : bool
        Add ½ to the numerator, as the authors' program does.
    method : {"auto", "normal", "exact"}
        How the p-values are found; by default they are enumerated when either sample has at most 20 values.

    Examples
    --------
    >>> found = rank_test([1, 3, 5, 7], [2, 4, 6])
    >>> found.u, found.z
    (6.0, 0.0)
    """
    first, second = finite_array("fresh", fresh, ndim=1), finite_array("generated", generated, ndim=1)
    n, m = len(first), len(second)
    if not n or not m:
        raise bad_input("distances", (n, m), "at least one of each", "a Z of nothing is undefined")
    ranks = rankdata(np.concatenate([first, second]))
    u = float(ranks[n:].sum()) - m * (m + 1) / 2
    ties = np.unique(ranks, return_counts=True)[1].astype(float)
    total = n + m
    tied = float((ties**3 - ties).sum()) / (total * (total - 1))
    variance = m * n / 12 * (total + 1 - tied)
    shift = 0.5 if continuity else 0.0
    z = (u - m * n / 2 + shift) / math.sqrt(variance) if variance > 0 else 0.0
    if method == "exact" and total > 400:
        raise bad_input("method", method, "at most 400 samples for enumeration", "use 'normal'")
    exact = method == "exact" or (method == "auto" and min(n, m) <= FEW and total <= 200)
    if exact:
        closer, farther = _enumerate(ranks, m)
    elif variance <= 0:
        closer = farther = 1.0
    else:
        closer, farther = float(ndtr(z)), float(ndtr(-z))
    return RankTest(u=u, z=z, closer=closer, farther=farther, fresh=n, generated=m, exact=exact)


def _enumerate(ranks: NDArray[np.float64], m: int) -> tuple[float, float]:
    """Pr(rank sum ≤ observed) and Pr(≥) over all choices of m of the pooled (mid-)ranks, equally likely.

    ``ways[k][s]`` is the share of the subsets of size k, among the ranks seen so far, whose doubled ranks add up to s;
    it is kept as a probability (chosen with weight k/(seen)), so that nothing overflows.
    """
    doubled = np.rint(2 * ranks).astype(np.int64)
    observed = int(doubled[len(ranks) - m :].sum())
    total = int(doubled.sum())
    ways = np.zeros((m + 1, total + 1))
    ways[0, 0] = 1.0
    for seen, rank in enumerate(doubled, start=1):
        sizes = np.arange(1, min(m, seen) + 1)
        taken = ways[sizes - 1, : total + 1 - rank].copy()
        # Among all k-subsets of `seen` ranks, a share k/seen has the newest one.
        ways[: min(m, seen) + 1] *= (1 - np.arange(min(m, seen) + 1) / seen)[:, None]
        ways[sizes, rank:] += taken * (sizes / seen)[:, None]
    law = ways[m]
    return min(1.0, float(law[: observed + 1].sum())), min(1.0, float(law[observed:].sum()))
