"""Location of a hidden home from a zone around it that was cut out of every release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from sfumato.errors import bad_input
from sfumato.trace.attacks.locating import LocationAttack
from sfumato.trace.attacks.sighting import Interval, Path, Sighting
from sfumato.validate import choice, positive

if TYPE_CHECKING:
    from sfumato.mechanism import Mechanism
    from sfumato.noise import Rng

__all__ = ["ZoneAttack", "crossings", "ray_meeting", "zone_centre"]

_GAP = 2.5
"""Sampling periods without a point that look like a cut."""
_SOFT, _WIDE = 20.0, 20_000.0
_STREET = 150.0
"""Metres by which ways bend inside a zone, at least."""


def crossings(days: Sequence[Sighting]) -> tuple[Path, Path]:
    """Where the parts of a path begin and end, and the last step of each beyond it, of shape (ends, 2) both.

    A part ends at a gap in its times, or with its file: trips that start at home start at the rim of the zone.
    """
    points, steps = [], []
    for day in days:
        gaps = np.diff(day.times)
        breaks = np.flatnonzero(gaps > _GAP * np.median(gaps)) + 1
        for part in np.split(day.path, breaks):
            if len(part) < 2:
                continue
            for end, before in ((part[-1], part[-4:-1]), (part[0], part[3:0:-1])):
                points.append(end)
                steps.append((end - before[0]) / len(before))
    return np.array(points, float).reshape(-1, 2), np.array(steps, float).reshape(-1, 2)


def zone_centre(ends: Path, steps: Path, kept: Path, reach: float) -> Path:
    """The centre of a disc of known radius that holds no kept point and is touched by most of the ends.

    An end at the zone lies outside its rim by at most a step or so of its path, L; any other end lies anywhere in
    W = 20 km. So the ends have the likelihood Π (1/L if 0 ≤ d ≤ L, else 0, plus 1/W), d their distance from the rim,
    softened by 20 m. An end that does not head for the disc is none of its ends, and one where the person slowed down
    counts less: trips end somewhere. The centre is the mean over the discs near the best.
    """
    from scipy.spatial import cKDTree
    from scipy.special import expit

    lengths = np.linalg.norm(steps, axis=1)
    tree, longest, moving = cKDTree(kept), 1.5 * lengths + 30, np.minimum(lengths / _STREET, 1.0)
    headings = steps / np.maximum(lengths, 1e-9)[:, None]

    def log_likelihood(centres: Path) -> Path:
        total = np.where(tree.query(centres)[0] < reach, -np.inf, 0.0)
        possible = np.flatnonzero(np.isfinite(total))
        for chunk in np.array_split(possible, max(1, len(possible) * len(ends) // 2_000_000)):
            beyond = np.linalg.norm(ends[None] - centres[chunk, None], axis=2) - reach
            inward = np.einsum("ckd,kd->ck", centres[chunk, None] - ends[None], headings) > 0
            inside = expit(beyond / _SOFT) * expit((longest - beyond) / _SOFT) * inward
            total[chunk] = np.log(inside / longest * _WIDE + 1) @ moving
        return total

    # From the best centre an end is at the rim: all of these are tried, then finer grids about the best.
    turn = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    some = np.unique(np.linspace(0, len(ends) - 1, 150).astype(int))
    starts = [
        ends[some, None] + (reach + 10 + share * longest[some])[:, None, None] * circle[None] for share in (0.0, 0.5)
    ]
    centres = np.concatenate(starts).reshape(-1, 2)
    best = centres[int(log_likelihood(centres).argmax())]
    for side, step in ((400.0, 20.0), (150.0, 10.0)):
        axis = np.arange(-side, side + 1, step)
        grid = best + np.stack([part.ravel() for part in np.meshgrid(axis, axis)], axis=1)
        logs = log_likelihood(grid)
        if not np.isfinite(logs).any():
            return np.asarray(best)
        weights = np.exp(logs - logs.max())
        best = weights @ grid / weights.sum()
    return np.asarray(best)


def ray_meeting(ends: Path, steps: Path, centre: Path, spread: float) -> Path:
    """The point nearest to the rays by which paths enter the zone, held near its centre by a prior.

    Minimises Σ ‖(I − ddᵀ)(p − e)‖²/s² + ‖p − centre‖²/spread², where s² is the mean square distance of the rays from
    the centre, and not less than the width of a block.
    """
    directions = steps / np.maximum(np.linalg.norm(steps, axis=1, keepdims=True), 1e-9)
    across = np.eye(2)[None] - directions[:, :, None] * directions[:, None, :]
    apart = np.einsum("kij,kj->ki", across, centre - ends)
    weight = max(float((apart**2).sum(1).mean()), _STREET**2) / spread**2
    left = across.sum(0) + weight * np.eye(2)
    return np.asarray(np.linalg.solve(left, np.einsum("kij,kj->i", across, ends) + weight * centre))


@dataclass(frozen=True, kw_only=True)
class ZoneAttack(LocationAttack):
    """Locates a home inside a zone of known size, from the ends of what was kept.

    The target is where the secret points were: the points at home.

    Parameters
    ----------
    reach : float, optional
        Radius of the zone, which the card tells. Without a zone there is nothing to do.
    deviation : float
        Of the home about the zone's centre, in each direction; the card tells it.
    by : {"centre", "ends", "rays", "both"}
        The centre of the disc that fits the ends; their mean; where the rays by which they enter meet; centre and rays
        together, each weighted by what it tells.
    days : sequence of Sighting
        All other releases of the person, with the same zone.
    """

    reach: float | None = None
    deviation: float = 200.0
    by: Literal["centre", "ends", "rays", "both"] = "centre"
    days: Sequence[Sighting] = ()
    name: str = field(default="home in its zone")
    knows: ClassVar[str] = "the size of the zone and how it was drawn, and every release of the person"

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("by", self.by, ("centre", "ends", "rays", "both"))
        positive("deviation", self.deviation)
        if self.reach is not None:
            positive("reach", self.reach)

    def locate(self, seen: Sighting, interval: Interval, rng: Rng) -> Path:
        return self.find([seen, *self.days])

    def find(self, days: Sequence[Sighting]) -> Path:
        """Where the home is, by all releases together."""
        if self.reach is None:
            raise bad_input("reach", None, "the size of a zone", "this release has none")
        ends, steps = crossings(days)
        kept = np.concatenate([day.path for day in days])
        centre = zone_centre(ends, steps, kept, self.reach)
        if self.by == "centre":
            return centre
        # an end far from the rim is none at the zone
        beyond = np.linalg.norm(ends - centre, axis=1) - self.reach
        at_rim = beyond < 2 * np.linalg.norm(steps, axis=1) + 100
        if not at_rim.any():
            return centre
        if self.by == "ends":
            return np.asarray(ends[at_rim].mean(0))
        spread = self.reach if self.by == "rays" else self.deviation
        return ray_meeting(ends[at_rim], steps[at_rim], centre, spread)

    def errors(
        self, data: ArrayLike, release: ArrayLike, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Path:
        """The distance of the guess from the points at home: one number."""
        truth = np.asarray(data, float)
        at_home = sorted({i for secret in self.secrets for i in secret.within(len(truth))})
        seen = self.seen(truth, release, mechanism)
        return np.array([np.linalg.norm(self.find([seen, *self.days]) - truth[at_home].mean(0))])
