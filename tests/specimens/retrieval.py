"""Private retrieval with mistakes that are easy to make; the auditor must refuse them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.auditor import AuditCase
from sfumato.text import DeepCandidate, SentenceEncoder, TfidfEncoder
from sfumato.text.examples import DOCUMENTS
from sfumato.text.mechanisms.retrieve.depth_law import DepthLaw

GIVEN: dict[str, Any] = {"pool": DOCUMENTS, "unit": "sentence", "dimension": 2, "projections": 12, "by": "topics"}
MIXED = (
    "The horse ran. The horse ran. The dog saw a cat. Hail and rain. A cat and a dog. A cat and a dog. {} "
    "Nothing known. Hail and rain. The dog saw a cat."
)
TRADE = (
    "The horse ran. A bond. A bond. My share of stock. The horse ran. My share of stock. {} The dog saw a cat. "
    "The horse ran. The dog saw a cat. A bond."
)


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
        pairs=[(MIXED.format("A cat and a dog."), MIXED.format("A bond."))],
        outputs=list(DOCUMENTS.texts),
        expected="broken",
        source="Meehan §3.4 with the sensitivity of add-remove",
    ),
    AuditCase(
        name="sentence vectors that depend on each other",
        mechanism=DeepCandidate(epsilon=2.0, encoder=CentredByBatch(), **GIVEN),
        pairs=[(TRADE.format("The horse ran."), TRADE.format("Nothing known."))],
        outputs=list(DOCUMENTS.texts),
        expected="broken",
        source="encoders that normalise a batch",
    ),
]
