"""Guess an answer with a trained classifier."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.release.card import Criterion
from sfumato.study.run.one_thread import one_thread
from sfumato.survey.attacks.base import LearningAttack
from sfumato.survey.attacks.likelihood import likelihood
from sfumato.survey.core.groups import Groups
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
    fellows : Groups, optional
        Public groups whose members often agree, such as friends: the model also sees what is reported in the slots of
        an owner's fellows.
    """

    repeats: int = 20
    owners: int = 2000
    trees: int = 40
    learned: int = 20_000
    fellows: Groups | None = field(default=None, repr=False)
    name: str = "learned model"

    criterion: ClassVar[Criterion] = "inference"
    knows: ClassVar[str] = (
        "every owner's place, friends and privileged attributes, and the law of the collection; "
        "learns the rest from the release"
    )

    def __post_init__(self) -> None:
        for name in ("repeats", "owners", "trees", "learned"):
            integer(name, getattr(self, name))

    def _shares(self, release: Survey, targets: NDArray[np.int64], rng: Rng) -> NDArray[np.float64]:
        """Pr[report | place, privileged] of the targets, by models that learned from the other half of the owners."""
        from sklearn.ensemble import HistGradientBoostingClassifier

        features = self._features(release)
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
            )
            with one_thread():
                model.fit(features[known], release.answers[known])
                shares[np.ix_(asked, model.classes_)] = model.predict_proba(features[targets[asked]])
        return shares

    def _features(self, release: Survey) -> NDArray[np.float64]:
        """What the model sees of every owner: never the report in the owner's own slot."""
        seen = [release.where] + ([] if release.privileged is None else [release.privileged])
        if self.fellows is not None:
            from scipy import sparse

            groups, each = self.fellows, np.arange(release.n)
            if groups.n != release.n:
                raise bad_input("fellows", f"{groups.n} owners", f"groups of the {release.n} owners of the release")
            counts = np.zeros((groups.sites, release.k))
            np.add.at(counts, (groups.site_of, release.answers), 1.0)
            rows = sparse.csr_array((np.ones(groups.indices.size), groups.indices, groups.indptr))
            near = (rows @ counts)[groups.site_of]
            near[each, release.answers] -= 1.0
            size = near.sum(axis=1, keepdims=True)
            seen += [near / np.maximum(size, 1.0), size]
        return np.concatenate(seen, axis=1)

    def _told(self, release: Survey, targets: NDArray[np.int64], mechanism: Any, rng: Rng) -> NDArray[np.float64]:
        return likelihood(release, targets, mechanism, self.repeats, rng)
