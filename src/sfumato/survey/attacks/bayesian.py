"""Guess an answer by its posterior probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.noise.entropy import resolve_rng
from sfumato.study import Score
from sfumato.survey.attacks.likelihood import check_survey, likelihood
from sfumato.survey.core.local_view import local_shares, sample_owners, unbias
from sfumato.survey.data.survey import Survey
from sfumato.validate import integer, positive

__all__ = ["BayesianAttack"]


@dataclass(frozen=True, kw_only=True)
class BayesianAttack:
    """The most probable answer of each owner, given its privileged attributes and where its report may have gone.

    The attacker knows how often each answer goes with the privileged attributes, corrects that by the mix of reports
    within ``radius``, and simulates the shuffler to learn how far a report travels along the reference order:
    Pr[x | z] ∝ Pr[x | t^p]·(Pr[x | near]/Pr[x])·Σ_d Pr[travels d]·Pr[report there | x]. The score is the share of
    owners guessed right, the reference what Pr[x | t^p] alone achieves.

    Parameters
    ----------
    radius : float
        In the unit of the places.
    repeats : int
        Simulated permutations.
    bins : int
        A privileged attribute with more values than this is cut into as many quantiles.
    owners : int
        Bounds how many are attacked.
    """

    radius: float
    repeats: int = 20
    bins: int = 10
    owners: int = 2000
    name: str = "Bayesian"

    def __post_init__(self) -> None:
        positive("radius", self.radius, zero=True)
        for field in ("repeats", "bins", "owners"):
            integer(field, getattr(self, field))

    def attack(self, data: Survey, release: Survey, *, mechanism: Any = None, rng: Rng | None = None) -> Score:
        rng = resolve_rng(rng)
        check_survey(data, release)
        targets = sample_owners(data, self.owners, rng)
        prior = _conditional_shares(data, self.bins)[targets]
        near = unbias(local_shares(release, targets, self.radius), release.channel)
        overall = unbias(np.bincount(release.answers, minlength=data.k)[None] / data.n, release.channel)
        told = (near + 0.02) / (overall + 0.02) * likelihood(release, targets, mechanism, self.repeats, rng)
        truth = data.answers[targets]
        return Score.of_share(
            np.argmax(prior * told, axis=1) == truth, float(np.mean(np.argmax(prior, axis=1) == truth))
        )


def _conditional_shares(data: Survey, bins: int) -> NDArray[np.float64]:
    """Pr[answer | privileged attributes] of every owner, with one imaginary owner spread over the answers."""
    overall = np.bincount(data.answers, minlength=data.k) / data.n
    cell = np.zeros(data.n, np.int64)
    if data.privileged is not None:
        for column in data.privileged.T:
            values, code = np.unique(column, return_inverse=True)
            if values.size > bins:
                code = np.searchsorted(np.quantile(column, np.linspace(0, 1, bins + 1)[1:-1]), column)
            cell = np.unique(cell * (int(code.max()) + 1) + code, return_inverse=True)[1]
    counts = np.zeros((int(cell.max()) + 1, data.k))
    np.add.at(counts, (cell, data.answers), 1.0)
    return ((counts + overall) / (counts.sum(axis=1, keepdims=True) + 1))[cell]
