"""Authorship verification: did this person write this text?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.text.core.corpus import Corpus, check_corpora
from sfumato.text.core.text_features import features_of
from sfumato.validate import choice

__all__ = ["VerificationAttack"]


@dataclass(frozen=True, kw_only=True, eq=False)
class VerificationAttack:
    """Tells whether a given person wrote a text; scored by the area under the ROC curve over all pairs of both.

    Each author is the mean of the tf-idf vectors of their training texts; a pair is scored by the cosine.

    Parameters
    ----------
    features : {"characters", "words"}
    adaptive : bool
        Learn from released texts of the person; ``False`` learns from raw ones.
    """

    criterion: ClassVar[Criterion] = "linkability"

    features: Literal["characters", "words"] = "characters"
    adaptive: bool = True
    name: str = "verification (same author?)"

    def __post_init__(self) -> None:
        choice("features", self.features, ("characters", "words"))

    @property
    def knows(self) -> str:
        """What the attacker knows."""
        learned = "protected" if self.adaptive else "raw"
        return f"two of three texts of the person asked about, {learned}"

    def attack(
        self, data: Corpus, release: Corpus, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        """The area under the curve; 0.5 is chance."""
        from sklearn.metrics import roc_auc_score

        check_corpora(data, release)
        known = release if self.adaptive else data
        learn, see = features_of(self.features, known.part(data.train), release.part(data.test))
        authors = np.unique(data.authors[data.train])
        of = data.authors[data.train]
        profiles = np.vstack([np.asarray(learn[np.flatnonzero(of == author)].mean(axis=0)) for author in authors])
        profiles = profiles / np.maximum(np.linalg.norm(profiles, axis=1, keepdims=True), 1e-12)
        closeness = np.asarray(see @ profiles.T)
        same = data.authors[data.test][:, None] == authors[None]
        return Score(float(roc_auc_score(same.ravel(), closeness.ravel())), reference=0.5)
