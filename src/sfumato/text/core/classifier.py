"""Linear learners of attackers and analysts."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal

from sfumato.noise import Rng

__all__ = ["classifier"]

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


def classifier(kind: Literal["svm", "bayes"], rng: Rng, *, dense: bool = False) -> Any:
    """A linear support vector machine (C = 1) or multinomial naive Bayes (α = 0.01), as in Weggenmann §5.3.2.

    For ``dense`` features, brought to [0, 1], the machine decides between two classes at a time (as Weka's SMO, which
    JStylo uses): a stronger attacker than one class against the rest. Beyond 5000 texts, where that would take too
    long, it is one class against the rest.
    """
    from sklearn.naive_bayes import MultinomialNB

    return MultinomialNB(alpha=0.01) if kind == "bayes" else _LinearSvm(int(rng.integers(2**31)), dense)
