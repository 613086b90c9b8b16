"""How well the topic of protected texts can be classified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.study.score import Score
from sfumato.text.core.classifier import Learner, classifier
from sfumato.text.core.corpus import Corpus, check_corpora
from sfumato.text.core.label_score import Metric, score_of
from sfumato.text.core.protected_copies import protected_copies
from sfumato.text.core.text_features import features_of
from sfumato.validate import choice, integer

__all__ = ["TopicUtility"]


@dataclass(frozen=True, kw_only=True, eq=False)
class TopicUtility:
    """Topic classification of protected texts (Weggenmann U1).

    A release that states a topic for each text is read by that topic: the text adds nothing to it.

    Parameters
    ----------
    adaptive : bool
        The analyst learns from protected texts; ``False`` learns from raw ones, as somebody does whose model is older
        than the protection, and takes a stated topic at its word if it is one of those that are asked for.
    learner : {"bayes", "svm"}
        On tf-idf of words: multinomial naive Bayes (α = 0.01) or a linear SVM (C = 1).
    metric : {"accuracy", "f1", "weighted f1", "mcc"}
    mechanism : Mechanism, optional
        The analyst holds raw texts and protects them, ``copies`` times, to learn from: as strong as the attacker who
        knows the method.
    copies : int
    """

    label: ClassVar[Literal["topic", "mood", ""]] = "topic"
    """Which label of a text it needs."""

    adaptive: bool = True
    learner: Learner = "bayes"
    metric: Metric = "accuracy"
    mechanism: Mechanism | None = None
    copies: int = 16
    name: str = "topic"
    better: Literal["higher", "lower"] = "higher"

    def __post_init__(self) -> None:
        choice("learner", self.learner, get_args(Learner))
        choice("metric", self.metric, get_args(Metric))
        integer("copies", self.copies)

    def measure(self, data: Corpus, release: Corpus, *, rng: Rng | None = None) -> Score:
        """The score on protected texts; the reference is that on raw texts."""
        check_corpora(data, release)
        labels, seed = self._labels(data), int(resolve_rng(rng).integers(2**31))
        truth = labels[data.test]
        raw = score_of(truth, self.guess(data, data, labels, np.random.default_rng(seed)), self.metric)
        found = score_of(truth, self.guess(data, release, labels, np.random.default_rng(seed)), self.metric)
        return Score(found.value, found.low, found.high, reference=raw.value)

    def measure_people(self, topics: Sequence[str], stated: Sequence[str]) -> Score:
        """The same for one release of all texts of a person: the topic they write most about, and the one stated."""
        return replace(score_of(np.array(topics), np.array(stated), self.metric), reference=1.0)

    @property
    def people(self) -> bool:
        """Whether it can measure one release of all texts of a person: by the topic that it states."""
        return self.label == "topic" and not self.adaptive

    def guess(self, data: Corpus, release: Corpus, labels: Any, rng: Rng) -> Any:
        """The label that the analyst gives each test text."""
        protected = release is not data
        if release.stated is not None and not self.adaptive and np.isin(release.stated, labels).any():
            return release.stated[data.test]
        known = release if self.adaptive else data
        learn, own, see = known.part(data.train), labels[data.train], release.part(data.test)
        if release.stated is not None and self.adaptive:
            topics = np.unique(release.stated)
            learn, see = (release.stated[rows][:, None] == topics for rows in (data.train, data.test))
            return classifier(self.learner, rng).fit(learn.astype(float), own).predict(see.astype(float))
        if protected and self.mechanism is not None:
            learn, own = protected_copies(self.mechanism, data.part(data.train), own, self.copies, rng)
        points, seen = features_of("counts", learn, see)
        return classifier(self.learner, rng).fit(points, own).predict(seen)

    def _labels(self, data: Corpus) -> Any:
        return data.topics
