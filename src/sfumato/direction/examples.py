"""Mechanisms, attacks and utilities of directions on small examples, for the auditor and the generic checks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.auditor import AuditCase
from sfumato.direction.attacks.direction_guess import DirectionGuessAttack
from sfumato.direction.attacks.habit import HabitAttack
from sfumato.direction.attacks.histogram_linkage import HistogramLinkageAttack
from sfumato.direction.attacks.home import HomeAttack
from sfumato.direction.attacks.record_linkage import RecordLinkageAttack
from sfumato.direction.core.coordinates import Kind, unit_vector
from sfumato.direction.core.directional import DirectionalMechanism
from sfumato.direction.core.group_means import GroupMeans
from sfumato.direction.data.check_ins import CheckIns, make_check_ins
from sfumato.direction.data.directions import Directions
from sfumato.direction.data.sleep import SleepSurvey, make_sleep_survey
from sfumato.direction.mechanisms.bayesian_remap import BayesianRemap
from sfumato.direction.mechanisms.clipped_laplace import ClippedLaplace
from sfumato.direction.mechanisms.directional_trace import DirectionalTrace
from sfumato.direction.mechanisms.elliptical import Elliptical
from sfumato.direction.mechanisms.naive_central_survey import NaiveCentralSurvey
from sfumato.direction.mechanisms.polar_laplace import PolarLaplace
from sfumato.direction.mechanisms.protected_check_ins import ProtectedCheckIns
from sfumato.direction.mechanisms.protected_survey import ProtectedSurvey
from sfumato.direction.mechanisms.purkayastha import Purkayastha
from sfumato.direction.mechanisms.spherical_cap import SphericalCap
from sfumato.direction.mechanisms.von_mises_fisher import VonMisesFisher
from sfumato.direction.mechanisms.wrapped_laplace import WrappedLaplace
from sfumato.direction.utilities.busy_hours import BusyHours
from sfumato.direction.utilities.direction_error import DirectionError
from sfumato.direction.utilities.direction_histogram_error import DirectionHistogramError
from sfumato.direction.utilities.hour_histogram_error import HourHistogramError
from sfumato.direction.utilities.mean_direction_error import MeanDirectionError
from sfumato.direction.utilities.mean_hour_error import MeanHourError
from sfumato.direction.utilities.place_histogram_error import PlaceHistogramError
from sfumato.direction.utilities.rank_agreement import RankAgreement
from sfumato.noise import seeded_rng

__all__ = ["attack_examples", "audit_cases", "hour_outputs", "sphere_outputs", "sphere_pairs", "utility_examples"]

BAD_VECTORS: list[Any] = [[0.6, 0.8001], [0.0, 0.0], [1.0, math.nan], [1.0], [[1.0, 0.0], [2.0, 0.0]]]
BAD_HOURS: list[Any] = [24.0, -0.5, math.nan, [3.0, math.inf], "noon"]
BAD_PLACES: list[Any] = [[90.5, 0.0], [math.nan, 0.0], [48.0], [0.0, 1000.0]]


def sphere_pairs(n: int) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Inputs that almost coincide, and that are at 0.7, at a right angle and opposite."""
    x = np.zeros(n)
    x[0] = 1.0
    pairs = []
    for angle in (1e-3, 0.7, math.pi / 2, math.pi):
        y = np.zeros(n)
        y[0], y[1] = math.cos(angle), math.sin(angle)
        pairs.append((x, y))
    return pairs


def sphere_outputs(n: int, count: int = 400) -> NDArray[np.float64]:
    """Where losses are attained: the inputs, their antipodes, all directions of their plane; and random directions."""
    turn = np.linspace(0, 2 * math.pi, 721)
    plane = np.zeros((len(turn), n))
    plane[:, 0], plane[:, 1] = np.cos(turn), np.sin(turn)
    drawn = seeded_rng(n).standard_normal((count, n))
    return np.concatenate([plane, drawn / np.linalg.norm(drawn, axis=1, keepdims=True)])


def hour_outputs() -> NDArray[np.float64]:
    """Every two minutes of the day, and its very end."""
    return np.concatenate([np.arange(0, 24, 1 / 30), [math.nextafter(24.0, 0.0)]])


