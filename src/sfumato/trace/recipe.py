"""The room and its ready studies."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from sfumato.study.room import Recipe, Room
from sfumato.study.shapes import Picture, Study, sweep

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sfumato.study.outcome import Outcome
    from sfumato.trace.prior import Kernel
    from sfumato.trace.secret import Secret

__all__ = ["ROOM"]


def day_study(errors: Iterable[float] = (30.0, 100.0, 300.0, 1000.0), seed: int = 0) -> Study:
    """A made-up day with three secret stops: clinic, shop and home."""
    from sfumato.data.walks import make_day

    day = make_day(seed=seed, every=10.0)
    stops = [day.stops[name] for name in ("clinic", "shop", "evening")]
    return _path_study("day", "A day with three secret stops", day.times, day.path, stops, list(errors), drawn=True)


def geolife_study(errors: Iterable[float] = (30.0, 100.0, 300.0, 1000.0), length: int = 150) -> Study:
    """One GeoLife trajectory with the three longest stops secret; needs the public data set."""
    from sfumato.trace.published_data import geolife_day

    times, path, stops = geolife_day(length)
    # Not drawn: a report must not show the path of a real person.
    return _path_study(
        "geolife", "One GeoLife day with three secret stops", times, path, stops, list(errors), drawn=False
    )


def _path_study(
    name: str,
    title: str,
    times: NDArray[np.float64],
    path: NDArray[np.float64],
    stops: list[tuple[float, float]],
    errors: list[float],
    *,
    drawn: bool,
) -> Study:
    import numpy as np

    from sfumato.mechanism import PlanarLaplace
    from sfumato.trace import (
        RBF,
        DwellProfile,
        HeatMap,
        PathError,
        PosteriorAttack,
        RemappedPlanar,
        Secret,
        SpeedProfile,
        StopAttack,
        StreetAttack,
        TraceNoise,
        White,
    )

    gap = float(np.median(np.diff(times)))
    # Public knowledge of how people move. Fitted to the path itself, the shape of the noise would tell about it.
    length, variance = 5 * gap, 2000.0**2
    prior = RBF(length=length, variance=variance) + White(variance=1e-4 * variance)
    secrets = tuple(Secret((int(np.abs(times - (start + end) / 2).argmin()),)) for start, end in stops)
    radius = 200.0
    common: dict[str, Any] = {"prior": prior, "times": times, "secrets": secrets, "radius": radius}
    levels = [float(np.sqrt(3.0) / error) for error in errors]  # the same mean squared error per coordinate

    def adversary(factor: float, label: str) -> PosteriorAttack:
        wrong = RBF(length=length * factor, variance=variance) + White(variance=1e-4 * variance)
        return PosteriorAttack(prior=wrong, times=times, secrets=secrets, radius=radius, name=label)

    return Study(
        name=name,
        title=title,
        summary="The path is released with noise of a given size. Independent noise on each point is averaged out by "
        "an adversary who knows how people move; noise shaped along the path is not. All methods have the same error.",
        data=path,
        mechanisms={
            "noise shaped for the secrets": sweep(TraceNoise, error=errors, **common),
            "independent noise": sweep(TraceNoise, error=errors, design="uniform", **common),
            "noise at the secrets only": sweep(TraceNoise, error=errors, design="concentrated", **common),
            "planar Laplace on each point": sweep(PlanarLaplace, epsilon=levels, unit="point"),
            "planar Laplace, remapped": sweep(RemappedPlanar, epsilon=levels, prior=prior, times=times),
        },
        attacks=[
            adversary(1.0, "posterior localisation"),
            adversary(0.5, "posterior, assumes a rougher path"),
            adversary(1.5, "posterior, assumes a smoother path"),
            StreetAttack(times=times, secrets=secrets, radius=radius, cell=100.0, speed=60.0, streets=400.0),
            StopAttack(times=times, radius=radius, duration=4 * gap),
        ],
        utilities=[
            PathError(),
            HeatMap(cell=500.0),
            SpeedProfile(times=times),
            DwellProfile(times=times, radius=2 * radius, duration=4 * gap),
        ],
        varied="error",
        pictures=[partial(_map, times=times, path=path, prior=prior, secrets=secrets, error=errors[-2])]
        if drawn
        else [],
    )


def _map(
    outcome: Outcome,
    *,
    times: NDArray[np.float64],
    path: NDArray[np.float64],
    prior: Kernel,
    secrets: tuple[Secret, ...],
    error: float,
) -> Picture:
    """True path, one protected path of each method, and the adversary's 95 % region around each secret."""
    import numpy as np

    from sfumato.mechanism import PlanarLaplace
    from sfumato.noise import seeded_rng
    from sfumato.trace import TraceNoise, covariance, estimate, noise_of, posterior
    from sfumato.validate import extra

    go = extra("plotly.graph_objects", "report")
    common: dict[str, Any] = {"prior": prior, "times": times, "secrets": secrets, "radius": 200.0, "error": error}
    methods = {
        "noise shaped for the secrets": TraceNoise(**common),
        "independent noise": TraceNoise(design="uniform", **common),
        "planar Laplace on each point": PlanarLaplace(epsilon=float(np.sqrt(3) / error)),
    }
    figure = go.Figure()
    figure.add_scatter(x=path[:, 0], y=path[:, 1], mode="lines", name="true path", line={"color": "black", "width": 2})
    places = np.array([secret.indices[0] for secret in secrets])
    turn = np.linspace(0, 2 * np.pi, 61)
    kernel = covariance(prior, times)
    for k, (label, mechanism) in enumerate(methods.items()):
        colour = ("#0072B2", "#D55E00", "#009E73")[k]
        seen = mechanism.release(path, rng=seeded_rng(3))
        noise = noise_of(mechanism, len(times))
        centre, spread = estimate(kernel, noise, seen)[places], np.diag(posterior(kernel, noise)[1])[places]
        figure.add_scatter(
            x=seen[:, 0], y=seen[:, 1], mode="lines", name=label, legendgroup=label, opacity=0.45,
            line={"color": colour, "width": 1}, visible=True if k == 0 else "legendonly",
        )  # fmt: skip
        for (x, y), variance in zip(centre, spread, strict=True):
            reach = float(np.sqrt(5.991 * max(variance, 0.0)))  # χ² with two degrees of freedom, 95 %
            figure.add_scatter(
                x=x + reach * np.cos(turn), y=y + reach * np.sin(turn), mode="lines", fill="toself", opacity=0.5,
                line={"color": colour, "width": 1}, legendgroup=label, showlegend=False, hoverinfo="skip",
            )  # fmt: skip
    figure.add_scatter(
        x=path[places, 0], y=path[places, 1], mode="markers", name="secret stops",
        marker={"color": "black", "symbol": "x", "size": 10},
    )  # fmt: skip
    figure.update_xaxes(title="metres east", scaleanchor="y")
    figure.update_yaxes(title="metres north")
    return Picture(
        "Where the adversary looks",
        figure,
        f"At the same error of {error:.0f} m per coordinate: each disc is where an adversary who knows how people "
        "move finds the secret with 95 % probability. The larger the disc, the better the stop is hidden. "
        "Click a name to show its path.",
    )


