"""The study of a column of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from sfumato.errors import bad_input
from sfumato.study.settings import build
from sfumato.study.study import Study
from sfumato.study.wording import count
from sfumato.validate import choice

__all__ = ["own_study"]

_STATISTICS = ("mean", "sum", "variance", "count", "histogram", "quantile")


def own_study(
    data: Path,
    *,
    column: str,
    mechanism: str = "mean",
    epsilons: Iterable[float] = (0.1, 0.3, 1.0, 3.0, 10.0),
    low: float | None = None,
    high: float | None = None,
    bins: int = 10,
    categories: Sequence[str] = (),
    quantiles: Sequence[float] = (0.5,),
    clip: bool = False,
    neighbours: Sequence[str] = ("replace-one", "add-remove"),
    person: str | None = None,
    repeats: int = 200,
) -> Study:
    """One statistic of a column under several ε, with public and with private number of records.

    Parameters
    ----------
    data : path
    column : str
    mechanism : {"mean", "sum", "variance", "count", "histogram", "quantile"}
    epsilons : iterable of float
    low, high : float
        Public bounds of the values, never taken from the data.
    bins, categories, quantiles
        Of a histogram, and of quantiles.
    clip : bool
        Move values outside the bounds to the nearest bound.
    neighbours : sequence of {"replace-one", "add-remove"}
    person : str, optional
        The column that says whose record it is: each ε is shown with its total for the person who has most of them.
    repeats : int
        Releases drawn in each of the attacker's worlds.
    """
    import numpy as np

    from sfumato.io.files import read_table
    from sfumato.io.frames import column as frame_column
    from sfumato.statistic import Coverage
    from sfumato.statistic.examples import attacks_on, utilities_on
    from sfumato.statistic.question import Question
    from sfumato.statistic.room import ROOM

    table = read_table(data)
    kinds = {name: kind for name, kind in ROOM.mechanisms().items() if name in _STATISTICS}
    kind = kinds[choice("mechanism", mechanism, list(kinds))]
    if not neighbours:
        raise bad_input("neighbours", list(neighbours), "at least one of replace-one and add-remove")

    def made(epsilon: float, relation: str) -> tuple[Any, Question]:
        question = Question(
            kind=kind,
            columns=[column],
            epsilon=epsilon,
            low=low,
            high=high,
            clip=clip,
            bins=bins,
            categories=tuple(categories),
            quantiles=tuple(quantiles),
            neighbours=relation,
        )
        return build(kinds, mechanism, question.parameters(table), hidden=("unit", "model")), question

    levels = list(epsilons)
    words = {"replace-one": "number of records public", "add-remove": "number of records private"}
    lines = {
        f"{mechanism}, {words.get(relation, relation)}": [made(epsilon, relation)[0] for epsilon in levels]
        for relation in neighbours
    }
    query, question = made(1.0, neighbours[0])
    values = question.records(table)
    contains = {}
    if person is not None:
        most = int(np.unique(frame_column(table, person).astype(str), return_counts=True)[1].max())
        contains = {"record": {"person": most}}
    return Study(
        name="own-statistic",
        title=f"The {mechanism} of a column of {count(table.num_rows, 'record')}",
        summary=f"The {mechanism} of “{column}” is released with noise. The attacker knows every record but one and "
        "the mechanism itself.",
        data=values,
        mechanisms=lines,
        attacks=attacks_on(query, repeats),
        utilities=[one for one in utilities_on(query) if not isinstance(one, Coverage)],  # its margin needs this ε
        seeds=5,
        contains=contains,
        records=table.num_rows,
    )
