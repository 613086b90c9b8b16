"""What attackers and analysts share: features, linear learners and scores with intervals."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.study.score import Score
from sfumato.text.core.corpus import Corpus
from sfumato.text.core.stylometry import writeprints
from sfumato.text.vocabulary.vectoriser import tokens

__all__ = ["CONTENT_WORDS", "Features", "Metric", "check_corpora", "classifier", "features_of", "score_of"]

Features = Literal["writeprints", "writeprints+content", "characters", "words", "counts"]
Metric = Literal["accuracy", "f1", "weighted f1", "mcc"]
"""F1 is the mean over the classes, or weighted by their size."""

CONTENT_WORDS = 500
"""How many of the commonest words count as content, for the attacker with WritePrints features."""

_MANY = 5000


def check_corpora(data: Any, release: Any) -> None:
    """Two corpora of the same texts, raw and protected."""
    for name, value in (("data", data), ("release", release)):
        if not isinstance(value, Corpus):
            raise bad_input(name, type(value).__name__, "a Corpus", "attacks need authors and topics to score against")
    if len(data) != len(release):
        raise bad_input("release", len(release), f"one text for each of the {len(data)}")


def features_of(kind: Features, learn: list[str], see: list[str]) -> tuple[Any, Any]:
    """Feature matrices of the texts to learn from and of those to judge; fitted on the first only."""
    if kind == "writeprints":
        return writeprints(learn), writeprints(see)
    if kind == "writeprints+content":
        known, seen = _content(learn, see)
        return np.hstack([writeprints(learn), known]), np.hstack([writeprints(see), seen])
    from sklearn.feature_extraction.text import TfidfVectorizer

    options: dict[str, dict[str, Any]] = {
        "characters": {"analyzer": "char_wb", "ngram_range": (2, 4), "sublinear_tf": True, "max_features": 50_000},
        "words": {"ngram_range": (1, 2), "max_features": 50_000, "token_pattern": r"(?u)\b\w+\b"},
        "counts": {"token_pattern": r"(?u)\b\w+\b"},
    }
    vectoriser = TfidfVectorizer(**options[kind])
    try:
        fitted = vectoriser.fit_transform(learn)
    except ValueError:  # no word in any text: nothing to learn from
        return np.zeros((len(learn), 1)), np.zeros((len(see), 1))
    return fitted, vectoriser.transform(see)


def _content(learn: list[str], see: list[str]) -> tuple[Any, Any]:
    """The share of each of the commonest words of the texts to learn from."""
    from collections import Counter

    own, others = ([Counter(word.lower() for word in tokens(text)) for text in texts] for texts in (learn, see))
    total: Counter[str] = Counter()
    for counts in own:
        total.update(counts)
    common = [word for word, _ in total.most_common(CONTENT_WORDS)]
    shares = (
        np.array([[counts[word] / max(1, counts.total()) for word in common] for counts in part]).reshape(
            -1, len(common)
        )
        for part in (own, others)
    )
    return next(shares), next(shares)


@dataclass(frozen=True)
class _Machine:
    """A linear SVM that does not complain when it stops before its last digit."""

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

    return MultinomialNB(alpha=0.01) if kind == "bayes" else _Machine(int(rng.integers(2**31)), dense)


def score_of(truth: NDArray[Any], guess: NDArray[Any], metric: Metric) -> Score:
    """Accuracy with a Wilson interval against the majority's share; macro F1 against 1/k; Matthews' against 0."""
    from sklearn.metrics import f1_score, matthews_corrcoef

    kinds, counts = np.unique(truth, return_counts=True)
    if metric in ("f1", "weighted f1"):
        average = "macro" if metric == "f1" else "weighted"
        value = float(f1_score(truth, guess, average=average, labels=kinds, zero_division=0))
        return Score(value, reference=1 / len(kinds))
    if metric == "mcc":
        return Score(float(matthews_corrcoef(truth, guess)), reference=0.0)
    n, share = len(truth), float((truth == guess).mean())
    centre = (share + 1.92 / n) / (1 + 3.84 / n)
    reach = 1.96 * math.sqrt(share * (1 - share) / n + 0.9604 / n**2) / (1 + 3.84 / n)
    low, high = min(share, max(0.0, centre - reach)), max(share, min(1.0, centre + reach))
    return Score(share, low, high, reference=float(counts.max() / n))
