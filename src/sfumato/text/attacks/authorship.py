"""Authorship attribution: which of the known authors wrote it?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.text.core.classifier import classifier
from sfumato.text.core.corpus import Corpus, check_corpora
from sfumato.text.core.label_score import Metric, score_of
from sfumato.text.core.text_features import features_of
from sfumato.validate import choice, integer

__all__ = ["AuthorFeatures", "AuthorshipAttack"]

AuthorFeatures = Literal["writeprints", "writeprints+content", "characters", "words"]
"""What an author is told by."""


@dataclass(frozen=True, kw_only=True, eq=False)
class AuthorshipAttack:
    """Names the author of each protected test text among known suspects (Weggenmann A1, A2).

    Parameters
    ----------
    features : {"writeprints", "writeprints+content", "characters", "words"}
        557 stylometric features; the same and the shares of the 500 commonest words; character 2- to 4-grams; or word
        1- and 2-grams. The learner is a linear SVM (C = 1).
    adaptive : bool
        The attacker has protected texts of the suspects to learn from (the training part of the release). ``False``
        learns from raw texts, which understates the risk: report the adaptive one.
    suspects : int, optional
        Each text comes with this many suspects, drawn at random, the true author among them; by default all authors.
    metric : {"accuracy", "f1", "weighted f1", "mcc"}
        F1 is the mean over the authors.
    """

    criterion: ClassVar[Criterion] = "linkability"

    features: AuthorFeatures = "characters"
    adaptive: bool = True
    suspects: int | None = None
    metric: Metric = "accuracy"
    name: str = "authorship (character n-grams)"

    def __post_init__(self) -> None:
        choice("features", self.features, get_args(AuthorFeatures))
        choice("metric", self.metric, get_args(Metric))
        if self.suspects is not None:
            integer("suspects", self.suspects, least=2)

    @property
    def knows(self) -> str:
        """What the attacker knows."""
        learned = "protected" if self.adaptive else "raw"
        return f"two of three texts of every author, {learned}, with their names"

    def attack(
        self, data: Corpus, release: Corpus, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        """The score of the named authors. ``mechanism`` is not used: the release holds texts to learn from."""
        check_corpora(data, release)
        rng = resolve_rng(rng)
        known = release if self.adaptive else data
        learn, see = features_of(self.features, known.part(data.train), release.part(data.test))
        authors = data.authors[data.train]
        model = classifier("svm", rng, dense=self.features.startswith("writeprints")).fit(learn, authors)
        truth = data.authors[data.test]
        if self.suspects is None:
            return score_of(truth, model.predict(see), self.metric)
        certainty = np.asarray(model.decision_function(see))
        if certainty.ndim == 1:
            certainty = np.column_stack([-certainty, certainty])
        guesses = _among(model.classes_, certainty, truth, self.suspects, rng)
        found = score_of(truth, guesses, self.metric)
        return Score(found.value, found.low, found.high, reference=1 / self.suspects)


def _among(classes: Any, certainty: Any, truth: Any, suspects: int, rng: Rng) -> NDArray[Any]:
    if suspects > len(classes):
        raise bad_input("suspects", suspects, f"at most the {len(classes)} authors of the corpus")
    order = rng.random(certainty.shape)
    order[classes[None] == truth[:, None]] = -1.0  # the true author is always among them
    chosen = order.argsort(axis=1).argsort(axis=1) < suspects
    return classes[np.where(chosen, certainty, -np.inf).argmax(axis=1)]