def temperature_study(errors: Iterable[float] = (0.03, 0.1, 0.3, 1.0), measured: bool = False) -> Study:
    """Two days of room temperature: a rhythm that never forgets; ``measured`` takes SML2010, else a made-up room."""
    import numpy as np

    from sfumato.trace import PathError, Periodic, PosteriorAttack, Secret, TraceNoise, White

    errors = list(errors)
    times = np.arange(48.0)
    if measured:
        from sfumato.trace.published_data import temperature_window

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
    """Who is who in a made-up crowd, after noise on each point."""
    from sfumato.data.walks import make_crowd
    from sfumato.mechanism import PlanarLaplace
    from sfumato.trace import HeatMap, LinkageAttack, PathError, Trips

    _, paths = make_crowd(users)
    return Study(
        name="crowd",
        title=f"Recognising {users} people by a few places",
        summary="The attacker knows when each person was at four places, and looks for the path that fits best.",
        data=paths,
        mechanisms={"planar Laplace on each point": sweep(PlanarLaplace, epsilon=list(epsilons), unit="point")},
        attacks=[LinkageAttack(known=4), LinkageAttack(known=1, name="users recognised by one place")],
        utilities=[HeatMap(cell=500.0), Trips(cell=1000.0), PathError()],
    )


ROOM = Room(
    name="trace",
    summary="Location traces and other series whose points betray each other.",
    recipes=(
        Recipe(name="day", summary="A made-up day with three secret stops", build=day_study, demo=True),
        Recipe(name="temperature", summary="Two days of room temperature, one hour secret", build=temperature_study),
        Recipe(name="crowd", summary="Recognising people by a few places", build=crowd_study),
        Recipe(name="geolife", summary="One GeoLife day with three secret stops (public data)", build=geolife_study),
    ),
    commands={verb: f"sfumato.trace.commands:{verb}" for verb in ("protect", "attack", "measure")},
    examples="sfumato.trace.examples",
)
