"""Other releases of the same person, as an attacker puts them together with the one that is attacked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sfumato.errors import bad_input
from sfumato.release import Key, Release
from sfumato.trace.attacks.belief import law_of, noisy_points
from sfumato.trace.attacks.sighting import Interval, Sighting
from sfumato.trace.core.gps import trace_of
from sfumato.trace.core.hidden_place import HiddenPlace
from sfumato.trace.core.kernel import Vector
from sfumato.trace.people.own_traces import persons
from sfumato.trace.returned.beside_original import BesideOriginal, places_in
from sfumato.trace.trace_method import TraceMethod

__all__ = ["OtherRelease", "other_releases", "with_keys"]

_DAY = 86400.0


@dataclass(frozen=True, eq=False)
class OtherRelease:
    """Another release of a person: its points in the plane of the one that is attacked, and the visits in it.

    Parameters
    ----------
    sighting : Sighting
    visits : list of list of (start, end)
        To each of the hidden places, when it was visited on the days of this release.
    same : bool
        Whether it is of the same stretch of path: then its noise can be filtered against the other.
    """

    sighting: Sighting
    visits: list[list[Interval]]
    same: bool


def other_releases(own: BesideOriginal, name: str, earlier: Sequence[Release]) -> list[OtherRelease]:
    """What was released of the person earlier; of releases of many people, the part of that name.

    The attacker knows which times were secret, here too. Without the key of an earlier release these are the same
    moments if it has them, and the same hours of its days else.
    """
    found = []
    for release in earlier:
        people = dict(persons(release))
        if name in people:
            found.append(_read(own, people[name]))
    return found


def with_keys(paths: Sequence[Path], keys: Sequence[Path]) -> list[Release]:
    """Releases in files, each with the key that names it, if there is one among the keys."""
    held = {key.release: key for key in (Key.read(path) for path in keys)}
    found = []
    for path in paths:
        release = Release.read(path)
        if release.card.kind != "trace":
            raise bad_input("--earlier", path, "a release of a trace")
        found.append(replace(release, key=held.pop(release.card.id, release.key)))
    if held:
        raise bad_input("--earlier-key", len(held), "keys of the releases that --earlier names", "leave others out")
    return found


def _read(own: BesideOriginal, release: Release) -> OtherRelease:
    method = TraceMethod.of_card(release.card)
    trace = trace_of(release.arrow, zone=release.card.mechanism.parameters.get("zone"))
    path, times = own.plane.to_metres(trace.latitude, trace.longitude), trace.times
    same = bool(times[0] <= own.times[-1] and times[-1] >= own.times[0])
    places = places_in(release) or _like(own, times, same)
    if len(places) != len(own.places):
        places = _like(own, times, same)
    mechanism = None
    if release.card.mechanism.technique_iso20889 == "noise addition" and (places or method.hides == "points"):
        mechanism = method.build(times, places)
    law = law_of(mechanism, len(times))
    visits = [[(start, end) for start, end in place.visits] for place in places]
    return OtherRelease(Sighting(times=times, path=noisy_points(mechanism, path), noise=law), visits, same)


def _like(own: BesideOriginal, times: Vector, same: bool) -> list[HiddenPlace]:
    """The hidden places at the same moments, or at the same hours of the first day of these times."""
    days = 0.0 if same else round((float(times[0]) - float(own.times[0])) / _DAY) * _DAY
    found = []
    for place in own.places:
        visits = tuple((start + days, end + days) for start, end in place.visits)
        inside = tuple((start, end) for start, end in visits if end >= times[0] and start <= times[-1])
        found.append(HiddenPlace(inside or visits))
    return found
