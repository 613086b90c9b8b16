"""The room and its ready studies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from sfumato.study.rooms import Recipe, Room
from sfumato.study.study import Picture, Study

if TYPE_CHECKING:
    from sfumato.study.outcome import Outcome
    from sfumato.survey.data.survey import Survey

__all__ = ["ROOM"]


def colour_map_study(
    n: int = 2000,
    epsilon: float = 2.55,
    alphas: Iterable[float] = (1.0, 4.0, 16.0),
    radii: Sequence[float] = (0.04, 0.08),
    seeds: int = 3,
) -> Study:
    """Syn (Fig. 4.1): eight colours on a map, in patterns of three sizes."""
    from sfumato.survey import (
        BayesianAttack,
        GaussianProcessAttack,
        Groups,
        Learnability,
        LearnedAttack,
        MajorityVoteAttack,
        MapError,
        Prediction,
        chosen_order,
    )
    from sfumato.survey.data.survey import make_colour_map

    survey = make_colour_map(n)
    groups = {f"shuffled within {radius:g}": Groups.from_places(survey.where, radius=radius) for radius in radii}
    orders = {label: chosen_order(group, survey.where, alpha=4.0).order for label, group in groups.items()}
    mechanisms = collections(survey, epsilon, list(alphas), groups, orders)
    shown = _panels(mechanisms, alpha=4.0)
    near = 1.5 * max(radii)  # the attacker looks farther than the groups reach
    return Study(
        name="colour-map",
        title=f"Eight colours on a map of {n} people",
        summary="Each person reports one of eight colours under local privacy, and a shuffler hides who sent which "
        "report within a radius. The analyst wants the map; the attacker wants each person's colour.",
        data=survey,
        mechanisms=mechanisms,
        attacks=[
            MajorityVoteAttack(radius=near),
            BayesianAttack(radius=near, repeats=10),
            LearnedAttack(trees=15, repeats=10),
            GaussianProcessAttack(learned=500),
        ],
        utilities=[
            Learnability(radius=near, trees=15, owners=1000),
            MapError(),
            Prediction(merge=1, trees=15, name="accuracy, 8 colours"),
            Prediction(merge=4, trees=15, name="accuracy, 2 clusters"),
        ],
        seeds=seeds,
        varied="alpha",
        contains={"answer": {"person": 1}},
        pictures=[partial(_map, survey, shown)],
    )


def adult_study(
    epsilon: float = 2.5,
    alphas: Iterable[float] = (1.0, 4.0, 16.0),
    reaches: Sequence[int] = (5, 50, 250),
    seeds: int = 2,
) -> Study:
    """Adult: income above 50K, hidden among people of nearly the same age (needs the public set)."""
    from sfumato.survey import sorted_order
    from sfumato.survey.data.public_sets import adult_survey

    survey = adult_survey()
    order = sorted_order(survey.where[:, 0])
    return _banded_study(
        "adult",
        f"Who earns more than 50K, of {survey.n} people",
        "Income above 50K, age as the public place, marital status as side knowledge of the attacker.",
        survey,
        order,
        (epsilon, list(alphas), reaches, seeds),
        radius=1.0,
    )


def housing_study(
    epsilon: float = 2.5,
    alphas: Iterable[float] = (1.0, 4.0, 16.0),
    reaches: Sequence[int] = (5, 50, 250),
    seeds: int = 2,
) -> Study:
    """ACS: own or rent in 31 areas of the USA, hidden among people of the same or the next area (public set)."""
    from sfumato.survey import Groups, linked_order
    from sfumato.survey.data.public_sets import housing_survey

    survey = housing_survey()
    areas = Groups.from_places(survey.where, radius=0, geometry="globe")
    order = linked_order(areas, survey.where, geometry="globe")
    return _banded_study(
        "housing",
        f"Who owns a home, of {survey.n} people in 31 areas",
        "Group quarters, own or rent, by the middle of the census area, with the income decile as side knowledge.",
        survey,
        order,
        (epsilon, list(alphas), reaches, seeds),
        radius=20.0,
    )


def hospital_study(
    n: int = 10_000,
    epsilon: float = 2.5,
    alphas: Iterable[float] = (1.0, 4.0, 16.0),
    radii: Sequence[float] = (0.0, 1.0, 2.0),
    sites: int = 2_500,
    seeds: int = 2,
) -> Study:
    """PUDF-like: who pays for a hospital stay, hidden among patients of the same and of near hospitals (made up).

    With few hospitals for so many patients (200 for 10 000) even the people of one make a uniform shuffle, and so do
    those within 10 km whatever their number.
    """
    from sfumato.survey import Groups
    from sfumato.survey.data.survey import make_hospital_stays

    survey = make_hospital_stays(n, sites=sites)
    groups = {f"shuffled within {radius:g} km": Groups.from_places(survey.where, radius=radius) for radius in radii}
    return _grouped_study(
        "hospital",
        f"Who pays for {n} hospital stays",
        "Payer of a stay, hospital as the public place, the amount as side knowledge of the attacker. Groups are the "
        "patients of all hospitals within a radius; within 0 km those of the same hospital.",
        survey,
        groups,
        (epsilon, list(alphas), seeds),
        radius=10.0,
    )


def friends_study(
    epsilon: float = 2.5, alphas: Iterable[float] = (1.0, 4.0, 16.0), hops: Sequence[int] = (1, 2), seeds: int = 2
) -> Study:
    """Gowalla: who goes out in Austin, hidden among friends and friends of friends (needs the public set)."""
    from sfumato.survey.data.public_sets import friends_survey

    read = {count: friends_survey(hops=count) for count in hops}
    survey = next(iter(read.values()))[0]
    groups = {f"shuffled within {count} step{'s' * (count > 1)}": found for count, (_, found) in read.items()}
    return _grouped_study(
        "friends",
        f"Who goes out in Austin, of {survey.n} people",
        "Groups are the owners within so many steps of friendship. A graph has no map: the place of an owner is its "
        "place in an order of the friendships, and attackers vote over owners near in it; one learns from friends.",
        survey,
        groups,
        (epsilon, list(alphas), seeds),
        radius=12.0,
        fellows=groups[f"shuffled within {hops[0]} step{'s' * (hops[0] > 1)}"],
    )


def _grouped_study(
    name: str,
    title: str,
    summary: str,
    survey: Survey,
    groups: dict[str, Any],
    settings: tuple[Any, ...],
    *,
    radius: float,
    fellows: Any = None,
) -> Study:
    """Groups as they are, each with the order that keeps most of the map."""
    from sfumato.survey import (
        BayesianAttack,
        GaussianProcessAttack,
        GroupEstimates,
        Learnability,
        LearnedAttack,
        MajorityVoteAttack,
        chosen_order,
    )

    epsilon, alphas, seeds = settings
    # One order a line, so that its cells differ by α alone: the best for the largest α, since where α is so small that
    # nothing of the map is left all orders are alike.
    orders = {label: chosen_order(group, survey.where, alpha=max(alphas)).order for label, group in groups.items()}
    mechanisms = collections(survey, epsilon, alphas, groups, orders)
    shuffled = [one.shuffler for label in groups for one in mechanisms[label]]
    even = sum(shuffler.theta * survey.n < 1 for shuffler in shuffled)  # a report travels about 1/θ places
    if even:
        summary += f" {even} of {len(shuffled)} shuffles among groups are practically uniform: groups are too wide."
    return Study(
        name=name,
        title=title,
        summary=summary,
        data=survey,
        mechanisms=mechanisms,
        attacks=[
            BayesianAttack(radius=radius),
            LearnedAttack(fellows=fellows),
            MajorityVoteAttack(radius=radius),
            GaussianProcessAttack(),
        ],
        utilities=[Learnability(radius=radius), GroupEstimates(radius=radius)],
        seeds=seeds,
        varied="alpha",
        contains={"answer": {"person": 1}},
    )


def _banded_study(
    name: str, title: str, summary: str, survey: Survey, order: Any, settings: tuple[Any, ...], *, radius: float
) -> Study:
    from sfumato.survey import BayesianAttack, GroupEstimates, Groups, Learnability, LearnedAttack, MajorityVoteAttack

    epsilon, alphas, reaches, seeds = settings
    groups = {f"shuffled among {2 * reach + 1}": Groups.banded(order, reach=reach) for reach in reaches}
    mechanisms = collections(survey, epsilon, alphas, groups, dict.fromkeys(groups, order))
    return Study(
        name=name,
        title=title,
        summary=summary + " Each person hides among the nearest others, ties in the order of the file.",
        data=survey,
        mechanisms=mechanisms,
        attacks=[
            BayesianAttack(radius=radius),
            LearnedAttack(),
            MajorityVoteAttack(radius=radius),
            MajorityVoteAttack(radius=radius, answer=1, name=f"majority vote on {survey.categories[1]!r}"),
        ],
        utilities=[Learnability(radius=radius), GroupEstimates(radius=radius)],
        seeds=seeds,
        varied="alpha",
        contains={"answer": {"person": 1}},
        pictures=[partial(_map, survey, _panels(mechanisms, alpha=4.0))],
    )


def collections(
    survey: Survey, epsilon: float, alphas: list[float], groups: dict[str, Any], orders: dict[str, Any]
) -> dict[str, Sequence[Any]]:
    """Local privacy only, one line of α for each collection of groups, and the uniform shuffle."""
    from sfumato.mechanism import RandomizedResponse
    from sfumato.survey import Collection, Groups, Shuffler

    front = RandomizedResponse(epsilon=epsilon, categories=survey.k)
    mechanisms: dict[str, Sequence[Any]] = {"local privacy only": [Collection(front=front)]}
    for label, group in groups.items():
        mechanisms[label] = [
            Collection(front=front, shuffler=Shuffler(alpha=alpha, groups=group, order=orders[label]))
            for alpha in alphas
        ]
    everyone = Shuffler(alpha=0.0, groups=Groups.everyone(survey.n))
    mechanisms["uniform shuffle"] = [Collection(front=front, shuffler=everyone)]
    return mechanisms


def _panels(mechanisms: dict[str, Sequence[Any]], *, alpha: float) -> dict[str, Any]:
    """One collection a line for the map, the shuffled ones at the α nearest to the one wanted; at most four."""
    lines = {
        label: min(line, key=lambda m: abs(m.alpha - alpha)) if len(line) > 1 else line[0]
        for label, line in mechanisms.items()
    }
    labels = list(lines)
    if len(labels) > 4:
        labels = [labels[0], labels[1], labels[-2], labels[-1]]
    return {
        label + (f", α = {lines[label].alpha:g}" if label.startswith("shuffled") else ""): lines[label]
        for label in labels
    }


def _map(survey: Survey, shown: dict[str, Any], outcome: Outcome) -> Picture:
    from sfumato.survey.pictures import map_picture

    return map_picture(survey, shown, outcome)


ROOM = Room(
    name="survey",
    summary="One answer per person, collected through a shuffler that hides each among its neighbours",
    recipes=[
        Recipe(
            name="colour-map",
            summary="eight colours on a made-up map, local, shuffled and uniform",
            build=colour_map_study,
            demo=True,
        ),
        Recipe(name="adult", summary="income by age on the Adult set", build=adult_study),
        Recipe(name="hospital", summary="payer of made-up hospital stays, by hospital", build=hospital_study),
        Recipe(name="friends", summary="who goes out in Austin, hidden among Gowalla friends", build=friends_study),
        Recipe(name="housing", summary="own or rent in 31 census areas of the ACS", build=housing_study),
    ],
    commands={
        "protect": "sfumato.survey.commands:protect",
        "attack": "sfumato.survey.commands:attack",
        "measure": "sfumato.survey.commands:measure",
    },
    examples="sfumato.survey.examples",
    own="sfumato.survey.own_file:own_study",
)
