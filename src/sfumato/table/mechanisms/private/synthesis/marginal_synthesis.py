"""Synthetic records from noisy marginals, with differential privacy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.promise import ApproxDP, Assumption, ZeroConcentratedDP
from sfumato.table.core.hierarchy import Hierarchy
from sfumato.table.core.rules.hierarchy_rules import Flat
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import leaf_codes
from sfumato.table.mechanisms.base import Released, TableMechanism
from sfumato.table.mechanisms.private.synthesis.law_estimate import estimate_law, estimate_total
from sfumato.table.mechanisms.private.synthesis.measured_marginals import MeasuredMarginals
from sfumato.validate import choice, integer, positive, probability

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MarginalSynthesis"]


@dataclass(frozen=True, kw_only=True, eq=False)
class MarginalSynthesis(TableMechanism):
    """Release made-up records that agree with noisy counts of pairs of columns: (ε, δ)-DP for each record.

    **Theorem.** All that is computed from the records are noisy counts, with ``rho``-zCDP (the proof stands at
    :class:`~sfumato.table.mechanisms.private.synthesis.measured_marginals.MeasuredMarginals`, where it is audited), and
    ``rho``-zCDP is (ε, δ)-DP. Everything else is computed from what was measured. The condition: the values that a
    column can have are public.

    The method is AIM (McKenna, Mullins, Sheldon and Miklau 2022). The records are drawn from the law of maximum entropy
    that fits all measurements (:func:`~sfumato.table.mechanisms.private.synthesis.law_estimate.estimate_law`). No row
    is anybody's: relations among more columns than were measured together are lost, and so are rare combinations.

    Parameters
    ----------
    schema : Schema
        All columns with a role but identifiers are made. Their listed hierarchies say which values there are.
    epsilon, delta : float
        The promise.
    order : {2, 3}
        How many columns are measured together at most.
    rounds : int, optional
        By how much ε is spread at first; by default four for each column.
    most : int
        A column with more values is made at the finest level with no more.
    cells : int
        The size of the model.
    domain : {"listed", "observed"}
        Whether the values of columns without a listed hierarchy are refused, or taken from the table on the condition
        that they are public.

    Examples
    --------
    >>> from sfumato.table.data import census_schema, make_census
    >>> mechanism = MarginalSynthesis(schema=census_schema(), epsilon=1.0, delta=1e-6)
    >>> print(mechanism.guarantee)
    ε = 1, δ = 1e-06 per record (add-remove neighbours, central model), provided that the hierarchy is public
    >>> made = mechanism.release(make_census(2_000))
    >>> made.column_names[:3], 1_500 < made.num_rows < 2_500
    (['sex', 'age', 'origin'], True)
    """

    technique = "synthetic data"
    covers_all = True
    makes_up = True

    epsilon: float
    delta: float
    order: int = 2
    rounds: int | None = None
    most: int = 128
    cells: int = 1 << 17
    domain: Literal["listed", "observed"] = "listed"

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("epsilon", self.epsilon, "a promise needs ε > 0")
        probability("delta", self.delta, "Gaussian noise has no pure ε")
        integer("order", self.order, least=2, most=3)
        integer("most", self.most, least=2)
        integer("cells", self.cells, least=4)
        if self.rounds is not None:
            integer("rounds", self.rounds)
        choice("domain", self.domain, ("listed", "observed"))
        if self.domain == "listed" and self._unlisted:
            raise bad_input(
                "columns without listed values",
                list(self._unlisted),
                "a hierarchy that lists the values they can have",
                'give one, or say domain="observed" if the values that occur are public',
            )

    @property
    def _unlisted(self) -> tuple[str, ...]:
        """Columns of which only the table says which values there are."""
        without = [name for name, tree in self.schema.secrets.items() if tree is None]
        return (*self.schema.rules, *without, *self.schema.insensitive)

    @property
    def guarantee(self) -> ApproxDP:
        """(ε, δ)-DP for adding or removing one record."""
        public = [Assumption("hierarchy")]
        if self._unlisted:
            public.append(Assumption("values that occur in " + ", ".join(self._unlisted)))
        return ApproxDP(self.epsilon, self.delta, neighbours="add-remove").assuming(*public)

    @property
    def plan(self) -> str:
        return f"counts of up to {self.order} columns are measured with ρ = {self.rho:.4g} in all"

    @cached_property
    def rho(self) -> float:
        """The largest ρ for which ρ-zCDP is (ε, δ)-DP, rounded down."""

        def enough(rho: float) -> bool:
            return ZeroConcentratedDP(rho).as_approx(self.delta).epsilon <= self.epsilon

        low, high = 0.0, float(self.epsilon)
        while high - low > 1e-9 * high:
            middle = (low + high) / 2
            low, high = (middle, high) if enough(middle) else (low, middle)
        return low

    def measuring(self, sizes: Sequence[int]) -> MeasuredMarginals:
        """What is computed from the records: noisy counts of columns with so many values each."""
        return MeasuredMarginals(
            rho=self.rho, sizes=tuple(sizes), order=self.order, rounds=self.rounds, cells=self.cells
        )

    def _release(self, table: pa.Table, rng: Rng) -> Released:
        import pyarrow as pa

        names, trees = self._columns(table)
        levels = [_level(tree, self.most) for tree in trees]
        codes = np.stack(
            [
                tree.codes[level][leaf_codes(table[name], tree, name, self.schema)]
                for name, tree, level in zip(names, trees, levels, strict=True)
            ],
            axis=1,
        ).astype(np.int64)
        sizes = [len(tree.labels[level]) for tree, level in zip(trees, levels, strict=True)]
        measured = self.measuring(sizes).measure(codes, rng)
        law = estimate_law(sizes, measured, steps=1_000)
        made = law.draw(round(estimate_total(measured)), rng)
        columns = [
            pa.DictionaryArray.from_arrays(pa.array(made[:, j]), pa.array(tree.labels[level], pa.string()))
            for j, (tree, level) in enumerate(zip(trees, levels, strict=True))
        ]
        return pa.table([one.cast(pa.string()) for one in columns], names=names), np.full(len(made), -1)

    def _columns(self, table: pa.Table) -> tuple[list[str], list[Hierarchy]]:
        given = self.schema
        trees: dict[str, Any] = {**given.quasi, **given.secrets, **dict.fromkeys(given.insensitive)}
        rules = {**given.rules, **{name: Flat() for name, tree in trees.items() if tree is None}}
        quasi = {name: rules.get(name, tree) for name, tree in trees.items()}
        bound = Schema(quasi=quasi, missing=given.missing, missing_values=given.missing_values).bound(table)
        names = [name for name in table.column_names if name in bound.quasi]
        return names, [bound.quasi[name] for name in names]


def _level(tree: Hierarchy, most: int) -> int:
    """The finest level with at most so many labels."""
    return next(level for level, labels in enumerate(tree.labels) if len(labels) <= most)
