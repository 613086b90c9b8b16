"""What the command line and the studies know of this kind of data."""

from __future__ import annotations

from collections.abc import Iterable

from sfumato.study.rooms import Recipe, Room
from sfumato.study.study import Study, sweep

__all__ = ["ROOM"]


def answers_study(bids: int = 1_000, epsilons: Iterable[float] = (0.1, 0.3, 1.0, 3.0, 10.0)) -> Study:
    """Answers to comparisons of made-up bids, some of them turned before they are shown."""
    from sfumato.party import AnswerAccuracy, AnswerAttack, PrivateAnswers, YesError, make_bids
    from sfumato.party.pictures import answers_picture

    return Study(
        name="answers",
        title=f"Who bids more for {bids} lots",
        summary="Two parties compare their bids by a protocol that tells the answers alone. Each answer is turned by a "
        "coin before it is shown. The attacker knows the coin and asks what the true answers were.",
        data=make_bids(bids)["at_least"].to_numpy(),
        mechanisms={"turned answers": sweep(PrivateAnswers, epsilon=list(epsilons))},
        attacks=[AnswerAttack()],
        utilities=[AnswerAccuracy(), YesError()],
        seeds=5,
        pictures=[answers_picture],
    )


ROOM = Room(
    name="party",
    summary="Two parties compare numbers without showing them.",
    recipes=(Recipe(name="answers", summary="Who bids more, with noisy answers", build=answers_study, demo=True),),
    commands={
        "compare": "sfumato.party.commands:compare",
        "listen": "sfumato.party.commands:listen",
        "identity": "sfumato.party.commands:identity",
        "plan": "sfumato.party.commands:show_plan",
        "protect": "sfumato.party.commands:protect",
        "attack": "sfumato.party.commands:attack",
        "measure": "sfumato.party.commands:measure",
    },
    examples="sfumato.party.examples",
)
