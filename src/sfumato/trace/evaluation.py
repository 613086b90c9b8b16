"""Attack and measure a protected trace, and compute again what its card says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import SfumatoError, bad_input
from sfumato.io.frames import to_arrow
from sfumato.noise import seeded_rng
from sfumato.release import Check, Release
from sfumato.study.score import Finding
from sfumato.study.study import Picture
from sfumato.trace.attacks.belief import noise_of
from sfumato.trace.attacks.evidence import place_belief
from sfumato.trace.attacks.linkage import LinkageAttack
from sfumato.trace.attacks.locating import LocationAttack
from sfumato.trace.attacks.sighting import Sighting, hidden_intervals
from sfumato.trace.core.gps import (
    DECIMALS,
    GpsTrace,
    Projection,
    rounded,
    times_of,
    trace_of,
    without_repeats,
)
from sfumato.trace.core.hidden_place import HiddenPlace
from sfumato.trace.core.hidden_times import samples_of
from sfumato.trace.core.secret import Secret, all_basic
from sfumato.trace.core.trace_points import beside
from sfumato.trace.people.own_traces import USER, people_in, people_of
from sfumato.trace.people.results import Result, findings_of
from sfumato.trace.room import ROOM
from sfumato.trace.trace_method import TraceMethod

__all__ = ["HOME", "PLACES", "attack", "measure", "pictures_of", "recompute"]

Path = NDArray[np.float64]
PLACES, HOME = "places", "home"
"""What the private key holds: visits in Unix seconds, and the place behind a zone in degrees."""
_WALK = 1.4
"""Metres a second on foot."""
_MAP_CELL = 500.0
_MOST_CELLS = 30_000_000
"""Of a map for each time, which is what tracking along streets holds."""


def attack(original: Any, release: Release, *, seed: int = 0) -> list[Finding]:
    """Try to locate the secret places and the stops. This takes the private key where something is hidden.

    The attacker knows the method and its parameters, how people move, and which times were secret, and learns the rest
    from the release. What the strongest of those who guess a place achieves is said in metres as well. Of many people
    the figures are over all of them.
    """
    return findings_of([_attacked(own, one, seed) for own, one in people_in(original, release)])


def _attacked(original: Any, release: Release, seed: int) -> list[Result]:
    """What each attack finds of one person."""
    method = TraceMethod.of_card(release.card)
    times, truth, seen = _aligned(original, release)
    places, secrets = _hidden(method, original, release, times, truth)
    mechanism = None if method.hides == "zone" else method.build(times, places)
    context: dict[str, Any] = {"times": times, "secrets": secrets, "radius": method.radius}
    context |= {"prior": method.prior.kernels[-1]}
    context |= {name: method.settings[name] for name in ("reach", "deviation") if name in method.settings}
    context |= {"duration": 4 * float(np.median(np.diff(times))), "speed": _WALK, "streets": 0.0}
    context["cell"] = _tracking_cell(truth, method.radius)
    fitted = [_fitted(one, context) for one, *_ in ROOM.attacks()]
    if method.hides != "zone":
        fitted = [replace(one, reach=None) if hasattr(one, "reach") else one for one in fitted]
    # those who guess a place are compared in metres, once
    context["attacks"] = tuple(one for one in fitted if hasattr(one, "secrets") and not isinstance(one, LocationAttack))

    def run(one: Any) -> Result:
        if isinstance(one, LinkageAttack):
            raise bad_input("original", "the trace of one person", "traces of several people, to tell them apart")
        if getattr(one, "takes", ""):
            raise bad_input("original", "one trace", one.takes)
        given: dict[str, Any] = {"mechanism": mechanism, "rng": seeded_rng(seed)}
        if isinstance(one, LocationAttack):
            return Result(one, errors=one.errors(truth, seen, **given), chance=one.by_chance(truth))
        return Result(one, score=one.attack(truth, seen, **given))

    return [Result.of(_fitted(one, context), run) for one in fitted]


def measure(original: Any, release: Release, *, seed: int = 0) -> list[Finding]:
    """How far the released path, its speeds, stops and map are off, at the points that left; the mean of all people."""
    return findings_of([_measured(own, one, seed) for own, one in people_in(original, release)])


def _measured(original: Any, release: Release, seed: int) -> list[Result]:
    method = TraceMethod.of_card(release.card)
    times, truth, seen = _aligned(original, release)
    left = np.isfinite(seen).all(axis=1)
    times, truth, seen = times[left], truth[left], seen[left]
    context: dict[str, Any] = {"times": times, "radius": 2 * method.radius, "cell": _MAP_CELL}
    context["duration"] = 4 * float(np.median(np.diff(times)))

    def run(one: Any) -> Result:
        return Result(one, score=one.measure(truth, seen, rng=seeded_rng(seed)))

    return [Result.of(_fitted(one, context), run) for one, *_ in ROOM.utilities()]


def pictures_of(original: Any, release: Release) -> list[Picture]:
    """Map, covariance of the noise and cost over r and ε of a release of one person, for the owner's eyes only."""
    from sfumato.trace.release_pictures import cost_picture, covariance_picture, release_picture

    if USER in release.card.mechanism.parameters:
        raise bad_input("release", "many people", "the release of one person", "draw one at a time")
    ((own, one),) = people_in(original, release)
    method = TraceMethod.of_card(one.card)
    times, truth, seen = _aligned(own, one)
    places, secrets = _hidden(method, own, one, times, truth)
    kept, intervals = np.isfinite(seen).all(axis=1), hidden_intervals(times, secrets)
    mechanism = None if method.hides == "zone" else method.build(times, places)
    noise = noise_of(mechanism, len(times))
    if kept.all() and noise.any():
        sighting = Sighting(times=times, path=seen, noise=noise)
    else:
        sighting = Sighting(times=times[kept], path=seen[kept])
    if method.hides == "points":
        intervals = []
    pictures = [release_picture(times, truth, seen, intervals, [place_belief(sighting, near) for near in intervals])]
    if noise.any():
        pictures.append(covariance_picture(times, noise))
    if method.hides == "places" and not method.lasts and method.mechanism != "time-cut":
        pictures.append(cost_picture(times, places, prior=method.prior))
    return pictures


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


