"""Learnability of the local shares of answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.noise import Rng
from sfumato.noise.entropy import resolve_rng
from sfumato.study import Score
from sfumato.survey.core.local_view import local_shares, sample_owners, unbias
from sfumato.survey.data.survey import Survey
from sfumato.survey.utilities.estimates import check_survey, fitted_model, total_variation
from sfumato.validate import integer, positive

__all__ = ["Learnability"]


@dataclass(frozen=True, kw_only=True)
class Learnability:
    """λ(r): how far a model trained on the reports is from the answers around each place (Meehan 2023, §4.5).

    Gradient-boosted trees with Platt scaling learn place → distribution of the report. λ is the mean total-variation
    distance to the true shares within ``radius``, divided by that of a uniform guess: 0 is perfect, 1 is useless.
    The answers themselves do not reach 0. Where r* is so wide that the true shares are nearly uniform everywhere, a
    uniform guess is good, and λ may exceed 1.

    Parameters
    ----------
    radius : float
        r*, in the unit of the places.
    owners : int
        At how many owners' places the model is judged.
    trees : int
        Rounds of boosting.
    unbiased : bool
        Undo the public randomisation in the model's shares; the dissertation does not.
    """

    radius: float
    owners: int = 2000
    trees: int = 40
    unbiased: bool = True
    name: str = "learnability λ"
    better: Literal["lower"] = "lower"

    def __post_init__(self) -> None:
        positive("radius", self.radius, zero=True)
        integer("owners", self.owners)
        integer("trees", self.trees)

    def measure(self, data: Survey, release: Survey, *, rng: Rng | None = None) -> Score:
        rng = resolve_rng(rng)
        check_survey(data, release)
        chosen = sample_owners(data, self.owners, rng)
        truth = local_shares(data, chosen, self.radius)
        learned = fitted_model(release, self.trees, rng)(data.where[chosen])
        if self.unbiased:
            learned = unbias(learned, release.channel)
        blind = total_variation(truth, np.full_like(truth, 1 / data.k)).mean()
        return Score(float(total_variation(truth, learned).mean() / blind) if blind > 0 else 0.0)
