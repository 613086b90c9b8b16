"""The room and its ready studies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sfumato.study.rooms import Recipe, Room
from sfumato.study.study import Picture, Study, sweep

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sfumato.statistic.core.studies import Studies
    from sfumato.study.outcome import Outcome

__all__ = ["ROOM"]

INCOME = (0.0, 250_000.0)
TRIAL: dict[str, Any] = {"delta": 1e-5, "upper": 200.0, "dummies": (0.0, 200.0)}


def _column(count: int, name: str) -> NDArray[np.float64]:
    from sfumato.statistic.data import make_people

    return make_people(count).column(name).to_numpy()


def mean_study(people: int = 2_000, epsilons: Iterable[float] = (0.03, 0.1, 0.3, 1.0, 3.0)) -> Study:
    """The average income of made-up people, with public and with private n."""
    from sfumato.statistic import DifferencingAttack, EmpiricalEpsilonAttack, Error, Mean, MembershipAttack

    values = _column(people, "income")
    common: dict[str, Any] = {"epsilon": list(epsilons), "bounds": INCOME}
    query = Mean(epsilon=1.0, bounds=INCOME)
    return Study(
        name="mean",
        title=f"The average income of {people} people",
        summary="The mean is released with noise. The attacker knows every income but one and the mechanism itself, or "
        "asks for the mean with and without one person.",
        data=values,
        mechanisms={
            "mean, number of people public": sweep(Mean, **common),
            "mean, number of people private": sweep(Mean, neighbours="add-remove", **common),
        },
        attacks=[
            MembershipAttack(repeats=500),
            EmpiricalEpsilonAttack(repeats=500),
            DifferencingAttack(),
            DifferencingAttack(repeats=1000),
        ],
        utilities=[Error(query=query, relative=True), Error(query=query)],
        seeds=6,
        pictures=[_error_picture],
    )


def histogram_study(people: int = 2_000, epsilons: Iterable[float] = (0.01, 0.03, 0.1, 0.3, 1.0)) -> Study:
    """How many made-up people live in each region, under both neighbour relations."""
    from sfumato.statistic import DifferencingAttack, EmpiricalEpsilonAttack, Error, Histogram, MembershipAttack
    from sfumato.statistic.data import REGIONS

    values = _column(people, "region")
    common: dict[str, Any] = {"epsilon": list(epsilons), "categories": REGIONS}
    query = Histogram(epsilon=1.0, categories=REGIONS)
    return Study(
        name="histogram",
        title=f"Where {people} people live",
        summary="Counts of four regions. A replaced person changes two counts, an added one only one: the same ε needs "
        "twice the noise against the first.",
        data=values,
        mechanisms={
            "replace-one neighbours": sweep(Histogram, **common),
            "add-remove neighbours": sweep(Histogram, neighbours="add-remove", **common),
        },
        attacks=[MembershipAttack(), EmpiricalEpsilonAttack(), DifferencingAttack(people=100)],
        utilities=[Error(query=query), Error(query=query, relative=True)],
    )


def quantile_study(people: int = 2_000, epsilons: Iterable[float] = (0.01, 0.03, 0.1, 0.3, 1.0)) -> Study:
    """The quartiles of income of made-up people."""
    from sfumato.statistic import EmpiricalEpsilonAttack, Error, MembershipAttack, Quantile

    quartiles = (0.25, 0.5, 0.75)
    query = Quantile(epsilon=1.0, bounds=INCOME, q=quartiles, points=1000)
    common: dict[str, Any] = {"epsilon": list(epsilons), "bounds": INCOME, "q": quartiles, "points": 1000}
    return Study(
        name="quantile",
        title=f"The quartiles of the income of {people} people",
        summary="Three quantiles share the budget. The attacker knows every income but one.",
        data=_column(people, "income"),
        mechanisms={"quartiles": sweep(Quantile, **common)},
        attacks=[MembershipAttack(repeats=100), EmpiricalEpsilonAttack(repeats=200)],
        utilities=[Error(query=query, relative=True), Error(query=query)],
    )


def _trials() -> Studies:
    from sfumato.noise import seeded_rng
    from sfumato.statistic import make_studies

    return make_studies(200, 10_000, effect=1.4, rng=seeded_rng(7))


def trial_study(epsilons: Iterable[float] = (0.5, 1.0, 2.0, 5.0, 10.0)) -> Study:
    """Private t-tests on made-up trials: the calibrated test and the uncalibrated one."""
    from sfumato.statistic import (
        Discrimination,
        EachPlannedStudy,
        EachStudy,
        EmpiricalEpsilonAttack,
        FalseAlarms,
        MembershipAttack,
        Power,
        PrivateWelch,
    )

    levels = list(epsilons)
    return Study(
        name="t-test",
        title="Does the treatment work? 400 trials of 10 000 people",
        summary="In half of the trials both groups have the same mean, in the others they differ by a tenth of the "
        "standard deviation. A private test must not cry wolf: false alarms have to stay at 5 %.",
        data=_trials,
        mechanisms={
            "calibrated test": sweep(EachPlannedStudy, epsilon=levels, size=10_000, deviation=14.0, **TRIAL),
            "noisy t read as if without noise": [
                EachStudy(test=test) for test in sweep(PrivateWelch, epsilon=levels, **TRIAL)
            ],
        },
        attacks=[MembershipAttack(), EmpiricalEpsilonAttack()],
        utilities=[Discrimination(), FalseAlarms(), Power()],
        seeds=5,
        pictures=[_alarm_picture, _power_picture],
    )


def _error_picture(outcome: Outcome) -> Picture:
    """Error against ε."""
    return _lines(
        outcome,
        "relative error",
        "How far the released mean is off",
        "Each tenfold ε makes the error ten times smaller; hiding the number of people costs about as much again.",
        logarithmic=True,
    )


def _alarm_picture(outcome: Outcome) -> Picture:
    """Type-I error against ε."""
    return _lines(
        outcome,
        "false alarms (type-I error)",
        "False alarms",
        "The dotted line is the level of 5 % that a test must keep. Only the calibrated test keeps it at every ε.",
        level=0.05,
    )


def _power_picture(outcome: Outcome) -> Picture:
    """Power against ε."""
    return _lines(
        outcome,
        "power",
        "Differences found",
        "Power means something only for a test that keeps its level: compare with the false alarms.",
    )


def _lines(
    outcome: Outcome, measure: str, title: str, caption: str, *, logarithmic: bool = False, level: float | None = None
) -> Picture:
    from sfumato.validate import extra

    go = extra("plotly.graph_objects", "report")
    figure = go.Figure()
    for label in outcome.labels:
        rows = outcome.select(label=label, measure=measure)
        places = sorted({row["varied"] for row in rows})
        values = [[row["value"] for row in rows if row["varied"] == place] for place in places]
        figure.add_scatter(x=places, y=[sum(v) / len(v) for v in values], name=label, mode="lines+markers")
    if level is not None:
        figure.add_hline(y=level, line_dash="dot")
    figure.update_xaxes(type="log", title="ε")
    figure.update_yaxes(type="log" if logarithmic else "linear", title=measure)
    return Picture(title, figure, caption, public=True)


ROOM = Room(
    name="statistic",
    summary="Counts, sums, means, variances, histograms, quantiles and t-tests.",
    recipes=(
        Recipe(name="mean", summary="The average income of made-up people", build=mean_study, demo=True),
        Recipe(name="t-test", summary="Level and power of private t-tests", build=trial_study, demo=True),
        Recipe(name="histogram", summary="Where made-up people live", build=histogram_study),
        Recipe(name="quantile", summary="Quartiles of made-up incomes", build=quantile_study),
    ),
    commands={
        "protect": "sfumato.statistic.commands:protect",
        "attack": "sfumato.statistic.commands:attack",
        "measure": "sfumato.statistic.commands:measure",
    },
    examples="sfumato.statistic.examples",
    own="sfumato.statistic.own_file:own_study",
)
