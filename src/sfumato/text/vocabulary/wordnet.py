"""Synonyms from WordNet."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from sfumato.errors import bad_input
from sfumato.validate import extra

__all__ = ["hypernym", "synset_members"]


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


@lru_cache(maxsize=50_000)
def hypernym(word: str) -> str | None:
    """A more general word for the commonest meaning of a word, from WordNet; None if there is none."""
    for synset in _wordnet().synsets(word)[:1]:
        for above in synset.hypernyms():
            for name in above.lemma_names():
                if name.isalpha() and name.lower() != word.lower():
                    return str(name.lower())
    return None


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
