"""The public vocabulary: words and their vectors. Nothing in it may come from the texts to be protected."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.text.core.tokens import Morphology, normalise, stop_words, tokens
from sfumato.text.vocabulary.shingles import Shingles, shingles
from sfumato.text.vocabulary.wordnet import synset_members
from sfumato.validate import integer

__all__ = ["Vocabulary"]

_LATTICE_BITS = 25


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Vocabulary:
    """Words with vectors. Both are public: every word a mechanism may print is in here.

    Parameters
    ----------
    words : sequence of str
        Different words, the commonest first if their order is to mean anything.
    vectors : array of shape (L, d)
        One finite vector each, float32.
    sources : array of uint64
        Five-word shingles of the documents the vocabulary was built from (see :meth:`from_texts`). A mechanism warns if
        it protects texts that share them: a vocabulary made from private texts tells which words they contain. Where a
        vocabulary really comes from is declared with the promise (:meth:`sfumato.promise.Guarantee.declare`).

    Examples
    --------
    >>> Vocabulary(words=("cat", "dog"), vectors=[[0.0, 1.0], [1.0, 0.0]])
    Vocabulary(2 words × 2)
    """

    words: Sequence[str]
    vectors: Any
    sources: Shingles = field(default_factory=lambda: np.empty(0, np.uint64))

    def __post_init__(self) -> None:
        words = tuple(self.words)
        try:
            vectors = np.asarray(self.vectors, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise bad_input("vectors", type(self.vectors).__name__, "vectors of one dimension for all words") from error
        if not words:
            raise bad_input("words", words, "at least one word")
        if vectors.ndim != 2 or len(vectors) != len(words) or vectors.shape[1] == 0:
            raise bad_input("vectors", vectors.shape, f"shape ({len(words)}, d): one vector for each word")
        object.__setattr__(self, "words", words)
        object.__setattr__(self, "vectors", vectors)
        for at in range(0, len(vectors), 1 << 16):  # memory-mapped vectors are read piece by piece
            if not np.isfinite(vectors[at : at + (1 << 16)]).all():
                raise bad_input("vectors", "NaN or infinity", "finite numbers", "remove words without a vector")

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} words × {self.dimension})"

    def __getstate__(self) -> dict[str, Any]:
        return {"words": self.words, "vectors": np.asarray(self.vectors), "sources": self.sources}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and (self is other or self.digest == other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    @cached_property
    def digest(self) -> str:
        """A hash of words and vectors."""
        content = hashlib.blake2b("\n".join(self.words).encode(), digest_size=16)
        content.update(np.ascontiguousarray(self.vectors).tobytes())
        return content.hexdigest()

    @property
    def dimension(self) -> int:
        """The dimension d of the vectors."""
        return int(self.vectors.shape[1])

    @cached_property
    def index(self) -> dict[str, int]:
        """The place of each word."""
        index = {word: place for place, word in enumerate(self.words)}
        if len(index) < len(self.words):
            twice = next(word for place, word in enumerate(self.words) if index[word] != place)
            raise bad_input("words", twice, "every word once", "merge its vectors first")
        return index

    @cached_property
    def unknown(self) -> NDArray[np.float32]:
        """The vector that stands for every word outside the vocabulary: the mean, which is public."""
        total = np.zeros(self.dimension)
        for at in range(0, len(self), 1 << 16):
            total += np.asarray(self.vectors[at : at + (1 << 16)], np.float64).sum(axis=0)
        return (total / len(self)).astype(np.float32)

    def ids(self, words: Iterable[str]) -> NDArray[np.int64]:
        """The place of each word, ``len(self)`` for a word outside."""
        index, outside = self.index, len(self)
        return np.fromiter((index.get(word, outside) for word in words), np.int64)

    def text_ids(self, text: str, *, drop_stop_words: bool = False) -> NDArray[np.int64]:
        """The place of each word of a text, in lower case; ``len(self)`` for a word outside.

        >>> Vocabulary(words=("cat", "dog"), vectors=[[0.0, 1.0], [1.0, 0.0]]).text_ids("The dog, a Cat!")
        array([2, 1, 2, 0])
        """
        lower = normalise(tokens(text), "lower")
        if not drop_stop_words:
            return self.ids(lower)
        dropped = stop_words()
        return self.ids(word for word in lower if word not in dropped)

    @cached_property
    def unit(self) -> float:
        """The step to which coordinates are rounded before any noise: 2⁻²⁵ of the largest norm, a power of two."""
        largest = 0.0
        for at in range(0, len(self), 1 << 16):
            part = np.asarray(self.vectors[at : at + (1 << 16)], np.float64)
            largest = max(largest, float(np.sqrt((part**2).sum(axis=1)).max()))
        if largest == 0:
            raise bad_input("vectors", 0.0, "vectors that are not all zero")
        return float(2.0 ** (np.ceil(np.log2(largest)) + 1 - _LATTICE_BITS))

    def points(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """The vectors at these places on the grid of :attr:`unit`, the mean for a word outside.

        Whole multiples of the unit this small have products and squared distances that are exact in float64, in
        whatever order a matrix product adds them up: a distance is the same number however it is computed.
        """
        found = np.asarray(self.vectors[np.minimum(ids, len(self) - 1)], np.float64)
        found[ids == len(self)] = self.unknown
        return np.rint(found / self.unit) * self.unit

    @cached_property
    def all_points(self) -> NDArray[np.float64]:
        """:meth:`points` of every word, and of a word outside as the last row."""
        return self.points(np.arange(len(self) + 1))

    @cached_property
    def diameter_bound(self) -> float:
        """An upper bound on the distance of any two words, a word outside included: twice the largest norm."""
        return 2 * float((self.all_points**2).sum(axis=1).max()) ** 0.5

    def top(self, count: int) -> Vocabulary:
        """The first ``count`` words."""
        count = integer("count", count, most=len(self))
        return Vocabulary(words=self.words[:count], vectors=self.vectors[:count], sources=self.sources)

    def keep(self, words: Iterable[str]) -> Vocabulary:
        """Only these words, in the order of the vocabulary."""
        wanted = set(words)
        places = [place for place, word in enumerate(self.words) if word in wanted]
        if not places:
            raise bad_input(
                "words", f"{len(wanted)} words", "at least one word of the vocabulary", "check the language"
            )
        chosen = tuple(self.words[place] for place in places)
        return Vocabulary(words=chosen, vectors=self.vectors[places], sources=self.sources)

    def with_synonyms(self, embedding: Vocabulary, *, most: int = 3) -> Vocabulary:
        """These words and those that share one of their ``most`` first WordNet synsets, if ``embedding`` has a vector.

        So a word can be replaced by one that no public text uses (Weggenmann §5.3.1.1, "synsets").
        """
        if embedding.dimension != self.dimension:
            raise bad_input("embedding", embedding.dimension, f"vectors of {self.dimension} dimensions")
        known = self.index
        places = sorted(
            embedding.index[word]
            for word in synset_members(self.words, integer("most", most))
            if word in embedding.index and word not in known
        )
        words = (*self.words, *(embedding.words[place] for place in places))
        vectors = np.concatenate([self.vectors, embedding.vectors[places]])
        return Vocabulary(words=words, vectors=vectors, sources=self.sources)

    @classmethod
    def from_texts(
        cls,
        public: Sequence[str],
        *,
        embedding: Vocabulary,
        least: int = 2,
        morphology: Morphology = "lower",
        content: bool = False,
    ) -> Self:
        """The words of *public* texts that have a vector, in the order of the embedding.

        Parameters
        ----------
        public : sequence of str
            Texts that need no protection. Their shingles are kept, and mechanisms warn of protected texts like them.
        embedding : Vocabulary
        least : int
            How often a word must occur.
        morphology : {"lower", "lemma", "orth"}
            With ``"orth"`` every spelling is a word of its own; one that has no vector takes that of its lower case.
        content : bool
            Leave stop words out.
        """
        if isinstance(public, str) or not len(public):
            raise bad_input("public", public, "a list of texts")
        spellings = Counter(word for text in public for word in tokens(text))
        counts: Counter[str] = Counter()
        for word, normal in zip(spellings, normalise(spellings, morphology, known=embedding.index), strict=True):
            counts[normal] += spellings[word]
        dropped, index = stop_words() if content else frozenset(), embedding.index
        found = [
            (index.get(word, index.get(word.lower(), -1)), word)
            for word, count in counts.items()
            if count >= integer("least", least) and word.lower() not in dropped
        ]
        found = sorted(pair for pair in found if pair[0] >= 0)
        if not found:
            raise bad_input(
                "public", f"{len(public)} texts", "words that have a vector", "texts and vectors must share a language"
            )
        return cls(
            words=tuple(word for _, word in found),
            vectors=embedding.vectors[[place for place, _ in found]],
            sources=shingles(public),
        )

    @classmethod
    def load(cls, vectors: str | Path, words: str | Path) -> Self:
        """A vocabulary from a ``.npy`` file, which stays on the disk, and a text file with one word a line."""
        from sfumato.io.atomic import reading

        with reading(words):
            lines = Path(words).read_text(encoding="utf-8").splitlines()
        with reading(vectors):
            return cls(words=tuple(lines), vectors=np.load(vectors, mmap_mode="r"))
