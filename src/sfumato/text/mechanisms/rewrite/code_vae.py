"""Generated text from a private code: a vector-quantised auto-encoder whose index goes through randomised response."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.mechanism import RandomizedResponse
from sfumato.noise import Rng
from sfumato.promise import Assumption, Guarantee, PureDP
from sfumato.text.mechanisms.rewrite.capacity import response_bits
from sfumato.text.mechanisms.rewrite.decoding import Way
from sfumato.text.mechanisms.rewrite.rewriter import Rewriter
from sfumato.validate import integer, positive

__all__ = ["CodeVae"]


@dataclass(frozen=True, kw_only=True, eq=False)
class CodeVae(Rewriter):
    """Writes a text of its own for the private code of each document: ε for the whole document, δ = 0.

    A public network reads a document as one of k = labels × topics codes. The code goes through k-ary randomised
    response, p = e^ε/(e^ε + k − 1), and the decoder writes ``sentences`` sentences for whatever comes out.
    **Theorem.** The released text depends on the document only through a randomised response with k answers; any two
    documents are told apart by at most ε, whatever the network computes.

    At ε = 10 a Gaussian latent passes .6 bits, randomised response up to 9.6 (:attr:`bits`). What survives is the label
    and the topic: not facts, and no paraphrase.

    Parameters
    ----------
    epsilon : float
        Per document, whatever its length.
    sentences : int
        How many are written, always.
    guidance : float
        γ: how much more plainly than the training texts the sentences show their code. It costs nothing; much of it
        writes the same few words again and again.
    drafts : int
        For every sentence so many are drafted. Of all drafts of a text, those are kept that the public network itself
        reads most clearly as the private code; with one draft the text hardly shows the code that was paid for. Only
        that code is looked at, so it costs nothing.

    Examples
    --------
    >>> from sfumato.text import RewritingDesign, RewritingModel, Tokeniser
    >>> words = Tokeniser(words=("tea", "is", "good"), source="made up")
    >>> design = RewritingDesign(latent="code", labels=("bad", "good"), topics=2, hidden=4, embedding=4, size=2)
    >>> private = CodeVae(epsilon=4.0, model=RewritingModel.untrained(words, design))
    >>> print(private.guarantee)
    ε = 4 per document (any-pair neighbours, local model), provided that the model is public
    >>> round(private.truth, 3), round(private.bits, 2)
    (0.948, 1.62)
    """

    any_texts = True
    latents: ClassVar[tuple[str, ...]] = ("code",)

    epsilon: float
    way: Way = "top-p"
    sentences: int = 5
    guidance: float = 1.0
    drafts: int = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("epsilon", self.epsilon, "a promise needs ε > 0")
        integer("sentences", self.sentences)
        positive("guidance", self.guidance, zero=True)
        integer("drafts", self.drafts)
        _ = self.response

    @cached_property
    def response(self) -> RandomizedResponse:
        """What the code goes through."""
        return RandomizedResponse(epsilon=float(self.epsilon), categories=self.model.design.codes, unit="document")

    @property
    def truth(self) -> float:
        """p, the probability of the own code."""
        return self.response.truth

    @property
    def bits(self) -> float:
        """The bits that pass if all codes are equally likely."""
        return response_bits(self.epsilon, self.model.design.codes)

    @property
    def guarantee(self) -> Guarantee:
        """ε for any two documents, as long as the model is public."""
        promise = PureDP(float(self.epsilon), unit="document", neighbours="any-pair", model="local")
        return promise.assuming(Assumption("model", source=self.model.source))

    def private_codes(self, texts: Sequence[str], rng: Rng) -> NDArray[np.int64]:
        """The code of each document after randomised response."""
        return np.asarray(self.response.release(self.model.codes(texts), rng=rng), np.int64)

    def release_texts(self, texts: list[str], rng: Rng) -> list[str]:
        if not texts:
            return []
        self.check_sources(texts)
        return self.write_codes(self.private_codes(texts, rng), rng)

    def write_codes(self, codes: NDArray[np.int64], rng: Rng) -> list[str]:
        """A text for each code: of its drafts the sentences that show it best, in the order they were written."""
        each = self.sentences * self.drafts
        meant = np.repeat(codes, each)
        written = self.model.write(
            self.model.code_latents(meant), decoding=self.decoding, rng=rng, away=self._middle, guidance=self.guidance
        )
        shape = (len(codes), each)
        clear = self.model.clearness(written, meant).reshape(shape) if self.drafts > 1 else np.zeros(shape)
        kept = np.sort(np.argsort(-clear, axis=1, kind="stable")[:, : self.sentences], axis=1)
        return [
            " ".join(filter(None, (written[start * each + k] for k in own))) for start, own in enumerate(kept.tolist())
        ]

    @cached_property
    def _middle(self) -> NDArray[np.float64]:
        return self.model.code_latents(np.arange(self.model.design.codes)).mean(axis=0)
