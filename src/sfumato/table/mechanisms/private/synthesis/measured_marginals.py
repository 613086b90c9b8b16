"""Noisy counts of the columns that a model of the records is most wrong about."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Exponential, Gaussian, Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import ZeroConcentratedDP
from sfumato.table.mechanisms.private.synthesis.junction_tree import Columns, Law, tree_cells
from sfumato.table.mechanisms.private.synthesis.law_estimate import Measured, estimate_law, estimate_total
from sfumato.validate import integer, positive

__all__ = ["MeasuredMarginals", "count_records"]

CHOOSING = 0.1
"""The share of a round's budget that choosing costs; the rest is for measuring (McKenna et al. 2022)."""

Ask = Callable[[Sequence[Columns], Sequence[Measured], Law | None, float], Measured]
"""Gives the next measurement: which columns are open, what was measured before, the model of it (none where there is
nothing to choose) and the ρ it may cost."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuredMarginals(Mechanism):
    """Measure single columns, then round by round the columns on which the model is most wrong: ρ-zCDP for each record.

    **Theorem.** Adding or removing a record changes one cell of a table of counts by one. Every such table is measured
    with discrete Gaussian noise: 1/(2σ²)-zCDP. Which one is measured next is chosen by the exponential mechanism with
    weights exp(η·q/2) on scores q of sensitivity 1: its log-ratios lie in an interval of length η (Dong, Durfee and
    Rogers 2020), so that it is η²/8-zCDP (Cesar and Rogers 2021). The sum of all ρ is at most ``rho``, also where a
    round's share depends on rounds before it (Feldman and Zrnic 2021).

    The score is q = ‖counts − model‖₁ − its expected noise; the model is the law of maximum entropy that fits what was
    measured, on a junction tree of at most ``cells`` cells. A round that taught less than its noise doubles what the
    next ones cost (AIM: McKenna, Mullins, Sheldon and Miklau 2022).

    Parameters
    ----------
    rho : float
        The promise.
    sizes : tuple of int
        How many values each column has.
    order : int
        How many columns are measured together at most.
    rounds : int, optional
        By how much ρ is spread at first; by default four for each column.
    cells : int
        The size of the model.

    Examples
    --------
    >>> records = np.array([[0, 0], [0, 0], [1, 2], [1, 2], [1, 1]])      # the values of each record, as numbers
    >>> mechanism = MeasuredMarginals(rho=1000.0, sizes=(2, 3), rounds=3)    # hardly any noise, so that one can see
    >>> mechanism.release(records)            # column 0; column 1; the third of (0,), (1,), (0, 1), and its counts
    array([0., 2., 3., 1., 2., 1., 2., 2., 2., 0., 0., 0., 1., 2.])
    """

    rho: float
    sizes: tuple[int, ...]
    order: int = 2
    rounds: int | None = None
    cells: int = 1 << 17

    def __post_init__(self) -> None:
        positive("rho", self.rho, "a promise needs ρ > 0")
        for size in self.sizes:
            integer("sizes", size)

    @property
    def guarantee(self) -> ZeroConcentratedDP:
        """ρ-zCDP for adding or removing one record."""
        return ZeroConcentratedDP(self.rho, neighbours="add-remove")

    @property
    def step(self) -> float:
        """Counts are whole numbers, noise included."""
        return 1.0

    @cached_property
    def _options(self) -> list[Columns]:
        """All that may be measured: every column, then every set of columns that is small enough."""
        wide = range(len(self.sizes))
        several = (columns for count in range(2, self.order + 1) for columns in combinations(wide, count))
        return [(column,) for column in wide] + [one for one in several if self._cells(one) <= self.cells]

    def _cells(self, columns: Columns) -> int:
        return prod(self.sizes[column] for column in columns)

    def release(self, data: Any, *, rng: Rng | None = None) -> NDArray[np.float64]:
        """All measurements in one row: the place of its columns among the options, then its counts, each after each.

        Parameters
        ----------
        data : ndarray of shape (records, columns)
        """
        places = {columns: place for place, columns in enumerate(self._options)}
        found = self.measure(data, resolve_rng(rng))
        return np.concatenate([[places[one.columns], *one.counts.ravel()] for one in found])

    def measure(self, codes: NDArray[np.int64], rng: Rng) -> list[Measured]:
        """The noisy counts: everything that is computed from the records."""
        codes = self._checked(codes)

        def ask(options: Sequence[Columns], found: Sequence[Measured], law: Law | None, share: float) -> Measured:
            paid = CHOOSING * share if len(found) >= len(self.sizes) else 0.0
            columns = options[0]
            if law is not None:
                chosen: int = _choice(paid).release(self._scores(codes, options, found, law, share - paid), rng=rng)
                columns = options[chosen]
            noise = _noise(share - paid)
            return Measured(columns, noise.release(count_records(codes, self.sizes, columns), rng=rng), noise.scale)

        return self._run(ask)

    def log_prob(self, output: Any, data: Any) -> NDArray[np.float64]:
        """The log-probability of each row of measurements, −∞ for what is none; for small tables, to audit them."""
        codes = self._checked(data)
        rows = [np.asarray(row, np.float64) for row in output]
        drawn: dict[Gaussian, list[tuple[int, NDArray[np.float64]]]] = {}  # the rows that drew this noise, and what
        total = np.array([self._read(row, codes, place, drawn) for place, row in enumerate(rows)])
        for noise, parts in drawn.items():
            cells = np.concatenate([cells for _, cells in parts])
            places = np.repeat([place for place, _ in parts], [len(cells) for _, cells in parts])
            np.add.at(total, places, noise.log_prob(cells, np.array(0.0)))
        return total

    def _read(
        self,
        row: NDArray[np.float64],
        codes: NDArray[np.int64],
        place: int,
        drawn: dict[Gaussian, list[tuple[int, NDArray[np.float64]]]],
    ) -> float:
        """The log-probability of what was chosen in a row, −∞ for a row that cannot be; its noise goes to ``drawn``."""
        total, at, all_options = 0.0, 0, self._options

        def ask(options: Sequence[Columns], found: Sequence[Measured], law: Law | None, share: float) -> Measured:
            nonlocal total, at
            said = row[at]
            columns = all_options[int(said)] if 0 <= said < len(all_options) and said == int(said) else ()
            if columns not in options:
                raise IndexError("no such columns at this place")
            paid = CHOOSING * share if len(found) >= len(self.sizes) else 0.0
            if law is not None:
                scores = self._scores(codes, options, found, law, share - paid)
                total += float(_choice(paid).log_probs(scores)[options.index(columns)])
            noise, counts = _noise(share - paid), count_records(codes, self.sizes, columns)
            shown = row[at + 1 : at + 1 + counts.size].reshape(counts.shape)
            drawn.setdefault(noise, []).append((place, (shown - counts).ravel()))
            at += 1 + counts.size
            return Measured(columns, shown, noise.scale)

        try:
            self._run(ask)
        except (IndexError, ValueError):  # the row ends too soon, or names columns that were not open
            return -math.inf
        return total if at == len(row) else -math.inf

    def _run(self, ask: Ask) -> list[Measured]:
        """Every measurement, one after the other; what is asked next depends on the answers alone."""
        wide, options = len(self.sizes), self._options
        share = self.rho / (4 * wide if self.rounds is None else max(self.rounds, wide + 1))
        left = self.rho
        found: list[Measured] = []
        for column in range(wide):
            left -= share
            found.append(ask([(column,)], found, None, share))
        law: Law | None = None
        while left > 0:
            share = left if left < 2 * share else share  # what would be left over is spent at once
            left = 0.0 if share == left else left - share
            open_to = [one for one in options[wide:] if self._fits(found, one)]
            if not open_to:
                break
            if law is None and (len(open_to) > 1 or left > 0):
                law = _model(self.sizes, found, None)
            found.append(ask(open_to, found, law if len(open_to) > 1 else None, share))
            if left > 0:
                assert law is not None
                before, total = law.marginal(found[-1].columns), estimate_total(found)
                law = _model(self.sizes, found, law)
                moved = total * np.abs(law.marginal(found[-1].columns) - before).sum()
                if moved <= _expected(found[-1].sigma, before.size):
                    share *= 4
        return found

    def _fits(self, found: Sequence[Measured], columns: Columns) -> bool:
        return tree_cells(self.sizes, [*(one.columns for one in found), columns]) <= self.cells

    def _scores(
        self,
        codes: NDArray[np.int64],
        options: Sequence[Columns],
        found: Sequence[Measured],
        law: Law,
        share: float,
    ) -> NDArray[np.float64]:
        """How wrong the model is on each option, beyond the noise with which it would be measured."""
        sigma, total = _noise(share).scale, estimate_total(found)
        scores = np.empty(len(options))
        for place, columns in enumerate(options):
            off = np.abs(count_records(codes, self.sizes, columns) - total * law.marginal(columns)).sum()
            scores[place] = off - _expected(sigma, self._cells(columns))
        return scores

    def _checked(self, codes: Any) -> NDArray[np.int64]:
        given = np.asarray(codes)
        right = given.ndim == 2 and given.shape[1] == len(self.sizes) and given.dtype.kind in "iu"
        if not right or (given < 0).any() or (given >= np.array(self.sizes)).any():
            shown = given.shape if not right else (given.min(initial=0), given.max(initial=0))
            raise bad_input("codes", shown, f"a row for each record, with whole numbers below {self.sizes}")
        return given.astype(np.int64)


def count_records(codes: NDArray[np.int64], sizes: Sequence[int], columns: Columns) -> NDArray[np.int64]:
    """How many records have each combination of values."""
    key = np.zeros(len(codes), np.int64)
    for column in columns:
        key = key * sizes[column] + codes[:, column]
    shape = [sizes[column] for column in columns]
    return np.bincount(key, minlength=prod(shape)).reshape(shape)


def _model(sizes: Sequence[int], found: Sequence[Measured], law: Law | None) -> Law:
    return estimate_law(sizes, found, start=law, steps=100 if law is None else 30)


@lru_cache(64)
def _choice(share: float) -> Exponential:
    """exp(η·q/2) has ρ = η²/8. A score's float error, below 1e-6 of one record, is charged with its sensitivity."""
    eta = math.sqrt(8 * share) / (1 + 1e-9)
    return Exponential(epsilon=eta, sensitivity=1 + 1e-6, neighbours="add-remove")


@lru_cache(64)
def _noise(share: float) -> Gaussian:
    """The noise that ρ-zCDP needs, rounded up."""
    sigma = math.sqrt(1 / (2 * share)) * (1 + 1e-9)
    return Gaussian(sigma=sigma, sensitivity=1.0, grid=1.0, neighbours="add-remove")


def _expected(sigma: float, cells: int) -> float:
    """The expected L₁ norm of the noise on a marginal."""
    return math.sqrt(2 / math.pi) * sigma * cells
