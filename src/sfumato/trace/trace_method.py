"""How a trace is protected: the mechanism by its name, its public parameters, and what they are made of again."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.promise import Guarantee
from sfumato.study.settings import build
from sfumato.trace.core.hidden_place import HiddenPlace
from sfumato.trace.core.hidden_times import samples_of
from sfumato.trace.core.prior_family import PriorFamily, family_of, walking_family
from sfumato.trace.mechanisms.lasting_noise import LastingNoise
from sfumato.trace.mechanisms.remapped_planar import RemappedPlanar
from sfumato.trace.mechanisms.sticky_zone import StickyZone
from sfumato.trace.mechanisms.time_cut import TimeCut
from sfumato.trace.mechanisms.trace_noise import TraceNoise
from sfumato.trace.room import ROOM
from sfumato.validate import choice, positive

if TYPE_CHECKING:
    from sfumato.release import Card

__all__ = ["INPUT", "Hides", "TraceMethod", "kinds"]

Times = NDArray[np.float64]
Hides = Literal["zone", "places", "samples", "points"]
"""What a mechanism is told to hide: a zone, places with their visits, single points, or every point."""
INPUT = ("decimals", "zone", "dedupe", "thin", "zones", "user", "columns")
"""What a card says of the input and output beside the method."""
_SHOWN = ("design", "order", "floor", "margin", "even", "reach", "around", "deviation")


@cache
def kinds() -> dict[str, type]:
    """The mechanisms by their names."""
    return ROOM.mechanisms()


@dataclass(frozen=True, kw_only=True)
class TraceMethod:
    """The public part of a request to protect a trace; a card holds it, so that it can be made again.

    Parameters
    ----------
    mechanism : str
    prior : PriorFamily
        Public knowledge of how people move; the shipped family by default. A zone needs none.
    radius : float
        In metres.
    epsilon : float, optional
        The loss between two places ``radius`` apart; 1 unless the settings name an error instead. That of a cut follows
        from its margin, and this is the most that it may be.
    settings : mapping
        More parameters of the mechanism, such as ``order``, ``margin``, ``floor`` or ``max_error``.
    """

    mechanism: str
    prior: PriorFamily = field(default_factory=walking_family)
    radius: float = 200.0
    epsilon: float | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        choice("mechanism", self.mechanism, list(kinds()))
        positive("radius", self.radius)
        if self.epsilon is None and "error" not in self.settings and not issubclass(self._kind, TimeCut):
            object.__setattr__(self, "epsilon", 1.0)
        if self.epsilon is not None:
            positive("epsilon", self.epsilon)

    @property
    def _kind(self) -> type:
        return kinds()[self.mechanism]

    @property
    def hides(self) -> Hides:
        """What the mechanism has to be told."""
        if issubclass(self._kind, StickyZone):
            return "zone"
        if issubclass(self._kind, RemappedPlanar):
            return "points"
        return "samples" if issubclass(self._kind, TraceNoise) else "places"

    @property
    def lasts(self) -> bool:
        """Whether one noise is drawn for all releases."""
        return issubclass(self._kind, LastingNoise)

    def build(self, times: Times, places: Sequence[HiddenPlace], **private: Any) -> Any:
        """The mechanism for a path seen at these times; ``private`` is what was drawn before."""
        given = dict(self.settings)
        if self.epsilon is not None:
            given["epsilon"] = self.epsilon / self.radius if self.hides == "points" else self.epsilon
        fixed: dict[str, Any] = {"times": times, "radius": self.radius, **private}
        if self.hides == "places":
            fixed |= {"prior": self.prior, "places": list(places)}
            if self.lasts:
                if len(places) != 1:
                    raise bad_input("--secret", len(places), "one place with a noise for ever", "or --daily")
                fixed["place"] = places[0]
        elif self.hides == "samples":
            fixed |= {"prior": self.prior.kernels, "secrets": samples_of(places, times)}
        elif self.hides == "points":
            fixed["prior"] = self.prior.kernels[-1]  # that with the drift: remapping is for the eye only
        return build(kinds(), self.mechanism, given, hidden=(), **fixed)  # the reach of a zone is its size

    def promise(self, mechanism: Any) -> Guarantee:
        """What is said on the card: the ε that was asked for, not the certified one, which tells about secret times.

        The times that are cut out are seen anyway, and so the ε of a cut is the certified one.
        """
        certified: Guarantee = mechanism.guarantee
        if certified.vacuous or self.hides != "samples":
            return certified
        epsilon = self.epsilon if self.epsilon is not None else _two_digits(mechanism.certified_epsilon)
        return replace(certified, epsilon=epsilon, measured_in="m")  # type: ignore[call-arg]

    def total(self, guarantee: Guarantee, points: int) -> Guarantee | None:
        """The promise for the whole path, of which every point may be elsewhere within the radius."""
        if self.hides != "points":
            return None
        near: Any = guarantee
        found: Guarantee = near.within(self.radius).over(points, unit=f"path within {self.radius:g} m")
        return found

    def public(self, mechanism: Any) -> dict[str, Any]:
        """What a card says, as plain values; defaults of the mechanism are spelled out."""
        shaped = {name: getattr(mechanism, name) for name in _SHOWN if hasattr(mechanism, name)}
        given: dict[str, Any] = {"radius": self.radius, "epsilon": self.epsilon}
        given["settings"] = {**shaped, **self.settings}
        return given if self.hides == "zone" else given | {"prior": self.prior.record()}

    @classmethod
    def of_card(cls, card: Card) -> TraceMethod:
        """What a card says, read again."""
        given = {name: value for name, value in card.mechanism.parameters.items() if name not in INPUT}
        try:
            settings = {name: value for name, value in given.pop("settings").items() if name != "deviation"}
            prior = given.pop("prior", None)
            return cls(mechanism=card.mechanism.name, prior=family_of(prior), settings=settings, **given)
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError("the card's parameters cannot be read: expected those of a trace") from error


def _two_digits(value: float) -> float:
    """Rounded up to two digits.

    >>> _two_digits(0.12301)
    0.13
    """
    if value == 0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    near = float(f"{math.ceil(value / unit) * unit:.2g}")
    return near if near >= value else float(f"{near + unit:.2g}")
