"""Linear learners of attackers and analysts."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng

__all__ = ["Learner", "classifier", "label_scores", "standardised"]

Learner = Literal["svm", "bayes"]
"""A linear support vector machine or multinomial naive Bayes."""

_MANY = 5000


@dataclass(frozen=True)
class _LinearSvm:
    """A linear SVM that gives no warning if it stops before it has converged."""

    seed: int
    dense: bool

    def fit(self, x: Any, y: Any) -> Any:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import MinMaxScaler
        from sklearn.svm import SVC, LinearSVC

        model = LinearSVC(C=1.0, dual=True, random_state=self.seed, max_iter=2000)
        if self.dense:
            pairwise = x.shape[0] <= _MANY
            model = make_pipeline(MinMaxScaler(clip=True), SVC(kernel="linear", C=1.0) if pairwise else model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return model.fit(x, y)


def classifier(kind: Learner, rng: Rng, *, dense: bool = False) -> Any:
    """A linear support vector machine (C = 1) or multinomial naive Bayes (α = 0.01), as in Weggenmann §5.3.2.

    For ``dense`` features, brought to [0, 1], the machine decides between two classes at a time (as Weka's SMO, which
    JStylo uses): a stronger attacker than one class against the rest. Beyond 5000 texts, where that would take too
    long, it is one class against the rest. Naive Bayes then smooths by Laplace's rule (α = 1).
    """
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler

    if kind == "svm":
        return _LinearSvm(int(rng.integers(2**31)), dense)
    return make_pipeline(MinMaxScaler(clip=True), MultinomialNB(alpha=1.0)) if dense else MultinomialNB(alpha=0.01)


def label_scores(
    kind: Learner, learn: Any, labels: NDArray[Any], see: Any, rng: Rng, *, dense: bool = False
) -> NDArray[np.float64]:
    """How well each label fits each text, shape (texts, labels), the labels in the order of ``np.unique``."""
    model = classifier(kind, rng, dense=dense).fit(learn, labels)
    if kind == "bayes":
        return np.asarray(model.predict_log_proba(see), np.float64)
    scores = np.asarray(model.decision_function(see), np.float64)
    return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores


def standardised(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each row with mean 0 and deviation 1, so that the scores of several learners can be added; a flat row is 0.

    >>> standardised(np.array([[1.0, 3.0], [2.0, 2.0]]))
    array([[-1.,  1.],
           [ 0.,  0.]])
    """
    centred = scores - scores.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1, keepdims=True)
    return np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 1e-12)
