"""A mechanism on texts that were scrubbed before."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sfumato.noise import Rng
from sfumato.promise import Guarantee
from sfumato.text.mechanisms.base import TextMechanism
from sfumato.text.promise import TextLoss
from sfumato.text.scrub.scrubber import Scrubber

__all__ = ["ScrubbedFirst"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ScrubbedFirst(TextMechanism):
    """Scrubs the texts, then applies another mechanism.

    The promise is that of the second stage. It holds for the texts as scrubbed; where it compares any two texts alike,
    it holds for the raw ones too, since each text is scrubbed by itself: names found in one are not looked for in the
    others, whatever ``first.together`` says, or one text would change what is released of another.

    Parameters
    ----------
    first : Scrubber
    then : TextMechanism

    Examples
    --------
    >>> from sfumato.text import SynTF, Vocabulary
    >>> words = Vocabulary(words=("person", "meets"), vectors=[[1.0, 0.1], [0.0, 1.0]])
    >>> both = ScrubbedFirst(first=Scrubber(), then=SynTF(epsilon=50.0, length=3, vocabulary=words))
    >>> both.guarantee == both.then.guarantee
    True
    """

    first: Scrubber
    then: TextMechanism

    @property
    def guarantee(self) -> Guarantee:
        return self.then.guarantee

    def release_texts(self, texts: list[str], rng: Rng) -> list[str]:
        alone = replace(self.first, together=False)
        return self.then.release_texts(alone.release_texts(texts, rng), rng)

    def text_losses(self, words: float) -> list[TextLoss]:
        return self.then.text_losses(words)

    def whole_promise(self, *, texts: int, words: int, unit: str) -> Guarantee:
        return self.then.whole_promise(texts=texts, words=words, unit=unit)
