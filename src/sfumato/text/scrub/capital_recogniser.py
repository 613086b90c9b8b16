"""Names by their capital letter.

English gives capitals to names, to the first word of a sentence and to few others. What is left when those are taken
away is nearly every name of a person, whatever list has it, and brands and places with them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from sfumato.errors import bad_input
from sfumato.text.scrub.name_recogniser import opens_sentence
from sfumato.text.scrub.names.alphabet import CAPITAL, SMALL
from sfumato.text.scrub.names.name_lists import NOT_NAMES
from sfumato.text.scrub.span import Span

__all__ = ["CAPITALISED", "CapitalRecogniser", "unexplained_capitals"]

CAPITALISED = re.compile(
    rf"(?<![\w@./\-])(?<!\w['’]){CAPITAL}(?:['’](?={CAPITAL}))?\w*{SMALL}\w*(?:[-'’]{CAPITAL}\w+)*(?![\w@])"
)
"""A word with a capital at its start and a small letter somewhere."""


def unexplained_capitals(text: str, is_word: Callable[[str], bool]) -> list[re.Match[str]]:
    """Capitalised words that are probably names.

    Left out are words that are usually capitalised (months, pronouns) and ordinary words at the start of a sentence;
    ``is_word`` says which words are ordinary.
    """
    return [
        word
        for word in CAPITALISED.finditer(text)
        if word.group().lower() not in NOT_NAMES and not (opens_sentence(text, word.start()) and is_word(word.group()))
    ]


@dataclass(frozen=True, kw_only=True, eq=False)
class CapitalRecogniser:
    """Takes every capitalised word without another explanation for a name. Needs no model.

    After patterns and name lists it finds more of the people in real mails than a small model does, at a multiple of
    its speed (``benchmarks/bench_scrub.py``); the price is that products, places and firms go too.

    Parameters
    ----------
    words : collection of str, optional
        Ordinary words in lower case. A word that opens a sentence and is not among them is taken for a name; without
        them, no word that opens a sentence is.

    Examples
    --------
    >>> text = "Yesterday Xiomara met the people of Vantorix Energy. Nobody knew Zbyszek."
    >>> [text[span.start : span.end] for span in CapitalRecogniser().find([text])[0]]
    ['Xiomara', 'Vantorix Energy', 'Zbyszek']
    """

    words: Collection[str] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.words, str) or not all(isinstance(word, str) for word in self.words or ()):
            raise bad_input("words", type(self.words).__name__, "a collection of words in lower case, or None")

    @cached_property
    def _words(self) -> frozenset[str] | None:
        return None if self.words is None else frozenset(self.words)

    def _is_word(self, spelling: str) -> bool:
        return self._words is None or spelling.lower() in self._words

    def find(self, texts: Sequence[str]) -> list[list[Span]]:
        """The runs of such words in each text, in their order."""
        return [self._find(text) for text in texts]

    def _find(self, text: str) -> list[Span]:
        runs: list[tuple[int, int]] = []
        for word in unexplained_capitals(text, self._is_word):
            start, end = word.span()
            if runs and text[runs[-1][1] : start] == " ":
                start = runs.pop()[0]
            runs.append((start, end))
        return [Span(start, end, "NAME", 0.4, "capital") for start, end in runs]
