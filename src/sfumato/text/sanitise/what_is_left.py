"""What is left of documents that were sanitised: words, similarity, labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.errors import InputError
from sfumato.study.score import Finding, Score
from sfumato.text.sanitise.analysis import Analyser
from sfumato.text.sanitise.interest import InterestLabel

__all__ = ["label_accuracy", "what_is_left", "word_cosine", "words_kept"]


def words_kept(before: Sequence[str], after: Sequence[str], analyser: Analyser) -> Score:
    """The mean share of the words of a document that are left as they were.

    >>> from sfumato.text import PlainAnalyser
    >>> words_kept(["a red boat sank"], ["a […] boat sank"], PlainAnalyser()).value
    0.75
    """
    shares = []
    for pair in zip(before, after, strict=True):
        old, new = (Counter(word.form for word in analyser.words(text)) for text in pair)
        if old:
            shares.append((old & new).total() / old.total())
    return Score.of_mean(shares, reference=1.0)


def word_cosine(before: Sequence[str], after: Sequence[str]) -> Score:
    """The mean cosine of the tf-idf vectors of a document before and after."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectoriser = TfidfVectorizer(token_pattern=r"(?u)\w+").fit(before)
    first, second = vectoriser.transform(before), vectoriser.transform(after)
    return Score.of_mean(np.asarray(first.multiply(second).sum(axis=1)).ravel(), reference=1.0)


def label_accuracy(before: Sequence[str], after: Sequence[str], labels: Sequence[Any]) -> Score:
    """How often a label is still told from a sanitised document, by a model learned from every other raw one.

    The reference is how often it is told from the raw document.
    """
    names = [str(label) for label in labels]
    model = InterestLabel.fit(before[::2], names[::2])
    truth = np.array(names[1::2])
    raw = (model(before[1::2]) == truth).mean()
    return Score.of_share(model(after[1::2]) == truth, reference=float(raw))


def what_is_left(
    before: Sequence[str], after: Sequence[str], *, analyser: Analyser, labels: Sequence[Any] | None = None
) -> list[Finding]:
    """Words kept and cosine; with labels, how often a label is still told."""
    found = [
        Finding(name="words kept", score=words_kept(before, after, analyser), better="higher"),
        Finding(name="cosine of words", score=word_cosine(before, after), better="higher"),
    ]
    if labels is not None:
        try:
            told = Finding(name="label told", score=label_accuracy(before, after, labels), better="higher")
        except InputError as error:
            told = Finding(name="label told", score=Score(float("nan")), better="higher", reason=str(error))
        found.append(told)
    return found
