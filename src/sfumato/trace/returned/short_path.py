"""Paths that are too long to write out the covariance of all points, and what attacks are told of a path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.study.score import Score
from sfumato.trace.attacks.seen_noise import SeenNoise
from sfumato.trace.attacks.sighting import Sighting
from sfumato.trace.core.secret import Secret
from sfumato.trace.returned.beside_original import BesideOriginal

__all__ = ["ShortPath", "fitted_to", "some_of", "stop_duration", "tracking_cell"]

_DENSE = 1500
"""Points whose covariance is written out where a path has more than twice as many."""
_MOST_CELLS = 30_000_000
"""Of a map for each time, which is what tracking along streets holds."""
_STOP = 240.0
"""Seconds that a stop lasts at least, however often the path is seen."""


@dataclass(frozen=True, eq=False)
class ShortPath:
    """A path for attacks that write out covariances: all of it, or some of its points, most of them near secrets.

    Parameters
    ----------
    own : BesideOriginal
    which : ndarray of int, optional
        The points that are looked at; all of them without.
    """

    own: BesideOriginal
    which: NDArray[np.intp] | None = None

    @classmethod
    def of(cls, own: BesideOriginal) -> ShortPath:
        """The whole path, or about 1 500 points of a long one."""
        if len(own.times) <= 2 * _DENSE:
            return cls(own)
        number = np.arange(float(len(own.times)))
        numbered = Sighting(times=own.times, path=np.stack([number, number], axis=1))
        each = max(_DENSE // len(own.intervals), 20)
        parts = [numbered.around(interval, each).path[:, 0] for interval in own.intervals]
        return cls(own, np.unique(np.concatenate(parts)).astype(np.intp))

    def fitted(self, one: Any) -> Any:
        """The attack, told of these points."""
        if self.which is None or not hasattr(one, "secrets"):
            return one
        hidden = {i for secret in self.own.secrets for i in secret.within(len(self.own.times))}
        secrets = [Secret((new,)) for new, old in enumerate(self.which) if int(old) in hidden]
        changes: dict[str, Any] = {"times": self.own.times[self.which], "secrets": secrets}
        if hasattr(one, "cell"):
            changes["cell"] = tracking_cell(self.own.truth[self.which], one.radius)
        return replace(one, **changes)

    def attack(self, one: Any, rng: Rng) -> Score:
        """What an attack that was fitted to these points finds."""
        own, which = self.own, self.which
        if which is None:
            whole: Score = one.attack(own.truth, own.seen, mechanism=own.mechanism, rng=rng)
            return whole
        law = own.law
        noise = law.take(which) if isinstance(law, SeenNoise) and own.kept.all() else None
        found: Score = one.attack(own.truth[which], own.seen[which], mechanism=noise, rng=rng)
        return found


def some_of(count: int, most: int = _DENSE) -> NDArray[np.intp]:
    """At most ``most`` of so many points, evenly.

    >>> some_of(9, 3).tolist()
    [0, 4, 8]
    """
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(np.intp))


def stop_duration(times: NDArray[np.float64]) -> float:
    """What counts as a stop: four minutes, or four points where there are fewer."""
    return max(_STOP, 4 * float(np.median(np.diff(times))))


def tracking_cell(truth: NDArray[np.float64], radius: float) -> float:
    """Half the radius, or as much more as the size of the region asks for."""
    width, height = np.ptp(truth, axis=0) + 6 * radius
    return max(radius / 2, float(np.sqrt(width * height * len(truth) / _MOST_CELLS)))


def fitted_to(example: Any, context: Mapping[str, Any]) -> Any:
    """A registered attack or utility with what is known here in place of the values of its example."""
    known = {one.name: context[one.name] for one in fields(example) if context.get(one.name) is not None}
    return replace(example, **known)
