"""What is left of protected texts: topic, sentiment, similarity, search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from sfumato.errors import bad_input
from sfumato.noise import Rng, resolve_rng
from sfumato.study.shapes import Score
from sfumato.text.core.corpus import Corpus
from sfumato.text.core.learners import Metric, check_corpora, classifier, features_of, score_of
from sfumato.text.vocabulary.vocabulary import Vocabulary
from sfumato.validate import choice, integer

__all__ = ["RetrievalUtility", "SentimentUtility", "SimilarityUtility", "TopicUtility"]


@dataclass(frozen=True, kw_only=True, eq=False)
class TopicUtility:
    """Topic classification by an analyst who has protected texts only, for learning and for testing (Weggenmann U1).

    Parameters
    ----------
    learner : {"bayes", "svm"}
        On tf-idf of words: multinomial naive Bayes (α = 0.01) or a linear SVM (C = 1).
    metric : {"accuracy", "f1", "weighted f1", "mcc"}
    """

    name: str = "topic"
    better: Literal["higher", "lower"] = "higher"
    learner: Literal["bayes", "svm"] = "bayes"
    metric: Metric = "accuracy"

    def __post_init__(self) -> None:
        choice("learner", self.learner, ("bayes", "svm"))
        choice("metric", self.metric, get_args(Metric))

    def measure(self, data: Corpus, release: Corpus, *, rng: Rng | None = None) -> Score:
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


@dataclass(frozen=True, kw_only=True, eq=False)
class SentimentUtility(TopicUtility):
    """Sentiment classification, as :class:`TopicUtility`, on the moods of the corpus."""

    name: str = "sentiment"
    learner: Literal["bayes", "svm"] = "svm"

    def _labels(self, data: Corpus) -> Any:
        if data.moods is None:
            raise bad_input("data.moods", None, "one mood for each text", "measure topics instead")
        return data.moods


@dataclass(frozen=True, kw_only=True, eq=False)
class SimilarityUtility:
    """How close a protected text stays to its original: the mean cosine of their mean word vectors.

    Parameters
    ----------
    vocabulary : Vocabulary
        Whose vectors are taken, with stop words left out.
    """

    vocabulary: Vocabulary
    name: str = "similarity"
    better: Literal["higher", "lower"] = "higher"

    def measure(self, data: Corpus, release: Corpus, *, rng: Rng | None = None) -> Score:
        check_corpora(data, release)
        first, second = (_centroids(corpus, self.vocabulary) for corpus in (data, release))
        cosines = (first * second).sum(axis=1)
        mean, spread = float(cosines.mean()), 1.96 * float(cosines.std()) / len(cosines) ** 0.5
        return Score(mean, mean - spread, mean + spread, reference=1.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class RetrievalUtility:
    """Search: the share of the ten nearest training texts of a raw query that are still found among protected ones.

    Parameters
    ----------
    neighbours : int
        How many results a search shows.
    """

    neighbours: int = 10
    name: str = "search results kept"
    better: Literal["higher", "lower"] = "higher"

    def __post_init__(self) -> None:
        integer("neighbours", self.neighbours)

    def measure(self, data: Corpus, release: Corpus, *, rng: Rng | None = None) -> Score:
        check_corpora(data, release)
        queries, raw = data.part(data.test), data.part(data.train)
        protected = release.part(data.train)
        most = min(self.neighbours, len(raw))
        found = []
        for texts in (raw, protected):
            learn, see = features_of("counts", texts, queries)
            closeness = see @ learn.T
            closeness = closeness.toarray() if hasattr(closeness, "toarray") else np.asarray(closeness)
            found.append(np.argsort(-closeness, axis=1, kind="stable")[:, :most])
        kept = [len(np.intersect1d(a, b)) / most for a, b in zip(*found, strict=True)]
        mean, spread = float(np.mean(kept)), 1.96 * float(np.std(kept)) / len(kept) ** 0.5
        return Score(mean, mean - spread, mean + spread, reference=1.0)


def _centroids(corpus: Corpus, vocabulary: Vocabulary) -> Any:
    from sfumato.text.vocabulary.vectoriser import Vectoriser

    vectoriser = Vectoriser(vocabulary=vocabulary)
    vectors = np.asarray(vocabulary.vectors, np.float64)
    means = np.array(
        [vectors[ids].mean(axis=0) if len(ids) else vocabulary.unknown for ids in map(vectoriser.ids, corpus.texts)]
    )
    return means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)
