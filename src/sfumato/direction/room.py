"""Directions as a kind of data: ready studies, commands and examples."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sfumato.study.rooms import Recipe, Room
from sfumato.study.study import Picture, Study
from sfumato.study.threshold import MEAN_RISK

if TYPE_CHECKING:
    from sfumato.direction.data.check_ins import CheckIns
    from sfumato.direction.data.sleep import SleepSurvey
    from sfumato.study.outcome import Outcome

__all__ = ["ROOM"]

THREE_HOURS = math.pi / 4


def sleep_study(
    people: int = 1508, nights: int = 7, epsilons: Iterable[float] = (0.1, 0.3, 1.0, 3.0, 10.0), seeds: int = 5
) -> Study:
    """Study of wake-up times, protected by each respondent or after averaging (E9, E10)."""
    from sfumato.direction.data.sleep import make_sleep_survey

    survey = make_sleep_survey(people=people, nights=nights)
    return hours("sleep", f"When {people} people wake up", survey, epsilons, seeds)


def hours(name: str, title: str, survey: SleepSurvey, epsilons: Iterable[float] | None = None, seeds: int = 5) -> Study:
    """Study of hours that people report, one row a person and one column a night."""
    from sfumato.direction import (
        HabitAttack,
        MeanHourError,
        NaiveCentralSurvey,
        ProtectedSurvey,
        Purkayastha,
        RankAgreement,
        SphericalCap,
        VonMisesFisher,
        WrappedLaplace,
    )

    noises: dict[str, Any] = {
        "von Mises–Fisher": VonMisesFisher,
        "Purkayastha": Purkayastha,
        "wrapped Laplace": WrappedLaplace,
        "spherical cap": SphericalCap,
    }
    levels = list(epsilons or (0.1, 0.3, 1.0, 3.0, 10.0))
    nights = survey.hour.shape[1]
    mechanisms: dict[str, Sequence[Any]] = {
        name: [ProtectedSurvey(noise=noise(pure=epsilon, kind="hour")) for epsilon in levels]
        for name, noise in noises.items()
    }
    mechanisms["Purkayastha on the averages"] = [
        NaiveCentralSurvey(noise=Purkayastha(pure=epsilon, kind="hour")) for epsilon in levels
    ]
    return Study(
        name=name,
        title=title,
        summary=f"Each person reports an hour on {nights} days, every answer under pure ε. The analyst "
        "wants the mean hour of each group; the attacker wants each person's habit and combines all their answers.",
        data=survey,
        mechanisms=mechanisms,
        attacks=[HabitAttack()],
        utilities=[MeanHourError(by_group=True), MeanHourError(), RankAgreement()],
        seeds=seeds,
        varied="pure",
        pictures=[_circle, _sphere, _errors],
        contains={"answer": {"person": nights}},
        records=len(survey),
    )


def busyness_study(
    records: int = 12_000, levels: Iterable[float] = (0.1, 0.3, 1.0, 3.0, 10.0), metres: float = 200.0, seeds: int = 3
) -> Study:
    """Study of when places are busy, on made-up check-ins (E11c)."""
    from sfumato.direction.data.check_ins import make_check_ins

    return busyness("busyness", "When places are busy", make_check_ins(records=records), levels, metres, seeds)


def cab_study(levels: Iterable[float] = (0.1, 1.0, 10.0), metres: float = 200.0, seeds: int = 1) -> Study:
    """Study of when places are busy, on where rides of San Francisco cabs end (E11c; needs the public set)."""
    from sfumato.direction.data.public_check_ins import cab_check_ins

    data = cab_check_ins(most=400)
    title = "When 400 corners of San Francisco are busy"
    return busyness("cab", title, data, levels, metres, seeds, homes=False)  # a cab does not sleep at home


def geolife_study(levels: Iterable[float] = (0.1, 1.0, 10.0), metres: float = 200.0, seeds: int = 2) -> Study:
    """Study of when places are busy, on where GeoLife trajectories end (E11c; needs the public set)."""
    from sfumato.direction.data.public_check_ins import geolife_check_ins

    data = geolife_check_ins(most=400)
    return busyness("geolife", "When 400 corners of Beijing are busy", data, levels, metres, seeds)


def gowalla_study(levels: Iterable[float] = (0.1, 1.0, 10.0), metres: float = 200.0, seeds: int = 1) -> Study:
    """Study of when venues are busy, at their real density and with real visit counts (E11c; needs the public set)."""
    from sfumato.direction.data.public_check_ins import gowalla_check_ins

    data = gowalla_check_ins(metres=2_000.0)
    title = f"When {len(data.places)} venues of central Austin are busy"
    return busyness("gowalla", title, data, levels, metres, seeds, homes=False)  # the set has no nights


def busyness(
    name: str, title: str, data: CheckIns, levels: Iterable[float], metres: float, seeds: int, *, homes: bool = True
) -> Study:
    """Study of visits to places: every check-in is moved in place and time."""
    import numpy as np

    from sfumato.direction import (
        BusyHours,
        HabitAttack,
        HistogramLinkageAttack,
        HomeAttack,
        HourHistogramError,
        PolarLaplace,
        ProtectedCheckIns,
        Purkayastha,
        VonMisesFisher,
        WrappedLaplace,
        metres_to_radians,
    )

    radius = metres_to_radians(metres)
    most = int(np.bincount(data.user).max())  # of all users, the visits of the busiest

    def sweep(place: Any, time: Any) -> list[ProtectedCheckIns]:
        return [ProtectedCheckIns(place=place(level), time=time(level)) for level in levels]

    def both(noise: Any) -> list[ProtectedCheckIns]:
        return sweep(
            lambda level: noise(level=level, radius=radius, kind="latlon"),
            lambda level: noise(level=level, radius=THREE_HOURS, kind="hour"),
        )

    return Study(
        name=name,
        title=title,
        summary=f"Every check-in is moved in place (level ℓ within {metres:g} m) and time (level ℓ within 3 h), then "
        "counted at the nearest place. The analyst wants to know when each place is busy; the attacker "
        + ("where each user lives, " if homes else "")
        + "who is who and when they are about.",
        data=data,
        mechanisms={
            "Purkayastha": both(Purkayastha),
            "von Mises–Fisher": both(VonMisesFisher),
            "polar and wrapped Laplace": sweep(
                lambda level: PolarLaplace(kappa=level / radius),
                lambda level: WrappedLaplace(level=level, radius=THREE_HOURS, kind="hour", calibration="nominal"),
            ),
        },
        attacks=[*([HomeAttack()] if homes else []), HistogramLinkageAttack(), HabitAttack(tolerance=1.0)],
        utilities=[HourHistogramError(), BusyHours()],
        seeds=seeds,
        varied="level",
        pictures=[_sphere],
        contains={"check-in": {"person": most}},
        customary={HistogramLinkageAttack().name: MEAN_RISK},  # who is linked is re-identified
    )


def _circle(outcome: Outcome) -> Picture:
    from sfumato.direction.pictures import circle_picture

    return circle_picture(outcome)


def _sphere(outcome: Outcome) -> Picture:
    from sfumato.direction.pictures import sphere_picture

    return sphere_picture(outcome)


def _errors(outcome: Outcome) -> Picture:
    from sfumato.direction.pictures import error_picture

    return error_picture(outcome)


ROOM = Room(
    name="direction",
    summary="Angles, times of day, unit vectors and places on the globe.",
    recipes=[
        Recipe(name="sleep", summary="A survey of wake-up times (E9, E10).", build=sleep_study, demo=True),
        Recipe(name="busyness", summary="When made-up places are busy (E11c).", build=busyness_study, demo=True),
        Recipe(name="cab", summary="When corners of San Francisco are busy (needs the set).", build=cab_study),
        Recipe(name="gowalla", summary="When venues of central Austin are busy (needs the set).", build=gowalla_study),
        Recipe(name="geolife", summary="When corners of Beijing are busy (needs the set).", build=geolife_study),
    ],
    commands={name: f"sfumato.direction.commands:{name}" for name in ("protect", "attack", "measure", "choose")},
    examples="sfumato.direction.examples",
    own="sfumato.direction.own_file:own_study",
)
