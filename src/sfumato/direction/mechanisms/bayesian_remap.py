"""Bayesian remapping: each noisy release is replaced by the best guess of its input, given public knowledge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.core.coordinates import CIRCLES, as_vectors
from sfumato.direction.core.directional import DirectionalMechanism
from sfumato.direction.core.sphere import angle_between
from sfumato.errors import bad_input
from sfumato.mechanism.base import Fitted
from sfumato.noise import Rng
from sfumato.promise import Assumption, Guarantee
from sfumato.validate import integer

__all__ = ["BayesianRemap"]

_BLOCK = 4_000_000  # entries of a releases × candidates table held at a time


@dataclass(frozen=True, kw_only=True, eq=False)
class BayesianRemap(Fitted):
    """Perturbs each direction, then releases the public candidate with the least expected distance to the input.

    Post-processing: the promise is that of ``noise``, whatever the prior, and a wrong prior costs accuracy, never
    privacy (Chatzikokolakis, Elsalamouny and Palamidessi 2017, for the plane). ``fit`` learns the candidates and
    their shares from **public** directions, such as last year's timetable or a map of venues.

    Parameters
    ----------
    noise : DirectionalMechanism
        The mechanism whose releases are remapped.
    candidates : int
        At most this many candidates are kept, the most frequent of the public directions.

    Examples
    --------
    >>> from sfumato.direction import Purkayastha
    >>> shops_open = np.repeat([9.0, 17.0], 50)
    >>> remap = BayesianRemap(noise=Purkayastha(epsilon=2.0, kind="hour")).fit(shops_open)
    >>> set(remap.release(np.full(100, 9.0)).tolist()) <= {9.0, 17.0}
    True
    """

    noise: DirectionalMechanism
    candidates: int = 1000

    def __post_init__(self) -> None:
        if not isinstance(self.noise, DirectionalMechanism):
            raise bad_input("noise", self.noise, "a directional mechanism, such as Purkayastha(epsilon=1.0)")
        integer("candidates", self.candidates, least=2)

    @property
    def guarantee(self) -> Guarantee:
        return self.noise.guarantee.assuming(Assumption("prior"))

    def fit(self, public: Any) -> Self:
        """Learn candidates and prior from public directions of the same kind as the data."""
        vectors = as_vectors("public", public, self.noise.kind, normalise=self.noise.normalise, wrap=self.noise.wrap)
        values = np.asarray(public, dtype=np.float64)
        rows = values.reshape(-1, 1) if self.noise.kind in CIRCLES else values.reshape(-1, values.shape[-1])
        if len(rows) == 0:
            raise bad_input("public", values.shape, "at least one direction")
        if self.noise.kind == "vector":
            rows = vectors.reshape(-1, vectors.shape[-1])
        points, counts = np.unique(rows, axis=0, return_counts=True)
        kept = np.sort(np.argsort(-counts, kind="stable")[: self.candidates])
        points, counts = points[kept], counts[kept]
        flat = points[:, 0] if self.noise.kind in CIRCLES else points
        units = as_vectors("public", flat, self.noise.kind, wrap=self.noise.wrap)
        return self._learn(
            candidates_=flat,
            prior_=counts / counts.sum(),
            units_=units,
            distances_=angle_between(units[:, None], units[None]),
        )

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """One of the candidates for each record: same shape and kind."""
        units = self._learned("units_")
        noisy = self.noise.release(data, rng=rng)
        seen = as_vectors("data", noisy, self.noise.kind)
        if seen.shape[-1] != units.shape[-1]:
            raise bad_input("data", seen.shape, f"directions of {units.shape[-1]} coordinates, as the public ones")
        flat = seen.reshape(-1, units.shape[-1])
        chosen = np.empty(len(flat), dtype=np.int64)
        block = max(1, _BLOCK // len(units))
        for start in range(0, len(flat), block):
            part = slice(start, start + block)
            chosen[part] = self._choose(flat[part])
        released = self._learned("candidates_")[chosen].reshape(np.shape(noisy))
        return float(released) if np.ndim(data) == 0 else released

    def _choose(self, seen: NDArray[np.float64]) -> NDArray[np.int64]:
        units, prior = self._learned("units_"), self._learned("prior_")
        here, there = self.noise.straighten(seen), self.noise.straighten(units)
        angles = np.minimum(angle_between(here[:, None], there[None]), np.pi)
        score = self.noise.law(units.shape[-1]).log_profile(angles) + np.log(prior)
        posterior = np.exp(score - score.max(axis=1, keepdims=True))
        return np.asarray(np.argmin(posterior @ self._learned("distances_"), axis=1))
