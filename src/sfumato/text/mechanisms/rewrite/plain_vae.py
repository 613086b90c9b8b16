"""A text auto-encoder without a promise: the other end of the scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.promise import NoGuarantee
from sfumato.text.mechanisms.rewrite.rewriter import SentenceRewriter

__all__ = ["PlainVae"]


@dataclass(frozen=True, kw_only=True, eq=False)
class PlainVae(SentenceRewriter):
    """Writes each sentence anew from a draw of its own Gaussian: V-VAE (Weggenmann §6.4.1). It promises nothing.

    Examples
    --------
    >>> from sfumato.text import RewritingDesign, RewritingModel, Tokeniser
    >>> words = Tokeniser(words=("tea", "is", "good"))
    >>> design = RewritingDesign(latent="plain", hidden=4, embedding=4, size=2)
    >>> print(PlainVae(model=RewritingModel.untrained(words, design)).guarantee)
    no guarantee: the mean of the latent has no bound, and its spread depends on the text
    """

    latents: ClassVar[tuple[str, ...]] = ("plain",)

    @property
    def guarantee(self) -> NoGuarantee:
        """None."""
        return NoGuarantee("the mean of the latent has no bound, and its spread depends on the text", **self._scope())

    def draw_latents(self, ids: NDArray[np.int64], rng: Rng) -> NDArray[np.float64]:
        read = self.model.read(ids)
        return np.asarray(read["mean"] + read["spread"] * rng.standard_normal(read["mean"].shape))
