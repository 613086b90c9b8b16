"""Traces as a kind of data: ready studies, commands and examples."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from sfumato.study.rooms import Recipe, Room
from sfumato.study.study import Picture, Study, sweep
from sfumato.study.threshold import MEAN_RISK

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sfumato.study.outcome import Outcome
    from sfumato.trace.data.day import Day

__all__ = ["ROOM"]


def day_study(errors: Iterable[float] = (30.0, 100.0, 300.0, 1000.0), seed: int = 0) -> Study:
    """A made-up day with three secret stops: clinic, shop and home."""
    from sfumato.trace.data.day import STREETS, make_day

    day = make_day(seed=seed, every=10.0)
    stops = [day.stops[name] for name in ("clinic", "shop", "evening")]
    visits = [[day.stops["clinic"]], [day.stops["shop"]], [day.stops["home"], day.stops["evening"]]]
    title = "A day with three secret stops"
    study = path_study(
        "day", title, day.times, day.path, stops, list(errors), visits=visits, streets=STREETS, second=1 / 60
    )
    return replace(study, pictures=[partial(_map, study=study, day=day)])


def geolife_study(errors: Iterable[float] = (30.0, 100.0, 300.0, 1000.0), length: int = 150) -> Study:
    """One GeoLife trajectory with the three longest stops secret; needs the public data set."""
    from sfumato.trace.data.published import geolife_day

    times, path, stops = geolife_day(length)
    # Without a map: a report must not show the path of a real person.
    title = "One GeoLife day with three secret stops"
    return path_study("geolife", title, times, path, stops, list(errors), second=1 / 60)


def path_study(
    name: str,
    title: str,
    times: NDArray[np.float64],
    path: NDArray[np.float64],
    stops: list[tuple[float, float]],
    errors: list[float],
    *,
    visits: Sequence[Sequence[tuple[float, float]]] | None = None,
    streets: float = 0.0,
    second: float = 1.0,
) -> Study:
    """A path with secret stops, each an interval of ``times``, under noise of these errors.

    ``visits`` are all visits to the place of each stop, where it is more than the stop itself: noise for the place
    hides them together. ``second`` is a second in the unit of the times: how people move does not depend on how often
    they are seen.
    """
    import numpy as np

    from sfumato.mechanism import PlanarLaplace
    from sfumato.trace import (
        DwellProfile,
        EvidenceAttack,
        HeatMap,
        HiddenPlace,
        Matern,
        PathError,
        PlaceNoise,
        PosteriorAttack,
        RemappedPlanar,
        Secret,
        SpeedProfile,
        StopAttack,
        StreetAttack,
        StrongestAttack,
        TraceNoise,
        White,
    )

    gap = float(np.median(np.diff(times)))
    # Public knowledge of how people move. Fitted to the path itself, the shape of the noise would tell about it.
    length, variance = 1280.0 * second, 2000.0**2
    prior = Matern(length=length, variance=variance) + White(variance=25.0)
    secrets = tuple(Secret((int(np.abs(times - (start + end) / 2).argmin()),)) for start, end in stops)
    radius = 200.0
    common: dict[str, Any] = {"prior": prior, "times": times, "secrets": secrets, "radius": radius}
    levels = [float(np.sqrt(3.0) / error) for error in errors]  # the same mean squared error per coordinate
    places = tuple(
        HiddenPlace(tuple((start / second, end / second) for start, end in seen))
        for seen in visits or [[s] for s in stops]
    )

    def adversary(factor: float, label: str) -> PosteriorAttack:
        wrong = Matern(length=length * factor, variance=variance) + White(variance=25.0)
        return PosteriorAttack(prior=wrong, times=times, secrets=secrets, radius=radius, name=label)

    adversaries = (
        adversary(1.0, "posterior localisation"),
        adversary(0.5, "posterior, assumes a rougher path"),
        adversary(1.5, "posterior, assumes a smoother path"),
        StreetAttack(times=times, secrets=secrets, radius=radius, cell=100.0, speed=60.0, streets=streets, stay=0.8),
        EvidenceAttack(times=times, secrets=secrets, radius=radius, kinds=("matern-3/2",)),
    )
    return Study(
        name=name,
        title=title,
        summary="The path is released with noise. Independent noise on each point is averaged out by an adversary who "
        "knows how people move, and noise for single points by one who knows that people stay. Noise for the places of "
        "the stops is what “trace protect --keep-times” adds. Localisation is the chance that the best of five "
        "adversaries has of finding a secret stop; one of them learns from the release how the person moves.",
        data=path,
        mechanisms={
            "noise for the places": sweep(
                PlaceNoise, epsilon=[3.0, 1.0, 0.3, 0.1], places=places, times=times / second
            ),
            "noise shaped for the secrets": sweep(TraceNoise, error=errors, **common),
            "independent noise": sweep(TraceNoise, error=errors, design="uniform", **common),
            "noise at the secrets only": sweep(TraceNoise, error=errors, design="concentrated", **common),
            "planar Laplace on each point": sweep(PlanarLaplace, epsilon=levels, unit="point"),
            "planar Laplace, remapped": sweep(RemappedPlanar, epsilon=levels, prior=prior, times=times),
        },
        attacks=[
            StrongestAttack(attacks=adversaries, name="localisation"),
            *adversaries,
            StopAttack(times=times, radius=radius, duration=4 * gap),
        ],
        utilities=[
            PathError(),
            HeatMap(cell=500.0),
            SpeedProfile(times=times),
            DwellProfile(times=times, radius=2 * radius, duration=4 * gap),
        ],
        seeds=10,
        varied="error",
        contains={"point": {"trace": len(times)}},
    )


def _map(outcome: Outcome, *, study: Study, day: Day) -> Picture:
    from sfumato.trace.pictures import map_picture

    shown: dict[str, Any] = {label: line[-2 if len(line) > 1 else 0] for label, line in study.mechanisms.items()}
    for_places, shaped = shown["noise for the places"], shown["noise shaped for the secrets"]
    words = (
        f"Noise for the places has ε = {for_places.epsilon:g} and an error of {for_places.plane_error:.0f} m; every "
        f"other method has the same, {math.sqrt(2) * shaped.error:.0f} m."
    )
    return map_picture(day, shaped.secrets, shaped.prior, shown, outcome, words=words)


def temperature_study(errors: Iterable[float] = (0.03, 0.1, 0.3, 1.0), measured: bool = False) -> Study:
    """Two days of room temperature, a daily rhythm; ``measured`` takes the public set SML2010, else a made-up room."""
    import numpy as np

    from sfumato.trace import PathError, Periodic, PosteriorAttack, Secret, TraceNoise, White

    errors = list(errors)
    times = np.arange(48.0)
    if measured:
        from sfumato.trace.data.published import temperature_window

        series = temperature_window()
    else:
        from sfumato.noise import seeded_rng

        series = 20 + 2.5 * np.sin(2 * np.pi * (times - 9) / 24) + seeded_rng(4).normal(0, 0.2, 48)
    variance = 2.0**2  # of room temperatures in general, not of this room
    prior = Periodic(length=1.1, period=24.0, variance=variance) + White(variance=0.01 * variance)
    secrets = (Secret((24,)),)
    common: dict[str, Any] = {"prior": prior, "times": times, "secrets": secrets, "radius": 1.0}
    return Study(
        name="temperature",
        title="Two days of room temperature, one hour secret",
        summary="A room is warm at the same hour every day, so yesterday tells about today. Noise at the secret hour "
        "alone hides nothing.",
        data=series,
        mechanisms={
            "noise shaped for the secret": sweep(TraceNoise, error=errors, **common),
            "independent noise": sweep(TraceNoise, error=errors, design="uniform", **common),
            "published design (SDP_A)": sweep(TraceNoise, error=errors, design="published", **common),
            "noise at the secret only": sweep(TraceNoise, error=errors, design="concentrated", **common),
        },
        attacks=[PosteriorAttack(prior=prior, times=times, secrets=secrets, radius=0.5)],
        utilities=[PathError()],
        seeds=10,
        varied="error",
    )


def crowd_study(epsilons: Iterable[float] = (0.0005, 0.001, 0.003, 0.01), users: int = 60) -> Study:
    """Re-identification in a made-up crowd, after noise on each point."""
    from sfumato.mechanism import PlanarLaplace
    from sfumato.trace import HeatMap, LinkageAttack, PathError, Trips
    from sfumato.trace.data.day import make_crowd

    _, paths = make_crowd(users)
    return Study(
        name="crowd",
        title=f"Recognising {users} people by a few places",
        summary="The attacker knows when each person was at four places, and looks for the path that fits best.",
        data=paths,
        mechanisms={"planar Laplace on each point": sweep(PlanarLaplace, epsilon=list(epsilons), unit="point")},
        attacks=[LinkageAttack(known=4), LinkageAttack(known=1, name="users recognised by one place")],
        utilities=[HeatMap(cell=500.0), Trips(cell=1000.0), PathError()],
        customary={LinkageAttack(known=4).name: MEAN_RISK},
        contains={"point": {"trace": paths.shape[1]}},
        records=users,
    )


ROOM = Room(
    name="trace",
    summary="Location traces and other series in which each point tells about its neighbours.",
    recipes=(
        Recipe(name="day", summary="A made-up day with three secret stops", build=day_study, demo=True),
        Recipe(name="temperature", summary="Two days of room temperature, one hour secret", build=temperature_study),
        Recipe(name="crowd", summary="Recognising people by a few places", build=crowd_study),
        Recipe(name="geolife", summary="One GeoLife day with three secret stops (public data)", build=geolife_study),
    ),
    commands={verb: f"sfumato.trace.commands:{verb}" for verb in ("protect", "attack", "measure", "map")},
    examples="sfumato.trace.examples",
    own="sfumato.trace.own_file:own_study",
)
