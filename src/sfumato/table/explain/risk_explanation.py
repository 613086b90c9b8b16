"""Which column makes the risk, and what coarsening it by one level would give and take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import bad_input
from sfumato.notebook import definitions
from sfumato.study.wording import shown
from sfumato.table.core.classes import Classes
from sfumato.table.core.information_loss import GeneralisedInformationLoss
from sfumato.table.core.lineage import arrow_of
from sfumato.table.core.risk import ClassRisk, class_risk, population_uniques
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import Summary, summarise
from sfumato.table.explain.log_linear import log_linear_risk
from sfumato.table.explain.minimal_uniques import MinimalUniques, minimal_uniques
from sfumato.table.promise.k_map import expected_risk

__all__ = ["ColumnRisk", "RiskExplanation", "ValueRisk", "explain_risk"]


@dataclass(frozen=True)
class ColumnRisk:
    """What one column does to the risk.

    Parameters
    ----------
    column : str
    share : float
        Of the SUDA score: minimal uniques with this column in them. The shares of all columns overlap.
    average_without, unique_without : float
        Average risk and share of unique records if the column were left out.
    steps : int
        How many levels coarser it takes until the average risk or the share of uniques falls by a twentieth; all that
        there are if none does, 0 at the top.
    coarser : str
        A label of that level.
    average_coarser, unique_coarser : float
        Average risk and share of unique records there; NaN at the top.
    loss_coarser : float
        By how much the information loss would rise.
    """

    column: str
    share: float
    average_without: float
    unique_without: float
    steps: int
    coarser: str
    average_coarser: float
    unique_coarser: float
    loss_coarser: float


@dataclass(frozen=True)
class ValueRisk:
    """The share of the SUDA score that comes from minimal uniques with one value in them."""

    column: str
    value: str
    share: float


@dataclass(frozen=True)
class RiskExplanation:
    """Why records of a table stand out. For its owner: it is computed on the raw data and names values.

    Parameters
    ----------
    risk : ClassRisk
        At the levels that were looked at.
    information_loss : float
    levels : dict of str to int
    columns : tuple of ColumnRisk
        The one with the largest share first.
    values : tuple of ValueRisk
        The twenty with the largest share.
    uniques : dict of int to int
        Minimal uniques by their number of columns.
    largest : int
        Columns in the largest set that was looked at.
    population : mapping of str to float
        Estimates for the population, by what they are, where its size was given.
    """

    risk: ClassRisk
    information_loss: float
    levels: dict[str, int]
    columns: tuple[ColumnRisk, ...]
    values: tuple[ValueRisk, ...]
    uniques: dict[int, int]
    largest: int
    population: Mapping[str, float] = field(default_factory=dict)

    @property
    def advice(self) -> list[str]:
        """What to coarsen, the step that lowers the average risk most per information lost first."""
        steps = [one for one in self.columns if one.steps and one.average_coarser < self.risk.marketer]
        steps.sort(key=lambda one: -(self.risk.marketer - one.average_coarser) / max(one.loss_coarser, 1e-9))
        return [
            f"coarsen {one.column} by {'one level' if one.steps == 1 else f'{one.steps} levels'} (to values such as "
            f"{one.coarser}): average risk from {shown(self.risk.marketer)} to {shown(one.average_coarser)}, unique "
            f"records from {100 * self.risk.unique:.1f} % to {100 * one.unique_coarser:.1f} %, information loss up by "
            f"{100 * one.loss_coarser:.1f} points"
            for one in steps
        ]

    def __str__(self) -> str:
        sizes = ", ".join(f"{number} of {size}" for size, number in self.uniques.items())
        lines = [str(self.risk), f"minimal uniques by columns: {sizes}"]
        for one in self.columns:
            lines.append(
                f"{one.column}: in {one.share:.0%} of the score; without it average risk {one.average_without:.3f}, "
                f"{one.unique_without:.1%} unique"
            )
        lines += [f"{what}: {value:.4g}" for what, value in self.population.items()]
        return "\n".join([*lines, *self.advice])

    def _repr_html_(self) -> str:
        return definitions("Risk by column", {one.column: f"{one.share:.0%} of the score" for one in self.columns})

    def write_report(self, path: str | Path) -> None:
        """Write the explanation as an HTML page. It names values of the raw data: not to be handed on."""
        from sfumato.study.report.rendering import page_file, write_page

        words = {"found": self, "most": max((one.share for one in self.columns), default=0.0)}
        write_page("table_risk.html.j2", path, words, {"css": page_file("page.css") + page_file("certificate.css")})


def explain_risk(
    frame: Any,
    schema: Schema,
    *,
    levels: Mapping[str, int] | None = None,
    largest: int = 3,
    population: int | None = None,
) -> RiskExplanation:
    """Explain the risk of a table: by column, by value, and what one level more of each column would change.

    Parameters
    ----------
    frame : pandas, Polars or Arrow table
        The raw table.
    schema : Schema
    levels : mapping of str to int, optional
        Where the columns stand, such as ``release.card.mechanism.parameters["levels"]``; by default raw.
    largest : int
        Columns in the largest set of columns that is searched for minimal uniques.
    population : int, optional
        How many members the population has of which the table is a sample: how much of the risk is left when the
        attacker does not know who is in the table, by three estimators.

    Examples
    --------
    >>> from sfumato.table.data import hospital_schema, make_hospital
    >>> found = explain_risk(make_hospital(500), hospital_schema())
    >>> found.columns[0].column, found.advice[0][:36]
    ('birth_date', 'coarsen birth_date by 4 levels (to v')
    """
    table = arrow_of(frame)
    roles = schema.bound(table)
    if not roles.quasi:
        raise bad_input("schema.quasi", {}, "at least one quasi-identifier")
    unknown = [name for name in levels or {} if name not in roles.quasi]
    if unknown:
        raise bad_input("levels", unknown[0], "a quasi-identifier: " + ", ".join(roles.quasi))
    summary, _ = summarise(table, roles)
    node = [int((levels or {}).get(name, 0)) for name in roles.quasi]
    for name, level, tree in zip(summary.names, node, summary.hierarchies, strict=True):
        if not 0 <= level < tree.height:
            raise bad_input(f"levels[{name!r}]", level, f"0 to {tree.height - 1}")
    cost = GeneralisedInformationLoss(schema.weights).tables(summary)

    def loss(j: int, level: int) -> float:
        return float(cost[j, level][summary.codes[:, j]] @ summary.counts / summary.rows)

    found = minimal_uniques(_at(summary, node), largest=largest)
    shares = found.column_shares()
    columns = []
    for j, name in enumerate(summary.names):
        tree = summary.hierarchies[j]
        top = [*node[:j], tree.height - 1, *node[j + 1 :]]
        without = _risk(summary, top)
        up, coarser = _coarsened(summary, node, j)
        columns.append(
            ColumnRisk(
                name,
                shares[name],
                without.marketer,
                without.unique,
                up,
                tree.labels[node[j] + up][0] if up else "",
                coarser.marketer if up else float("nan"),
                coarser.unique if up else float("nan"),
                loss(j, node[j] + up) - loss(j, node[j]),
            )
        )
    columns.sort(key=lambda one: (-one.share, one.average_without))
    return RiskExplanation(
        _risk(summary, node),
        sum(loss(j, level) for j, level in enumerate(node)),
        dict(zip(summary.names, node, strict=True)),
        tuple(columns),
        tuple(_values(found)),
        found.by_size,
        found.largest,
        {} if population is None else _population(found.table, population),
    )


def _population(table: Summary, population: int) -> dict[str, float]:
    """Estimates for the population at the levels of ``table``."""
    model = log_linear_risk(table, population)
    risk = expected_risk(table.counts.astype(np.float64), table.rows / population)
    return {
        "unique in the population, Pitman or Zayatz": population_uniques(table.counts, population),
        "sample uniques that are unique in the population, Poisson log-linear model": model.population_uniques,
        "average risk of a record, negative binomial (Benedetti and Franconi)": float(risk @ table.counts / table.rows),
    }


def _coarsened(summary: Summary, node: Sequence[int], j: int) -> tuple[int, ClassRisk]:
    """How many levels coarser a column must be for the risk to fall, and the risk there."""
    here = there = _risk(summary, node)
    highest = summary.hierarchies[j].height - 1
    for level in range(node[j] + 1, highest + 1):
        there = _risk(summary, [*node[:j], level, *node[j + 1 :]])
        if here.marketer - there.marketer >= 0.05 or here.unique - there.unique >= 0.05:
            return level - node[j], there
    return highest - node[j], there


def _risk(summary: Summary, node: Sequence[int]) -> ClassRisk:
    return class_risk(Classes.at_levels(summary, node).sizes)


def _at(summary: Summary, node: Sequence[int]) -> Summary:
    """The summary of the table at some levels."""
    from sfumato.table.core.hierarchy import STAR, Hierarchy
    from sfumato.table.core.summary import distinct

    trees = tuple(
        Hierarchy([[label, STAR] for label in tree.labels[level]] if len(tree.labels[level]) > 1 else [[STAR]])
        for tree, level in zip(summary.hierarchies, node, strict=True)
    )
    pairs = zip(summary.hierarchies, node, strict=True)
    coarse = np.stack([tree.codes[level][summary.codes[:, j]] for j, (tree, level) in enumerate(pairs)], axis=1)
    codes, member = distinct(coarse.astype(np.int64), [tree.size for tree in trees])
    counts = np.bincount(member, summary.counts, len(codes)).astype(np.int64)
    return Summary(summary.names, trees, codes, counts)


def _values(found: MinimalUniques) -> list[ValueRisk]:
    listed = [
        ValueRisk(name, value, share)
        for j, name in enumerate(found.table.names)
        for value, share in found.value_shares(j).items()
    ]
    return sorted(listed, key=lambda one: (-one.share, one.column, one.value))[:20]
