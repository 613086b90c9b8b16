"""Bases of the text mechanisms: the kinds of data they take, and the public vocabulary."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import Assumption, Guarantee, NoGuarantee
from sfumato.text.core.corpus import Corpus, check_texts
from sfumato.text.promise import TextLoss
from sfumato.text.vocabulary.shingles import warn_of_overlap
from sfumato.text.vocabulary.vocabulary import Vocabulary

__all__ = ["TextMechanism", "VocabularyMechanism"]


@dataclass(frozen=True, kw_only=True, eq=False)
class TextMechanism(Mechanism):
    """Base of the mechanisms on texts: a string, a list of strings, a :class:`Corpus` or a data frame.

    Parameters
    ----------
    column : str
        The column of a data frame that holds the texts; the others pass unchanged.
    """

    technique: ClassVar[str] = "randomization"
    """What it is called in ISO/IEC 20889."""
    shown: ClassVar[tuple[str, ...]] = ()
    """What the release shows of a text, in words."""
    any_texts: ClassVar[bool] = False
    """Whether the promise compares any two texts alike, and so also holds for the texts as they were before a first
    stage such as scrubbing."""

    column: str = "text"

    def release(self, data: Any, *, rng: Rng | None = None) -> Any:
        """The protected texts, in the kind of container they came in."""
        rng = resolve_rng(rng)
        if isinstance(data, str):
            return self.release_texts(check_texts([data]), rng)[0]
        if isinstance(data, Corpus):
            return data.with_texts(self.release_texts(list(data.texts), rng))
        if isinstance(data, (list, tuple)):
            return type(data)(self.release_texts(check_texts(data), rng))
        from sfumato.io.frames import column, is_frame, with_columns

        if is_frame(data):
            texts = check_texts(column(data, self.column).tolist(), f"column {self.column!r}")
            return with_columns(data, {self.column: self.release_texts(texts, rng)})
        raise bad_input("data", type(data).__name__, "a text, a list of texts, a Corpus or a data frame")

    @abstractmethod
    def release_texts(self, texts: list[str], rng: Rng) -> list[str]:
        """One protected text for each."""

    def text_losses(self, words: float) -> list[TextLoss]:
        """What a text of that many words loses in total, for each way of counting; empty without a promise."""
        return []

    def whole_promise(self, *, texts: int, words: int, unit: str) -> Guarantee:
        """The promise for several texts with that many words together: what all that somebody wrote loses."""
        return self.guarantee if self.guarantee.vacuous else self.guarantee.over(texts, unit=unit)


@dataclass(frozen=True, kw_only=True, eq=False)
class VocabularyMechanism(TextMechanism):
    """Base of the mechanisms that release words of a public vocabulary only.

    Parameters
    ----------
    vocabulary : Vocabulary
    own_documents : bool
        Protect documents even if the vocabulary was built from them. It then leaks which words they contain, and
        nothing is promised.
    """

    content_words: ClassVar[bool] = False
    """Whether stop words do not count, so that the vocabulary should have none."""

    vocabulary: Vocabulary
    own_documents: bool = False

    @cached_property
    def guarantee(self) -> Guarantee:
        if self.own_documents and self.vocabulary.sources.size:
            reason = "the vocabulary may come from the protected documents and tells which words they contain"
            return NoGuarantee(reason, unit="document", neighbours="any-pair", model="local")
        return self._promise().assuming(Assumption("vocabulary"))

    @abstractmethod
    def _promise(self) -> Guarantee:
        """What holds as long as the vocabulary is public."""

    def _check_vocabulary(self) -> None:
        if not isinstance(self.vocabulary, Vocabulary):
            raise bad_input("vocabulary", type(self.vocabulary).__name__, "a Vocabulary", "load_glove() gives one")
        if not isinstance(self.own_documents, bool):
            raise bad_input("own_documents", self.own_documents, "True or False")

    def _check_sources(self, texts: Sequence[str]) -> None:
        if not self.own_documents:
            warn_of_overlap(texts, self.vocabulary.sources)
