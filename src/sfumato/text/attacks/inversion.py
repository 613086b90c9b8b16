"""Inversion: how much of what a document says stands in the release?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from sfumato.errors import InputError
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.release.card import Criterion
from sfumato.study.score import Score
from sfumato.text.core.corpus import Corpus, check_corpora
from sfumato.text.core.tokens import bag_of_words
from sfumato.validate import integer

__all__ = ["InversionAttack"]


@dataclass(frozen=True, kw_only=True, eq=False)
class InversionAttack:
    """Takes the release, or the nearest public text it stands for, as a guess of the document.

    The value is the mean share of a document's content words that the guess has; chance is that share in the release
    of another document.

    Parameters
    ----------
    documents : int
        How many are tried at most, drawn at random.
    """

    criterion: ClassVar[Criterion] = "inference"
    label: ClassVar[Literal["author", ""]] = ""
    """Which label of a text it needs."""
    knows: ClassVar[str] = "the release"

    documents: int = 1000
    name: str = "inversion (words recovered)"

    def __post_init__(self) -> None:
        integer("documents", self.documents, least=2)

    def attack(
        self, data: Corpus, release: Corpus, *, mechanism: Mechanism | None = None, rng: Rng | None = None
    ) -> Score:
        """The mean share of words; chance is that of a release of somebody else."""
        check_corpora(data, release)
        rows = resolve_rng(rng).permutation(len(data))[: self.documents].tolist()
        truth = [set(bag_of_words(data.texts[row], morphology="lower")) for row in rows]
        guess = [set(bag_of_words(release.texts[row], morphology="lower")) for row in rows]
        kept = [k for k, own in enumerate(truth) if own]
        if len(kept) < 2:
            raise InputError("too few documents with words: expected at least two")
        shares = [len(truth[k] & guess[k]) / len(truth[k]) for k in kept]
        turned = [len(truth[k] & guess[kept[(at + 1) % len(kept)]]) / len(truth[k]) for at, k in enumerate(kept)]
        return Score.of_mean(shares, reference=float(np.mean(turned)))
