"""Private histogram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sfumato.errors import bad_input
from sfumato.promise import Assumption
from sfumato.promise.calibration import laplace_scale
from sfumato.statistic.core.column import Outside, bounded, read_column, read_numbers
from sfumato.statistic.core.one_pass import bin_counts
from sfumato.statistic.mechanisms.totals import Floats, Ints, TotalsMechanism, log_laplace_between
from sfumato.validate import choice, finite_array

__all__ = ["Histogram"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Histogram(TotalsMechanism):
    """Private counts of the records in public bins or categories; noise scale Δ₁/ε on every count.

    The bins share the records among them, but the promise does not come for free: a *replaced* record leaves one bin
    and enters another, so that Δ₁ = 2; an added or removed record changes one bin, Δ₁ = 1 (Mimoto Thm 2.4 holds in the
    second case only).

    Parameters
    ----------
    epsilon : float
    edges : sequence of float, optional
        Increasing bin edges; bins are [e₀, e₁), …, the last one closed.
    categories : sequence, optional
        The public list of categories, instead of edges. A category that is not listed is refused.
    outside : {"reject", "clip"}
        What becomes of a number outside the edges: an error, or the first or last bin.

    Examples
    --------
    >>> from sfumato.noise import seeded_rng
    >>> votes = Histogram(epsilon=1.0, categories=("yes", "no"))
    >>> votes.answer(["yes", "no", "yes"])
    array([2, 1])
    >>> votes.release(["yes", "no", "yes"], rng=seeded_rng(0)).shape
    (2,)
    """

    edges: Sequence[float] | None = None
    categories: Sequence[Any] | None = None
    outside: Outside = "reject"

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("outside", self.outside, ("reject", "clip"))
        if (self.edges is None) == (self.categories is None):
            raise bad_input("edges, categories", (self.edges, self.categories), "exactly one of the two")
        if self.edges is not None:
            edges = finite_array("edges", list(self.edges), ndim=1)
            if len(edges) < 2 or not (np.diff(edges) > 0).all():
                raise bad_input("edges", self.edges, "at least two increasing numbers")
            object.__setattr__(self, "edges", tuple(edges.tolist()))
        if self.categories is not None:
            if isinstance(self.categories, str) or len(self.categories) == 0:
                raise bad_input("categories", self.categories, "a list of at least one category")
            if len(set(self.categories)) < len(self.categories):
                raise bad_input("categories", self.categories, "each category once")
            object.__setattr__(self, "categories", tuple(self.categories))

    @property
    def _assumptions(self) -> tuple[Assumption, ...]:
        return (Assumption("categories" if self.edges is None else "edges"),)

    @property
    def bins(self) -> int:
        """The number of counts."""
        if self.edges is not None:
            return len(self.edges) - 1
        return len(self.categories or ())

    @property
    def sensitivity(self) -> int:
        """Δ₁: 2 where a record is replaced, 1 where it is added or removed."""
        return 2 if self.public_size else 1

    @property
    def extremes(self) -> tuple[Any, Any]:
        """A record of the first bin, and one of the last."""
        options = self.edges or self.categories or ()
        return options[0], options[-1]

    def place(self, data: Any) -> Ints:
        """The bin of each record."""
        return self._numbers(data) if self.edges is not None else self._categories(data)

    def totals(self, data: Any) -> tuple[Ints, int]:
        counts = None if self.edges is None else bin_counts(data, np.asarray(self.edges), self.outside)
        if counts is not None:
            return counts, 0
        place = self.place(data)
        if self.public_size and len(place) == 0:
            raise bad_input("data", "no records", "at least one record", "with add-remove neighbours n may be 0")
        return np.bincount(place, minlength=self.bins).astype(np.int64), 0

    def scales(self, size: int) -> Floats:
        return np.full(self.bins, laplace_scale(self.epsilon, float(self.sensitivity)))

    def noise_step(self, size: int) -> float:
        return 1.0

    def finish(self, totals: Ints, size: int) -> Ints:
        return totals

    def answer(self, data: Any) -> Ints:
        """The exact counts."""
        return self.totals(data)[0]

    def log_prob(self, output: ArrayLike, data: Any) -> Floats:
        """The exact log-probability of each released row of counts."""
        away = np.asarray(output) - self.answer(data)
        return np.asarray(log_laplace_between(away, away, self.scales(0)).sum(axis=-1))

    def _numbers(self, data: Any) -> Ints:
        edges = np.asarray(self.edges)
        values = bounded(read_numbers(data, self.column), (edges[0], edges[-1]), self.outside)
        return np.minimum(np.searchsorted(edges, values, side="right") - 1, self.bins - 1)

    def _categories(self, data: Any) -> Ints:
        place = {category: index for index, category in enumerate(self.categories or ())}
        records = read_column(data, self.column)
        try:
            found, inverse = np.unique(records, return_inverse=True)
        except TypeError as error:
            raise bad_input(
                "data", "values of several kinds", "categories of one kind", "convert them first"
            ) from error
        unknown = [category for category in found.tolist() if category not in place]
        if unknown:
            raise bad_input(
                "data", f"{len(unknown)} other categories", f"the {self.bins} public categories", "list or map them"
            )
        return np.array([place[category] for category in found.tolist()], np.int64)[inverse]
