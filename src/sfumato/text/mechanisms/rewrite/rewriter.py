"""Base of the mechanisms that write a text anew, a sentence for a sentence."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.noise import Rng
from sfumato.text.mechanisms.base import TextMechanism
from sfumato.text.mechanisms.rewrite.decoding import Decoding, Way
from sfumato.text.mechanisms.rewrite.rewriting_model import RewritingModel
from sfumato.text.vocabulary.shingles import warn_of_overlap
from sfumato.validate import choice, integer

__all__ = ["Rewriter", "SentenceRewriter", "Unit"]

Unit = Literal["sentence", "document"]
"""What a promise is about: each sentence, whose number is shown, or the whole text."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Rewriter(TextMechanism):
    """Base of the mechanisms whose text is written by a network.

    Parameters
    ----------
    model : RewritingModel
        Public: trained on texts of other people (:func:`train_rewriter`). Nothing is learned from protected texts.
    way : {"greedy", "beam", "top-k", "top-p"}
        How words are chosen; it costs nothing (:class:`Decoding`).
    width : int
        Of ``beam`` and ``top-k``.
    share, temperature : float
        Of ``top-p``, and of both random ways.
    """

    technique = "synthetic data"
    latents: ClassVar[tuple[str, ...]] = ()
    """Which latents of a design it can use."""

    model: RewritingModel
    way: Way = "greedy"
    width: int = 4
    share: float = 0.9
    temperature: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.model, RewritingModel):
            raise bad_input("model", type(self.model).__name__, "a RewritingModel", "train_rewriter(…) makes one")
        if self.model.design.latent not in self.latents:
            wanted = " or ".join(self.latents)
            raise bad_input("model", f"a {self.model.design.latent} latent", f"a {wanted} one", "train another model")
        _ = self.decoding

    @property
    def shown(self) -> tuple[str, ...]:  # type: ignore[override]
        """What is not about the texts that are rewritten: those that the network learned from."""
        return ("the texts that the network was trained on",) if self.model.private is None else ()

    @property
    def decoding(self) -> Decoding:
        """How words are chosen."""
        return Decoding(way=self.way, width=self.width, share=self.share, temperature=self.temperature)

    def check_sources(self, texts: Sequence[str]) -> None:
        """Warn if the texts look like those that the model was trained on."""
        if self.model.tokeniser.sources is not None:
            warn_of_overlap(texts, self.model.tokeniser.sources, what="model")


@dataclass(frozen=True, kw_only=True, eq=False)
class SentenceRewriter(Rewriter):
    """Base of the mechanisms that read and write sentence by sentence.

    Parameters
    ----------
    unit : {"sentence", "document"}
        ``"sentence"`` writes as many sentences as there were, and shows how many; ``"document"`` always writes
        ``sentences`` of them, empty ones included.
    sentences : int
        The most that a text may have, of at most ``model.tokeniser.longest`` tokens each (longer ones count as
        several). A text with more is refused, never cut.
    """

    unit: Unit = "document"
    sentences: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        choice("unit", self.unit, get_args(Unit))
        integer("sentences", self.sentences)

    @property
    def shown(self) -> tuple[str, ...]:  # type: ignore[override]
        """Also the number of sentences, if it is not always the same."""
        counted = ("the number of sentences of each text",) if self.unit == "sentence" else ()
        return (*super().shown, *counted)

    def sentence_ids(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], list[int]]:
        """The sentences of all texts as numbers, and how many each text has."""
        tokeniser = self.model.tokeniser
        pieces = [tokeniser.pieces(text) for text in texts]
        counts = [len(one) for one in pieces]
        if max(counts, default=0) > self.sentences:
            longest = int(np.argmax(counts))
            raise bad_input(
                f"data[{longest}]",
                f"{counts[longest]} sentences of at most {tokeniser.longest} tokens, the longest of the texts",
                f"at most {self.sentences}",
                "raise sentences (each costs), or split the text",
            )
        if self.unit == "document":
            pieces = [one + [[]] * (self.sentences - len(one)) for one in pieces]
            counts = [self.sentences] * len(texts)
        found = [sentence for one in pieces for sentence in one]
        return tokeniser.ids(found), counts

    def release_texts(self, texts: list[str], rng: Rng) -> list[str]:
        if not texts:
            return []
        self.check_sources(texts)
        ids, counts = self.sentence_ids(texts)
        written = self.model.write(self.draw_latents(ids, rng), decoding=self.decoding, rng=rng)
        ends = np.cumsum(counts)
        return [" ".join(filter(None, written[end - size : end])) for end, size in zip(ends, counts, strict=True)]

    @abstractmethod
    def draw_latents(self, ids: NDArray[np.int64], rng: Rng) -> NDArray[np.float64]:
        """One latent for each sentence: all that is used of it."""

    def _scope(self) -> dict[str, Any]:
        return {"unit": self.unit, "neighbours": "any-pair", "model": "local"}
