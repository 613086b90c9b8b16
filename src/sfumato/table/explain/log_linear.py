"""How many sample uniques are unique in the population, by a log-linear model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.table.core.summary import Summary
from sfumato.validate import integer

__all__ = ["LogLinearRisk", "log_linear_risk"]


@dataclass(frozen=True)
class LogLinearRisk:
    """Expected numbers among the sample uniques.

    Parameters
    ----------
    sample_uniques : int
    population_uniques : float
        Σ Pr[F = 1 | f = 1].
    correct_matches : float
        Σ E[1/F | f = 1]: how many of them a linkage with the population gets right.
    """

    sample_uniques: int
    population_uniques: float
    correct_matches: float


def log_linear_risk(table: Summary, population: int) -> LogLinearRisk:
    """Risk of the sample uniques under a Poisson log-linear model with main effects (Skinner and Shlomo 2008).

    The mean of a cell in the sample is n·Π p_j, with the frequencies p_j of its values; in the population it is 1/π
    times as large. For a sample unique, F − 1 is Poisson with mean a = n·Π p_j·(1 − π)/π, so that
    Pr[F = 1 | f = 1] = e^{−a} and E[1/F | f = 1] = (1 − e^{−a})/a. It is right where columns are independent and too
    hopeful where they go together: what is common by its parts can be rare as a whole.

    Parameters
    ----------
    table : Summary
    population : int
        How many members the population has.
    """
    integer("population", population, least=table.rows, remedy="the table is a sample of it")
    fraction = table.rows / population
    unique = np.flatnonzero(table.counts == 1)
    log_mean = np.full(len(unique), np.log(table.rows))
    for j, tree in enumerate(table.hierarchies):
        share = np.bincount(table.codes[:, j], table.counts, tree.size) / table.rows
        log_mean += np.log(share[table.codes[unique, j]])
    a = np.exp(log_mean) * (1 - fraction) / fraction
    matches = np.where(a > 1e-12, -np.expm1(-a) / np.maximum(a, 1e-300), 1.0)
    return LogLinearRisk(len(unique), float(np.exp(-a).sum()), float(matches.sum()))
