"""Sentence membership: did this sentence stand in the document?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from sfumato.errors import InputError, bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.text.attacks.known_method import known_law
from sfumato.text.core.corpus import Corpus, check_corpora
from sfumato.text.mechanisms.retrieve.sentence_split import split_sentences
from sfumato.validate import integer

__all__ = ["SentenceMembershipAttack"]


@dataclass(frozen=True, kw_only=True, eq=False)
class SentenceMembershipAttack:
    """Tells a document from the same document with one sentence replaced, by the law of the release.

    The attacker holds all other sentences, the true one and a sentence of another document, and names the one under
    which the release is more likely. Nobody can do better; a promise of ε per sentence bounds it by e^ε/(1 + e^ε).

    Parameters
    ----------
    documents : int
        How many are tried at most, drawn at random.
    """

    criterion: ClassVar[Criterion] = "inference"
    label: ClassVar[Literal["author", ""]] = ""
    """Which label of a text it needs."""

    documents: int = 100
    name: str = "sentence membership"

    def __post_init__(self) -> None:
        integer("documents", self.documents, least=2)

    @property
    def knows(self) -> str:
        """What the attacker knows."""
        return "the method, all sentences but one, and two candidates for that one"

    def attack(
        self, data: Corpus, release: Corpus, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        """The share of documents whose sentence is named; chance is one half."""
        check_corpora(data, release)
        rng = resolve_rng(rng)
        parts = [split_sentences(text) for text in data.texts]
        rows = [row for row, own in enumerate(parts) if len(own) >= 2]
        if len(rows) < 2:
            raise InputError("too few documents: expected two of at least two sentences")
        rows = sorted(rng.permutation(rows)[: self.documents].tolist())
        pairs = []
        for row in rows:
            other = parts[rows[(rows.index(row) + 1) % len(rows)]]
            place, sentence = int(rng.integers(len(parts[row]))), other[int(rng.integers(len(other)))]
            own = parts[row]
            pairs.append((". ".join(own), ". ".join([*own[:place], sentence, *own[place + 1 :]])))
        law, seen = known_law(mechanism, [text for pair in pairs for text in pair])
        found = None if law is None else law.log_likelihood([release.texts[row] for row in rows], seen)
        if found is None:
            told = None if mechanism is None else type(mechanism).__name__
            raise bad_input("mechanism", told, "a method whose law is known")
        places = np.arange(len(rows))
        true, false = found[places, 2 * places], found[places, 2 * places + 1]
        return Score.of_share(np.where(true == false, 0.5, true > false), reference=0.5)
