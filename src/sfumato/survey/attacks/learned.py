"""Guess an answer with a trained classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.release.card import Criterion
from sfumato.survey.attacks.base import LearningAttack
from sfumato.survey.attacks.likelihood import likelihood
from sfumato.survey.data.survey import Survey
from sfumato.validate import integer

__all__ = ["LearnedAttack"]


@dataclass(frozen=True, kw_only=True)
class LearnedAttack(LearningAttack):
    """The most probable answer of each owner, with a prior that a model learns from the release alone.

    Gradient-boosted trees learn place and privileged attributes → report; what they say of an owner (by a model that
    did not see its slot), with the public randomisation undone, is the prior of the Bayesian step. The reference is
    always guessing the commonest answer.

    Parameters
    ----------
    repeats, owners : int
        As in :class:`BayesianAttack`.
    trees : int
        Rounds of boosting.
    learned : int
        Bounds how many owners the model learns from.
    """

    repeats: int = 20
    owners: int = 2000
    trees: int = 40
    learned: int = 20_000
    name: str = "learned model"

    criterion: ClassVar[Criterion] = "inference"
    knows: ClassVar[str] = (
        "every owner's place and privileged attributes, and the law of the collection; learns the rest from the release"
    )

    def __post_init__(self) -> None:
        for field in ("repeats", "owners", "trees", "learned"):
            integer(field, getattr(self, field))

    def _shares(self, release: Survey, targets: NDArray[np.int64], rng: Rng) -> NDArray[np.float64]:
        """Pr[report | place, privileged] of the targets, by models that learned from the other half of the owners."""
        from sklearn.ensemble import HistGradientBoostingClassifier

        side = np.zeros((release.n, 0)) if release.privileged is None else release.privileged
        features = np.concatenate([release.where, side], axis=1)
        half = rng.permutation(release.n) % 2
        shares = np.zeros((targets.size, release.k))
        for part in (0, 1):
            known = np.flatnonzero(half != part)
            known = known if known.size <= self.learned else rng.choice(known, size=self.learned, replace=False)
            asked = half[targets] == part
            if np.unique(release.answers[known]).size == 1 or not asked.any():
                shares[asked, release.answers[known[0]]] = 1.0
                continue
            model = HistGradientBoostingClassifier(
                max_iter=self.trees,
                max_leaf_nodes=15,
                min_samples_leaf=max(2, min(20, known.size // 8)),  # few owners make small leaves
                random_state=int(rng.integers(2**31)),
            ).fit(features[known], release.answers[known])
            shares[np.ix_(asked, model.classes_)] = model.predict_proba(features[targets[asked]])
        return shares

    def _told(self, release: Survey, targets: NDArray[np.int64], mechanism: Any, rng: Rng) -> NDArray[np.float64]:
        return likelihood(release, targets, mechanism, self.repeats, rng)
