"""The exponential mechanism on truncated distances."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sfumato.text.mechanisms.words.word_exponential import WordExponential
from sfumato.validate import positive, probability

__all__ = ["TruncatedExponential", "truncation_for"]


@dataclass(frozen=True, kw_only=True, eq=False)
class TruncatedExponential(WordExponential):
    """Replaces words by the exponential mechanism on min(d, γ) (TEM, Carvalho and others 2023).

    TEM keeps the words within γ of the input, puts all others into one more option with score −γ + (2/ε)·ln(how many),
    and draws uniformly from them if it wins. That is the exponential mechanism with score −min(d, γ), which moves by at
    most min(d(x, x′), γ): so TEM is ε·d-private *and* ε·γ-differentially private for any two words.

    Parameters
    ----------
    share : float
        β: γ is chosen so that all words beyond it together have at most about this probability.
    truncation : float, optional
        γ itself.

    Examples
    --------
    >>> from sfumato.text import Vocabulary
    >>> words = Vocabulary(words=("cat", "dog", "stock"), vectors=[[1.0, 0.1], [0.9, 0.3], [0.0, 1.0]])
    >>> print(TruncatedExponential(epsilon=4.0, vocabulary=words, truncation=0.5).guarantee.statement)
    ε = 4 per unit of word-vector distance, at most ε = 2
    """

    share: float = 0.001
    truncation: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        probability("share", self.share)
        if self.truncation is not None:
            positive("truncation", self.truncation)

    @property
    def reach(self) -> float:
        if self.truncation is not None:
            return self.truncation
        return truncation_for(self.epsilon, len(self.vocabulary), self.share)


def truncation_for(epsilon: float, size: int, share: float) -> float:
    """γ = (2/ε)·ln((1 − β)(L − 1)/β): words farther than γ get at most the share β (Carvalho and others 2023)."""
    return max(0.0, 2 / epsilon * math.log((1 - share) * max(1, size - 1) / share))
