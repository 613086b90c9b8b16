"""Mechanisms, attacks and utilities of traces on small examples, for the auditor and the generic checks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from sfumato.auditor import AuditCase
from sfumato.trace.attacks.evidence import EvidenceAttack
from sfumato.trace.attacks.linkage import LinkageAttack
from sfumato.trace.attacks.posterior import PosteriorAttack
from sfumato.trace.attacks.repeat import RepeatAttack
from sfumato.trace.attacks.sighting import Sighting
from sfumato.trace.attacks.stay import StayAttack
from sfumato.trace.attacks.stop import StopAttack
from sfumato.trace.attacks.street import StreetAttack
from sfumato.trace.attacks.street_map import Crowd, MapAttack
from sfumato.trace.attacks.strongest import StrongestAttack
from sfumato.trace.attacks.zone import ZoneAttack
from sfumato.trace.core.hidden_place import HiddenPlace
from sfumato.trace.core.kernel import RBF, Periodic, White
from sfumato.trace.core.secret import Secret
from sfumato.trace.mechanisms.lasting_noise import LastingNoise
from sfumato.trace.mechanisms.place_noise import PlaceNoise
from sfumato.trace.mechanisms.remapped_planar import RemappedPlanar
from sfumato.trace.mechanisms.sticky_zone import StickyZone, ZoneChannel
from sfumato.trace.mechanisms.time_cut import TimeCut
from sfumato.trace.mechanisms.trace_noise import TraceNoise
from sfumato.trace.secret_channel import PlaceChannel, SecretChannel
from sfumato.trace.utilities.dwell_profile import DwellProfile
from sfumato.trace.utilities.heat_map import HeatMap
from sfumato.trace.utilities.path_error import PathError
from sfumato.trace.utilities.speed_profile import SpeedProfile
from sfumato.trace.utilities.trips import Trips

__all__ = ["attack_examples", "audit_cases", "utility_examples"]

TIMES = np.arange(6.0)
_BY_POINTS = "points of the stay in all releases"


def audit_cases() -> list[AuditCase]:
    """Every design by the exact densities of its channel from secret to release, and the mechanisms themselves."""
    smooth, daily = RBF(length=2.0), Periodic(length=1.0, period=24.0)
    basic, pair = Secret((2,)), Secret((2, 3))
    designs: list[tuple[str, dict[str, Any]]] = [
        ("optimal", {"secrets": (basic,), "epsilon": 1.0}),
        ("optimal, two values", {"secrets": (pair,), "error": 0.45}),
        ("optimal, each time", {"secrets": (basic, Secret((4,))), "error": 0.45}),
        ("optimal, two priors", {"secrets": (basic,), "error": 0.45, "prior": (smooth, daily)}),
        ("block", {"secrets": (basic,), "error": 0.45, "design": "block"}),
        ("published", {"secrets": (basic,), "error": 0.45, "design": "published"}),
        ("uniform", {"secrets": (basic,), "error": 0.45, "design": "uniform"}),
    ]
    cases = []
    for name, changes in designs:
        noise = TraceNoise(**{"prior": smooth + White(variance=0.01), "times": TIMES, "radius": 0.5, **changes})
        secret = noise.secrets[0]
        still = np.zeros(len(secret.indices))
        channel = SecretChannel(noise=noise, secret=secret)
        cases.append(
            AuditCase(
                mechanism=channel,
                sampler=channel.sample,
                name=f"TraceNoise ({name})",
                pairs=[(still, still + noise.radius), (still, still + noise.radius * (-1.0) ** np.arange(len(still)))],
                bad=[np.array([np.nan])],
                source="Meehan, Thm 5.3.3 in general form; addenda §1",
                part_of=TraceNoise,
                same_kind=False,
            )
        )
    hidden = TraceNoise(prior=smooth, times=TIMES, secrets=(basic,), radius=0.5, error=0.45)

    def certified(data: Any, release: Any) -> float:
        return float(np.isfinite(hidden.certified_epsilon) and np.shape(release) == np.shape(data))

    path = np.zeros((6, 2))
    cases.append(
        AuditCase(
            mechanism=hidden,
            name="TraceNoise (certificate)",
            pairs=[(path, path + 0.5)],
            reached=certified,
            bad=[np.zeros(5), np.full((6, 2), np.nan), np.zeros((2, 2, 2, 2))],
        )
    )
    return [*cases, *place_cases(), *zone_cases(), remapped_case()]


def place_cases() -> list[AuditCase]:
    """Hidden places by the exact laws of the release given the place, under kernels of the family and without a rest.

    The last two are the residual-free theorem: whatever the rest of the path does, nothing at all included, and however
    many days are seen, the loss of a lasting noise is at most ε.
    """
    times = np.arange(0.0, 961.0, 160.0)
    stay = HiddenPlace(((480.0, 640.0),))
    noise = PlaceNoise(places=[stay], times=times, epsilon=1.0, max_error=1e4)
    cut = TimeCut(places=[stay], times=times, margin=150.0)
    lasting = LastingNoise(place=stay, times=times, epsilon=1.0)
    path = np.zeros((len(times), 2))
    still = np.zeros(1)
    apart = [(still, still + 200.0), (still, still - 200.0)]
    cases = [
        AuditCase(
            mechanism=channel,
            sampler=channel.sample,
            name=f"{type(channel.noise).__name__} ({label})",
            pairs=apart,
            bad=[np.array([np.nan])],
            source="addenda §3",
            part_of=type(channel.noise),
            same_kind=False,
        )
        for label, channel in (
            ("smooth path", PlaceChannel(noise=noise)),
            ("kept points", PlaceChannel(noise=cut, which=3)),
            ("a thousand days", PlaceChannel(noise=lasting, which=5, days=1000)),
            ("a path that does nothing else", PlaceChannel(noise=lasting, which=2, days=1000, still=True)),
        )
    ]
    whole: list[Any] = [noise, cut, lasting]
    return cases + [
        AuditCase(
            mechanism=mechanism,
            pairs=[(path, path + 100.0)],
            reached=lambda data, release: float(np.isfinite(release).all()),
            bad=[np.zeros((2, 2)), np.full(path.shape, np.nan)],
            same_kind=False,
        )
        for mechanism in whole
    ]


def zone_cases() -> list[AuditCase]:
    """The middle of a zone by its exact law, and the zone by what it keeps of two paths that differ inside it."""
    zone = StickyZone(epsilon=1.0, home=(0.0, 0.0))
    middle = ZoneChannel(zone=zone)
    place = np.zeros(2)
    way = np.array([[-3000.0, 0.0], [-1300.0, 0.0], [0.0, 0.0], [900.0, 0.0], [1500.0, 0.0]])
    return [
        AuditCase(
            mechanism=middle,
            sampler=middle.sample,
            name="StickyZone (middle)",
            pairs=[(place, place + np.array([200.0, 0.0])), (place, place - np.array([120.0, 160.0]))],
            bad=[np.array([np.nan, 0.0]), np.zeros(3)],
            source="addenda §3",
            part_of=StickyZone,
        ),
        AuditCase(
            mechanism=zone,
            pairs=[(way, way)],
            reached=lambda data, release: float(len(release) <= len(data)),
            bad=[np.zeros(3), np.zeros((2, 3)), np.full((2, 2), np.nan)],
            same_kind=False,
        ),
    ]


def attack_examples() -> Iterable[tuple[Any, Any, Any]]:
    """One of every attack, with data and release."""
    path = np.repeat([[0.0, 0.0], [500.0, 300.0]], 5, axis=0)
    noisy = path + np.random.default_rng(1).normal(0, 40.0, path.shape)
    times = np.arange(10.0)
    secrets = (Secret((2,)),)
    again = (Sighting(times=times, path=noisy),)
    crowd = np.random.default_rng(2).normal(0, 500.0, (5, 10, 2))
    return [
        (PosteriorAttack(prior=RBF(length=2.0, variance=1e5), times=times, secrets=secrets, radius=100.0), path, noisy),
        (StopAttack(times=times, radius=100.0, duration=3.0), path, noisy),
        (StreetAttack(times=times, secrets=secrets, radius=100.0, cell=50.0, speed=100.0, streets=200.0), path, noisy),
        (EvidenceAttack(times=times, secrets=secrets), path, noisy),
        (EvidenceAttack(times=times, secrets=secrets, stay=True, name="learned path with a stay"), path, noisy),
        (StayAttack(times=times, secrets=secrets, by="mean", name="mean of the stay"), path, noisy),
        (StayAttack(times=times, secrets=secrets, name="best estimate of the stay"), path, noisy),
        (StayAttack(times=times, secrets=secrets, by="neighbours", name="points beside the stay"), path, noisy),
        (StayAttack(times=times, secrets=secrets, by="stop", name="stop nearest in time"), path, noisy),
        (StayAttack(times=times, secrets=secrets, by="longest", name="where most time is spent"), path, noisy),
        (RepeatAttack(times=times, secrets=secrets, earlier=again), path, noisy),
        (RepeatAttack(times=times, secrets=secrets, earlier=again, by="points", name=_BY_POINTS), path, noisy),
        (MapAttack(times=times, secrets=secrets, crowd=Crowd(points=path)), path, noisy),
        *_zone_examples(),
        (LinkageAttack(known=3), crowd, crowd + 1.0),
        (StrongestAttack(attacks=(StopAttack(times=times, radius=100.0, duration=3.0),)), path, noisy),
    ]


def _zone_examples() -> list[tuple[Any, Any, Any]]:
    """A way past a home, with the points near it cut out."""
    steps = 100.0 * np.arange(-30.0, 31.0)
    way = np.stack([steps, 0.1 * steps], axis=1)
    seen = np.where(np.hypot(way[:, 0] - 150, way[:, 1])[:, None] > 1200, way, np.nan)
    given: dict[str, Any] = {"times": 60.0 * np.arange(61), "secrets": (Secret((30,)),), "reach": 1200.0}
    return [
        (ZoneAttack(**given, name="home at the centre of its zone"), way, seen),
        (ZoneAttack(**given, by="both", name="home by the centre and the ways into its zone"), way, seen),
    ]


def utility_examples() -> Iterable[tuple[Any, Any, Any]]:
    """One of every utility, with data and release."""
    path = np.repeat([[0.0, 0.0], [500.0, 300.0]], 5, axis=0)
    noisy = path + np.random.default_rng(1).normal(0, 40.0, path.shape)
    times = np.arange(10.0)
    return [
        (PathError(name="path error, m"), path, noisy),
        (SpeedProfile(times=times, name="speed error, m/s"), path, noisy),
        (DwellProfile(times=times, radius=200.0, duration=3.0), path, noisy),
        (HeatMap(cell=200.0), path, noisy),
        (Trips(cell=200.0), path, noisy),
    ]


def remapped_case() -> AuditCase:
    """Noise on each point with remapping, which keeps the promise of the noise; tested by sampling."""
    times = np.arange(3.0)
    mechanism = RemappedPlanar(epsilon=0.01, prior=RBF(length=2.0, variance=1e5), times=times)
    path = np.zeros((3, 2))
    moved = path.copy()
    moved[1, 0] = 100.0
    return AuditCase(
        mechanism=mechanism, pairs=[(path, moved)], method="sampling", samples=4000, bad=[np.zeros((2, 2)), np.zeros(3)]
    )
