"""Sentences as vectors: the base of the encoders, and how they are found by name."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.validate import choice

__all__ = ["ENCODERS", "SentenceEncoder", "encoder_named"]

ENCODERS = {
    "minilm": "sfumato.text.mechanisms.retrieve.minilm_encoder:MiniLMEncoder",
    "words": "sfumato.text.mechanisms.retrieve.word_table_encoder:WordTableEncoder",
    "tfidf": "sfumato.text.mechanisms.retrieve.tfidf_encoder:TfidfEncoder",
}
"""The encoders by their names."""


class SentenceEncoder(ABC):
    """Base of the encoders.

    A promise per sentence rests on one thing: the vector of a sentence depends on that sentence alone, to the last bit.
    An encoder that works on batches, pads, or scales by what else is in the batch breaks it.
    """

    name: ClassVar[str]

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn from public texts, if there is something to learn; gives the encoder that has learned."""
        return self

    @abstractmethod
    def encode(self, sentences: Sequence[str]) -> NDArray[np.float64]:
        """The vectors of protected sentences, shape (n, d), each computed alone."""

    def encode_public(self, sentences: Sequence[str]) -> NDArray[np.float64]:
        """The vectors of public sentences; these may be computed together."""
        return self.encode(sentences)


def encoder_named(encoder: str | SentenceEncoder) -> SentenceEncoder:
    """The encoder of that name, or the given one."""
    if isinstance(encoder, SentenceEncoder):
        return encoder
    if not isinstance(encoder, str):
        raise bad_input("encoder", type(encoder).__name__, "a SentenceEncoder or one of " + ", ".join(ENCODERS))
    module, _, name = ENCODERS[choice("encoder", encoder, list(ENCODERS))].partition(":")
    made: Any = getattr(importlib.import_module(module), name)()
    found: SentenceEncoder = made
    return found
