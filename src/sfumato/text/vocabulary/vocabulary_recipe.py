"""How a public vocabulary is named on a card, and made again from that name."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from sfumato.errors import InputError, bad_input
from sfumato.text.vocabulary.glove import load_glove
from sfumato.text.vocabulary.vocabulary import Vocabulary

__all__ = ["GLOVE", "OWN", "SOURCE", "VocabularyRecipe", "word_list_digest", "words_of"]

GLOVE, OWN = "GloVe 6B 50d", "own"
"""The names of vocabularies: the shipped one, and any that the caller brings."""
SOURCE = "GloVe 6B 50d, Pennington, Socher and Manning 2014"
"""Where the shipped one comes from."""


@dataclass(frozen=True, kw_only=True)
class VocabularyRecipe:
    """What a card says about a vocabulary: its name, how many words, and the SHA-256 of the list of words.

    The list is public, and so is its hash. GloVe can be made again from this; another vocabulary has to be given again.

    Parameters
    ----------
    name : str
    words : int
        How many words it has.
    sha256 : str
        Of the words, one a line.
    count : int, optional
        How many words of GloVe were asked for.
    content, synsets : bool
        GloVe without stop words; with WordNet synonyms.

    Examples
    --------
    >>> recipe, _ = VocabularyRecipe.settle(("tea", "cup"))
    >>> recipe.name, recipe.words, recipe.sha256[:8]
    ('own', 2, 'b0ed1ceb')
    """

    name: str
    words: int
    sha256: str
    count: int | None = None
    content: bool = False
    synsets: bool = False

    @classmethod
    def settle(
        cls,
        given: Vocabulary | Sequence[str] | None = None,
        *,
        count: int | None = None,
        content: bool = False,
        synsets: bool = False,
    ) -> tuple[Self, Vocabulary | tuple[str, ...]]:
        """A recipe with the vocabulary that it names: the one given, or GloVe."""
        if given is not None:
            if synsets:
                raise bad_input(
                    "synsets", True, "the GloVe vocabulary", "synonyms need vectors; add them to your own list"
                )
            if isinstance(given, str) or not isinstance(given, Vocabulary | Sequence):
                raise bad_input("vocabulary", type(given).__name__, "a Vocabulary or a list of words")
            own = given if isinstance(given, Vocabulary) else tuple(given)
            return cls(name=OWN, words=len(own), sha256=word_list_digest(words_of(own))), own
        made = _glove(count, content=content, synsets=synsets)
        return (
            cls(
                name=GLOVE,
                words=len(made),
                sha256=word_list_digest(made.words),
                count=count,
                content=content,
                synsets=synsets,
            ),
            made,
        )

    @classmethod
    def from_card(cls, record: Mapping[str, Any]) -> Self:
        """The recipe that a card holds."""
        try:
            return cls(**record)
        except TypeError as error:
            raise InputError("the card's vocabulary cannot be read: expected name, words and sha256") from error

    def to_card(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    def make(self, given: Vocabulary | Sequence[str] | None = None) -> Vocabulary | tuple[str, ...]:
        """The vocabulary again; one of the caller's own is checked against the hash of its words."""
        made: Vocabulary | tuple[str, ...]
        if given is not None:
            made = given if isinstance(given, Vocabulary) else tuple(given)
        elif self.name == GLOVE:
            made = _glove(self.count, content=self.content, synsets=self.synsets)
        else:
            raise bad_input(
                "vocabulary", None, f"the vocabulary of {self.words} words that was used", "--vectors and --word-list"
            )
        if word_list_digest(words_of(made)) != self.sha256:
            raise bad_input("vocabulary", f"{len(made)} words", f"the {self.words} words that the card names")
        return made


def _glove(count: int | None, *, content: bool, synsets: bool) -> Vocabulary:
    found = load_glove(count, content=content)
    return found.with_synonyms(load_glove()) if synsets else found


def words_of(vocabulary: Vocabulary | Sequence[str]) -> Sequence[str]:
    """The words of a vocabulary, or of a plain list."""
    return vocabulary.words if isinstance(vocabulary, Vocabulary) else vocabulary


def word_list_digest(words: Sequence[str]) -> str:
    """The SHA-256 of a list of words, one a line."""
    return hashlib.sha256("\n".join(words).encode()).hexdigest()
