"""Words of a text: how a text is split, which words are stop words, which form of a word counts."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Container, Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

from sfumato.text.core.lemma import lemma_of
from sfumato.validate import choice

__all__ = ["Morphology", "bag_of_words", "normalise", "stop_words", "tokens"]

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
