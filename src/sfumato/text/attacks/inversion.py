"""Inversion: how much of what a document says stands in the release?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.text.attacks.known_method import known_law
from sfumato.text.core.corpus import Corpus, check_corpora
from sfumato.text.core.tokens import bag_of_words
from sfumato.text.mechanisms.retrieve.retrieval_mechanism import RetrievalMechanism
from sfumato.validate import choice, integer

__all__ = ["InversionAttack"]


@dataclass(frozen=True, kw_only=True, eq=False)
class InversionAttack:
    """Takes the release, or the public sentence nearest to it, as a guess of what the document says.

    By words, the value is the mean share of a document's content words that the release has. By sentence, the attacker
    turns the released vector back into the nearest public sentence (a private retrieval, whose pool and encoder are
    public), and the value is the share of documents that have a sentence to which this one is the nearest, too. Chance
    is what the release of another document gives.

    Parameters
    ----------
    documents : int
        How many are tried at most, drawn at random.
    by : {"words", "sentence"}
    """

    criterion: ClassVar[Criterion] = "inference"
    label: ClassVar[Literal["author", ""]] = ""
    """Which label of a text it needs."""

    documents: int = 1000
    by: Literal["words", "sentence"] = "words"
    name: str = "inversion (words recovered)"

    def __post_init__(self) -> None:
        integer("documents", self.documents, least=2)
        choice("by", self.by, ("words", "sentence"))

    @property
    def knows(self) -> str:
        """What the attacker knows."""
        return "the release" if self.by == "words" else "the release, the pool and the encoder"

    def attack(
        self, data: Corpus, release: Corpus, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        """The mean share of words, or the share of sentences; chance is that of a release of somebody else."""
        check_corpora(data, release)
        rows = resolve_rng(rng).permutation(len(data))[: self.documents].tolist()
        if self.by == "sentence":
            return self._sentences([data.texts[row] for row in rows], [release.texts[row] for row in rows], mechanism)
        truth = [set(bag_of_words(data.texts[row], morphology="lower")) for row in rows]
        guess = [set(bag_of_words(release.texts[row], morphology="lower")) for row in rows]
        kept = [k for k, own in enumerate(truth) if own]
        if len(kept) < 2:
            raise InputError("too few documents with words: expected at least two")
        shares = [len(truth[k] & guess[k]) / len(truth[k]) for k in kept]
        turned = [len(truth[k] & guess[kept[(at + 1) % len(kept)]]) / len(truth[k]) for at, k in enumerate(kept)]
        return Score.of_mean(shares, reference=float(np.mean(turned)))

    def _sentences(self, raw: list[str], released: list[str], mechanism: Mechanism | None) -> Score:
        law, seen = known_law(mechanism, raw)
        if not isinstance(law, RetrievalMechanism):
            raise bad_input("mechanism", type(mechanism).__name__, "a private retrieval, with its pool", "--pool FILE")
        public = law.space.sentence_points
        guess = _nearest(public, law.released_points(released))
        truth = [set(_nearest(public, law.points(text)).tolist()) for text in seen]
        hits = [own in there for own, there in zip(guess.tolist(), truth, strict=True)]
        turned = [own in there for own, there in zip(guess.tolist(), [*truth[1:], truth[0]], strict=True)]
        return Score.of_share(hits, reference=float(np.mean(turned)))


def _nearest(public: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.int64]:
    """The public sentence nearest to each point."""
    apart = (public * public).sum(axis=1) - 2 * points @ public.T
    return np.asarray(apart.argmin(axis=1), np.int64)
