"""What the auditor tries on a private retrieval: documents that differ in one sentence, and any two documents."""

from __future__ import annotations

import itertools
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.auditor import AuditCase
from sfumato.noise import Rng
from sfumato.text.core.public_pool import PublicPool
from sfumato.text.mechanisms.retrieve.deep_candidate import DeepCandidate
from sfumato.text.mechanisms.retrieve.truncated_mean import TruncatedMean

__all__ = ["DOCUMENTS", "retrieval_cases"]

BAD: tuple[Any, ...] = (3, None, b"cat. dog.", ["cat. dog.", 3], "cat. \udc80.")

DOCUMENTS = PublicPool.of(
    [
        "A cat sat here. The dog saw the cat.",
        "The horse ran. A dog ran after the horse.",
        "I bought stock. A bond is safer than stock.",
        "My share fell. The bond rose.",
        "Rain fell. Then there was hail.",
    ],
    topics=["animals", "animals", "money", "money", "weather"],
    source="made up",
)
"""Five public documents of two sentences."""


def retrieval_cases() -> list[AuditCase]:
    """Any two documents; documents that differ in one sentence, for every sampler; one sentence more or less."""
    given: dict[str, Any] = {"pool": DOCUMENTS, "encoder": "tfidf", "dimension": 2, "projections": 12, "clusters": 2}
    one: dict[str, Any] = {"unit": "sentence", **given}
    body = "The dog barked. The cat ran. A horse stood by. The dog sat."
    changed = [f"{body} A cat and a dog.", f"{body} Stock, bond and share.", f"{body} Nothing known."]
    unlike = [body, "Stock and bond. My share fell.", "Rain. Hail. Nothing known. Rain and hail."]
    made = [
        ("DeepCandidate", DeepCandidate(epsilon=2.0, **given), unlike),
        ("DeepCandidate, two deepest", DeepCandidate(epsilon=3.0, deepest=2, **given), unlike),
        ("DeepCandidate, sentences", DeepCandidate(epsilon=2.0, **one), changed),
        ("DeepCandidate, permute and flip", DeepCandidate(epsilon=2.0, sampler="permute-and-flip", **one), changed),
        ("DeepCandidate, add and remove", DeepCandidate(epsilon=1.0, neighbours="add-remove", **one), [body]),
    ]
    bad = (*BAD, "One sentence only.", "", ["Two. Sentences.", "One"])
    cases = [
        AuditCase(
            name=name,
            mechanism=mechanism,
            pairs=[(body, other) for other in changed] if texts == [body] else list(itertools.combinations(texts, 2)),
            outputs=list(DOCUMENTS.texts),
            sampler=mechanism.draw,
            samples=4000,
            bad=bad,
            source="Meehan Thm 3.4.1",
        )
        for name, mechanism, texts in made
    ]
    means = [
        ("TruncatedMean", TruncatedMean(epsilon=2.0, **given), unlike),
        ("TruncatedMean, sentences", TruncatedMean(epsilon=2.0, **one), changed),
    ]
    return cases + [
        AuditCase(
            name=name,
            mechanism=mean,
            pairs=list(itertools.combinations(texts, 2)),
            sampler=partial(_sample_documents, mean),
            samples=4000,
            bad=bad,
            source="Meehan §3.5.3",
        )
        for name, mean, texts in means
    ]


def _sample_documents(mechanism: TruncatedMean, data: str, count: int, rng: Rng) -> NDArray[np.float64]:
    """Many releases of one document, as the candidates that they are."""
    chosen = mechanism.choose(mechanism.points(data), count, rng)
    return np.eye(len(mechanism.space))[chosen]
