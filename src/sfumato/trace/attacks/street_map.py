"""Location with a map of where other people go. Maps are outside the promise: no prior of paths knows the streets."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sfumato.errors import bad_input
from sfumato.trace.attacks.evidence import fit_kernel, path_belief
from sfumato.trace.attacks.locating import LocationAttack
from sfumato.trace.attacks.sighting import Interval, Path, Sighting
from sfumato.validate import finite_array, positive

if TYPE_CHECKING:
    from sfumato.noise import Rng

__all__ = ["Crowd", "MapAttack"]

_MOST_CELLS = 4_000_000
_POINTS, _DIRECTIONS = 40, 4
_DRAWS, _ROUNDS, _BEST = 1500, 6, 60


@dataclass(frozen=True, kw_only=True, eq=False)
class Crowd:
    """Where other people go: the density of their points on a grid, blurred by one cell.

    Parameters
    ----------
    points : array-like of shape (m, 2)
        In metres, in the plane of the path that is attacked.
    cell : float

    >>> crowd = Crowd(points=[[0.0, 0.0], [10.0, 0.0], [900.0, 900.0]], cell=50.0)
    >>> bool(crowd.log_density([[5.0, 0.0]])[0] > crowd.log_density([[400.0, 400.0]])[0])
    True
    """

    points: ArrayLike
    cell: float = 30.0

    def __post_init__(self) -> None:
        positive("cell", self.cell)
        points = finite_array("points", self.points, ndim=2)
        if len(points) == 0 or points.shape[1] != 2:
            raise bad_input("points", points.shape, "points in the plane, at least one")
        if np.prod(np.ptp(points, axis=0) / self.cell + 9) > _MOST_CELLS:
            raise bad_input("cell", self.cell, f"at most {_MOST_CELLS} cells", "cut the region, or use larger cells")

    @cached_property
    def _grid(self) -> tuple[Path, NDArray[np.float64]]:
        from scipy.ndimage import gaussian_filter

        points = np.asarray(self.points, float)
        low = points.min(0) - 4 * self.cell
        where = np.floor((points - low) / self.cell).astype(np.intp)
        counts = np.zeros(where.max(0) + 5)
        np.add.at(counts, tuple(where.T), 1.0)
        blurred = np.asarray(gaussian_filter(np.sqrt(counts), 1.0))  # roots: one busy stop is not the whole map
        return low, np.log(blurred / blurred.mean() + 0.02)

    def log_density(self, places: ArrayLike) -> NDArray[np.float64]:
        """log of the density relative to the mean one; outside the map that of an empty cell."""
        low, logs = self._grid
        where = np.floor((np.asarray(places, float) - low) / self.cell).astype(np.intp)
        inside = ((where >= 0) & (where < logs.shape)).all(-1)
        safe = np.clip(where, 0, np.array(logs.shape) - 1)
        return np.where(inside, logs[safe[..., 0], safe[..., 1]], np.log(0.02))


@dataclass(frozen=True, kw_only=True)
class MapAttack(LocationAttack):
    """Moves the learned path to where other people go, and reads the hidden place off it.

    The belief of :class:`~sfumato.trace.EvidenceAttack` has a few directions in which the path may still lie elsewhere;
    along these, the path with the most points on the map is looked for, by the cross-entropy method. A shift of the
    whole path is found this way. Maps are outside every promise here.

    Parameters
    ----------
    crowd : Crowd
        Points of other people.
    weight : float
        How much a point on the map counts; neighbouring points tell the same.
    """

    crowd: Crowd
    weight: float = 0.5
    name: str = field(default="learned path on a map")
    knows: ClassVar[str] = "the method and its noise, which times were secret, and a map of where other people go"
    takes: ClassVar[str] = "a map of other people's points, which is outside the promise"

    def locate(self, seen: Sighting, interval: Interval, rng: Rng) -> Path:
        moment = sum(interval) / 2
        near = seen.around((moment, moment), 400)
        others = near.times[np.unique(np.linspace(0, len(near.times) - 1, _POINTS).astype(int))]
        moments = np.concatenate([[moment], others[others != moment]])
        mean, spread = path_belief(seen, fit_kernel(seen.around((moment, moment), 100)), moments)
        values, vectors = np.linalg.eigh(spread)
        reach = (vectors * np.sqrt(np.maximum(values, 0.0)))[:, ::-1][:, :_DIRECTIONS]
        centre, width = np.zeros((reach.shape[1], 2)), np.ones((reach.shape[1], 2))
        best, score = centre, -np.inf
        for _ in range(_ROUNDS):
            draws = centre + width * rng.standard_normal((_DRAWS, *centre.shape))
            paths = mean + np.einsum("kr,srd->skd", reach, draws)
            scores = self.weight * self.crowd.log_density(paths).sum(1) - 0.5 * (draws**2).sum((1, 2))
            elite = np.argsort(scores)[-_BEST:]
            if scores[elite[-1]] > score:
                best, score = draws[elite[-1]], float(scores[elite[-1]])
            centre, width = draws[elite].mean(0), draws[elite].std(0) + 1e-3
        return np.asarray(mean[0] + reach[0] @ best)
