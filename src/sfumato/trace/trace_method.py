"""How a trace is protected: the mechanism by its name, its public parameters, and the secret times."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.promise import Guarantee
from sfumato.study.settings import build
from sfumato.trace.core.kernel import RBF, Kernel, White
from sfumato.trace.core.kernel_record import kernel_of, kernel_record
from sfumato.trace.core.secret import Secret
from sfumato.trace.mechanisms.remapped_planar import RemappedPlanar
from sfumato.trace.room import ROOM
from sfumato.validate import choice, positive

if TYPE_CHECKING:
    from sfumato.release import Card

__all__ = ["TraceMethod", "kinds", "parse_interval", "secrets_of", "walking_prior"]

Interval = tuple[float, float]
Times = NDArray[np.float64]
_MOST_JOINTLY = 12


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
    prior : Kernel
        Public knowledge of how people move.
    radius : float
        In metres.
    epsilon : float, optional
        The loss between two places ``radius`` apart; 1 unless the settings name an error instead.
    settings : mapping
        More parameters of the mechanism, such as ``order``, ``design``, ``floor`` or ``error``.
    """

    prior: Kernel
    mechanism: str = "trace-noise"
    radius: float = 200.0
    epsilon: float | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        choice("mechanism", self.mechanism, list(kinds()))
        positive("radius", self.radius)
        if self.epsilon is None and "error" not in self.settings:
            object.__setattr__(self, "epsilon", 1.0)
        if self.epsilon is not None:
            positive("epsilon", self.epsilon)

    @property
    def each_point(self) -> bool:
        """Whether every point is protected on its own, so that there are no secret times."""
        return issubclass(kinds()[self.mechanism], RemappedPlanar)

    def build(self, times: Times, secrets: Sequence[Secret]) -> Any:
        """The mechanism for a path seen at these times."""
        given = dict(self.settings)
        if self.epsilon is not None:
            given["epsilon"] = self.epsilon / self.radius if self.each_point else self.epsilon
        fixed: dict[str, Any] = {"prior": self.prior, "times": times, "secrets": secrets, "radius": self.radius}
        return build(kinds(), self.mechanism, given, **fixed)

    def promise(self, mechanism: Any) -> Guarantee:
        """What is said on the card: the ε that was asked for, not the certified one, which tells about secret times."""
        certified: Guarantee = mechanism.guarantee
        if certified.vacuous or self.each_point:
            return certified
        epsilon = self.epsilon if self.epsilon is not None else _two_digits(mechanism.certified_epsilon)
        return replace(certified, epsilon=epsilon)  # type: ignore[call-arg]

    def total(self, guarantee: Guarantee, points: int) -> Guarantee | None:
        """The promise for the whole path, of which every point may be elsewhere within the radius."""
        if not self.each_point:
            return None
        near: Any = guarantee
        found: Guarantee = near.within(self.radius).over(points, unit=f"path within {self.radius:g} m")
        return found

    def public(self, mechanism: Any) -> dict[str, Any]:
        """What a card says, as plain values; defaults of the mechanism are spelled out."""
        shaped = {name: getattr(mechanism, name) for name in ("design", "order", "floor") if hasattr(mechanism, name)}
        given: dict[str, Any] = {"radius": self.radius, "epsilon": self.epsilon}
        return given | {"settings": {**shaped, **self.settings}, "prior": kernel_record(self.prior)}

    @classmethod
    def of_card(cls, card: Card) -> TraceMethod:
        """What a card says, read again."""
        given = {name: value for name, value in card.mechanism.parameters.items() if name != "decimals"}
        try:
            prior = kernel_of(given.pop("prior"))
            return cls(mechanism=card.mechanism.name, prior=prior, **given)
        except (KeyError, TypeError) as error:
            raise InputError("the card's parameters cannot be read: expected those of a trace") from error


def secrets_of(
    secrets: Sequence[str | Secret], times: Times, *, zone: str = "UTC", jointly: bool = False
) -> list[Secret]:
    """The secrets that intervals such as ``12:00-12:30`` stand for: each point, or the interval as a whole; none twice.

    >>> secrets_of(["00:01-00:02"], np.array([0.0, 60.0, 120.0, 180.0]))
    [Secret(indices=(1,)), Secret(indices=(2,))]
    """
    if isinstance(secrets, str) or not secrets:
        raise bad_input("--secret", secrets or None, "intervals such as 12:00-12:30", "say when the place is secret")
    found: list[Secret] = []
    for one in secrets:
        if isinstance(one, Secret):
            found.append(one)
            continue
        during = Secret.during(times, *parse_interval(one, float(times[0]), zone))
        if jointly and len(during.indices) > _MOST_JOINTLY:
            raise bad_input(
                "--jointly",
                f"{len(during.indices)} points",
                f"at most {_MOST_JOINTLY}",
                "hide each of them, or thin the trace",
            )
        found += [during] if jointly else [Secret((index,)) for index in during.indices]
    return list(dict.fromkeys(found))


def parse_interval(text: str, start: float, zone: str = "UTC") -> Interval:
    """``12:00-12:30`` on the day of ``start`` in a time zone, as Unix seconds.

    >>> parse_interval("00:01-00:02", 86400.0)
    (86460.0, 86520.0)
    """
    try:
        clock = ZoneInfo(zone)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        raise bad_input("--zone", zone, "a time zone such as UTC or Europe/Berlin") from None
    day = datetime.fromtimestamp(start, clock).replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        first, second = (datetime.strptime(part.strip(), "%H:%M") for part in text.split("-"))
    except ValueError:
        raise bad_input("secret", text, "an interval such as 12:00-12:30") from None
    low, high = ((day.replace(hour=t.hour, minute=t.minute)).timestamp() for t in (first, second))
    if not low <= high:
        raise bad_input("secret", text, "an interval that begins before it ends")
    return low, high


def walking_prior(times: Times, length: float | None, spread: float) -> Kernel:
    """A public prior of movement: smooth over six sampling periods unless told otherwise, receiver error of 5 m."""
    scale = 6 * float(np.median(np.diff(times))) if length is None else positive("length", length)
    return RBF(length=scale, variance=positive("spread", spread) ** 2) + White(variance=25.0)


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
