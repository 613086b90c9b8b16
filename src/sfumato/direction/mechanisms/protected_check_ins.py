"""Check-ins protected in place and time (Weggenmann §7.4.4.3)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.direction.data.check_ins import CheckIns, nearest_place
from sfumato.direction.promise import PlaceAndTimePrivacy
from sfumato.errors import bad_input
from sfumato.mechanism.base import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import Guarantee

__all__ = ["ProtectedCheckIns"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ProtectedCheckIns(Mechanism):
    """Perturbs place and hour of every check-in, then moves the place to the nearest public one (E11c).

    The last step is post-processing. The released ``latlon`` is the noisy one, for attacks on all that the noise
    reveals; publish ``place`` and ``hour``.

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
            if part.vacuous:
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
