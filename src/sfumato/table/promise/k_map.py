"""k-map by estimate: how many members of the population share a released class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats

from sfumato.errors import bad_input
from sfumato.table.core.classes import Classes
from sfumato.table.core.summary import Summary
from sfumato.table.promise.base import Floats, WholePromise
from sfumato.validate import integer, probability

__all__ = ["EstimatedKMap", "expected_risk", "fitted_law", "reaches"]


def reaches(sizes: NDArray[Any], k: int, fraction: float, shape: float = 0.0, rate: float = 0.0) -> Floats:
    """Pr[F ≥ k | f]: the chance that a class with f records of the sample has at least k members of the population.

    Counts are Poisson and their means λ follow a gamma law with ``shape`` α and ``rate`` β. Given f, F − f is then
    negative binomial with α + f and (β + π)/(β + 1), π the sampling fraction. α = β = 0 is the law of Benedetti and
    Franconi (1998): means spread evenly on a log scale.

    >>> reaches(np.array([1.0, 3.0, 5.0]), 5, 0.1).round(3)
    array([0.656, 0.996, 1.   ])
    """
    f = np.asarray(sizes, float)
    found: Floats = np.where(f >= k, 1.0, stats.nbinom.sf(k - f - 1, shape + f, (rate + fraction) / (rate + 1)))
    return found


def fitted_law(sizes: NDArray[np.int64], fraction: float) -> tuple[float, float]:
    """Shape and rate of the gamma law that makes the class sizes of a sample most likely.

    Classes that no record fell into are not seen: the likelihood is that of a negative binomial law without its zero.
    """
    values, counts = np.unique(sizes, return_counts=True)

    def unlikely(at: NDArray[np.float64]) -> float:
        shape, chance = float(np.exp(at[0])), float(special.expit(at[1]))
        log_none = shape * np.log(chance)
        seen = stats.nbinom.logpmf(values, shape, chance) - np.log(-np.expm1(log_none))
        return float(-(counts * seen).sum())

    start = np.array([0.0, special.logit(1 / (1 + sizes.mean()))])
    limits = [(-9.0, 9.0), (-25.0, 25.0)]
    found = optimize.minimize(unlikely, start, method="L-BFGS-B", bounds=limits)
    shape, chance = float(np.exp(found.x[0])), float(special.expit(found.x[1]))
    return shape, fraction * chance / (1 - chance)


def expected_risk(sizes: NDArray[Any], fraction: float) -> Floats:
    """E[1/F | f] under the same law: the journalist's risk of a class with f records of the sample.

    π^f/f · ₂F₁(f, f; f + 1; 1 − π), which is −π ln π/(1 − π) for f = 1.

    >>> expected_risk(np.array([1.0]), 0.1).round(4)
    array([0.2558])
    """
    f = np.asarray(sizes, float)
    if fraction >= 1:
        return 1 / f
    # ₂F₁(f, f; f+1; z) = (1−z)^{1−f} ₂F₁(1, 1; f+1; z) (Euler), which stays finite for large f
    found: Floats = fraction / f * special.hyp2f1(1.0, 1.0, f + 1.0, 1 - fraction)
    return found


@dataclass(frozen=True)
class EstimatedKMap(WholePromise):
    """Every released class has at least k members of the population, by estimate.

    k-map (Sweeney 2001) without a table of the population: a class of f records is kept if it has k members of the
    population with the given confidence, both for means spread evenly on a log scale and for the gamma law that fits
    the sizes of the classes best (:func:`reaches`, :func:`fitted_law`). It is an *estimate* under these models. Where
    small classes are the rule the first alone is too hopeful: for means of a gamma law of shape 0.2 and one record in
    ten, it says that 66 % of the classes with one record have five members, the fitted law 44 %, and 38 % have.

    Parameters
    ----------
    k : int
    population : int
        How many members the population has.
    confidence : float

    >>> print(EstimatedKMap(5, population=100_000))
    estimated k-map = 5 in a population of 100000 with 95 % confidence (syntactic, over the whole table)
    """

    k: int
    population: int
    confidence: float = 0.95

    def __post_init__(self) -> None:
        super().__post_init__()
        integer("k", self.k)
        integer("population", self.population)
        probability("confidence", self.confidence)

    @property
    def statement(self) -> str:
        sure = f"{100 * self.confidence:g} % confidence"
        return f"estimated k-map = {self.k} in a population of {self.population} with {sure}"

    @property
    def meaning(self) -> str:
        return (
            f"By estimate, at least {self.k} members of a population of {self.population} fit every released class; "
            "by two models of how large classes are in the population."
        )

    @property
    def enough(self) -> int:
        return self.k

    @property
    def monotone(self) -> bool:
        return False  # the fitted law changes with the classes

    def require(self, table: Summary) -> None:
        if self.population < table.rows:
            raise bad_input("population", self.population, f"at least the {table.rows} records of the table")

    def holds_together(self, classes: Classes) -> bool:
        sizes = classes.sizes[classes.sizes > 0]
        fraction = min(1.0, classes.table.rows / self.population)
        small = np.unique(sizes[sizes < self.k])
        if not len(small):
            return True
        if fraction == 1:
            return False
        laws = ((0.0, 0.0), fitted_law(sizes, fraction))
        return all((reaches(small, self.k, fraction, *law) >= self.confidence).all() for law in laws)

    def reached(self, classes: Classes) -> float:
        return float(self.holds_together(classes))