_HOURS = [(6.0, 6.05), (6.0, 9.0), (6.0, 18.0), (23.5, 0.25)]
_PLACES = [
    (np.array([48.0, 11.0]), np.array([48.001, 11.002])),
    (np.array([48.0, 179.9]), np.array([47.0, -179.0])),
    (np.array([48.0, 11.0]), np.array([-48.0, -169.0])),
]


def _on_vectors(mechanism: DirectionalMechanism, n: int, source: str) -> AuditCase:
    return AuditCase(
        mechanism=mechanism,
        pairs=sphere_pairs(n),
        outputs=sphere_outputs(n),
        bad=BAD_VECTORS,
        name=f"{type(mechanism).__name__} by {_promise_of(mechanism)}, n = {n}",
        source=source,
        sampler=lambda data, count, rng: mechanism.release(np.tile(data, (count, 1)), rng=rng),
    )


def _promise_of(mechanism: DirectionalMechanism) -> str:
    """The parameter the mechanism was calibrated by: a name for what it promises."""
    return next(name for name in ("epsilon", "pure", "level") if getattr(mechanism, name) is not None)


def _on_hours(mechanism: Any, source: str, name: str = "") -> AuditCase:
    return AuditCase(
        mechanism=mechanism,
        pairs=_HOURS,
        outputs=hour_outputs(),
        bad=BAD_HOURS,
        name=name,
        source=source,
        sampler=lambda data, count, rng: mechanism.release(np.full(count, data), rng=rng),
    )


