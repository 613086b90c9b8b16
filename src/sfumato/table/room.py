"""Tables as a kind of data: commands, examples and the ready study."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sfumato.study.rooms import Recipe, Room
from sfumato.study.study import Picture, Study
from sfumato.table.explain.private_study import private_study

if TYPE_CHECKING:
    from sfumato.study.outcome import Outcome

__all__ = ["ROOM"]

SECRET = "income"


def census_data(people: int) -> Any:
    """The made-up census with its row numbers."""
    import numpy as np

    from sfumato.table.core.lineage import Lineage
    from sfumato.table.data import make_census

    return Lineage(make_census(people), np.arange(people))


def census_study(people: int = 3_000, sizes: Iterable[int] = (2, 5, 20)) -> Study:
    """Study of a made-up census: optimal generalisation against local recoding."""
    from sfumato.promise import KAnonymity
    from sfumato.table.attacks.homogeneity import HomogeneityAttack
    from sfumato.table.attacks.posterior import PosteriorAttack
    from sfumato.table.attacks.reidentification import ReidentificationAttack
    from sfumato.table.attacks.revealing import RevealingAttack
    from sfumato.table.data import census_schema
    from sfumato.table.mechanisms.recoding.global_recoding import GlobalRecoding
    from sfumato.table.mechanisms.recoding.local_recoding import LocalRecoding
    from sfumato.table.own_file import customary_limits
    from sfumato.table.promise.diversity import LDiversity
    from sfumato.table.utilities.f_ratio import FRatio
    from sfumato.table.utilities.information_lost import InformationLost
    from sfumato.table.utilities.marginals import Marginals
    from sfumato.table.utilities.range_queries import RangeQueries

    schema = census_schema((SECRET,))
    ks = list(sizes)
    return Study(
        name="census",
        title=f"A census of {people} made-up people leaves the house",
        summary="Eight columns an attacker may know, one that must stay secret. Each release is attacked by someone "
        "who knows a victim's record and the method, and put to work in queries and by a learner.",
        data=census_data(people),
        mechanisms={
            "one level a column (optimal), 4 % suppressed": [
                GlobalRecoding(schema=schema, target=[KAnonymity(k)], suppression=0.04) for k in ks
            ],
            "local recoding": [LocalRecoding(schema=schema, target=[KAnonymity(k)]) for k in ks],
            "local recoding, published sets": [
                LocalRecoding(schema=schema, target=[KAnonymity(k)], publish="set") for k in ks
            ],
            "local recoding, two incomes in each class": [
                LocalRecoding(schema=schema, target=[KAnonymity(k), LDiversity(2, SECRET)]) for k in ks
            ],
        },
        attacks=[
            PosteriorAttack(schema=schema),
            ReidentificationAttack(schema=schema),
            RevealingAttack(schema=schema, column=SECRET, statistic="mean"),
            HomogeneityAttack(schema=schema, column=SECRET),
        ],
        utilities=[
            InformationLost(schema=schema),
            FRatio(schema=schema, column=SECRET, positive="high"),
            RangeQueries(schema=schema, queries=60),
            Marginals(schema=schema),
        ],
        seeds=1,
        varied="k",
        pictures=[ClassSizes(people, tuple(ks)), candidates_picture],
        customary=customary_limits(schema),
        records=people,
    )


class ClassSizes:
    """Picture: how large the classes of each kind of release are."""

    def __init__(self, people: int, sizes: tuple[int, ...]) -> None:
        self.people, self.sizes = people, sizes

    def __call__(self, outcome: Outcome) -> Picture:
        from sfumato.promise import KAnonymity
        from sfumato.table.data import census_schema
        from sfumato.table.mechanisms.recoding.global_recoding import GlobalRecoding
        from sfumato.table.mechanisms.recoding.local_recoding import LocalRecoding
        from sfumato.table.pictures import class_size_picture

        schema = census_schema((SECRET,))
        data = census_data(self.people)
        k = self.sizes[len(self.sizes) // 2]
        releases = {
            "raw": data,
            f"one level a column, k = {k}": GlobalRecoding(
                schema=schema, target=[KAnonymity(k)], suppression=0.04
            ).release(data),
            f"local recoding, k = {k}": LocalRecoding(schema=schema, target=[KAnonymity(k)]).release(data),
        }
        return Picture(
            "Who hides among how many",
            class_size_picture(releases, schema),
            "Records by the size of the class they share. Raw, most people are alone; one level a column makes some "
            "classes far larger than promised, which is information lost for nothing.",
        )


def candidates_picture(outcome: Outcome) -> Picture:
    """Risk and utility of each candidate release."""
    from sfumato.table.pictures import candidate_picture

    return Picture(
        "Risk and loss of each candidate release",
        candidate_picture(outcome),
        "Each point is a release. Below and to the left is better: fewer people found, less information lost.",
    )


ROOM = Room(
    name="table",
    summary="Records with quasi-identifiers: k-anonymity, l-diversity, t-closeness, and the attacker who tests them.",
    recipes=(
        Recipe(name="census", summary="A made-up census leaves the house", build=census_study, demo=True),
        Recipe(
            name="private", summary="Adult: classes, samples and made-up records (needs the set)", build=private_study
        ),
    ),
    commands={
        "init": "sfumato.table.commands:init",
        "check": "sfumato.table.commands:check",
        "risk": "sfumato.table.commands:risk",
        "protect": "sfumato.table.commands:protect",
        "synthesise": "sfumato.table.commands:synthesise",
        "attack": "sfumato.table.commands:attack",
        "measure": "sfumato.table.commands:measure",
    },
    examples="sfumato.table.examples",
    own="sfumato.table.own_file:own_study",
)
