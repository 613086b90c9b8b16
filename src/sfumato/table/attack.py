"""Attacks on a released table. Each knows one victim's quasi-identifiers, the release and the method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.study import Score
from sfumato.table.attacks.deanonymiser import Attacked, View, deanonymise, posterior_success, view_of
from sfumato.table.core.lineage import lineage_of
from sfumato.table.core.reading import leaf_numbers
from sfumato.table.core.schema import Schema
from sfumato.table.mechanisms.base import arrow_of, number_columns
from sfumato.validate import choice, integer, probability

__all__ = [
    "BackgroundKnowledgeAttack",
    "HomogeneityAttack",
    "LinkageAttack",
    "PosteriorAttack",
    "ReidentificationAttack",
    "RevealingAttack",
]

Statistic = Literal["worst", "mean", "quantile"]
"""Over victims: the worst case, the mean, or the quantile in ``quantile``."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Simulated:
    """What the attacks of chapter 4 share.

    Parameters
    ----------
    schema : Schema
    statistic : {"worst", "mean", "quantile"}
    quantile : float
    threshold, mass, cover, outlier
        As in :func:`~sfumato.table.attacks.deanonymiser.deanonymise`.
    """

    schema: Schema
    statistic: Statistic = "worst"
    quantile: float = 0.95
    threshold: float = 0.9
    mass: Literal["each", "product"] = "each"
    cover: Literal["within", "reach"] = "within"
    outlier: float = 2.0

    def __post_init__(self) -> None:
        choice("statistic", self.statistic, ("worst", "mean", "quantile"))
        probability("quantile", self.quantile)
        probability("threshold", self.threshold)
        choice("mass", self.mass, ("each", "product"))
        choice("cover", self.cover, ("within", "reach"))

    def _run(self, view: View) -> Attacked:
        return deanonymise(view, threshold=self.threshold, mass=self.mass, cover=self.cover, outlier=self.outlier)

    @property
    def _which(self) -> str:
        return f"{self.quantile:.0%} quantile of" if self.statistic == "quantile" else self.statistic


@dataclass(frozen=True, kw_only=True, eq=False)
class ReidentificationAttack(Simulated):
    """Risk that a victim's record is found: 1/|C_i| by Algorithm 2 [S3]; for generalisation exactly 1/k."""

    @property
    def name(self) -> str:
        return f"{self._which} re-identification risk"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        view = view_of(data, release, self.schema, mechanism=mechanism)
        attacked = self._run(view)
        value, low, high = attacked.statistic(attacked.risks, self.statistic, self.quantile)
        return Score(value, low, high, reference=1 / len(view.victim))


@dataclass(frozen=True, kw_only=True, eq=False)
class RevealingAttack(Simulated):
    """Risk that a victim's sensitive value is learned [S4].

    Parameters
    ----------
    column : str
    variant : {"values", "share"}
        1 over the number of different values among the candidates, or the share of candidates with the true value.
    """

    column: str
    variant: Literal["values", "share"] = "share"

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("variant", self.variant, ("values", "share"))
        if self.column not in self.schema.secrets:
            raise bad_input("column", self.column, "a sensitive column of the schema")

    @property
    def name(self) -> str:
        return f"{self._which} revealing risk of {self.column} ({self.variant})"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        view = view_of(data, release, self.schema, mechanism=mechanism, column=self.column)
        attacked = self._run(view)
        per_victim = attacked.share
        if self.variant == "values":
            per_victim = np.where(np.isfinite(attacked.kinds), 1 / np.maximum(attacked.kinds, 1), 0.0)
        value, low, high = attacked.statistic(per_victim, self.statistic, self.quantile)
        return Score(value, low, high, reference=_best_guess(view))


@dataclass(frozen=True, kw_only=True, eq=False)
class PosteriorAttack:
    """The Bayesian attacker: weighs every released record by its likelihood and picks the best.

    Parameters
    ----------
    schema : Schema
    statistic : {"mean", "worst"}
        The share of victims that it gets right, or the largest posterior it gives to a true record.
    """

    schema: Schema
    statistic: Literal["mean", "worst"] = "mean"

    def __post_init__(self) -> None:
        choice("statistic", self.statistic, ("mean", "worst"))

    @property
    def name(self) -> str:
        return "Bayesian re-identification rate" if self.statistic == "mean" else "worst posterior of the true record"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        view = view_of(data, release, self.schema, mechanism=mechanism)
        right, true = posterior_success(view)
        chance = 1 / len(view.victim)
        if self.statistic == "worst":
            return Score(float(true.max()), reference=chance)
        return _mean_score(right, chance)


