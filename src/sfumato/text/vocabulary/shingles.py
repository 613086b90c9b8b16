"""Five words in a row, as numbers: how much of a text stands in other texts, whatever was added or left out around it.

Where a vocabulary came from is declared (:meth:`sfumato.promise.Guarantee.declare`); this only notices when what was
declared public looks like the documents to be protected. It proves nothing: a paraphrase shares no five words.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.text.core.tokens import tokens

__all__ = ["Shingles", "overlap", "shingles", "warn_of_overlap"]

Shingles = NDArray[np.uint64]

_WORDS = 5
_MANY = 0.25  # of the shingles of one text; texts on one topic share far fewer, stock phrases aside
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def shingles(texts: Iterable[str]) -> Shingles:
    """A 64-bit number for every five words in a row, sorted, each once; a shorter text counts as a whole.

    Case, punctuation and spaces do not matter.

    >>> bool((shingles(["Dear Ann, see you at noon."]) == shingles(["dear ann see you at noon"])).all())
    True
    """
    known: dict[str, int] = {}
    parts = [np.empty(0, np.uint64)]
    for text in texts:
        numbers = np.array([_number(word.lower(), known) for word in tokens(text)], np.uint64)
        size = min(_WORDS, len(numbers))
        if size:
            rows = np.lib.stride_tricks.sliding_window_view(numbers, size)
            mixed = np.full(len(rows), np.uint64(size))
            for place in range(size):
                mixed = (mixed ^ rows[:, place]) * _FACTOR  # modulo 2⁶⁴
            parts.append(mixed)
    return np.unique(np.concatenate(parts))


def _number(word: str, known: dict[str, int]) -> int:
    if word not in known:
        digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        known[word] = int.from_bytes(digest, "little")
    return known[word]


def overlap(text: str, known: Shingles) -> float:
    """The share of the shingles of a text that are known.

    >>> public = shingles(["we meet at the old harbour on monday at noon"])
    >>> overlap("so we meet at the old harbour on monday at noon, ann", public)
    0.75
    """
    own = shingles([text])
    if not own.size or not known.size:
        return 0.0
    places = np.searchsorted(known, own).clip(max=known.size - 1)  # ``known`` is sorted: no need to look at all of it
    return float((known[places] == own).mean())


def warn_of_overlap(texts: Sequence[str], known: Shingles, *, what: str = "vocabulary") -> None:
    """Warn if one of the texts has much in common with those that something public was built from."""
    shares = {text: overlap(text, known) for text in dict.fromkeys(texts)} if known.size else {}
    found = [shares[text] for text in texts if shares.get(text, 0.0) >= _MANY]
    if found:
        warnings.warn(
            f"the {what} was built from texts that share wording with {len(found)} of {len(texts)} protected texts "
            f"(up to {max(found):.0%} of one): if it comes from these, it tells which words they contain, and nothing "
            "is promised" + ("; say own_documents=True then" if what == "vocabulary" else ""),
            stacklevel=4,
        )
