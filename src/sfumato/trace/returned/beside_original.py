"""The release of one person beside the data it was made from: what attacks, measures and pictures start with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.io.frames import to_arrow
from sfumato.release import Release
from sfumato.trace.attacks.belief import law_of
from sfumato.trace.attacks.seen_noise import SeenNoise
from sfumato.trace.attacks.sighting import Interval, Sighting, hidden_intervals
from sfumato.trace.core.gps import GpsTrace, Projection, times_of, trace_of, without_repeats
from sfumato.trace.core.hidden_place import HiddenPlace
from sfumato.trace.core.hidden_times import samples_of
from sfumato.trace.core.kernel import Matrix
from sfumato.trace.core.secret import Secret, all_basic
from sfumato.trace.mechanisms.sticky_zone import StickyZone
from sfumato.trace.trace_method import TraceMethod

__all__ = ["HOME", "PLACES", "BesideOriginal", "places_in"]

Path = NDArray[np.float64]
PLACES, HOME = "places", "home"
"""What the private key holds: visits in Unix seconds, and the place behind a zone in degrees."""


@dataclass(frozen=True, eq=False)
class BesideOriginal:
    """True and released places of one person at the times of the original, in metres.

    Parameters
    ----------
    method : TraceMethod
        What the card says.
    release : Release
    plane : Projection
    times : ndarray of shape (n,)
    truth, seen : ndarray of shape (n, 2)
        NaN in ``seen`` for a point that was left out.
    """

    method: TraceMethod
    release: Release
    plane: Projection
    times: Path
    truth: Path
    seen: Path

    @classmethod
    def read(cls, original: Any, release: Release) -> BesideOriginal:
        """The two, put together by their times."""
        about = release.card.mechanism.parameters
        zone = about.get("zone")
        table = to_arrow(original)
        rows = without_repeats(times_of(table, zone=zone), dedupe=about.get("dedupe", False), thin=about.get("thin"))
        first, second = trace_of(table.take(rows), zone=zone), trace_of(release.arrow, zone=zone)
        at = np.searchsorted(first.times, second.times - 1e-3)
        all_kept = release.card.mechanism.technique_iso20889 == "noise addition" and "zones" not in about
        known = bool((at < len(first.times)).all()) and np.abs(first.times[at] - second.times).max() <= 1
        if not known or (all_kept and len(at) != len(first.times)):
            raise bad_input(
                "release", "other times", "the times of the original", "compare a trace with its own release"
            )
        plane = Projection.about(first)
        seen = np.full((len(first.times), 2), np.nan)
        seen[at] = _metres(plane, second)
        return cls(TraceMethod.of_card(release.card), release, plane, first.times, _metres(plane, first), seen)

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Which points were released."""
        return np.asarray(np.isfinite(self.seen).all(axis=1))

    @cached_property
    def places(self) -> list[HiddenPlace]:
        """What was hidden, by the private key; none for a zone and where every point is protected on its own."""
        if self.method.hides in ("points", "zone"):
            return []
        found = places_in(self.release)
        if found is None:
            raise _no_key()
        return found

    @cached_property
    def secrets(self) -> list[Secret]:
        """The points that were taken at hidden places."""
        if self.method.hides == "points":
            return all_basic(len(self.times))
        if self.method.hides != "zone":
            return samples_of(self.places, self.times)
        held = self.release.key.secrets.get(HOME)
        if held is None:
            raise _no_key()
        home = self.plane.to_metres(np.array([held[0]]), np.array([held[1]]))[0]
        far = np.linalg.norm(self.truth - home, axis=1)
        return [Secret((int(index),)) for index in np.flatnonzero(far <= max(self.method.radius, float(far.min())))]

    @property
    def intervals(self) -> list[Interval]:
        """The hidden intervals."""
        return hidden_intervals(self.times, self.secrets)

    @cached_property
    def mechanism(self) -> Any:
        """The mechanism, made again from card and key; none for a zone. Noise is made for the points outside zones."""
        if self.method.hides == "zone":
            return None
        times = self.times if self.method.mechanism == "time-cut" else self.times[self.kept]
        return self.method.build(times, self.places)

    @property
    def zone(self) -> StickyZone | None:
        """The size of the zone, as the card tells it and without its middle; none if there is none."""
        if self.method.hides != "zone":
            return None
        found: StickyZone = self.method.build(self.times, [], home=(0.0, 0.0), centre=None)
        return found

    @property
    def law(self) -> Matrix | SeenNoise | None:
        """The noise in the released points as the attacker knows it."""
        return law_of(self.mechanism, int(self.kept.sum()))

    @property
    def sighting(self) -> Sighting:
        """What was released, as an attacker sees it."""
        return Sighting(times=self.times[self.kept], path=self.seen[self.kept], noise=self.law)


def places_in(release: Release) -> list[HiddenPlace] | None:
    """The hidden places in the private key of a release; none without it."""
    held = release.key.secrets.get(PLACES)
    if held is None:
        return None
    return [HiddenPlace(tuple((start, end) for start, end in visits)) for visits in held]


def _no_key() -> Exception:
    return bad_input("key", None, "the private key: it says which times were secret", "protect --key FILE writes it")


def _metres(plane: Projection, trace: GpsTrace) -> Path:
    return plane.to_metres(trace.latitude, trace.longitude)
