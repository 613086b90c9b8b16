"""Synthetic records from noisy marginals, with differential privacy."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Exponential, Gaussian
from sfumato.noise import Rng
from sfumato.promise import ApproxDP, Assumption, ZeroConcentratedDP
from sfumato.table.core.hierarchy import Hierarchy
from sfumato.table.core.rules.hierarchy_rules import Flat
from sfumato.table.core.schema import Schema
from sfumato.table.core.summary import leaf_codes
from sfumato.table.mechanisms.base import Released, TableMechanism
from sfumato.table.mechanisms.private.synthesis.junction_tree import Columns, Law, tree_cells
from sfumato.table.mechanisms.private.synthesis.law_estimate import Measured, estimate_law, estimate_total
from sfumato.validate import choice, integer, positive, probability

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MarginalSynthesis"]

Floats = NDArray[np.float64]

CHOOSING = 0.1
"""The share of a round's budget that choosing costs; the rest is for measuring (McKenna et al. 2022)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MarginalSynthesis(TableMechanism):
    """Release made-up records that agree with noisy counts of pairs of columns: (ε, δ)-DP for each record.

    **Theorem.** Adding or removing a record changes one cell of a table of counts by one. Every such table is measured
    with discrete Gaussian noise: 1/(2σ²)-zCDP. Which one is measured next is chosen by the exponential mechanism with
    weights exp(η·q/2) on scores q of sensitivity 1: its log-ratios lie in an interval of length η (Dong, Durfee and
    Rogers 2020), so that it is η²/8-zCDP (Cesar and Rogers 2021). The sum of all ρ is at most ``rho``, also where a
    round's share depends on rounds before it (Feldman and Zrnic 2021), and ``rho``-zCDP is (ε, δ)-DP. Everything else
    is computed from what was measured. The condition: the values that a column can have are public.

    The method is AIM (McKenna, Mullins, Sheldon and Miklau 2022): single columns are measured, then in each round the
    set of columns on which the model is most wrong, q = ‖counts − model‖₁ − its expected noise; the model is the law
    of maximum entropy that fits all measurements (:func:`~sfumato.table.mechanisms.private.synthesis.law_estimate.
    estimate_law`), on a junction tree of at most ``cells`` cells. A round that taught less than its noise doubles what
    the next ones cost. No row is anybody's: relations among more columns than were measured together are lost, and so
    are rare combinations.

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
        measured = list(self.measure(codes, sizes, rng))
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

    def measure(self, codes: NDArray[np.int64], sizes: Sequence[int], rng: Rng) -> Iterator[Measured]:
        """The noisy marginals: everything that is computed from the records.

        Parameters
        ----------
        codes : ndarray of shape (records, columns)
        sizes : sequence of int
            How many values each column has.
        """
        wide = len(sizes)
        share = self.rho / (4 * wide if self.rounds is None else max(self.rounds, wide + 1))
        left = self.rho
        found = []
        for column in range(wide):
            left -= share
            found.append(self._noisy(codes, sizes, (column,), share, rng))
            yield found[-1]
        law = estimate_law(sizes, found)
        options = [
            columns
            for count in range(2, self.order + 1)
            for columns in combinations(range(wide), count)
            if prod(sizes[column] for column in columns) <= self.cells
        ]
        while options and left > 0:
            share = left if left < 2 * share else share  # what would be left over is spent at once
            left = 0.0 if share == left else left - share
            open_to = [one for one in options if self._fits(sizes, found, one)]
            if not open_to:
                return
            columns = self._choose(codes, sizes, open_to, law, found, share, rng)
            found.append(self._noisy(codes, sizes, columns, (1 - CHOOSING) * share, rng))
            yield found[-1]
            before, total = law.marginal(columns), estimate_total(found)
            law = estimate_law(sizes, found, start=law, steps=30)
            if total * np.abs(law.marginal(columns) - before).sum() <= _noise(found[-1].sigma, before.size):
                share *= 4

    def _fits(self, sizes: Sequence[int], found: Sequence[Measured], columns: Columns) -> bool:
        return tree_cells(sizes, [*(one.columns for one in found), columns]) <= self.cells

    def _choose(
        self,
        codes: NDArray[np.int64],
        sizes: Sequence[int],
        options: Sequence[Columns],
        law: Law,
        found: Sequence[Measured],
        share: float,
        rng: Rng,
    ) -> Columns:
        """The columns on which the model is most wrong, drawn by the exponential mechanism."""
        sigma, total = _sigma((1 - CHOOSING) * share), estimate_total(found)
        scores = np.empty(len(options))
        for place, columns in enumerate(options):
            off = np.abs(_counts(codes, sizes, columns) - total * law.marginal(columns)).sum()
            scores[place] = off - _noise(sigma, prod(sizes[column] for column in columns))
        # exp(η·q/2) has ρ = η²/8. A score's float error, below 1e-6 of one record, is charged with its sensitivity.
        eta = math.sqrt(8 * CHOOSING * share) / (1 + 1e-9)
        return options[Exponential(epsilon=eta, sensitivity=1 + 1e-6, neighbours="add-remove").release(scores, rng=rng)]

    def _noisy(
        self, codes: NDArray[np.int64], sizes: Sequence[int], columns: Columns, share: float, rng: Rng
    ) -> Measured:
        sigma = _sigma(share)
        noise = Gaussian(sigma=sigma, sensitivity=1.0, grid=1.0, neighbours="add-remove")
        counts = _counts(codes, sizes, columns)
        return Measured(columns, noise.release(counts, rng=rng), sigma)


def _sigma(share: float) -> float:
    """The noise that ρ-zCDP needs, rounded up."""
    return math.sqrt(1 / (2 * share)) * (1 + 1e-9)


def _noise(sigma: float, cells: int) -> float:
    """The expected L₁ norm of the noise on a marginal."""
    return math.sqrt(2 / math.pi) * sigma * cells


def _counts(codes: NDArray[np.int64], sizes: Sequence[int], columns: Columns) -> NDArray[np.int64]:
    """How many records have each combination of values."""
    key = np.zeros(len(codes), np.int64)
    for column in columns:
        key = key * sizes[column] + codes[:, column]
    shape = [sizes[column] for column in columns]
    return np.bincount(key, minlength=prod(shape)).reshape(shape)


def _level(tree: Hierarchy, most: int) -> int:
    """The finest level with at most so many labels."""
    return next(level for level, labels in enumerate(tree.labels) if len(labels) <= most)
