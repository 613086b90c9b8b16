"""Word mechanisms with the promise that papers and packages give them; the auditor must refuse it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.auditor import AuditCase
from sfumato.promise import Guarantee, PureDP
from sfumato.text import BagExponential, CandidateExponential, SynTF, WordExponential
from sfumato.text.examples import PLANE, bags

WORD: dict[str, Any] = {"unit": "word", "neighbours": "any-pair", "model": "local"}


@dataclass(frozen=True, kw_only=True, eq=False)
class CandidatesForAnyPair(CandidateExponential):
    """ε-differential privacy for any two words, though words of different sets have different outputs."""

    @property
    def guarantee(self) -> Guarantee:
        return PureDP(self.epsilon, **WORD)


@dataclass(frozen=True, kw_only=True, eq=False)
class SynonymsOnly(WordExponential):
    """Draws among the synonyms of the input word and claims ε for any two words."""

    @property
    def guarantee(self) -> Guarantee:
        return PureDP(self.epsilon, **WORD)

    def scores(self, ids: Any) -> Any:
        scores = super().scores(ids)
        return np.where(scores >= -1.2, scores, -1e9)

    def log_prob(self, output: Any, data: Any) -> Any:
        law = super().log_prob(output, data)
        return np.where(law < -1e6, -np.inf, law)


@dataclass(frozen=True, kw_only=True, eq=False)
class UnknownWordsPass(WordExponential):
    """A word outside the vocabulary is printed as it is."""

    def release_texts(self, texts: list[str], rng: Any) -> list[str]:
        released = super().release_texts(texts, rng)
        unknown = [(self.vocabulary.text_ids(text) == len(self.vocabulary)).all() for text in texts]
        return [text if keep else new for text, new, keep in zip(texts, released, unknown, strict=True)]

    def log_prob(self, output: Any, data: Any) -> Any:
        if data not in self.vocabulary.index:
            return np.where(np.array(output) == data, 0.0, -np.inf)
        return super().log_prob(output, data)


@dataclass(frozen=True, kw_only=True, eq=False)
class BagInOrder(BagExponential):
    """Every word replaced, their order kept: bags that differ in their order alone are at distance 0."""

    def release_texts(self, texts: list[str], rng: Any) -> list[str]:
        ids = [self.vocabulary.text_ids(text) for text in texts]
        replaced = [self.word_mechanism.replace_ids(one, rng) for one in ids]
        return [" ".join(self.vocabulary.words[k] for k in one) for one in replaced]

    def log_prob(self, output: Any, data: Any) -> Any:
        laws = [self.word_mechanism.log_prob(self.vocabulary.words, word) for word in data.split()]
        places = [self.vocabulary.ids(text.split()) for text in output]
        return np.array([sum(law[k] for law, k in zip(laws, ids, strict=True)) for ids in places])


@dataclass(frozen=True, kw_only=True, eq=False)
class EmptyStaysEmpty(SynTF):
    """A document without a known word is released as an empty bag."""

    def release_texts(self, texts: list[str], rng: Any) -> list[str]:
        released = super().release_texts(texts, rng)
        return [new if len(self.vectoriser.ids(text)) else "" for text, new in zip(texts, released, strict=True)]

    def log_prob(self, output: Any, data: Any) -> Any:
        if len(self.vectoriser.ids(data)) == 0:
            return np.array([0.0 if text == "" else -np.inf for text in output])
        return super().log_prob(output, data)


CASES = [
    AuditCase(
        name="candidate sets, ε for any two words",
        mechanism=CandidatesForAnyPair(epsilon=2.0, vocabulary=PLANE, candidates=3),
        pairs=[("cat", "stock")],
        outputs=list(PLANE.words),
        expected="broken",
        source="CusText, Chen and others 2023",
    ),
    AuditCase(
        name="synonyms of the input only",
        mechanism=SynonymsOnly(epsilon=2.0, vocabulary=PLANE),
        pairs=[("cat", "stock")],
        outputs=list(PLANE.words),
        expected="broken",
        source="mldp-text 0.1.2, SynTF.replace_word",
    ),
    AuditCase(
        name="unknown words pass unchanged",
        mechanism=UnknownWordsPass(epsilon=2.0, vocabulary=PLANE),
        pairs=[("cat", "zebra")],
        outputs=[*PLANE.words, "zebra"],
        expected="broken",
        source="mldp-text 0.1.2",
    ),
    AuditCase(
        name="bag with its order kept",
        mechanism=BagInOrder(epsilon=1.5, vocabulary=PLANE),
        pairs=[("cat share", "share cat")],
        outputs=[f"{a} {b}" for a in PLANE.words for b in PLANE.words],
        expected="broken",
        source="Fischer §3.3: the order must be forgotten",
    ),
    AuditCase(
        name="empty documents stay empty",
        mechanism=EmptyStaysEmpty(epsilon=8.0, length=2, vocabulary=PLANE),
        pairs=[("cat", "nothing known")],
        outputs=[*bags(PLANE.words, 2), ""],
        expected="broken",
        source="Weggenmann §5.2: a document without a known word is not covered",
    ),
]
