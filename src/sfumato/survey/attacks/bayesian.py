"""Guess an answer by its posterior probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.noise import Rng
from sfumato.noise.entropy import resolve_rng
from sfumato.release.card import Criterion
from sfumato.study import Score
from sfumato.survey.attacks.likelihood import check_survey, conditional_shares, likelihood
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

    criterion: ClassVar[Criterion] = "inference"
    knows: ClassVar[str] = (
        "every owner's place and privileged attributes, how often each answer goes with these, "
        "and the law of the collection"
    )

    def __post_init__(self) -> None:
        positive("radius", self.radius, zero=True)
        for field in ("repeats", "bins", "owners"):
            integer(field, getattr(self, field))

    def attack(self, data: Survey, release: Survey, *, mechanism: Any = None, rng: Rng | None = None) -> Score:
        rng = resolve_rng(rng)
        check_survey(data, release)
        targets = sample_owners(data, self.owners, rng)
        prior = conditional_shares(data, self.bins)[targets]
        near = unbias(local_shares(release, targets, self.radius), release.channel)
        overall = unbias(np.bincount(release.answers, minlength=data.k)[None] / data.n, release.channel)
        told = (near + 0.02) / (overall + 0.02) * likelihood(release, targets, mechanism, self.repeats, rng)
        truth = data.answers[targets]
        return Score.of_share(
            np.argmax(prior * told, axis=1) == truth, float(np.mean(np.argmax(prior, axis=1) == truth))
        )
