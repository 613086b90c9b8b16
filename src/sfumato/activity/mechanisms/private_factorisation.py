"""Factorisation with a promise for each user: the items' side from noised statistics, each row noised by itself."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from sfumato.activity.core.activity import Activity, Matrix, as_dense, unpack_windows
from sfumato.activity.mechanisms.base import ActivityMechanism
from sfumato.errors import bad_input
from sfumato.mechanism import Gaussian
from sfumato.noise import Rng
from sfumato.promise import ApproxDP, Assumption, ZeroConcentratedDP
from sfumato.validate import integer, positive, probability

__all__ = ["PrivateFactorisation"]

_STEP = 2.0**-16  # rows are whole multiples: products are of 2⁻³², and 2²⁰ of them add up without rounding
_MOST_ROWS = 2**20
_SLACK = 1 + 2.0**-30
_LARGEST = 5_000  # items: the statistics are items × items


@dataclass(frozen=True, kw_only=True, eq=False)
class PrivateFactorisation(ActivityMechanism):
    """Releases rows Z·Vᵀ in which both sides are private: (ε, δ)-DP for everything a user did in all windows.

    1. Every row is scaled to norm at most 1 (``x`` below), on a grid so that sums are exact.
    2. *Item side.* S = Σ over users and windows of x·xᵀ gets symmetric Gaussian noise; V are its ``rank`` first
       eigenvectors. Replacing a user changes S by A − B with A, B ⪰ 0 of Frobenius norm at most W, so by at most √2·W
       for W windows: ρ_items-zCDP (Dwork, Talwar, Thakurta, Zhang 2014, by the norm of the difference).
    3. *Rows.* Each user projects their row, z = Vᵀx, clips it to norm ``reach`` and adds Gaussian noise for distance
       2·reach of any two rows: ρ_row-zCDP for each window, in the local model given V.
    4. Rows are scaled so that their spread along each direction is what S says it is, their mean is set to how much S
       says each item is used (no further look at the data), and they are released as Z·Vᵀ.

    **Theorem.** A user enters S once and W rows of their own; other rows see them through V only. By adaptive
    composition the whole release, *rows included*, is ρ = ρ_items + W·ρ_row zCDP for replacing one user, and (ε, δ)-DP
    by the conversion of dp-accounting. A factorisation whose item side alone is noised promises nothing for the rows.

    Parameters
    ----------
    epsilon, delta : float
        For everything of one user, in all windows together.
    rank : int
    windows : int
        How many windows there are; other input is refused.
    share : float
        The part of ρ that goes to the item side.
    reach : float
        The largest norm of a projected row, at most 1.

    Examples
    --------
    >>> made = PrivateFactorisation(epsilon=4.0, delta=1e-6, rank=2)
    >>> print(made.guarantee)
    ε = 4, δ = 1e-06 per user (replace-one neighbours, central model), provided that the items are public
    >>> print(made.item_side)
    ρ = 0.1... (zCDP) per user (replace-one neighbours, central model)
    >>> print(made.row_side)
    ρ = 0.1... (zCDP) per row of one window (any-pair neighbours, local model)
    """

    technique = "noise addition"
    needs_items = True

    epsilon: float
    delta: float = 1e-6
    rank: int = 8
    windows: int = 1
    share: float = 0.5
    reach: float = 0.5

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon, "a promise needs ε > 0")
        probability("delta", self.delta)
        integer("rank", self.rank)
        integer("windows", self.windows)
        probability("share", self.share)
        if positive("reach", self.reach) > 1:
            raise bad_input("reach", self.reach, "at most 1, the norm of a row")
        _ = self._item_noise, self._row_noise

    @property
    def guarantee(self) -> ApproxDP:
        """(ε, δ)-DP for all that is released about one user: their rows and their part in the item side."""
        return ApproxDP(self.epsilon, self.delta, unit="user").assuming(Assumption("items"))

    @cached_property
    def total(self) -> ZeroConcentratedDP:
        """ρ of the whole release; its conversion to δ is at most ε."""
        return ZeroConcentratedDP(_largest_rho(self.epsilon, self.delta), unit="user")

    @property
    def item_side(self) -> ZeroConcentratedDP:
        """What the statistics of the items cost each user."""
        return ZeroConcentratedDP(self.total.rho * self.share, unit="user")

    @property
    def row_side(self) -> ZeroConcentratedDP:
        """What each row costs its user; a user has one in every window."""
        rho = self.total.rho * (1 - self.share) / self.windows
        return ZeroConcentratedDP(rho, unit="row of one window", neighbours="any-pair", model="local")

    @cached_property
    def _item_noise(self) -> Gaussian:
        sensitivity = math.sqrt(2.0) * self.windows * _SLACK
        return Gaussian(sigma=_sigma(sensitivity, self.item_side.rho), sensitivity=sensitivity, unit="user")

    @cached_property
    def _row_noise(self) -> Gaussian:
        sensitivity = 2.0 * self.reach * _SLACK
        sigma = _sigma(sensitivity, self.row_side.rho)
        return Gaussian(sigma=sigma, sensitivity=sensitivity, neighbours="any-pair", model="local")

    def _check(self, activity: Activity) -> None:
        users, items = activity.shape
        if activity.count != self.windows:
            raise bad_input("windows", activity.count, f"{self.windows}, as the promise was made for", "say windows=")
        if self.rank > min(users, items):
            raise bad_input("rank", self.rank, f"at most min(users, items) = {min(users, items)}", "lower it")
        if items > _LARGEST:
            raise bad_input("items", items, f"at most {_LARGEST}", "name a shorter public list of items")
        if users * self.windows > _MOST_ROWS:
            raise bad_input("rows", users * self.windows, f"at most {_MOST_ROWS}", "release fewer windows at once")

    def _release(self, activity: Activity, rng: Rng) -> Activity:
        self._check(activity)
        return activity.with_windows(self._made([_scaled_rows(window) for window in activity.windows], rng))

    def sample(self, data: Any, count: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """``count`` independent releases of one window, at once: the steps of ``release`` with one more axis."""
        activity = unpack_windows(data)[0]
        self._check(activity)
        return self._made([as_dense(_scaled_rows(activity.windows[0]))], rng, (count,))[0]

    def _made(self, rows: list[Matrix], rng: Rng, repeats: tuple[int, ...] = ()) -> list[NDArray[np.float64]]:
        """The released windows, ``repeats`` of each along the first axis."""
        side = self._item_side(rows, rng, repeats)
        # From here on only what was noised is looked at, but for each user's own row.
        shrink = np.sqrt(side.power / (side.power + self._row_noise.scale**2))[..., None, :]
        made = []
        for part in rows:
            projected = _clipped(np.asarray(part @ side.directions), self.reach)
            noisy = np.asarray(self._row_noise.release(projected, rng=rng))
            released = (noisy * shrink) @ np.swapaxes(side.directions, -1, -2)
            mean, usage = released.mean(axis=-2, keepdims=True), side.usage[..., None, :]
            along = (mean * usage).sum(axis=-1, keepdims=True)
            squares = np.maximum((usage**2).sum(axis=-1, keepdims=True), 1e-300)
            fit = np.maximum(1.0, along / squares)  # x² ≤ x in [0, 1]
            made.append(released + (fit * usage - mean))
        return made

    @staticmethod
    def _statistics(rows: list[Matrix]) -> NDArray[np.float64]:
        """S = Σ x·xᵀ, exact; its upper triangle, row by row."""
        total = sum(as_dense(part.T @ part) for part in rows)
        return np.asarray(total)[np.triu_indices(int(rows[0].shape[1]))]

    def _item_side(self, rows: list[Matrix], rng: Rng, repeats: tuple[int, ...]) -> _ItemSide:
        """Main directions, the mean square of a row along each, and how much each item is used: all from noised S."""
        items = int(rows[0].shape[1])
        upper = np.triu_indices(items)
        noisy = np.zeros((*repeats, items, items))
        own = np.broadcast_to(self._statistics(rows), (*repeats, len(upper[0])))
        noisy[..., upper[0], upper[1]] = np.asarray(self._item_noise.release(own, rng=rng))
        used = np.diagonal(noisy, axis1=-2, axis2=-1).copy()
        noisy = noisy + np.swapaxes(np.triu(noisy, 1), -1, -2)
        if repeats or items <= 1_500 or 3 * self.rank > items:
            values, vectors = np.linalg.eigh(noisy)
        else:
            from scipy.sparse.linalg import eigsh

            values, vectors = eigsh(noisy, k=self.rank, which="LA", v0=np.ones(items))
            order = np.argsort(values)
            values, vectors = values[order], vectors[:, order]
        values, vectors = values[..., : -self.rank - 1 : -1], vectors[..., : -self.rank - 1 : -1]  # the largest first
        count = sum(part.shape[0] for part in rows)
        # An eigenvalue of noise alone is about σ·√(2·items) high; what it adds to a true one is taken off again.
        noise_level = self._item_noise.scale * math.sqrt(items)
        value = np.maximum(values, 1e-12)
        power = np.maximum(value - noise_level**2 / value, 0.0) / count
        return _ItemSide(vectors, power, _shrunk(used, self._item_noise.scale) / count)


class _ItemSide(NamedTuple):
    """What is learned of the items; with one more axis in front for many releases at once."""

    directions: NDArray[np.float64]
    power: NDArray[np.float64]
    usage: NDArray[np.float64]


def _shrunk(noisy: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    """Noisy totals drawn to their mean by the share of their variance that is noise (James and Stein), none below 0."""
    mean = noisy.mean(axis=-1, keepdims=True)
    variance = np.maximum(noisy.var(axis=-1, keepdims=True), 1e-300)
    return np.maximum(mean + (noisy - mean) * np.maximum(0.0, 1 - sigma**2 / variance), 0.0)


@lru_cache(maxsize=64)
def _largest_rho(epsilon: float, delta: float) -> float:
    """The largest ρ (to one part in 10⁹) whose (ε, δ) by dp-accounting keeps the promise."""

    def kept(rho: float) -> bool:
        return ZeroConcentratedDP(rho).as_approx(delta).epsilon <= epsilon

    low, high = 0.0, 1.0
    while kept(high):
        low, high = high, 2 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if kept(middle) else (low, middle)
    if low == 0.0:
        raise bad_input("epsilon", epsilon, "a larger ε for this δ", "no noise is wide enough")
    return low


def _sigma(sensitivity: float, rho: float) -> float:
    """σ with Δ²/(2σ²) ≤ ρ, rounded up."""
    return sensitivity / math.sqrt(2 * rho) * _SLACK


def _scaled_rows(matrix: Matrix) -> Matrix:
    """Rows of norm at most 1 whose entries are whole multiples of 2⁻¹⁶, rounded towards zero."""
    squares = matrix.power(2) if sparse.issparse(matrix) else matrix * matrix
    norms = np.sqrt(np.asarray(squares.sum(axis=1)).reshape(-1))
    factor = np.where(norms > 1, (1 - 2.0**-40) / np.maximum(norms, 1.0), 1.0)
    if sparse.issparse(matrix):
        made = sparse.csr_array(sparse.diags_array(factor) @ matrix)
        made.data = np.trunc(made.data / _STEP) * _STEP
        return made
    return np.trunc(matrix * factor[:, None] / _STEP) * _STEP


def _clipped(rows: NDArray[np.float64], reach: float) -> NDArray[np.float64]:
    """Rows of norm at most ``reach``; the slack of the sensitivity covers their rounding."""
    norms = np.linalg.norm(rows, axis=-1, keepdims=True)
    return rows * np.minimum(1.0, reach / np.maximum(norms, reach * 2.0**-40))
