"""Attack a protected trace, or those of many people, with all that was released before and where others go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.noise import seeded_rng
from sfumato.release import Release
from sfumato.study.score import Finding
from sfumato.trace.attacks.linkage import LinkageAttack
from sfumato.trace.attacks.locating import LocationAttack
from sfumato.trace.attacks.repeat import RepeatAttack
from sfumato.trace.attacks.street_map import Crowd, MapAttack
from sfumato.trace.attacks.zone import ZoneAttack
from sfumato.trace.core.gps import places_of
from sfumato.trace.core.hidden_times import samples_of
from sfumato.trace.people.own_traces import people_in
from sfumato.trace.people.results import Result, findings_of
from sfumato.trace.returned.beside_original import BesideOriginal
from sfumato.trace.returned.other_releases import OtherRelease, other_releases
from sfumato.trace.returned.short_path import ShortPath, fitted_to, stop_duration, tracking_cell
from sfumato.trace.room import ROOM

__all__ = ["attack"]

Path = NDArray[np.float64]
Points = tuple[Path, Path, NDArray[np.int64]]
_WALK = 1.4
"""Metres a second on foot."""
_BEYOND, _CROWD = 3000.0, 100
"""How far beyond the path a map of other people reaches, in metres, and how many points it has at least."""


def attack(
    original: Any, release: Release, *, seed: int = 0, earlier: Sequence[Release] = (), others: Any = None
) -> list[Finding]:
    """Try to locate the secret places and the stops. This takes the private key where something is hidden.

    The attacker knows the method and its parameters, how people move, and which times were secret, and learns the rest
    from the release. What the strongest of those who guess a place achieves is said in metres as well. Of many people
    the figures are over all of them, and it is tried to tell them apart by a few of their places.

    Parameters
    ----------
    original : pandas, Polars or Arrow table
        The data that were protected.
    release : Release
    earlier : sequence of Release
        Other releases of the same person or people: of the same path, or of other days.
    others : pandas, Polars or Arrow table, optional
        Points of other people, a map of where people go. Of many people, the released points of the others are that
        map by default.
    """
    people = [(name, BesideOriginal.read(own, one)) for name, own, one in people_in(original, release)]
    linked = _linked([own for _, own in people], seed) if len(people) > 1 else None
    crowd = _crowd_of([own for _, own in people], others)
    results = []
    for number, (name, own) in enumerate(people):
        told = linked if number == 0 or linked is None else Result(linked.by, reason="told of all people together")
        results.append(_attacked(own, number, seed, other_releases(own, name, earlier), crowd, told))
    return findings_of(results)


def _crowd_of(people: Sequence[BesideOriginal], others: Any) -> Points | None:
    """Latitudes and longitudes of other people, and whose they are: −1 for somebody who is not in the release."""
    if others is not None:
        latitude, longitude = places_of(others)
        return latitude, longitude, np.full(len(latitude), -1)
    if len(people) == 1:
        return None
    parts = [(*places_of(own.release.arrow), np.full(own.release.arrow.num_rows, k)) for k, own in enumerate(people)]
    latitude, longitude, whose = (np.concatenate(part) for part in zip(*parts, strict=True))
    return latitude, longitude, whose


def _attacked(
    own: BesideOriginal,
    number: int,
    seed: int,
    earlier: Sequence[OtherRelease],
    crowd: Points | None,
    linked: Result | None,
) -> list[Result]:
    """What each attack finds of one person."""
    method = own.method
    context: dict[str, Any] = {"secrets": own.secrets, "radius": method.radius, "prior": method.prior.kernels[-1]}
    if own.zone is not None:
        context |= {"reach": own.zone.reach, "deviation": own.zone.deviation}
    context |= {"duration": stop_duration(own.times), "speed": _WALK, "streets": 0.0, "times": own.times}
    context["cell"] = tracking_cell(own.truth, method.radius)
    short = ShortPath.of(own)
    fitted = [fitted_to(one, context) for one, *_ in ROOM.attacks()]
    if method.hides != "zone":
        fitted = [replace(one, reach=None) if hasattr(one, "reach") else one for one in fitted]
    # those who write out covariances are compared by what they believe, those who guess a place in metres
    context["attacks"] = tuple(
        short.fitted(one) for one in fitted if hasattr(one, "secrets") and not isinstance(one, LocationAttack)
    )

    def run(one: Any) -> Result:
        given: dict[str, Any] = {"mechanism": own.mechanism, "rng": seeded_rng(seed)}
        if isinstance(one, LinkageAttack):
            if linked is None:
                raise bad_input("original", "the trace of one person", "traces of several people, to tell them apart")
            return linked
        if isinstance(one, RepeatAttack):
            return _by_all_releases(one, own, earlier, given)
        if isinstance(one, MapAttack):
            one = replace(one, crowd=_crowd(own, number, crowd, one.takes))
        if isinstance(one, ZoneAttack):
            one = replace(one, days=[other.sighting for other in earlier if len(other.sighting.times) > 2])
        if isinstance(one, LocationAttack):
            return Result(one, errors=one.errors(own.truth, own.seen, **given), chance=one.by_chance(own.truth))
        if hasattr(one, "secrets") or hasattr(one, "attacks"):
            if not own.kept.all():
                raise InputError("points were left out of the release, and this attacker needs all of them")
            return Result(one, score=short.attack(short.fitted(one), given["rng"]))
        return Result(one, score=one.attack(own.truth, own.seen, **given))

    return [Result.of(fitted_to(one, context), run) for one in fitted]


def _by_all_releases(
    one: RepeatAttack, own: BesideOriginal, earlier: Sequence[OtherRelease], given: Mapping[str, Any]
) -> Result:
    """Each hidden place by all of its visits, in this and in other releases."""
    errors, chances = [], []
    for number, place in enumerate(own.places):
        visits = [visit for visit in place.visits if visit[1] >= own.times[0] and visit[0] <= own.times[-1]]
        days = [(other.sighting, other.visits[number]) for other in earlier if not other.same and other.visits]
        attack = replace(
            one,
            secrets=samples_of([replace(place, visits=(visits[0],))], own.times),
            earlier=tuple(other.sighting for other in earlier if other.same),
            days=tuple(days),
            visits=tuple(visits),
            stay=not place.moment,
        )
        errors.append(attack.errors(own.truth, own.seen, **given))
        chances.append(attack.by_chance(own.truth))
    if not errors:
        raise bad_input("release", "no hidden visits", "hidden visits to a place", "a zone is attacked by its edge")
    return Result(one, errors=np.concatenate(errors), chance=np.concatenate(chances))


def _crowd(own: BesideOriginal, number: int, points: Points | None, takes: str) -> Crowd:
    """Other people's points near the path, as a map."""
    if points is None:
        raise bad_input("original", "one trace", takes, "--others names a file of them")
    latitude, longitude, whose = points
    low, high = own.truth.min(0) - _BEYOND, own.truth.max(0) + _BEYOND
    south, north = own.plane.to_degrees(np.array([low, high]))[0]
    near = (latitude > south - 0.01) & (latitude < north + 0.01) & (whose != number)
    places = own.plane.to_metres(latitude[near], longitude[near])
    places = places[((places > low) & (places < high)).all(axis=1)]
    if len(places) < _CROWD:
        raise bad_input("others", len(places), f"{_CROWD} points near the path at least", "a map of it tells nothing")
    return Crowd(points=places, cell=max(30.0, float(np.sqrt(np.prod(high - low) / 3e6))))


def _linked(people: Sequence[BesideOriginal], seed: int) -> Result:
    """How many people are recognised by a few of their places, in one plane."""
    one = next(one for one, *_ in ROOM.attacks() if isinstance(one, LinkageAttack))
    plane = people[0].plane

    def moved(own: BesideOriginal, path: Path) -> Path:
        return plane.to_metres(*own.plane.to_degrees(path))

    known = [(own.times, moved(own, own.truth)) for own in people]
    seen = [(own.times[own.kept], moved(own, own.seen[own.kept])) for own in people]
    return Result.of(one, lambda one: Result(one, score=one.recognise(known, seen, rng=seeded_rng(seed))))
