"""What an attacker learns from the law of a release, who knows how texts were protected."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sfumato.mechanism import Mechanism
from sfumato.noise import Rng
from sfumato.text.core.classifier import label_scores
from sfumato.text.core.corpus import Corpus
from sfumato.text.mechanisms.base import TextMechanism, VocabularyMechanism

__all__ = ["known_law", "law_scores"]

_LEAST = 1e-5
"""Words that are released less often than this are left out of the laws that a machine learns from."""


def known_law(mechanism: Mechanism | None, texts: list[str]) -> tuple[TextMechanism | None, list[str]]:
    """What knows its law, and the texts as it sees them: after a first stage, if there is one."""
    first, then = getattr(mechanism, "first", None), getattr(mechanism, "then", None)
    if first is not None and then is not None:
        return then, first.release(texts)
    return (mechanism if isinstance(mechanism, TextMechanism) else None), texts


def law_scores(mechanism: Mechanism | None, data: Corpus, release: Corpus, rng: Rng) -> Iterator[NDArray[np.float64]]:
    """How well each author fits each test text by the law of the release; nothing where no law is known.

    Of words drawn one by one, naive Bayes with the mean law of an author, and an SVM that learns from the law of each
    text. Of releases with few possible values, ln of the mean probability over an author's texts: no attacker who
    knows these texts and nothing else can do better.
    """
    law, raw = known_law(mechanism, data.part(data.train))
    if law is None:
        return
    authors, see = data.authors[data.train], release.part(data.test)
    classes, codes = np.unique(authors, return_inverse=True)
    if isinstance(law, VocabularyMechanism):
        from scipy.sparse import csr_matrix
        from sklearn.feature_extraction.text import TfidfTransformer

        counts = law.released_counts(see)
        means = csr_matrix(
            (1 / np.bincount(codes)[codes], (codes, np.arange(len(codes)))), shape=(len(classes), len(codes))
        )
        with np.errstate(divide="ignore"):
            logs = np.log(law.mean_law(raw, means))
        yield np.asarray(counts @ np.maximum(logs, -100.0).T, np.float64)
        laws = law.mean_law(raw)
        laws[laws < _LEAST] = 0.0
        known = csr_matrix(laws)
        weights = TfidfTransformer().fit(known)
        yield label_scores("svm", weights.transform(known), authors, weights.transform(counts), rng)
        return
    likelihood = law.log_likelihood(see, raw)
    if likelihood is None:
        return
    top = likelihood.max(axis=1, keepdims=True)
    chances = np.exp(likelihood - np.where(np.isfinite(top), top, 0.0))
    sums = np.stack([chances[:, codes == k].mean(axis=1) for k in range(len(classes))], axis=1)
    yield np.log(np.maximum(sums, 1e-300))
