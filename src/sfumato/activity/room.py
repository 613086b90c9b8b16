"""What the command line and the studies know of this kind of data."""

from __future__ import annotations

from collections.abc import Iterable

from sfumato.study.rooms import Recipe, Room
from sfumato.study.study import Study, sweep

__all__ = ["ROOM"]


def activity_study(people: int = 1_000, epsilons: Iterable[float] = (0.1, 1.0, 10.0, 100.0)) -> Study:
    """One number about each of some made-up people, with noise added before it is collected."""
    from sfumato.activity import ActivityNoise, LinkageAttack, MeanError, make_activity
    from sfumato.activity.pictures import error_picture

    return Study(
        name="activity",
        title=f"One number about each of {people} people",
        summary="Each person adds noise to their number. The attacker knows all numbers and asks who sent which.",
        data=make_activity(people)["value"].to_numpy(),
        mechanisms={"Laplace noise": sweep(ActivityNoise, epsilon=list(epsilons), low=0.0, high=100.0)},
        attacks=[LinkageAttack()],
        utilities=[MeanError()],
        seeds=5,
        pictures=[error_picture],
    )


ROOM = Room(
    name="activity",
    summary="One number about each person, protected before it is collected.",
    recipes=(Recipe(name="activity", summary="One number about each person", build=activity_study, demo=True),),
    commands={
        "protect": "sfumato.activity.commands:protect",
        "attack": "sfumato.activity.commands:attack",
        "measure": "sfumato.activity.commands:measure",
    },
    examples="sfumato.activity.examples",
)
