"""Measure a protected trace, draw it for its owner, and compute again what its card says."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.errors import SfumatoError, bad_input
from sfumato.noise import seeded_rng
from sfumato.release import Check, Release
from sfumato.study.score import Finding
from sfumato.study.study import Picture
from sfumato.trace.attacks.evidence import Belief, place_belief
from sfumato.trace.attacks.zone import ZoneAttack
from sfumato.trace.core.gps import DECIMALS, rounded, trace_of
from sfumato.trace.core.trace_points import beside
from sfumato.trace.mechanisms.sticky_zone import StickyZone
from sfumato.trace.people.own_traces import USER, people_in, people_of
from sfumato.trace.people.results import Result, findings_of
from sfumato.trace.returned.beside_original import BesideOriginal
from sfumato.trace.returned.short_path import fitted_to, some_of, stop_duration
from sfumato.trace.room import ROOM

__all__ = ["measure", "pictures_of", "recompute"]

_MAP_CELL = 500.0


def measure(original: Any, release: Release, *, seed: int = 0) -> list[Finding]:
    """How far the released path, its speeds, stops and map are off, at the points that left; the mean of all people."""
    people = people_in(original, release)
    return findings_of([_measured(BesideOriginal.read(own, one), seed) for _, own, one in people])


def _measured(own: BesideOriginal, seed: int) -> list[Result]:
    times, truth, seen = own.times[own.kept], own.truth[own.kept], own.seen[own.kept]
    context: dict[str, Any] = {"times": times, "radius": 2 * own.method.radius, "cell": _MAP_CELL}
    context["duration"] = stop_duration(times)

    def run(one: Any) -> Result:
        return Result(one, score=one.measure(truth, seen, rng=seeded_rng(seed)))

    return [Result.of(fitted_to(one, context), run) for one, *_ in ROOM.utilities()]


def pictures_of(original: Any, release: Release) -> list[Picture]:
    """Map, covariance of the noise and cost over r and ε of a release of one person, for the owner's eyes only."""
    from sfumato.trace.release_pictures import cost_picture, covariance_picture, release_picture

    if USER in release.card.mechanism.parameters:
        raise bad_input("release", "many people", "the release of one person", "draw one at a time")
    ((_, table, one),) = people_in(original, release)
    own = BesideOriginal.read(table, one)
    method, times = own.method, own.times
    intervals = [] if method.hides == "points" else own.intervals
    zone = own.zone
    beliefs = [place_belief(own.sighting, one) for one in intervals] if zone is None else [_zone_belief(own, zone)]
    pictures = [release_picture(times, own.truth, own.seen, intervals, beliefs)]
    if own.law is not None:
        few = some_of(int(own.kept.sum()), 200)
        noise = own.sighting.take(few).covariance
        pictures.append(covariance_picture(times[own.kept][few], noise))
    if method.hides == "places" and not method.lasts and method.mechanism != "time-cut":
        pictures.append(cost_picture(times[some_of(len(times))], own.places, prior=method.prior))
    return pictures


def _zone_belief(own: BesideOriginal, zone: StickyZone) -> Belief:
    """Where the attacker of a zone looks: about its middle, as far as the card says that the home may be from it."""
    attack = ZoneAttack(times=own.times, secrets=own.secrets, reach=zone.reach, deviation=zone.deviation)
    return Belief(attack.find([own.sighting]), zone.deviation**2)


def recompute(release: Release) -> list[Check]:
    """Check that there is a time and a place in each row and nothing else, and that places lie on the grid."""
    card, table = release.card, release.arrow
    about = card.mechanism.parameters
    try:
        tables = [rows for _, rows in people_of(table, about[USER])] if USER in about else [table]
        traces = [trace_of(rows, zone=about.get("zone")) for rows in tables]
    except SfumatoError as error:
        return [Check(name="columns", result="fails", words=str(error))]
    whole = not any(beside(rows) for rows in tables) and table.num_rows == card.release.rows
    on_grid = about.get("decimals") == DECIMALS and all(
        np.array_equal(rounded(degrees), degrees) for trace in traces for degrees in (trace.latitude, trace.longitude)
    )
    return [
        Check.that(
            "columns", whole, "times and places, as many as the card says", "columns or rows differ from the card"
        ),
        Check.that(
            "grid",
            on_grid,
            f"every place has at most {DECIMALS} decimals",
            f"a place has more than the {DECIMALS} decimals that leave: it was edited",
        ),
    ]
