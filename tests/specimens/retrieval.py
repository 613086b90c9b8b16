"""Private retrieval with mistakes that are easy to make; the auditor must refuse them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.auditor import AuditCase
from sfumato.text import DeepCandidate, SentenceEncoder, TfidfEncoder
from sfumato.text.examples import DOCUMENTS
from sfumato.text.mechanisms.retrieve.depth_law import DepthLaw

GIVEN: dict[str, Any] = {"pool": DOCUMENTS, "unit": "sentence", "dimension": 2, "projections": 12, "clusters": 2}
MIXED = "Nothing known. The horse ran. My share of stock. {} Nothing known. The dog saw a cat. The dog saw a cat."
ANIMALS = "Hail and rain. My share of stock. {} The dog saw a cat. A cat and a dog. My share of stock. A cat and a dog."


@dataclass(frozen=True, kw_only=True, eq=False)
class HalfCostForReplacement(DeepCandidate):
    """The weight e^(εu) of one sentence more or less, with the promise for one sentence replaced."""

    @property
    def law(self) -> DepthLaw:
        return DepthLaw(epsilon=self.epsilon, doubled=True, sampler=self.sampler)


class CentredByBatch(SentenceEncoder):
    """Subtracts the mean of a document's vectors from each: one sentence moves the vectors of all others."""

    name = "centred"

    def __init__(self, inner: TfidfEncoder | None = None) -> None:
        self.inner = inner or TfidfEncoder()

    def fit(self, texts: Sequence[str]) -> CentredByBatch:
        return CentredByBatch(self.inner.fit(texts))

    def encode(self, sentences: Sequence[str]) -> Any:
        vectors = self.inner.encode(sentences)
        return 5 * (vectors - vectors.mean(axis=0))

    def encode_public(self, sentences: Sequence[str]) -> Any:
        return self.inner.encode(sentences)


CASES = [
    AuditCase(
        name="half the cost for a replaced sentence",
        mechanism=HalfCostForReplacement(epsilon=2.0, encoder="tfidf", **GIVEN),
        pairs=[(MIXED.format("A bond."), MIXED.format("A cat and a dog."))],
        outputs=list(DOCUMENTS.texts),
        expected="broken",
        source="Meehan §3.4 with the sensitivity of add-remove",
    ),
    AuditCase(
        name="sentence vectors that depend on each other",
        mechanism=DeepCandidate(epsilon=2.0, encoder=CentredByBatch(), **GIVEN),
        pairs=[(ANIMALS.format("A cat and a dog."), ANIMALS.format("Nothing known."))],
        outputs=list(DOCUMENTS.texts),
        expected="broken",
        source="encoders that normalise a batch",
    ),
]
