"""What the command line and the studies know of this kind of data."""

from __future__ import annotations

from collections.abc import Iterable

from sfumato.study.rooms import Recipe, Room
from sfumato.study.study import Study, sweep

__all__ = ["ROOM"]


def party_study(people: int = 1_000, epsilons: Iterable[float] = (0.1, 1.0, 10.0, 100.0)) -> Study:
    """One number about each of some made-up people, with noise added before it is collected."""
    from sfumato.party import LinkageAttack, MeanError, PartyNoise, make_party
    from sfumato.party.pictures import error_picture

    return Study(
        name="party",
        title=f"One number about each of {people} people",
        summary="Each person adds noise to their number. The attacker knows all numbers and asks who sent which.",
        data=make_party(people)["value"].to_numpy(),
        mechanisms={"Laplace noise": sweep(PartyNoise, epsilon=list(epsilons), low=0.0, high=100.0)},
        attacks=[LinkageAttack()],
        utilities=[MeanError()],
        seeds=5,
        pictures=[error_picture],
    )


ROOM = Room(
    name="party",
    summary="One number about each person, protected before it is collected.",
    recipes=(Recipe(name="party", summary="One number about each person", build=party_study, demo=True),),
    commands={
        "protect": "sfumato.party.commands:protect",
        "attack": "sfumato.party.commands:attack",
        "measure": "sfumato.party.commands:measure",
    },
    examples="sfumato.party.examples",
)
