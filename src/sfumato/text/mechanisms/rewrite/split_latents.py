"""Auto-encoders that keep content and author apart, and replace the author's part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.noise import Rng
from sfumato.noise.correlated import add_gaussian
from sfumato.promise import ApproxDP, NoGuarantee
from sfumato.promise.calibration import gaussian_epsilon
from sfumato.text.mechanisms.rewrite.capacity import gaussian_bits
from sfumato.text.mechanisms.rewrite.dp_vae import squashed
from sfumato.text.mechanisms.rewrite.rewriter import SentenceRewriter
from sfumato.validate import positive, probability

__all__ = ["AverageAae", "DpAae"]


@dataclass(frozen=True, kw_only=True, eq=False)
class AverageAae(SentenceRewriter):
    """Content as it is, the author's part replaced by its mean over the texts: AVG-AAE (Weggenmann §6.4.2).

    It promises nothing: what the content part still tells of the author leaves with it, and the mean depends on all
    texts of a release.
    """

    latents: ClassVar[tuple[str, ...]] = ("split",)

    @property
    def guarantee(self) -> NoGuarantee:
        """None."""
        return NoGuarantee(
            "the content part of the latent leaves as it is, with what it tells of the author", **self._scope()
        )

    def draw_latents(self, ids: NDArray[np.int64], rng: Rng) -> NDArray[np.float64]:
        read = self.model.read(ids)
        author = squashed(read["author"], float(self.model.design.radius)).mean(axis=0, keepdims=True)
        return np.hstack([read["mean"], np.repeat(author, len(ids), axis=0)])


@dataclass(frozen=True, kw_only=True, eq=False)
class DpAae(SentenceRewriter):
    """Content as it is, the author's part bounded and noisy: DP-AAE (Weggenmann §6.4.2).

    It promises nothing end to end. Its author part alone would be (ε, δ)-private (:attr:`author_part`); at the
    published σ = 14.2 it passes .03 bits (:attr:`author_bits`): it hides by dropping, and the content part still leaves
    as it is.

    Parameters
    ----------
    sigma : float
        Of the noise on the author's part.
    delta : float
        At which its part is stated.

    Examples
    --------
    >>> from sfumato.text import RewritingDesign, RewritingModel, Tokeniser
    >>> words = Tokeniser(words=("tea", "is", "good"))
    >>> design = RewritingDesign(latent="split", authors=("ann", "bob"), hidden=4, embedding=4, size=2)
    >>> private = DpAae(model=RewritingModel.untrained(words, design))
    >>> print(private.guarantee.vacuous, round(private.author_part.epsilon, 2), round(private.author_bits, 2))
    True 1.87 0.03
    """

    latents: ClassVar[tuple[str, ...]] = ("split",)

    sigma: float = 14.2
    delta: float = 1e-6

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("sigma", self.sigma, "the fixed spread is > 0")
        probability("delta", self.delta)

    @property
    def guarantee(self) -> NoGuarantee:
        """None: a promise about a part is none about the text."""
        return NoGuarantee(
            "only the author's part of the latent is noisy; the content part leaves as it is", **self._scope()
        )

    @property
    def shown(self) -> tuple[str, ...]:  # type: ignore[override]
        """Also the content part, and what the noise on the author's part is worth."""
        part = f"ε = {self.author_part.epsilon:.3g} and {self.author_bits:.2g} bits a sentence if it left alone"
        return (
            *super().shown,
            f"the content part of every latent; the author's part ({part}) is hidden by dropping it",
        )

    @property
    def author_part(self) -> ApproxDP:
        """What would hold for the author's part of one sentence, if nothing else left."""
        apart = 2 * float(self.model.design.radius)
        epsilon = gaussian_epsilon(self.delta, self.sigma, apart) * (1 + 1e-9)
        return ApproxDP(epsilon, self.delta, unit="author part of one sentence", neighbours="any-pair", model="local")

    @property
    def author_bits(self) -> float:
        """The most bits that pass the author's part of one sentence."""
        return gaussian_bits(self.author_part.epsilon, self.delta, size=self.model.design.author_size)

    def draw_latents(self, ids: NDArray[np.int64], rng: Rng) -> NDArray[np.float64]:
        read = self.model.read(ids)
        author = squashed(read["author"], float(self.model.design.radius))
        return np.hstack([read["mean"], add_gaussian(author, self.sigma, rng)])