def _log_area(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Densities of places are per area of the sphere: a square degree is smaller towards the poles."""
    return np.asarray(np.log(np.maximum(np.cos(np.radians(places[:, 0])), 1e-300)))


def _tiled(mechanism: Any, place: NDArray[np.float64], count: int, rng: np.random.Generator) -> Any:
    """Many releases of one place: records get noise of their own."""
    return mechanism.release(np.tile(place, (count, 1)), rng=rng)


def audit_cases() -> Sequence[AuditCase]:
    """Every mechanism, under every kind of promise it makes."""
    vmf, pur = "Weggenmann, Theorem 7.17", "Weggenmann, Theorem 7.21"
    places = np.stack([place for pair in _PLACES for place in pair])
    cases = [_on_vectors(VonMisesFisher(epsilon=2.0), n, vmf) for n in (2, 3, 50)]
    cases += [_on_vectors(Purkayastha(epsilon=2.0), n, pur) for n in (2, 3, 50)]
    cases += [_on_vectors(VonMisesFisher(pure=1.0), 3, vmf), _on_vectors(Purkayastha(pure=1.0), 3, pur)]
    cases += [_on_vectors(SphericalCap(pure=1.0), n, "Bhowmick et al. 2018, PrivUnit₂") for n in (2, 3, 50)]
    cases += [_on_vectors(Purkayastha(level=1.0, radius=0.01), 3, pur)]
    elliptical = Elliptical(epsilon=2.0, stretch=3.0, axis=(1.0, 1.0, 0.5))
    cases += [_on_vectors(elliptical, 3, "pulled back from Weggenmann, Theorem 7.21"), _trace_case()]
    for promise in ({"epsilon": 1.0}, {"pure": 1.0}):
        for calibration in ("tight", "nominal"):
            noise = WrappedLaplace(calibration=calibration, kind="hour", **promise)  # type: ignore[arg-type]
            name = f"WrappedLaplace, {calibration} {next(iter(promise))}"
            cases.append(_on_hours(noise, "Weggenmann §7.3.6.2", name))
    cases.append(_on_hours(Purkayastha(epsilon=1.0, kind="hour"), pur, "Purkayastha of hours"))
    cases.append(_on_hours(ClippedLaplace(pure=1.0, kind="hour"), "Weggenmann §7.3.6.1, at its true loss"))
    for noise_of_places in (Purkayastha(epsilon=1.0, kind="latlon"), PolarLaplace(kappa=1.0)):
        name = f"{type(noise_of_places).__name__} of places"
        source = pur if isinstance(noise_of_places, Purkayastha) else "Weggenmann §7.3.6.3"
        cases.append(
            AuditCase(
                mechanism=noise_of_places,
                sampler=partial(_tiled, noise_of_places),
                pairs=_PLACES,
                outputs=places,
                bad=BAD_PLACES,
                name=name,
                source=source,
                log_volume=_log_area,
            )
        )
    cases += [_remap_case(), *_survey_cases(), *_checkin_cases()]
    return cases


def _trace_case() -> AuditCase:
    """Two hours: traces that differ alike at both, or at one of them."""
    mechanism = DirectionalTrace(epsilon=2.0, length=2, kind="hour")
    pairs = [([6.0, 7.0], [9.0, 10.0]), ([6.0, 7.0], [18.0, 19.0]), ([6.0, 7.0], [18.0, 7.0])]
    hours = np.arange(0, 24, 1.0)
    return AuditCase(
        mechanism=mechanism,
        pairs=[(np.array(x), np.array(y)) for x, y in pairs],
        outputs=np.stack(np.meshgrid(hours, hours), axis=-1).reshape(-1, 2),
        bad=[[24.0, 1.0], [1.0, 2.0, 3.0], 5.0, "noon"],
        source="composition of Weggenmann, Theorem 7.21",
        sampler=lambda trace, count, rng: np.array(mechanism.release([trace] * count, rng=rng)),
        samples=1_000,
    )


def _remap_case() -> AuditCase:
    remap = BayesianRemap(noise=Purkayastha(epsilon=1.0, kind="hour")).fit(np.array([0.0, 6.0, 7.0, 12.0, 18.0]))
    return AuditCase(
        mechanism=remap,
        pairs=[(6.0, 9.0), (6.0, 18.0)],
        bad=BAD_HOURS,
        sampler=lambda hour, count, rng: remap.release(np.full(count, hour), rng=rng),
        samples=5_000,
        source="post-processing",
    )


def _survey_cases() -> Iterable[AuditCase]:
    noise = Purkayastha(pure=1.0, kind="hour")

    def of(hour: float) -> SleepSurvey:
        return SleepSurvey(hour=np.array([[hour], [3.0]]), group=np.array([0, 1]))

    yield AuditCase(
        mechanism=ProtectedSurvey(noise=noise),
        pairs=[(of(6.0), of(18.0)), (of(6.0), of(7.0))],
        bad=[[6.0, 7.0], of(25.0)],
        outputs=[of(hour) for hour in hour_outputs()],
        source="Weggenmann §7.4.3",
    )

    def turned(hour: float) -> SleepSurvey:
        """Answers of one group that cancel but for one person, who turns the mean."""
        return SleepSurvey(hour=np.array([[0.0], [12.0], [hour]]), group=np.zeros(3, dtype=np.int64))

    yield AuditCase(
        mechanism=NaiveCentralSurvey(noise=noise),
        pairs=[(turned(6.0), turned(18.0)), (turned(6.0), turned(7.0))],
        bad=[[6.0, 7.0], turned(25.0)],
        outputs=[GroupMeans(group=np.array([hour]), overall=hour) for hour in hour_outputs()],
        source="Weggenmann §7.4.3, after averaging",
    )


def _checkin_cases() -> Iterable[AuditCase]:
    home, work = np.array([48.0, 11.0]), np.array([48.05, 11.1])
    places = np.stack([home, work])

    def at(place: int, hour: float, off: Any = (0.0, 0.0)) -> CheckIns:
        return CheckIns(
            user=np.zeros(1, dtype=np.int64),
            hour=np.array([hour]),
            latlon=places[[place]] + off,
            place=np.array([place]),
            places=places,
        )

    rng = seeded_rng(0)
    around = rng.standard_normal((80, 2)) * np.geomspace(0.01, 10, 80)[:, None]  # degrees, from near to far
    outputs = [at(number % 2, hour, around[number]) for number, hour in enumerate(rng.uniform(0, 24, 80))]
    outputs += [at(number, hour) for number in (0, 1) for hour in (0.0, 6.0, 12.0, 18.0)]
    noises = {
        "ProtectedCheckIns by arcs": (
            Purkayastha(level=1.0, radius=1e-3, kind="latlon"),
            Purkayastha(epsilon=1.0, kind="hour"),
        ),
        "ProtectedCheckIns by chord and pure": (
            VonMisesFisher(level=1.0, radius=1e-3, kind="latlon"),
            WrappedLaplace(pure=1.0, kind="hour"),
        ),
    }
    for name, (place, time) in noises.items():
        mechanism = ProtectedCheckIns(place=place, time=time)
        yield AuditCase(
            mechanism=mechanism,
            pairs=[(at(0, 6.0), at(1, 6.0)), (at(0, 6.0), at(0, 18.0)), (at(0, 6.0), at(1, 18.0))],
            outputs=outputs,
            bad=[[6.0], at(0, 25.0)],
            name=name,
            source="Weggenmann §7.4.4.3",
        )


def _survey_examples(subjects: Iterable[Any]) -> list[tuple[Any, Any, Any, Any]]:
    survey = make_sleep_survey(people=60, nights=4)
    mechanism = ProtectedSurvey(noise=Purkayastha(pure=5.0, kind="hour"))
    release = mechanism.release(survey, rng=seeded_rng(0))
    return [(subject, survey, release, mechanism) for subject in subjects]


def _checkin_examples(subjects: Iterable[Any]) -> list[tuple[Any, Any, Any, Any]]:
    data = make_check_ins(users=20, places=30, cities=2, records=600)
    mechanism = ProtectedCheckIns(
        place=Purkayastha(level=1.0, radius=1e-4, kind="latlon"), time=Purkayastha(epsilon=2.0, kind="hour")
    )
    release = mechanism.release(data, rng=seeded_rng(0))
    return [(subject, data, release, mechanism) for subject in subjects]


def _direction_examples(subjects: Iterable[Any], kind: Kind) -> list[tuple[Any, Any, Any, Any]]:
    """Hours of two columns, or vectors in space."""
    rng, mechanism = seeded_rng(5), Purkayastha(epsilon=8.0, kind=kind)
    values = rng.uniform(0, 24, (80, 2)) if kind == "hour" else unit_vector(rng.standard_normal((80, 3)))
    data, release = (Directions(values=v, kind=kind) for v in (values, mechanism.release(values, rng=rng)))
    return [(subject, data, release, mechanism) for subject in subjects]


def _mean_examples(subjects: Iterable[Any]) -> list[tuple[Any, Any, Any, Any]]:
    survey = make_sleep_survey(people=60, nights=4)
    mechanism = NaiveCentralSurvey(noise=Purkayastha(pure=5.0, kind="hour"))
    release = mechanism.release(survey, rng=seeded_rng(0))
    return [(subject, survey, release, mechanism) for subject in subjects]


def attack_examples() -> Iterable[tuple[Any, ...]]:
    """One of every attack for every kind of data that it is made for, with data, release and mechanism.

    What ``sfumato direction attack`` runs is derived from here: those whose data and release are of the same type.
    """
    habit, linkage, records = HabitAttack(), HistogramLinkageAttack(), RecordLinkageAttack()
    return [
        *_direction_examples([records, DirectionGuessAttack()], "vector"),
        *_direction_examples([DirectionGuessAttack(kind="hour")], "hour"),
        *_survey_examples([habit, HabitAttack(adaptive=False), records]),
        *_mean_examples([habit]),
        *_checkin_examples([HomeAttack(), habit, linkage, HistogramLinkageAttack(k=3, adaptive=False), records]),
    ]


def utility_examples() -> Iterable[tuple[Any, Any, Any]]:
    """One of every utility for every kind of data that it is made for, with data and release."""
    means = [MeanHourError(), MeanHourError(by_group=True), RankAgreement()]
    examples = [
        *_direction_examples([DirectionError(), DirectionError(median=True), MeanDirectionError()], "vector"),
        *_direction_examples([DirectionHistogramError()], "hour"),
        *_survey_examples(means),
        *_mean_examples(means),
        *_checkin_examples([HourHistogramError(), BusyHours(), PlaceHistogramError()]),
    ]
    return [(subject, data, release) for subject, data, release, _ in examples]
