"""Risk of re-identification from class sizes, in the sample and estimated for the population."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError
from sfumato.validate import choice, integer

__all__ = ["ClassRisk", "class_risk", "population_uniques"]

Sizes = NDArray[np.int64]


@dataclass(frozen=True)
class ClassRisk:
    """Re-identification risks that follow from class sizes.

    Parameters
    ----------
    prosecutor : float
        Worst case if the victim is known to be in the table: 1/smallest class.
    marketer : float
        Share of records that a linkage gets right: classes/records.
    unique : float
        Share of records that are alone in their class.
    counted : {"records", "people"}
        What the shares are of; a person counts once, with the smallest class that they are in.
    """

    prosecutor: float
    marketer: float
    unique: float
    counted: Literal["records", "people"] = "records"

    def __str__(self) -> str:
        found = f"prosecutor risk {self.prosecutor:.4g}, marketer risk {self.marketer:.4g}"
        return f"{found}, {self.unique:.2%} of {self.counted} unique"


def class_risk(sizes: Sizes) -> ClassRisk:
    """Risks from class sizes.

    >>> print(class_risk(np.array([1, 4])))
    prosecutor risk 1, marketer risk 0.4, 20.00% of records unique
    """
    sizes = np.asarray(sizes)[np.asarray(sizes) > 0]
    if not sizes.size:
        raise InputError("sizes: expected at least one class")
    rows = sizes.sum()
    return ClassRisk(float(1 / sizes.min()), float(len(sizes) / rows), float((sizes == 1).sum() / rows))


def population_uniques(sizes: Sizes, population: int, model: Literal["pitman", "zayatz", "auto"] = "auto") -> float:
    """Estimated number of population members that are unique in the *population*, from classes of a sample.

    Parameters
    ----------
    sizes : ndarray
        Class sizes in the sample.
    population : int
        How many members the population has.
    model : {"pitman", "zayatz", "auto"}
        Pitman's two-parameter sampling formula (Hoshino 2001), good for small sampling fractions; Zayatz's
        hypergeometric estimate (1991), good for large ones; ``auto`` takes Pitman up to a fraction of 10 % where it
        can be fitted, Zayatz otherwise (after Dankar et al. 2012).

    >>> round(population_uniques(np.array([1] * 50 + [2] * 25), 1000, "zayatz"), 1)
    263.0
    """
    choice("model", model, ("pitman", "zayatz", "auto"))
    sizes = np.asarray(sizes)[np.asarray(sizes) > 0]
    rows = int(sizes.sum())
    integer("population", population, least=rows, remedy="the table is a sample of it")
    if (sizes == 1).sum() == 0:
        return 0.0
    if rows == population:
        return float((sizes == 1).sum())
    if model != "zayatz":
        found = _pitman(sizes, rows, population)
        if model == "pitman" or (found is not None and rows / population <= 0.1):
            if found is None:
                raise InputError("Pitman's model cannot be fitted: too few classes of size 1 and 2; use zayatz")
            return found
    return _zayatz(sizes, rows, population)


def _pitman(sizes: Sizes, rows: int, population: int) -> float | None:
    """Γ(θ+1)/Γ(θ+α)·N^α with the moment estimates of Hoshino (2001), equations 18–21."""
    classes, ones, twos = len(sizes), int((sizes == 1).sum()), int((sizes == 2).sum())
    if twos == 0 or ones == 0 or classes == rows:
        return None
    c = ones * (ones - 1) / twos
    below = 2 * ones * classes + ones * c - rows * c
    if below == 0:
        return None
    theta = (rows * classes * c - ones * (rows - 1) * (2 * classes + c)) / below
    alpha = (theta * (ones - rows) + (rows - 1) * ones) / (rows * classes)
    if not 0 < alpha < 1 or theta <= -alpha:
        return None
    return float(math.exp(math.lgamma(theta + 1) - math.lgamma(theta + alpha) + alpha * math.log(population)))


def _zayatz(sizes: Sizes, rows: int, population: int) -> float:
    """Pr[unique in the population | unique in the sample], by class sizes of the population as in the sample."""
    values, counts = np.unique(sizes, return_counts=True)
    share = counts / counts.sum()
    # chance that exactly one member of a population class of that size is in the sample
    log_total = _log_choose(population, rows)
    once = np.array(
        [
            math.exp(math.log(size) + _log_choose(population - int(size), rows - 1) - log_total)
            if population - size >= rows - 1
            else 0.0
            for size in values
        ]
    )
    seen = float((share * once).sum())
    first = share[values == 1]
    given = float(first[0] * once[values == 1][0] / seen) if first.size and seen > 0 else 0.0
    return given * float((sizes == 1).sum()) / (rows / population)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
