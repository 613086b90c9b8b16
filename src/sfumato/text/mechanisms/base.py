"""Bases of the text mechanisms: the kinds of data they take, and the public vocabulary."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.mechanism import Mechanism
from sfumato.noise import Rng, resolve_rng
from sfumato.promise import Assumption, Guarantee, NoGuarantee
from sfumato.text.core.corpus import Corpus, check_texts
from sfumato.text.mechanisms.word_law import in_order, mean_law
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
        The column of a data frame that holds the texts. The others stay behind unless they are named.
    """

    technique: ClassVar[str] = "randomization"
    """What it is called in ISO/IEC 20889."""
    shown: ClassVar[tuple[str, ...]] = ()
    """What the release shows of a text, in words."""
    any_texts: ClassVar[bool] = False
    """Whether the promise compares any two texts alike, and so also holds for the texts as they were before a first
    stage such as scrubbing."""

    column: str = "text"

    def release(self, data: Any, *, rng: Rng | None = None, keep: Sequence[str] = ()) -> Any:
        """The protected texts, in the kind of container they came in.

        Of a data frame only the texts leave, and the columns named by ``keep``, unchanged. Its rows are shuffled: their
        order often tells who wrote what. Texts and lists keep their order.
        """
        rng = resolve_rng(rng)
        if isinstance(data, str):
            return self.release_texts(check_texts([data]), rng)[0]
        if isinstance(data, Corpus):
            released = self.release_texts(list(data.texts), rng)
            return data.with_texts(released, stated=self.stated(released))
        if isinstance(data, (list, tuple)):
            return type(data)(self.release_texts(check_texts(data), rng))
        from sfumato.io.frames import column, is_frame, missing_columns, to_arrow, to_native_like

        if is_frame(data):
            table = to_arrow(data)
            missing_columns([self.column, *keep], table.column_names, "the table")
            if isinstance(keep, str) or self.column in keep:
                raise bad_input("keep", keep, "a list of columns other than the text")
            texts = check_texts(column(data, self.column).tolist(), f"column {self.column!r}")
            new = {name: table[name] for name in keep} | {self.column: self.release_texts(texts, rng)}
            shown = [name for name in table.column_names if name in new]
            order = rng.permutation(table.num_rows)
            return to_native_like(type(table).from_pydict({name: new[name] for name in shown}).take(order), data)
        raise bad_input("data", type(data).__name__, "a text, a list of texts, a Corpus or a data frame")

    def draw(self, data: Any, count: int, rng: Rng) -> Any:
        """``count`` independent releases of one text, in one call."""
        return self.release([data] * count, rng=rng)

    @abstractmethod
    def release_texts(self, texts: list[str], rng: Rng) -> list[str]:
        """One protected text for each."""

    def stated(self, released: Sequence[str]) -> list[str] | None:
        """The topic that each released text states, where it states one."""
        return None

    def text_losses(self, words: float) -> list[TextLoss]:
        """What a text of that many words loses in total, for each way of counting; empty without a promise."""
        return []

    def log_likelihood(self, released: Sequence[str], candidates: Sequence[str]) -> NDArray[np.float64] | None:
        """ln of how likely each released text is if a candidate was protected: what an attacker with candidates knows.

        The shape is (released, candidates); terms that are the same for all candidates are left out. None where no law
        is known.
        """
        return None

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
    in_order: ClassVar[bool] = False
    """Whether the k-th released word stands for the k-th word of the text."""

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

    @abstractmethod
    def places(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The words of some texts that count, by their place, one text after the other, and how many each text has."""

    @abstractmethod
    def log_word_law(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """ln of the chance that a word becomes each word of the vocabulary, shape (words, L).

        Where the law is not known in closed form, that of the exponential mechanism at the same ε stands in for it.
        """

    def mean_law(self, texts: Sequence[str], groups: Any = None) -> NDArray[np.float32]:
        """The chance of each word of the vocabulary to be released for a word of each text, shape (texts, L).

        ``groups``, a sparse matrix of shape (groups, texts), asks for means over texts instead.
        """
        return mean_law(self, texts, groups)

    def log_likelihood(self, released: Sequence[str], candidates: Sequence[str]) -> NDArray[np.float64]:
        found, lengths = self.places(candidates)
        shown = bool(self.shown)
        sizes = np.array([len(text.split()) for text in released])
        fits = sizes[:, None] == lengths[None] if shown else np.ones((len(released), len(candidates)), np.bool_)
        values = in_order(self, released, (found, lengths), fits) if self.in_order else None
        if values is None:
            with np.errstate(divide="ignore"):
                laws = np.log(self.mean_law(candidates))
            values = np.asarray(self.released_counts(released) @ laws.T, np.float64)
        return np.where(fits, values, -np.inf)

    def released_counts(self, released: Sequence[str]) -> Any:
        """How often each word of the vocabulary stands in released texts, as a scipy CSR matrix."""
        from scipy.sparse import csr_matrix

        ids = [self.vocabulary.ids(text.split()) for text in released]
        ids = [row[row < len(self.vocabulary)] for row in ids]
        starts = np.cumsum([0, *map(len, ids)])
        flat = np.concatenate(ids) if ids else np.empty(0, np.int64)
        counts = csr_matrix((np.ones(len(flat)), flat, starts), shape=(len(ids), len(self.vocabulary)))
        counts.sum_duplicates()
        return counts

    def _check_vocabulary(self) -> None:
        if not isinstance(self.vocabulary, Vocabulary):
            raise bad_input("vocabulary", type(self.vocabulary).__name__, "a Vocabulary", "load_glove() gives one")
        if not isinstance(self.own_documents, bool):
            raise bad_input("own_documents", self.own_documents, "True or False")

    def _check_sources(self, texts: Sequence[str]) -> None:
        if not self.own_documents:
            warn_of_overlap(texts, self.vocabulary.sources)
