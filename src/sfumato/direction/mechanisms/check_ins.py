"""Check-ins protected in place and time together."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.core.coordinates import latlon_to_vector
from sfumato.direction.data.check_ins import CheckIns
from sfumato.errors import bad_input
from sfumato.mechanism.base import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.promise.guarantee import Guarantee, MetricDP, Model, Neighbours, NoGuarantee, PureDP

__all__ = ["PlaceAndTimePrivacy", "ProtectedCheckIns", "nearest_place"]


@dataclass(frozen=True)
class PlaceAndTimePrivacy(Guarantee):
    """What is promised for the place and for the time of one check-in, which are protected apart: the losses add up.

    Check-ins of one user add up too: k of them cost up to k times as much, and nothing here accounts for that. Several
    releases of one check-in compose (:func:`sfumato.promise.composition`).

    Parameters
    ----------
    place, time : PureDP or MetricDP

    >>> PlaceAndTimePrivacy(MetricDP(2.0, "great-circle"), MetricDP(1.0, "clock arc")).statement
    'ε = 2 per unit of great-circle distance + ε = 1 per unit of clock arc distance'
    """

    losses = ("place", "time")

    place: PureDP | MetricDP
    time: PureDP | MetricDP
    unit: str = field(default="check-in", kw_only=True)
    neighbours: Neighbours = field(default="any-pair", kw_only=True)
    model: Model = field(default="local", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("place", "time"):
            if not isinstance(promise := getattr(self, name), PureDP | MetricDP):
                raise bad_input(name, promise, "PureDP or MetricDP")

    @property
    def statement(self) -> str:
        return f"{self.place.statement} + {self.time.statement}"

    def loss_bound(self, x: Any, y: Any) -> float:
        return _loss(self.place, x.latlon, y.latlon) + _loss(self.time, x.hour, y.hour)


def _loss(promise: PureDP | MetricDP, x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """What a promise for each record allows between the same part of several."""
    if isinstance(promise, MetricDP):
        return promise.loss_bound(x, y)
    return promise.epsilon * int((x != y).reshape(len(x), -1).any(axis=1).sum())


@dataclass(frozen=True, kw_only=True, eq=False)
class ProtectedCheckIns(Mechanism):
    """Perturbs place and hour of every check-in on its own, then snaps the place to the nearest public one (E11c).

    Snapping is post-processing. The released ``latlon`` stays the noisy one, so that an attacker on ``place`` has no
    less than there is; publish ``place`` and ``hour``.

    Parameters
    ----------
    place : Mechanism
        With ``kind="latlon"``.
    time : Mechanism
        With ``kind="hour"``.

    Examples
    --------
    >>> from sfumato.direction.data.check_ins import make_check_ins
    >>> from sfumato.direction import Purkayastha, metres_to_radians
    >>> mechanism = ProtectedCheckIns(
    ...     place=Purkayastha(level=1.0, radius=metres_to_radians(200), kind="latlon"),
    ...     time=Purkayastha(level=1.0, radius=0.785, kind="hour"),
    ... )
    >>> len(mechanism.release(make_check_ins(records=100)))
    100
    """

    place: Any
    time: Any

    def __post_init__(self) -> None:
        for name, kind in (("place", "latlon"), ("time", "hour")):
            part = getattr(self, name)
            if not isinstance(part, Mechanism) or getattr(part, "kind", None) != kind:
                raise bad_input(
                    name, part, f"a mechanism with kind={kind!r}, such as Purkayastha(epsilon=1, kind={kind!r})"
                )

    @property
    def guarantee(self) -> Guarantee:
        parts = (self.place.guarantee, self.time.guarantee)
        for part in parts:
            if isinstance(part, NoGuarantee):
                return replace(part, unit="check-in")
        return PlaceAndTimePrivacy(*parts)

    @property
    def level(self) -> float | None:
        """The privacy level of the time of day, for the axis of a study."""
        return getattr(self.time, "level", None)

    def release(self, data: Any, *, rng: Rng | None = None) -> CheckIns:
        """The same visits at protected places and hours."""
        rng = resolve_rng(rng)
        if not isinstance(data, CheckIns):
            raise bad_input("data", type(data).__name__, "CheckIns", "make_check_ins() makes some")
        latlon = self.place.release(data.latlon, rng=rng)
        hour = self.time.release(data.hour, rng=rng)
        return CheckIns(
            user=data.user,
            hour=hour,
            latlon=latlon,
            place=nearest_place(latlon, data.places),
            places=data.places,
        )

    def log_density(self, output: Any, data: CheckIns) -> NDArray[np.float64]:
        """Log-density of each output (a sequence of check-ins) given the input."""
        place = self.place.log_density(np.stack([z.latlon for z in output]), data.latlon)
        return place + self.time.log_density(np.stack([z.hour for z in output]), data.hour)


def nearest_place(latlon: NDArray[np.float64], places: NDArray[np.float64]) -> NDArray[np.int64]:
    """The number of the nearest of ``places`` for each point, along great circles."""
    from scipy.spatial import cKDTree

    # chords grow with arcs, so a tree in space finds the nearest on the globe
    _, index = cKDTree(latlon_to_vector(places)).query(latlon_to_vector(latlon))
    return np.asarray(index, dtype=np.int64)
