"""Put more general words in the place of telling ones, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from sfumato.text.sanitise.analysis import Word
from sfumato.validate import integer

__all__ = ["GAP", "Generalisation", "Replacement"]

GAP = "[…]"
"""What stands for a word that was removed."""


@dataclass(frozen=True)
class Replacement:
    """One change: where it is in the new text, what stood there and what stands there now."""

    start: int
    end: int
    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class Generalisation:
    """Replaces a word by its hypernym, a table's word, or :data:`GAP`.

    Parameters
    ----------
    table : mapping of str to str
        One's own generalisations by form: ``{"harbour": "place"}``.
    hypernyms : callable, optional
        Gives a more general word or None; :func:`sfumato.text.vocabulary.wordnet.hypernym` asks WordNet.
    most : int
        After so many generalisations of one place it is removed.

    Examples
    --------
    >>> step = Generalisation(table={"harbour": "place"})
    >>> step.word("harbour", 0), step.word("storm", 0)
    ('place', '[…]')
    """

    table: Mapping[str, str] = field(default_factory=dict)
    hypernyms: Callable[[str], str | None] | None = None
    most: int = 3

    def __post_init__(self) -> None:
        integer("most", self.most, least=0)

    def word(self, form: str, steps: int) -> str:
        """What stands for a form that was generalised so many times already."""
        if steps >= self.most:
            return GAP
        if form in self.table:
            return self.table[form]
        found = None if self.hypernyms is None else self.hypernyms(form)
        return GAP if found is None or found.lower() == form else found

    def rewrite(
        self, text: str, words: Sequence[Word], forms: Collection[str], steps: dict[str, int]
    ) -> tuple[str, list[Replacement]]:
        """The text with every word of these forms replaced; ``steps`` counts how general each form already is."""
        parts, at, made, length = [], 0, [], 0
        news: dict[str, str] = {}
        for word in words:
            if word.form not in forms:
                continue
            if word.form not in news:
                news[word.form] = self.word(word.form, steps.get(word.form, 0))
                for form in news[word.form].lower().split():
                    steps[form] = max(steps.get(form, 0), steps.get(word.form, 0) + 1)
            parts.append(text[at : word.start])
            length += word.start - at
            made.append(Replacement(length, length + len(news[word.form]), word.text, news[word.form]))
            parts.append(news[word.form])
            length, at = length + len(news[word.form]), word.end
        return "".join([*parts, text[at:]]), made