def _aligned(original: Any, release: Release) -> tuple[Path, Path, Path]:
    """Times, true places in metres, and released ones; NaN where a point was left out."""
    about = release.card.mechanism.parameters
    zone = about.get("zone")
    table = to_arrow(original)
    rows = without_repeats(times_of(table, zone=zone), dedupe=about.get("dedupe", False), thin=about.get("thin"))
    first, second = trace_of(table.take(rows), zone=zone), trace_of(release.arrow, zone=zone)
    at = np.searchsorted(first.times, second.times - 1e-3)
    all_kept = release.card.mechanism.technique_iso20889 == "noise addition" and "zones" not in about
    known = bool((at < len(first.times)).all()) and np.abs(first.times[at] - second.times).max() <= 1
    if not known or (all_kept and len(at) != len(first.times)):
        raise bad_input("release", "other times", "the times of the original", "compare a trace with its own release")
    plane = Projection.about(first)
    seen = np.full((len(first.times), 2), np.nan)
    seen[at] = _metres(plane, second)
    return first.times, _metres(plane, first), seen


def _metres(plane: Projection, trace: GpsTrace) -> Path:
    return plane.to_metres(trace.latitude, trace.longitude)


def _hidden(
    method: TraceMethod, original: Any, release: Release, times: Path, truth: Path
) -> tuple[list[HiddenPlace], list[Secret]]:
    """What was hidden, and the points that were taken there."""
    if method.hides == "points":
        return [], all_basic(len(times))
    held = release.key.secrets.get(HOME if method.hides == "zone" else PLACES)
    if held is None:
        raise bad_input("key", None, "the private key: it says which times were secret", "protect --key FILE writes it")
    if method.hides == "zone":
        plane = Projection.about(trace_of(original, zone=release.card.mechanism.parameters.get("zone")))
        home = plane.to_metres(np.array([held[0]]), np.array([held[1]]))[0]
        far = np.linalg.norm(truth - home, axis=1)
        near = np.flatnonzero(far <= max(method.radius, float(far.min())))
        return [], [Secret((int(index),)) for index in near]
    places = [HiddenPlace(tuple((start, end) for start, end in visits)) for visits in held]
    return places, samples_of(places, times)


def _tracking_cell(truth: Path, radius: float) -> float:
    """Half the radius, or as much more as the size of the region asks for."""
    width, height = np.ptp(truth, axis=0) + 6 * radius
    return max(radius / 2, float(np.sqrt(width * height * len(truth) / _MOST_CELLS)))


def _fitted(example: Any, context: Mapping[str, Any]) -> Any:
    """A registered attack or utility with what is known here in place of the values of its example."""
    known = {one.name: context[one.name] for one in fields(example) if context.get(one.name) is not None}
    return replace(example, **known)
