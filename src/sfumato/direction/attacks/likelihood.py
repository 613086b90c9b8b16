"""Likelihood of a release for each of a list of inputs, for Bayesian attackers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.core.coordinates import latlon_to_vector
from sfumato.direction.core.sphere import angle_between
from sfumato.direction.core.statistics import circular_distance
from sfumato.direction.data.directions import Directions

__all__ = [
    "angles_between",
    "hour_noise",
    "log_likelihood",
    "log_likelihood_of_hours",
    "log_likelihood_of_places",
    "place_noise",
]

Floats = NDArray[np.float64]


def hour_noise(mechanism: Any) -> Any | None:
    """The mechanism, or the part of it, that perturbs hours and whose law is known."""
    return _part(mechanism, "hour", ("noise", "time"))


def place_noise(mechanism: Any) -> Any | None:
    """The mechanism, or the part of it, that perturbs places and whose law is known."""
    return _part(mechanism, "latlon", ("place", "noise"))


def _part(mechanism: Any, kind: str, names: tuple[str, ...]) -> Any | None:
    for part in (mechanism, *(getattr(mechanism, name, None) for name in names)):
        if getattr(part, "kind", None) == kind and hasattr(part, "log_density"):
            return part
    return None


def log_likelihood_of_hours(noise: Any, hour: Floats, candidates: Floats) -> Floats:
    """log p(hour | candidate), shape (hours, candidates)."""
    if hasattr(noise, "law"):
        arc = circular_distance(hour[:, None], candidates[None]) * (2 * math.pi / 24)
        return noise.law(2).log_density(np.minimum(arc, math.pi))
    return np.stack([noise.log_density(hour, float(candidate)) for candidate in candidates], axis=1)


def log_likelihood_of_places(noise: Any, latlon: Floats, places: Floats) -> Floats:
    """log p(place | candidate), shape (points, places); finite even where a density is not."""
    here, there = (_straight(noise, latlon_to_vector(values)) for values in (latlon, places))
    angles = angle_between(here[:, None], there[None])
    return noise.law(3).log_density(np.clip(angles, 1e-12, math.pi - 1e-12))


def log_likelihood(mechanism: Any, seen: Directions, candidates: Directions) -> Floats:
    """log p(row seen | row of candidates), shape (rows, candidates); without a known law, less for what is farther."""
    noise = _part(mechanism, seen.kind, ("noise", "place", "time"))
    total = np.zeros((len(seen), len(candidates)))
    for column in range(seen.vectors.shape[1]):
        here, there = seen.vectors[:, column], candidates.vectors[:, column]
        if noise is None:
            total -= angles_between(here, there)
        elif hasattr(noise, "law"):
            angles = angles_between(_straight(noise, here), _straight(noise, there))
            angles = np.clip(angles, 1e-12, math.pi - 1e-12)  # finite where a density is not
            total += noise.law(here.shape[1]).log_density(angles)
        else:
            values = candidates.values[:, column]
            total += np.stack([noise.log_density(seen.values[:, column], float(one)) for one in values], axis=1)
    return total


def _straight(noise: Any, vectors: Floats) -> Floats:
    """Where the law of the noise depends on the angle alone; what that does to densities is the same for all inputs."""
    return np.asarray(noise.straighten(vectors)) if hasattr(noise, "straighten") else vectors


def angles_between(first: Floats, second: Floats) -> Floats:
    """The angles between each unit vector of the first list and each of the second."""
    from scipy.spatial.distance import cdist

    return 2 * np.arcsin(np.minimum(cdist(first, second) / 2, 1.0))  # exact for small angles, unlike an arccosine
