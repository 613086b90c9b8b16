"""A public classifier of topics, learned from public texts alone."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.text.core.classifier import standardised
from sfumato.text.core.public_pool import PublicPool

__all__ = ["TopicClassifier"]

_FEW = 50


@dataclass(frozen=True, eq=False)
class TopicClassifier:
    """Topics by tf-idf and the standardised sum of three linear learners; for two topics by logistic regression alone.

    The learners are complement naive Bayes (α = 0.3), a linear SVM (C = 0.5) and balanced logistic regression (C = 20).
    """

    pool: PublicPool

    def posteriors(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The share of each topic of the pool in each text, shape (texts, topics); every row is computed alone."""
        vectoriser, models = self._fitted
        points = vectoriser.transform(texts)
        if len(self.pool.names) == 2:
            scores = models[0].decision_function(points)
            total = np.column_stack([-scores / 2, scores / 2])
        else:
            first, *others = models
            parts = [first.predict_joint_log_proba(points), *(one.decision_function(points) for one in others)]
            total = np.sum([standardised(part) for part in parts], axis=0)
        shares: NDArray[np.float64] = np.exp(total - total.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)

    @cached_property
    def _fitted(self) -> tuple[Any, list[Any]]:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.naive_bayes import ComplementNB
        from sklearn.svm import LinearSVC

        rare = 1 if len(self.pool) < _FEW else 2
        vectoriser = TfidfVectorizer(stop_words="english", min_df=rare, sublinear_tf=True)
        points = vectoriser.fit_transform(self.pool.texts)
        logistic = LogisticRegression(C=20.0, class_weight="balanced", max_iter=300)
        models = [logistic]
        if len(self.pool.names) > 2:
            models = [ComplementNB(alpha=0.3), LinearSVC(C=0.5, dual=True, random_state=0), logistic]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return vectoriser, [model.fit(points, self.pool.codes) for model in models]
