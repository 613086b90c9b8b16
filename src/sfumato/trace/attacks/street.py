"""Localisation with knowledge of the streets: a hidden Markov model on a grid of cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism, PlanarLaplace
from sfumato.noise import Rng
from sfumato.release.card import Criterion
from sfumato.study import Score
from sfumato.trace.attacks.belief import as_path, noise_of, noisy_points
from sfumato.trace.core.secret import Secret
from sfumato.trace.mechanisms.remapped_planar import RemappedPlanar
from sfumato.validate import positive, probability

__all__ = ["StreetAttack", "smooth_on_grid"]

Grid = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class StreetAttack:
    """Locates each secret by a hidden Markov model: people stay or move a little, and only along streets.

    It needs no Gaussian prior, so it tests a release from another side than
    :class:`~sfumato.trace.PosteriorAttack`; of the noise it knows the spread at each time. The value is the
    posterior probability of the cells within ``radius`` of the true place, averaged over the secret times; the
    reference is the share of street within that radius.

    Parameters
    ----------
    times : array-like of shape (n,)
    secrets : sequence of Secret
    radius : float
    cell : float
        Side of a cell.
    speed : float
        Typical distance walked in one unit of time.
    streets : float
        Distance between parallel streets; cells farther than one cell from a street are impossible. 0: no streets.
    stay : float
        How likely it is that somebody is still in the same cell when next observed. A Gaussian prior does not know
        stops; this adversary does.
    """

    criterion: ClassVar[Criterion] = "inference"
    knows: ClassVar[str] = "the spread of the noise, that people stay or walk, and which times were secret"

    times: ArrayLike
    secrets: Sequence[Secret]
    radius: float
    cell: float
    speed: float
    streets: float = 0.0
    stay: float = 0.5
    name: str = "street tracking"

    def __post_init__(self) -> None:
        for field in ("radius", "cell", "speed"):
            positive(field, getattr(self, field))
        positive("streets", self.streets, zero=True)
        probability("stay", self.stay, zero=True)

    def attack(
        self, data: ArrayLike, release: ArrayLike, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        times = np.asarray(self.times, float)
        truth, seen = as_path("data", data, len(times)), as_path("release", release, len(times))
        if truth.shape[1] != 2:
            raise bad_input("data", truth.shape, "paths in the plane", "use PosteriorAttack for a series")
        low = truth.min(0) - 3 * self.radius
        shape = np.ceil((truth.max(0) + 3 * self.radius - low) / self.cell).astype(int) + 1
        if shape.prod() > 1_000_000:
            raise bad_input("cell", self.cell, "a grid of at most a million cells", "use larger cells")
        xs, ys = low[0] + self.cell * np.arange(shape[0]), low[1] + self.cell * np.arange(shape[1])
        open_cells = np.ones(tuple(shape))
        if self.streets:
            on_x = np.abs((xs + self.streets / 2) % self.streets - self.streets / 2) <= self.cell
            on_y = np.abs((ys + self.streets / 2) % self.streets - self.streets / 2) <= self.cell
            open_cells = (on_x[:, None] | on_y[None, :]).astype(float)
        spread = np.sqrt(np.diag(noise_of(mechanism, len(times))) + (self.cell / 2) ** 2)
        laplace = isinstance(mechanism, PlanarLaplace | RemappedPlanar)
        seen = noisy_points(mechanism, seen)
        belief = smooth_on_grid(
            times, seen, spread, xs, ys, open_cells, self.speed / self.cell, stay=self.stay, laplace=laplace
        )
        inside = sorted({i for secret in self.secrets for i in secret.within(len(times))})
        values, references = [], []
        for i in inside:
            near = (xs[:, None] - truth[i, 0]) ** 2 + (ys[None, :] - truth[i, 1]) ** 2 <= self.radius**2
            values.append(float(belief[i][near].sum()))
            references.append(float(open_cells[near].sum() / open_cells.sum()))
        return Score(float(np.mean(values)), reference=float(np.mean(references)))


def smooth_on_grid(
    times: NDArray[np.float64],
    seen: NDArray[np.float64],
    spread: NDArray[np.float64],
    xs: NDArray[np.float64],
    ys: NDArray[np.float64],
    open_cells: Grid,
    cells_per_time: float,
    *,
    stay: float = 0.0,
    laplace: bool = False,
) -> Grid:
    """P(cell at time i | all observations), of shape (n, len(xs), len(ys)), by forward–backward.

    With probability ``stay`` nothing moves; else a move over Δt is a Gaussian of standard deviation speed·Δt,
    separable, so a step costs two one-dimensional convolutions instead of a product with a (cells × cells) matrix.
    """
    from scipy.ndimage import gaussian_filter

    def likelihood(i: int) -> Grid:
        square = (xs[:, None] - seen[i, 0]) ** 2 + (ys[None, :] - seen[i, 1]) ** 2
        logs = -np.sqrt(3 * square) / spread[i] if laplace else -0.5 * square / spread[i] ** 2
        logs = logs - logs[open_cells > 0].max()
        return np.exp(logs) * open_cells

    def spread_out(belief: Grid, gap: float) -> Grid:
        away = gaussian_filter(belief, max(cells_per_time * gap, 0.3), mode="constant", truncate=3.0)
        return stay * belief + (1 - stay) * np.asarray(away, np.float64)

    def move(belief: Grid, gap: float) -> Grid:
        moved = spread_out(belief, gap) * open_cells
        return moved / moved.sum() if moved.sum() > 0 else open_cells / open_cells.sum()

    n = len(times)
    forward = np.empty((n, *open_cells.shape))
    belief = open_cells / open_cells.sum()
    for i in range(n):
        belief = (move(belief, times[i] - times[i - 1]) if i else belief) * likelihood(i)
        total = belief.sum()
        belief = belief / total if total > 0 else likelihood(i) / likelihood(i).sum()
        forward[i] = belief
    backward = np.ones(open_cells.shape)
    for i in range(n - 2, -1, -1):
        backward = spread_out(backward * likelihood(i + 1), times[i + 1] - times[i])
        backward /= max(backward.max(), 1e-300)
        both = forward[i] * backward
        total = both.sum()
        forward[i] = both / total if total > 0 else forward[i]
    return forward
