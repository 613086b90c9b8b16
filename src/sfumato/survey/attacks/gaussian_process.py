"""Guess an answer with a Gaussian process over the map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.release.card import Criterion
from sfumato.survey.attacks.base import LearningAttack
from sfumato.survey.core.local_view import sample_owners
from sfumato.survey.core.neighbourhood import as_points
from sfumato.survey.data.survey import Survey
from sfumato.validate import integer

__all__ = ["GaussianProcessAttack"]


@dataclass(frozen=True, kw_only=True)
class GaussianProcessAttack(LearningAttack):
    """The most probable answer of each owner, by a Gaussian process that learns the map of reports (Fig. 4.1).

    The reports, one column of 0 and 1 for each answer, are regressed on the places (and the privileged attributes) with
    a squared-exponential kernel and white noise (Rasmussen and Williams 2006, §6.5); the length scale is that of the
    largest marginal likelihood. What it says of a place, with the public randomisation undone, is the guess. It needs
    no model of the shuffler, as in the dissertation. The reference is always guessing the commonest answer.

    Parameters
    ----------
    learned : int
        How many owners it learns from; the time grows with the cube.
    owners : int
        Bounds how many are attacked.
    """

    learned: int = 1000
    owners: int = 2000
    name: str = "Gaussian process"

    criterion: ClassVar[Criterion] = "inference"
    knows: ClassVar[str] = "every owner's place and privileged attributes, and the law of the randomisation"

    def __post_init__(self) -> None:
        integer("learned", self.learned, least=2)
        integer("owners", self.owners)

    def _shares(self, release: Survey, targets: NDArray[np.int64], rng: Rng) -> NDArray[np.float64]:
        """What the process expects of each answer at the places of the targets, brought back to the simplex."""
        from sklearn.gaussian_process import GaussianProcessRegressor
        from sklearn.gaussian_process.kernels import RBF, WhiteKernel

        side = np.zeros((release.n, 0)) if release.privileged is None else release.privileged
        features = np.concatenate([as_points(release.where, release.geometry), side], axis=1)
        features = (features - features.mean(axis=0)) / np.maximum(features.std(axis=0), 1e-12)
        known = sample_owners(release, self.learned, rng)
        reports = np.eye(release.k)[release.answers[known]]
        mean = reports.mean(axis=0)
        some = known[: min(known.size, 300)] if known.size <= 300 else np.sort(rng.choice(known, 300, replace=False))
        best, height = 0.1, -np.inf
        for length in np.geomspace(0.03, 3.0, 9):  # the length scale of the largest marginal likelihood, on fewer
            trial = GaussianProcessRegressor(0.1 * RBF(length) + WhiteKernel(0.1), optimizer=None)
            trial.fit(features[some], np.eye(release.k)[release.answers[some]] - mean)
            if trial.log_marginal_likelihood_value_ > height:
                best, height = float(length), float(trial.log_marginal_likelihood_value_)
        process = GaussianProcessRegressor(0.1 * RBF(best) + WhiteKernel(0.1), optimizer=None)
        process.fit(features[known], reports - mean)
        shares = np.clip(process.predict(features[targets]) + mean, 1e-9, None)
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))
