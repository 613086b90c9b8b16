"""Texts as numbers of a declared public vocabulary, sentence by sentence."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.text.core.corpus import check_texts
from sfumato.text.vocabulary.shingles import Shingles, shingles
from sfumato.validate import integer

__all__ = ["EOS", "PAD", "SOS", "SPECIAL", "UNK", "Tokeniser"]

PAD, UNK, SOS, EOS = range(4)
SPECIAL = ("<pad>", "<unk>", "<sos>", "<eos>")
_TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+|\n+")
_TIGHT = re.compile(r" ([.,!?;:)\]])")


@dataclass(frozen=True, kw_only=True, eq=False)
class Tokeniser:
    """Words and punctuation marks in lower case, cut into sentences of bounded length.

    Parameters
    ----------
    words : sequence of str
        The public vocabulary; any other word is ``<unk>``, never copied.
    longest : int
        Tokens in a sentence. A longer one counts as several: nothing is cut off.
    source : str, optional
        Where the words come from.

    Examples
    --------
    >>> tokeniser = Tokeniser.of(["The tea is hot. The tea is good!"], size=10, source="made up")
    >>> tokeniser.pieces("The tea is cold. Good!")
    [['the', 'tea', 'is', 'cold', '.'], ['good', '!']]
    >>> tokeniser.text(tokeniser.ids([["the", "tea", "is", "cold", "."]])[0])
    'the tea is <unk>.'
    """

    words: Sequence[str]
    longest: int = 20
    source: str | None = None
    sources: Shingles | None = None

    def __post_init__(self) -> None:
        words = tuple(self.words)
        if not words or not all(isinstance(word, str) and word.strip() == word and word for word in words):
            raise bad_input("words", f"{len(words)} words", "a public list of words")
        if len(set(words)) < len(words) or set(words) & set(SPECIAL):
            raise bad_input(
                "words", "a word twice, or a special token", "each word once, none of " + ", ".join(SPECIAL)
            )
        object.__setattr__(self, "words", words)
        integer("longest", self.longest, least=2)

    def __repr__(self) -> str:
        return f"Tokeniser({len(self.words)} words, longest={self.longest}, source={self.source!r})"

    @classmethod
    def of(
        cls, texts: Sequence[str], *, size: int = 5000, least: int = 1, longest: int = 20, source: str | None = None
    ) -> Self:
        """With the commonest tokens of public texts; those that stand there ``least`` times or more."""
        integer("size", size)
        counts = Counter(token for text in check_texts(texts, "texts") for token in _TOKEN.findall(text.lower()))
        common = sorted((word for word, count in counts.items() if count >= least), key=lambda w: (-counts[w], w))
        return cls(words=common[:size], longest=longest, source=source, sources=shingles(texts))

    def __len__(self) -> int:
        """How many numbers there are, special tokens included."""
        return len(self.words) + len(SPECIAL)

    @cached_property
    def index(self) -> dict[str, int]:
        """The number of each word."""
        return {word: place + len(SPECIAL) for place, word in enumerate(self.words)}

    def tokens(self, text: str) -> list[str]:
        """All tokens of a text."""
        return _TOKEN.findall(text.lower())

    def pieces(self, text: str) -> list[list[str]]:
        """The sentences of a text, those that are too long in several pieces; a text without a token has one."""
        found = []
        for sentence in _END.split(text):
            tokens = self.tokens(sentence)
            found += [tokens[k : k + self.longest] for k in range(0, len(tokens), self.longest)]
        return found or [[]]

    def ids(self, pieces: Sequence[Sequence[str]]) -> NDArray[np.int64]:
        """Numbers of shape (pieces, longest), padded at the end."""
        out = np.full((len(pieces), self.longest), PAD, np.int64)
        for row, piece in enumerate(pieces):
            if len(piece) > self.longest:
                raise bad_input("pieces", f"{len(piece)} tokens", f"at most {self.longest}", "cut it with pieces(text)")
            out[row, : len(piece)] = [self.index.get(token, UNK) for token in piece]
        return out

    def text(self, ids: Sequence[int] | NDArray[np.int64]) -> str:
        """The words up to the end mark, as a sentence."""
        found = []
        for number in np.asarray(ids).tolist():
            if number == EOS:
                break
            if number not in (PAD, SOS):
                found.append(SPECIAL[number] if number < len(SPECIAL) else self.words[number - len(SPECIAL)])
        return _TIGHT.sub(r"\1", " ".join(found))

    @cached_property
    def sha256(self) -> str:
        """Of the words and the length: two models with the same can read each other's sentences."""
        return hashlib.sha256("\n".join([str(self.longest), *self.words]).encode()).hexdigest()

    def to_card(self) -> dict[str, Any]:
        """What a card says."""
        return {"words": len(self.words), "longest": self.longest, "sha256": self.sha256}
