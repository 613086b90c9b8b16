"""Public texts by other people, which stand in for protected ones."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import bad_input
from sfumato.io.texts import read_texts
from sfumato.text.core.corpus import check_texts
from sfumato.text.vocabulary.shingles import Shingles, shingles

__all__ = ["PublicPool"]


@dataclass(frozen=True, kw_only=True, eq=False)
class PublicPool:
    """Public texts, perhaps with topics, and where they come from.

    A mechanism that answers with texts of a pool promises something only as long as the pool is public: written by
    other people, and chosen without looking at the texts to be protected.

    Parameters
    ----------
    texts : sequence of str
        Each once, none blank; :meth:`of` leaves the others out.
    topics : sequence of str, optional
        The topic of each.
    source : str, optional
        Where they come from; without it the promise says “provided that the pool is public”.

    Examples
    --------
    >>> pool = PublicPool.of(["a rose", "a loan", "a rose", " "], topics=["garden", "money", "garden", "money"])
    >>> len(pool), pool.names
    (2, ('garden', 'money'))
    """

    texts: Sequence[str]
    topics: Sequence[str] | None = None
    source: str | None = None

    def __post_init__(self) -> None:
        texts = tuple(check_texts(self.texts, "texts"))
        if len(texts) < 2:
            raise bad_input("texts", f"{len(texts)} texts", "at least two public texts")
        if len(set(texts)) < len(texts) or not all(text.strip() for text in texts):
            raise bad_input("texts", "the same text twice, or a blank one", "each text once", "PublicPool.of(…)")
        object.__setattr__(self, "texts", texts)
        if self.topics is not None:
            topics = tuple(str(topic) for topic in self.topics)
            if len(topics) != len(texts):
                raise bad_input("topics", len(topics), f"one for each of the {len(texts)} texts")
            object.__setattr__(self, "topics", topics)

    @classmethod
    def of(cls, texts: Sequence[str], *, topics: Sequence[Any] | None = None, source: str | None = None) -> Self:
        """A pool of these texts, each once and under its first topic; blank ones are left out."""
        places = {text: place for place, text in reversed(list(enumerate(check_texts(texts, "texts")))) if text.strip()}
        rows = sorted(places.values())
        if topics is not None and len(topics) != len(texts):
            raise bad_input("topics", len(topics), f"one for each of the {len(texts)} texts")
        chosen = None if topics is None else [str(topics[row]) for row in rows]
        return cls(texts=[texts[row] for row in rows], topics=chosen, source=source)

    @classmethod
    def read(cls, path: str | Path, *, column: str = "text", topic: str = "topic", source: str | None = None) -> Self:
        """The texts of a file or a folder, with their topics if it has such a column."""
        from sfumato.text.core.records import labels_of, texts_of

        table = read_texts(path, column=column)
        topics = labels_of(table, topic).tolist() if topic in table.column_names else None
        return cls.of(texts_of(table, column), topics=topics, source=source)

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        return f"PublicPool({len(self)} texts, {len(self.names)} topics, source={self.source!r})"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The topics, each once, in alphabetical order."""
        return tuple(sorted(set(self.topics or ())))

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """The topic of each text by its place among :attr:`names`."""
        place = {name: k for k, name in enumerate(self.names)}
        return np.array([place[topic] for topic in self.topics or ()], np.int64)

    @cached_property
    def index(self) -> dict[str, int]:
        """The place of each text."""
        return {text: place for place, text in enumerate(self.texts)}

    @cached_property
    def sources(self) -> Shingles:
        """The wording of the pool, to notice when it looks like the texts to be protected."""
        return shingles(self.texts)

    def to_card(self) -> dict[str, Any]:
        """What a card says: how many texts and topics, and the SHA-256 of both. The pool is public, and so is that."""
        digest = hashlib.sha256()
        for text, topic in zip(self.texts, self.topics or [""] * len(self), strict=True):
            for part in (text, topic):
                content = part.encode()
                digest.update(len(content).to_bytes(8, "big") + content)
        return {"texts": len(self), "topics": len(self.names), "sha256": digest.hexdigest()}

    def check_card(self, record: Mapping[str, Any]) -> None:
        """Refuse to be taken for another pool."""
        if self.to_card() != dict(record):
            raise bad_input("pool", f"{len(self)} texts", f"the {record.get('texts')} texts that the card names")
