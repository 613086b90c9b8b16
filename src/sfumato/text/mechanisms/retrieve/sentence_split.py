"""The sentences of a text."""

from __future__ import annotations

import re

__all__ = ["split_sentences"]

_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？])(?![」』）])|\n\s*\n")
_WORD = re.compile(r"\w")


def split_sentences(text: str) -> list[str]:
    """Split after full stops, question and exclamation marks and at empty lines; parts without a word are left out.

    A public rule without a model: a sentence is the unit of a promise, and what it is must not depend on the text.

    >>> split_sentences('He said "no." Then he left! It was 5.30 by then')
    ['He said "no.', 'Then he left!', 'It was 5.30 by then']
    """
    return [part for part in (" ".join(piece.split()) for piece in _END.split(text)) if _WORD.search(part)]
