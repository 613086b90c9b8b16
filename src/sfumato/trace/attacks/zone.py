"""Location of a hidden home from a zone around it that was cut out of every release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InfeasibleError, bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.release.card import Criterion
from sfumato.study import Score
from sfumato.trace.attacks.location import chance_errors
from sfumato.trace.attacks.sighting import Path
from sfumato.validate import choice, finite_array, positive

__all__ = ["ZoneAttack", "crossings", "ray_meeting", "zone_centre"]


def crossings(days: Sequence[Path]) -> tuple[Path, Path]:
    """The ends of the kept parts at the zone, and the direction in which each points into it (unit vectors).

    A release is several parts of a path; a part ends at the zone, or begins there, unless it is the end of the file.
    """
    points, directions = [], []
    for path in days:
        breaks = np.flatnonzero(~np.isfinite(path).all(axis=1))
        parts = [p for p in np.split(np.arange(len(path)), np.unique(np.concatenate([breaks, breaks + 1]))) if len(p)]
        parts = [p for p in parts if np.isfinite(path[p]).all()]
        for part in parts:
            for end, inner in ((part[-1], part[-min(4, len(part)) : -1]), (part[0], part[1:4])):
                outward = end == part[-1]
                neighbour = end + 1 if outward else end - 1
                if not 0 <= neighbour < len(path) or len(inner) == 0:
                    continue
                way = path[end] - path[inner].mean(0)
                length = float(np.linalg.norm(way))
                points.append(path[end])
                directions.append(way / length if length > 0 else np.zeros(path.shape[1]))
    shape = (-1, 2)
    return np.array(points, float).reshape(shape), np.array(directions, float).reshape(shape)


def zone_centre(ends: Path, kept: Path, radius: float) -> Path:
    """The centre of a disc of known radius that touches the ends and holds no kept point.

    Each end lies outside the disc, a step of the path away at most: the squared distances of the ends from the rim
    are least, and a kept point inside costs a hundred times as much.
    """
    from scipy.optimize import minimize
    from scipy.spatial import cKDTree

    tree = cKDTree(kept)

    def misfit(centre: NDArray[np.float64]) -> float:
        rim = np.linalg.norm(ends - centre, axis=1) - radius
        inside = tree.query(centre, k=min(8, len(kept)))[0]
        # one step beyond the rim is what sampling leaves: far ends count less than quadratically
        return float(np.sqrt(1 + (rim / 50.0) ** 2).sum() + 100 * (np.maximum(radius - inside, 0) / radius).sum())

    starts = [ends.mean(0)]
    turn = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    starts += [ends[0] + radius * np.array([np.cos(a), np.sin(a)]) for a in turn]
    found = [minimize(misfit, start, method="Nelder-Mead", options={"xatol": 1.0, "fatol": 1e-3}) for start in starts]
    return np.asarray(min(found, key=lambda one: one.fun).x)


def ray_meeting(ends: Path, directions: Path, *, prior: Path | None = None, spread: float = np.inf) -> Path:
    """The point nearest to all the rays by which the paths enter the zone; a prior place keeps it from running away.

    Minimises Σ ‖(I − ddᵀ)(p − e)‖²/s² + ‖p − prior‖²/spread², with s² the mean square at the minimum before.
    """
    across = np.eye(2)[None] - directions[:, :, None] * directions[:, None, :]
    left, right = across.sum(0), np.einsum("kij,kj->i", across, ends)
    if prior is None:
        return np.asarray(np.linalg.lstsq(left, right, rcond=None)[0])
    apart = np.einsum("kij,kj->ki", across, prior - ends)
    # not less than the width of a street grid: ways bend inside the zone
    scale = max(float((apart**2).sum(1).mean()), 150.0**2)
    weight = 0.0 if not np.isfinite(spread) else scale / spread**2
    return np.asarray(np.linalg.solve(left + (weight + 1e-9) * np.eye(2), right + (weight + 1e-9) * prior))


@dataclass(frozen=True, kw_only=True)
class ZoneAttack:
    """Locates a home inside a zone of known radius, by the zone's centre or by the rays that enter it.

    Data is the home, of shape (1, 2); the release all days of the person, each of shape (n, 2) with NaN for the points
    that were cut. The value is 1 if the guess is within ``within`` of the home.

    Parameters
    ----------
    zone : float
        Radius of the zone; the card tells it.
    spread : float
        Standard deviation of the home about the zone's centre, in each dimension; the card tells it.
    within : float
    by : {"centre", "ends", "rays", "both"}
        The centre of the disc that fits the ends of the kept parts; their mean; where the rays by which they enter meet;
        centre and rays, each weighted by what it tells.
    """

    criterion: ClassVar[Criterion] = "inference"
    knows: ClassVar[str] = "the radius of the zone and how it was drawn, and every release of the person"

    zone: float
    spread: float
    within: float = 200.0
    by: Literal["centre", "ends", "rays", "both"] = "centre"
    name: str = "home in its zone"

    def __post_init__(self) -> None:
        for field in ("zone", "spread", "within"):
            positive(field, getattr(self, field))
        choice("by", self.by, ("centre", "ends", "rays", "both"))

    def locate(self, days: Sequence[Path]) -> Path:
        """Where this way of guessing puts the home."""
        ends, directions = crossings(days)
        if len(ends) == 0:
            raise InfeasibleError("no day enters the zone: there is nothing to find it by")
        kept = np.concatenate([path[np.isfinite(path).all(axis=1)] for path in days])
        centre = zone_centre(ends, kept, self.zone)
        if self.by == "centre":
            return centre
        if self.by == "ends":
            return np.asarray(ends.mean(0))
        return ray_meeting(ends, directions, prior=centre, spread=self.zone if self.by == "rays" else self.spread)

    def error(self, home: Path, days: Sequence[Path]) -> float:
        """The distance of the guess from the home."""
        return float(np.linalg.norm(self.locate(days) - home))

    def attack(
        self, data: Path, release: Sequence[Path], *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        home = finite_array("data", data, ndim=2)
        if home.shape != (1, 2):
            raise bad_input("data", home.shape, "the home in the plane, of shape (1, 2)")
        days = [np.asarray(day, float).reshape(-1, 2) for day in release]
        error = self.error(home[0], days)
        region = np.concatenate([day[np.isfinite(day).all(axis=1)] for day in days])
        return Score(
            float(error <= self.within), reference=float((chance_errors(region, home) <= self.within).mean())
        )
