"""How well the topic of protected texts can be classified."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from sfumato.noise import Rng, resolve_rng
from sfumato.study.score import Score
from sfumato.text.core.classifier import classifier
from sfumato.text.core.corpus import Corpus, check_corpora
from sfumato.text.core.label_score import Metric, score_of
from sfumato.text.core.text_features import features_of
from sfumato.validate import choice

__all__ = ["TopicUtility"]


@dataclass(frozen=True, kw_only=True, eq=False)
class TopicUtility:
    """Topic classification by an analyst who learns from and tests on protected texts (Weggenmann U1).

    Parameters
    ----------
    learner : {"bayes", "svm"}
        On tf-idf of words: multinomial naive Bayes (α = 0.01) or a linear SVM (C = 1).
    metric : {"accuracy", "f1", "weighted f1", "mcc"}
    """

    label: ClassVar[Literal["topic", "mood", ""]] = "topic"
    """Which label of a text it needs."""

    learner: Literal["bayes", "svm"] = "bayes"
    metric: Metric = "accuracy"
    name: str = "topic"
    better: Literal["higher", "lower"] = "higher"

    def __post_init__(self) -> None:
        choice("learner", self.learner, ("bayes", "svm"))
        choice("metric", self.metric, get_args(Metric))

    def measure(self, data: Corpus, release: Corpus, *, rng: Rng | None = None) -> Score:
        """The score on protected texts; the reference is that on raw texts."""
        check_corpora(data, release)
        labels, seed = self._labels(data), int(resolve_rng(rng).integers(2**31))
        values = []
        for corpus in (release, data):
            learn, see = features_of("counts", corpus.part(data.train), corpus.part(data.test))
            model = classifier(self.learner, np.random.default_rng(seed)).fit(learn, labels[data.train])
            values.append(score_of(labels[data.test], model.predict(see), self.metric))
        return Score(values[0].value, values[0].low, values[0].high, reference=values[1].value)

    def _labels(self, data: Corpus) -> Any:
        return data.topics