@dataclass(frozen=True, kw_only=True, eq=False)
class LinkageAttack:
    """Share of victims whose record is the nearest released one: for released numbers that are no values of their
    column any more (means of groups, noise), which the counting attacks refuse.

    Distance is Euclidean over the quasi-identifiers that are numbers, each divided by its standard deviation. Among
    equally near records the attacker guesses.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.table import Hierarchy, LinkageAttack, Microaggregation, Schema
    >>> schema = Schema(quasi={"age": Hierarchy.intervals(0, 99, [10])})
    >>> people = pa.table({"age": [18, 22, 36, 38]})
    >>> release = Microaggregation(schema=schema, k=2).release(people)
    >>> LinkageAttack(schema=schema).attack(people, release).value
    0.5
    """

    schema: Schema
    name: str = "nearest record is the right one"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        from scipy.spatial import KDTree

        before, (after, rows) = arrow_of(data), lineage_of(data, release)
        names = [name for name, tree in self.schema.quasi.items() if leaf_numbers(tree) is not None]
        if not names:
            raise bad_input("quasi-identifiers", list(self.schema.quasi), "at least one column of numbers")
        known, shown = number_columns(before, names), number_columns(after, names)
        spread = known.std(0)
        scale = np.where(spread > 0, spread, 1.0)
        points, image, counts = np.unique(shown / scale, axis=0, return_inverse=True, return_counts=True)
        victims, victim = np.unique(known / scale, axis=0, return_inverse=True)
        tree = KDTree(points)
        nearest, _ = tree.query(victims)
        ties = tree.query_ball_point(victims, nearest * (1 + 1e-9) + 1e-12)
        right = np.zeros(before.num_rows)
        for row, place in zip(rows, image.reshape(-1), strict=True):
            near = ties[victim.reshape(-1)[row]]
            if place in near:
                right[row] = 1 / counts[near].sum()
        return _mean_score(right, 1 / before.num_rows)


@dataclass(frozen=True, kw_only=True, eq=False)
class HomogeneityAttack:
    """Share of victims whose candidates all have one sensitive value: k-anonymous, and yet known [P3]."""

    schema: Schema
    column: str

    @property
    def name(self) -> str:
        return f"homogeneity: {self.column} known for certain"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        view = view_of(data, release, self.schema, mechanism=mechanism, column=self.column)
        return _certain(view, 0)


@dataclass(frozen=True, kw_only=True, eq=False)
class BackgroundKnowledgeAttack:
    """Share of victims whose sensitive value is certain once ``excluded`` other values can be ruled out [P3]."""

    schema: Schema
    column: str
    excluded: int = 1

    def __post_init__(self) -> None:
        integer("excluded", self.excluded, least=0)

    @property
    def name(self) -> str:
        return f"background knowledge: {self.column} known after ruling out {self.excluded}"

    def attack(self, data: Any, release: Any, *, mechanism: Mechanism | None = None, rng: Rng | None = None) -> Score:
        view = view_of(data, release, self.schema, mechanism=mechanism, column=self.column)
        return _certain(view, self.excluded)


def _mean_score(right: NDArray[np.float64], chance: float) -> Score:
    """The mean over victims, who are taken for a sample of a population."""
    mean = float(right.mean())
    half = 1.96 * float(right.std(ddof=1)) / np.sqrt(len(right)) if len(right) > 1 else 1.0
    return Score(mean, float(max(mean - half, 0.0)), float(min(mean + half, 1.0)), reference=chance)


def _certain(view: View, excluded: int) -> Score:
    known: NDArray[np.float64] = (deanonymise(view).kinds <= 1 + excluded).astype(np.float64)
    mean, count = float(known.mean()), len(known)
    # Wilson's interval: sound near 0 and 1, where such shares often are
    z2 = 1.96**2
    middle = (mean + z2 / (2 * count)) / (1 + z2 / count)
    half = 1.96 / (1 + z2 / count) * np.sqrt(mean * (1 - mean) / count + z2 / (4 * count**2))
    values = len(np.unique(view.secret))
    low, high = float(min(max(middle - half, 0.0), mean)), float(max(min(middle + half, 1.0), mean))
    return Score(mean, low, high, reference=float(values <= 1 + excluded))


def _best_guess(view: View) -> float:
    """What guessing the most frequent value achieves without the release."""
    return float(np.bincount(view.secret).max() / len(view.secret))
